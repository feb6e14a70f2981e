"""LangGraph's AsyncPostgresStore on a pool, with its vectors in an HNSW index."""

import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from fastapi import FastAPI
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from benchmarks.peers.embedder import DIMENSIONS, WordLlama
from benchmarks.peers.told import POOL_SIZE, URL, RecallRequest, RememberRequest

OPTIONS = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}

pool: Any = AsyncConnectionPool(URL, min_size=POOL_SIZE, max_size=POOL_SIZE, kwargs=OPTIONS, open=False)


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with pool:
        app.state.store = AsyncPostgresStore(pool, index={"dims": DIMENSIONS, "embed": WordLlama(), "fields": ["text"]})
        await app.state.store.setup()
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/remember")
async def remember(asked: RememberRequest) -> None:
    await app.state.store.aput(("memories", asked.user_id), str(uuid4()), {"text": asked.text})


@app.post("/recall")
async def recall(asked: RecallRequest) -> dict[str, list[str] | float]:
    began = time.perf_counter()
    found = await app.state.store.asearch(("memories", asked.user_id), query=asked.question, limit=asked.limit)
    return {"texts": [each.value["text"] for each in found], "took_ms": (time.perf_counter() - began) * 1_000}
