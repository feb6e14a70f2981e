"""What /readyz looks at, before requests are sent here."""

import asyncio

from chatServer.agent.catalog import Catalog
from chatServer.agent.models import Models
from chatServer.api.keys import IssuerKeys, Keys
from chatServer.api.readiness import Check, Look
from chatServer.memory.recall.recall import Recaller
from chatServer.store import jobs, startup
from chatServer.store.pool import Database


def looks(database: Database, keys: Keys, models: Models, recaller: Recaller, agents: Catalog) -> dict[str, Look]:
    """Each by its name."""
    reading: asyncio.Task[startup.Schema] | None = None

    def read_once() -> asyncio.Task[startup.Schema]:
        """Two looks at the database begin together: what one read tells is enough for both."""
        nonlocal reading
        if reading is None or reading.done():
            reading = asyncio.ensure_future(startup.read_schema(database))
        return reading

    async def database_answers() -> Check:
        is_read_only = (await read_once()).is_read_only
        return Check(not is_read_only, "answers, and takes no writes" if is_read_only else "answers")

    async def is_migrated() -> Check:
        revision = (await read_once()).revision
        is_older = startup.is_older(revision)
        return Check(not is_older, f"at revision {revision}" + (": run chatserver migrate" if is_older else ""))

    async def queue_is_read() -> Check:
        return Check(ok=True, detail=str(await jobs.read_status(database)))

    async def models_can_answer() -> Check:
        return _can_answer(models, agents)

    async def memory_is_loaded() -> Check:
        return Check(recaller.is_warm, "loaded" if recaller.is_warm else "loading")

    async def issuer_is_known() -> Check:
        assert isinstance(keys, IssuerKeys)  # nosec B101 # narrows a type
        return Check(*await keys.status())

    found: dict[str, Look] = {"database": database_answers, "migrations": is_migrated, "queue": queue_is_read}
    found |= {"models": models_can_answer, "memory": memory_is_loaded}
    return found | {"issuer": issuer_is_known} if isinstance(keys, IssuerKeys) else found


def _can_answer(models: Models, agents: Catalog) -> Check:
    if models.loading:
        return Check(ok=False, detail=f"loading {models.loading}")
    unable = models.unable(agents)
    missing = unable.get(agents.default)
    if missing is None:
        return Check(ok=True, detail="loaded")
    return Check(ok=False, detail=missing, works_in_part=any(agent.name not in unable for agent in agents))
