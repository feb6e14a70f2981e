"""What came since a register was loaded, and what is live of it and of what was found."""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID

from chatServer.memory.recall.reach import Ask
from chatServer.memory.recall.register import Register
from chatServer.store import recall as store
from chatServer.store.pool import Connection, Database

MOST = 500  # more than this came since: then it is loaded anew


@dataclass(frozen=True, slots=True)
class NewsStand:
    """Where it is asked for, and how long a statement may take there."""

    database: Database
    model: str
    statement_ms: int

    async def read(
        self, register: Register, ask: Ask, hits: Collection[UUID], came: store.News | None = None
    ) -> store.News:
        """What came since, unless that is known already, and what is live of it and of the hits, in one round trip."""
        async with self._transaction(ask) as connection:
            coming = None if came else await self._ask(connection, register, ask)
            live = await store.ask_live(
                connection,
                ask.principal.user_id,
                self.model,
                register.since,
                found=hits,
                excluded=ask.excluded,
                scope=ask.scope,
                tools=ask.tools,
            )
        news = await coming.read() if coming else came
        assert news is not None  # nosec B101 # narrows a type
        return await live.read(news)

    async def came(self, register: Register, ask: Ask) -> store.News:
        """What came since."""
        async with self._transaction(ask) as connection:
            coming = await self._ask(connection, register, ask)
        return await coming.read()

    async def _ask(self, connection: Connection, register: Register, ask: Ask) -> store.NewsAsked:
        user_id, asking = ask.principal.user_id, ask.scope.asking
        return await store.ask_news(connection, user_id, self.model, register.since, asking=asking, limit=MOST)

    def _transaction(self, ask: Ask) -> AbstractAsyncContextManager[Connection]:
        return self.database.transaction(ask.principal, timeout_ms=self.statement_ms)
