"""create_agent with LangGraph's AsyncPostgresSaver, on a pool.

`durability="exit"` stores one checkpoint at the end of a turn instead of one after each step: fewer rows, and nothing
of a turn that dies. PEER_DURABILITY=async is what LangGraph does unless it is told otherwise.
"""

import contextlib
import os
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from benchmarks.peers.instant import Instant
from benchmarks.peers.told import POOL_SIZE, URL, ChatRequest, FillRequest

DURABILITY: Any = os.environ.get("PEER_DURABILITY", "exit")
# As LangGraph asks for it.
OPTIONS = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
COPY = """
insert into {table}
select (jsonb_populate_record(t, jsonb_build_object('thread_id', other))).*
from {table} as t, unnest(%(others)s::text[]) as other
where t.thread_id = %(first)s
"""

pool: Any = AsyncConnectionPool(URL, min_size=POOL_SIZE, max_size=POOL_SIZE, kwargs=OPTIONS, open=False)


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        app.state.agent = create_agent(Instant(), [], system_prompt="You help.", checkpointer=saver)
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/fill")
async def fill(asked: FillRequest) -> None:
    """One checkpoint with all of them: kinder than one for each of their turns. The other threads are copies."""
    first, *others = asked.session_ids
    kinds = len(asked.texts)
    said = [(HumanMessage if n % 2 else AIMessage)(asked.texts[n % kinds]) for n in range(1, asked.messages + 1)]
    await app.state.agent.aupdate_state(_thread(first), {"messages": said})
    async with pool.connection() as connection:
        for table in TABLES:
            await connection.execute(COPY.format(table=table), {"first": first, "others": others})


@app.post("/chat")
async def chat(asked: ChatRequest) -> dict[str, str]:
    said = {"messages": [HumanMessage(asked.message)]}
    state = await app.state.agent.ainvoke(said, _thread(asked.session_id), durability=DURABILITY)
    return {"response": state["messages"][-1].content}


@app.post("/stream")
async def stream(asked: ChatRequest) -> StreamingResponse:
    async def said() -> AsyncIterator[str]:
        question = {"messages": [HumanMessage(asked.message)]}
        thread = _thread(asked.session_id)
        async for chunk, _ in app.state.agent.astream(question, thread, stream_mode="messages", durability=DURABILITY):
            yield f"data: {chunk.content}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(said(), media_type="text/event-stream")


def _thread(session_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": session_id}}
