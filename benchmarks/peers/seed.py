"""langchain-postgres taken literally: PostgresChatMessageHistory in a ConversationBufferWindowMemory, handed to an
AgentExecutor.

Synchronous, in FastAPI's threads, on a pool: the window's asynchronous half calls the synchronous one in a thread
anyway. The agent is made once; memory and executor belong to a session, and are made for each request.
"""

import contextlib
import warnings
from collections.abc import AsyncIterator

warnings.simplefilter("ignore")  # all three classes are deprecated, and say so

from fastapi import FastAPI  # noqa: E402
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent  # noqa: E402
from langchain_classic.memory import ConversationBufferWindowMemory  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder  # noqa: E402
from langchain_postgres import PostgresChatMessageHistory  # noqa: E402
from psycopg_pool import ConnectionPool  # noqa: E402

from benchmarks.peers.instant import Instant  # noqa: E402
from benchmarks.peers.told import POOL_SIZE, URL, ChatRequest, FillRequest  # noqa: E402

TABLE = "chat_history"
WINDOW = 10  # pairs: 20 messages
FILL = """
insert into chat_history (session_id, message)
select session_id, jsonb_build_object('type', kind, 'data', jsonb_build_object(
    'id', null, 'name', null, 'type', kind, 'content', (%(texts)s::text[])[1 + n %% %(kinds)s],
    'additional_kwargs', jsonb_build_object(), 'response_metadata', jsonb_build_object()))
from unnest(%(session_ids)s::uuid[]) as s (session_id), generate_series(1, %(messages)s) as n,
    lateral (select case n %% 2 when 1 then 'human' else 'ai' end) as k (kind)
"""

pool = ConnectionPool(URL, min_size=POOL_SIZE, max_size=POOL_SIZE, open=False)
prompt = ChatPromptTemplate.from_messages(
    [("system", "You help."), MessagesPlaceholder("chat_history"), ("human", "{input}"),
     MessagesPlaceholder("agent_scratchpad")]
)  # fmt: skip
agent = create_tool_calling_agent(Instant(), [], prompt)


@contextlib.asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    with pool:
        with pool.connection() as connection:
            PostgresChatMessageHistory.create_tables(connection, TABLE)
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/fill")
def fill(asked: FillRequest) -> None:
    with pool.connection() as connection:
        connection.execute(FILL, asked.model_dump() | {"kinds": len(asked.texts)})


@app.post("/chat")
def chat(asked: ChatRequest) -> dict[str, str]:
    with pool.connection() as connection:
        history = PostgresChatMessageHistory(TABLE, asked.session_id, sync_connection=connection)
        memory = ConversationBufferWindowMemory(
            k=WINDOW, memory_key="chat_history", input_key="input", return_messages=True, chat_memory=history
        )
        executor = AgentExecutor(agent=agent, tools=[], memory=memory)
        return {"response": executor.invoke({"input": asked.message})["output"]}
