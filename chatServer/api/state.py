"""What lives as long as the server, in one typed place."""

from dataclasses import dataclass

from chatServer.agent.catalog import Catalog
from chatServer.api.auth import DevTokens
from chatServer.config import Settings
from chatServer.store.pool import Database


@dataclass(frozen=True, slots=True)
class State:
    settings: Settings
    database: Database
    agents: Catalog
    tokens: DevTokens
