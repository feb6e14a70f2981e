"""Articles that are there already, as reading them leaves them: one chunk for each text."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from chatServer.conversation.tokens import count_text
from chatServer.knowledge.retrieve import Retriever
from chatServer.memory.embed import Embedder, WordLlamaEmbedder, written
from chatServer.messages.terms import stems_of
from chatServer.store.pool import Database
from tests.conftest import owner_connection

ARTICLE = """
insert into chat.articles
    (user_id, article_id, name, title, media_type, size_bytes, content_hash, state, tokens, chunks)
values (%(user_id)s, %(article_id)s, %(name)s, %(title)s, %(media_type)s, 1, 'x', 'ready', %(tokens)s, %(chunks)s)"""
CHUNK = """
insert into chat.article_chunks (user_id, article_id, position, page, text, tokens, tsv, embed_model, vec)
values (%s, %s, %s, %s, %s, %s, array_to_tsvector(%s::text[]), %s, %s)"""


async def put_article(
    url: str,
    user_id: UUID,
    name: str,
    texts: Sequence[str],
    *,
    title: str | None = None,
    pages: Sequence[int] | None = None,
    media_type: str = "text/plain",
    has_vectors: bool = True,
) -> UUID:
    """Written as the owner of the database, for anybody: also for the nil UUID, whose articles are everybody's."""
    article_id, title = uuid4(), title or name
    tokens = [count_text(text) for text in texts]
    values = {"user_id": user_id, "article_id": article_id, "name": name, "title": title, "media_type": media_type}
    vectors: list[str | None] = [None] * len(texts)
    if has_vectors:
        vectors = list(written(await WordLlamaEmbedder().embed([f"{title}\n{text}" for text in texts])))
    rows = [
        (
            user_id,
            article_id,
            position,
            pages[position] if pages else None,
            text,
            tokens[position],
            stems_of(f"{title}\n{text}"),
            WordLlamaEmbedder.name if has_vectors else None,
            vectors[position],
        )
        for position, text in enumerate(texts)
    ]
    with owner_connection(url) as owner, owner.cursor() as cursor:
        cursor.execute(ARTICLE, {**values, "tokens": sum(tokens), "chunks": len(texts)})
        cursor.executemany(CHUNK, rows)
    return article_id


def delete_article(url: str, article_id: UUID) -> None:
    with owner_connection(url) as owner:
        owner.execute("delete from chat.articles where article_id = %s", [article_id])


def retriever_of(database: Database, embedder: Embedder | None = None) -> Retriever:
    return Retriever(database, embedder or WordLlamaEmbedder(), count_text)
