"""What the tools of memory work with, and whom they serve."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from chatServer.agent.catalog import Catalog
from chatServer.memory.keep import Guard, let_pass
from chatServer.memory.recall import Recaller
from chatServer.records import Principal
from chatServer.store.pool import Database


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """The summary of a session as it is now, whether it is new, and how many messages it stands for."""

    updated: bool
    summary: str
    covers_messages: int


Summarize = Callable[[Principal, str, bool], Awaitable[SummaryResult]]  # of a session; whether even if nothing is new


@dataclass(frozen=True, slots=True)
class Desk:
    """Shared by all callers: it knows nothing of any of them."""

    database: Database
    agents: Catalog
    recaller: Recaller | None = None  # a worker has none
    summarize: Summarize | None = None
    guard: Guard = let_pass
