"""The floor: what a chat route costs that does nothing but read the last 20 messages and store two."""

import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from psycopg_pool import AsyncConnectionPool

from benchmarks.peers.told import POOL_SIZE, REPLY, URL, ChatRequest, FillRequest

TABLE = """
create table if not exists message (
    id bigint generated always as identity primary key, session_id text not null, role text not null,
    content text not null);
create index if not exists message_by_session on message (session_id, id)
"""
FILL = """
insert into message (session_id, role, content)
select session_id, case n %% 2 when 1 then 'user' else 'assistant' end, (%(texts)s::text[])[1 + n %% %(kinds)s]
from unnest(%(session_ids)s::text[]) as s (session_id), generate_series(1, %(messages)s) as n
"""
READ = "select role, content from message where session_id = %s order by id desc limit 20"
WRITE = "insert into message (session_id, role, content) values (%s, %s, %s)"

pool = AsyncConnectionPool(URL, min_size=POOL_SIZE, max_size=POOL_SIZE, open=False)


@contextlib.asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with pool:
        async with pool.connection() as connection:
            await connection.execute(TABLE)
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/fill")
async def fill(asked: FillRequest) -> None:
    values = asked.model_dump() | {"kinds": len(asked.texts)}
    async with pool.connection() as connection:
        await connection.execute(FILL, values)


@app.post("/chat")
async def chat(asked: ChatRequest) -> dict[str, str]:
    async with pool.connection() as connection:
        await (await connection.execute(READ, (asked.session_id,))).fetchall()
        await connection.execute(WRITE, (asked.session_id, "user", asked.message))
        await connection.execute(WRITE, (asked.session_id, "assistant", REPLY))
    return {"response": REPLY}


@app.post("/stream")
async def stream(asked: ChatRequest) -> StreamingResponse:
    async def said() -> AsyncIterator[str]:
        async with pool.connection() as connection:
            await (await connection.execute(READ, (asked.session_id,))).fetchall()
            await connection.execute(WRITE, (asked.session_id, "user", asked.message))
        for word in REPLY.split(" "):
            yield f"data: {word}\n\n"
        async with pool.connection() as connection:
            await connection.execute(WRITE, (asked.session_id, "assistant", REPLY))
        yield "data: [DONE]\n\n"

    return StreamingResponse(said(), media_type="text/event-stream")
