"""What the tools of memory work with, and whom they serve."""

from dataclasses import dataclass

from chatServer.agent.catalog import Catalog
from chatServer.agent.purposes import NO_ADVISERS, Advisers
from chatServer.memory.recall.recall import Recaller
from chatServer.store.pool import Database


@dataclass(frozen=True, slots=True)
class Desk:
    """Shared by all callers: it knows nothing of any of them."""

    database: Database
    agents: Catalog
    recaller: Recaller | None = None  # a worker has none
    advisers: Advisers = NO_ADVISERS  # who writes summaries
