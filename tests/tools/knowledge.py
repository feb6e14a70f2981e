"""Articles for tests: uploaded over HTTP, or read as a worker would."""

from uuid import UUID

import httpx

from chatServer.conversation.tokens import count_text
from chatServer.knowledge.ingest import Library, ingest
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.store.pool import Database
from tests.conftest import Urls, rows


def library_of(database: Database, **limits) -> Library:
    return Library(database, count_text, WordLlamaEmbedder(), **limits)


async def upload(client: httpx.AsyncClient, headers: dict[str, str], *files: tuple[str, bytes]) -> httpx.Response:
    parts = [("file", (name, content)) for name, content in files]
    return await client.post("/api/knowledge", headers=headers, files=parts)


async def read_all(database: Database, user, answer: httpx.Response, **limits) -> None:
    """What a worker does with an upload."""
    assert answer.status_code == 202, answer.text
    for article in answer.json()["articles"]:
        await ingest(library_of(database, **limits), user, UUID(article["id"]))


def text_of(urls: Urls, name: str) -> str:
    """What an article says now."""
    found = rows(
        urls,
        "select c.text from chat.article_chunks c join chat.articles a using (user_id, article_id) "
        "where a.name = %s order by c.position",
        name,
    )
    return "".join(text for (text,) in found)


def left_behind(urls: Urls) -> tuple[int, int]:
    """Parts of files, and chunks."""
    (found,) = rows(
        urls, "select (select count(*) from chat.article_files), (select count(*) from chat.article_chunks)"
    )
    return found
