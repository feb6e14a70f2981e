"""How long finding passages of articles takes: python -m benchmarks.retrieval.

One user has 10,000 chunks, others 50,000 more, everybody 2,000: about 300 tokens each, of made-up words that are as
frequent as words are (Zipf), 40 chunks an article. He asks 300 questions, a few words of one of his chunks, one after
the other, with little room and with much. Ends with 1 when the p95 is not below 50 ms, or when more than one question
in twenty does not find the article that it was made of."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import numpy as np

from benchmarks.command import parser
from benchmarks.stored import own_database
from chatServer.conversation.tokens import count_text
from chatServer.knowledge.quote import quoted
from chatServer.knowledge.retrieve import Retriever
from chatServer.memory.embed import WordLlamaEmbedder, unit_length, written
from chatServer.messages.terms import stems_of
from chatServer.records import NOBODY, Principal
from chatServer.store.pool import Database

BOUND_MS = 50
MIN_FOUND = 0.95
QUESTIONS = 300
CHUNKS = 40  # of an article
WORDS = 200  # of a chunk
VOCABULARY = 25_000
OWN, SHARED, OTHERS, OTHER_USERS = 10_000, 2_000, 50_000, 50
WINDOW = 128_000
ROOMS = (8_000, 100_000)
ARTICLE = """
insert into chat.articles
    (user_id, article_id, name, title, media_type, size_bytes, content_hash, state, tokens, chunks)
values (%(user_id)s, %(id)s, %(name)s, %(name)s, 'text/plain', 1, 'x', 'ready', %(tokens)s, %(chunks)s)
"""
PUT = """
insert into chat.article_chunks (user_id, article_id, position, text, tokens, tsv, embed_model, vec)
select %(user_id)s, %(id)s, given.position - 1, given.text, %(tokens)s,
    array_to_tsvector(string_to_array(given.words, ' ')), 'wordllama', given.vec::halfvec
from unnest(%(texts)s::text[], %(words)s::text[], %(vectors)s::text[])
    with ordinality as given (text, words, vec, position)
"""


@dataclass(frozen=True, slots=True)
class Asking:
    question: str
    article_id: UUID


class Language:
    """Words of syllables, some frequent, most rare."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(20261115)
        syllables = np.array([a + b for a in "bcdfghklmnprstvz" for b in "aeiou"])
        self.words = ["".join(self.random.choice(syllables, 2 + i % 3)) for i in range(VOCABULARY)]
        shares = 1 / np.arange(1, VOCABULARY + 1)
        self.shares = np.cumsum(shares / shares.sum())

    def text(self) -> str:
        places = np.searchsorted(self.shares, self.random.random(WORDS))
        return " ".join(self.words[min(place, VOCABULARY - 1)] for place in places) + ". "

    def question(self, text: str) -> str:
        return " ".join(self.random.choice(sorted(set(text.split())), int(self.random.integers(3, 9)), replace=False))


async def fill(
    database: Database, who: Principal, count: int, language: Language, *, is_asked: bool = True
) -> AsyncIterator[Asking]:
    """So many chunks for a user, and a question to each article; of whom nobody asks, with any vectors."""
    for number in range(count // CHUNKS):
        texts = [language.text() for _ in range(CHUNKS)]
        made = await WordLlamaEmbedder().embed(texts) if is_asked else language.random.normal(size=(CHUNKS, 256))
        vectors = written(unit_length(made))
        article_id, tokens = uuid4(), count_text(texts[0])
        values = {"user_id": who.user_id, "id": article_id, "name": f"{number}.txt", "chunks": CHUNKS}
        words = [" ".join(stems_of(text)) for text in texts]
        columns = {"texts": texts, "words": words, "vectors": vectors}
        async with database.transaction(who) as connection:
            await connection.execute(ARTICLE, {**values, "tokens": tokens * CHUNKS})
            await connection.execute(PUT, {**values, **columns, "tokens": tokens})
        yield Asking(language.question(texts[number % CHUNKS]), article_id)


async def measure(retriever: Retriever, who: Principal, asked: Sequence[Asking], room: int) -> bool:
    """Print one line, and say whether the bounds hold."""
    took_ms, cpu_ms, found, tokens = [], [], 0, []
    for asking in asked:
        began, worked = time.perf_counter(), time.process_time()
        passages = await retriever.retrieve(who, asking.question, 5, WINDOW - room, window_tokens=WINDOW)
        took_ms.append((time.perf_counter() - began) * 1_000)
        cpu_ms.append((time.process_time() - worked) * 1_000)
        found += any(passage.article_id == asking.article_id for passage in passages)
        tokens.append(count_text(quoted(passages)))
    assert max(tokens) <= room
    p50, p95, p99 = np.percentile(took_ms, [50, 95, 99])
    print(
        f"room for {room:7,} tokens: p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms (N={len(asked)}),"
        f" CPU of the server {np.median(cpu_ms):.1f} ms, {found / len(asked):.1%} found their article,"
        f" {np.mean(tokens):,.0f} tokens shown on average,"
        f" load {os.getloadavg()[0]:.1f}"
    )
    return p95 < BOUND_MS and found >= MIN_FOUND * len(asked)


async def run() -> bool:
    language, user = Language(), Principal(uuid4())
    async with own_database() as database:
        asked = [asking async for asking in fill(database, user, OWN, language)]
        for who, count in [
            (NOBODY, SHARED),
            *((Principal(uuid4()), OTHERS // OTHER_USERS) for _ in range(OTHER_USERS)),
        ]:
            async for _ in fill(database, who, count, language, is_asked=False):
                pass
        print(f"{OWN:,} chunks of one user, {SHARED:,} of everybody, {OTHERS:,} of {OTHER_USERS} others")
        retriever = Retriever(database, WordLlamaEmbedder(), count_text)
        asked = [asked[number % len(asked)] for number in range(QUESTIONS)]
        print("cold, the first question: ", end="")
        await measure(retriever, user, asked[:1], ROOMS[0])
        return all([await measure(retriever, user, asked, room) for room in ROOMS])


def main() -> None:
    parser(__doc__).parse_args()
    sys.exit(0 if asyncio.run(run()) else 1)


if __name__ == "__main__":
    main()
