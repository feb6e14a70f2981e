"""The product's own worker, until the queue is empty: what turns have left to be done is done before the audit."""

import asyncio
import time

import psycopg
from pydantic import SecretStr

from chatServer.agent.catalog import load_agents
from chatServer.agent.models import Models
from chatServer.config import Settings
from chatServer.main import workshop
from chatServer.store.pool import Database
from chatServer.work.worker import Worker

WITHIN_S = 45.0  # the jobs of a killed worker wait 12 s for it, those that failed once 3 s more
WAITING = "select count(*) from procrastinate.procrastinate_jobs where status in ('todo', 'doing')"


async def drain(url: str, owner: psycopg.Connection) -> None:
    """At most for a while: what is left then is a finding."""
    if owner.execute(WAITING).fetchone() == (0,):
        return
    settings = Settings(database_url=SecretStr(url), database_direct_url=SecretStr(url), _env_file=None)
    agents, models = load_agents(settings.agents_dir, settings.default_agent), Models(settings)
    stopping = asyncio.Event()
    async with Database(url, settings) as database:
        worker = Worker(database, workshop(settings, database, agents, models).tasks(), grace_s=5)
        working = asyncio.create_task(worker.run(stopping))
        deadline = time.monotonic() + WITHIN_S
        while owner.execute(WAITING).fetchone() != (0,) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        stopping.set()
        await working
    await models.close()
