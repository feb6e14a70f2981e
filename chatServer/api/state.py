"""What lives as long as the server, in one typed place."""

from dataclasses import dataclass, field

import httpx

from chatServer.agent.catalog import Catalog
from chatServer.api.at_once import at_once
from chatServer.api.auth import Authenticator
from chatServer.api.dev_key import DevKey
from chatServer.api.personal_tokens import PersonalTokens
from chatServer.api.readiness import Readiness
from chatServer.api.shutdown import Shutdown
from chatServer.config import Settings
from chatServer.conversation.feed import Feeds
from chatServer.knowledge.ingest import Library
from chatServer.memory.recall.recall import Recaller
from chatServer.protocols.mcp.desk import Desk
from chatServer.store.pool import Database
from chatServer.store.shares import Shares
from chatServer.turn.turns import Turns

PREVIEWS = 2  # of one user: a long message takes a second to be counted


def _previews() -> Shares:
    told = "Two previews of yours are being made. Wait for one of them."
    return at_once(PREVIEWS, limit="parallel_previews", detail=told)


@dataclass(frozen=True, slots=True)
class State:
    settings: Settings
    database: Database
    agents: Catalog
    turns: Turns
    recaller: Recaller
    desk: Desk  # what the tools of memory work with
    library: Library
    feeds: Feeds
    authenticator: Authenticator
    tokens: PersonalTokens
    dev_key: DevKey | None  # with AUTH_MODE=dev only
    http: httpx.AsyncClient  # to the issuer, and to nobody else
    readiness: Readiness
    shutdown: Shutdown
    commit: str
    previews: Shares = field(default_factory=_previews)
