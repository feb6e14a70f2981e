"""Personal tokens, for clients that cannot sign in again: `cst_`, and behind it whose it is, which one, and a secret.

That the token itself names its user lets us look it up as that user, under his row level security: there is no query
over everybody's tokens. What is stored is a hash; a token that was looked up is taken for a minute without asking.
"""

import asyncio
import contextlib
import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from chatServer import errors
from chatServer.records import NOBODY, Principal, Scope, new_id
from chatServer.store import limits, user_events
from chatServer.store import personal_tokens as store
from chatServer.store.personal_tokens import Token
from chatServer.store.pool import Database

PREFIX = "cst_"  # what scanners for secrets look for: cst_[A-Za-z0-9_-]{86}
SECRET_BYTES = 32
MAX_TOKENS = 20  # of one user
REMEMBERED_S = 60
REMEMBERED_TOKENS = 10_000
STREAM_S = 900  # so long a stream goes on before its token is looked at again
REFUSED_TOKENS = 1_000  # the last ones; a client with an old token asks again and again
LOOKUPS = 4  # at once: whoever sends made-up tokens has no more of our connections than these
LOOKUP_WAIT_S = 2.0  # for one of them


@dataclass(frozen=True, slots=True)
class Parts:
    """What a token is made of."""

    user_id: UUID
    token_id: UUID
    secret: bytes = field(repr=False)

    def __str__(self) -> str:
        whole = self.user_id.bytes + self.token_id.bytes + self.secret
        return PREFIX + urlsafe_b64encode(whole).decode().rstrip("=")

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.secret).digest()


def parsed(token: str) -> Parts | None:
    """The parts, if it is a token of ours in its one spelling."""
    try:
        whole = urlsafe_b64decode(token.removeprefix(PREFIX) + "==")
        parts = Parts(UUID(bytes=whole[:16]), UUID(bytes=whole[16:32]), whole[32:])
    except ValueError:
        return None
    is_ours = len(parts.secret) == SECRET_BYTES and str(parts) == token and parts.user_id != NOBODY.user_id
    return parts if is_ours else None


class Remembered(NamedTuple):
    digest: bytes
    principal: Principal
    until: float  # by time.monotonic(): a clock that is set back lets nothing live longer


class PersonalTokens:
    """Makes, lists and ends them, and knows whose they are."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: OrderedDict[tuple[UUID, UUID], Remembered] = OrderedDict()
        self._refused: OrderedDict[tuple[UUID, UUID, bytes], float] = OrderedDict()  # until when
        self._looking = asyncio.Semaphore(LOOKUPS)
        self._ended = 0  # how often some have: what was looked up before is not remembered

    async def principal_of(self, token: str) -> Principal | None:
        """The user of a token, with what it may be used for; None: it is none, or no longer."""
        parts = parsed(token)
        if parts is None:
            return None
        known = self._remembered.get((parts.user_id, parts.token_id))
        if known and time.monotonic() < known.until:
            return known.principal if hmac.compare_digest(known.digest, parts.digest) else None
        return await self._look_up(parts)

    async def make(
        self, principal: Principal, name: str, scopes: Sequence[Scope], lives: timedelta
    ) -> tuple[Token, str]:
        """A new one, and what is shown of it once."""
        parts = Parts(principal.user_id, new_id(), secrets.token_bytes(SECRET_BYTES))
        async with self._database.transaction(principal) as connection:
            await limits.hold_limits(connection, principal.user_id)
            if await store.count_tokens(connection, principal.user_id) >= MAX_TOKENS:
                raise errors.InvalidRequest(f"You have {MAX_TOKENS} tokens already. Delete one that you do not need.")
            made = await store.insert_token(
                connection,
                principal.user_id,
                parts.token_id,
                name=name,
                digest=parts.digest,
                scopes=sorted(set(scopes)),
                is_anonymous=principal.is_anonymous,
                lives=lives,
            )
            await user_events.be_in_time(connection, principal.user_id, waited_s=0)
        return made, str(parts)

    async def list(self, principal: Principal) -> list[Token]:
        async with self._database.transaction(principal) as connection:
            return await store.list_tokens(connection, principal.user_id)

    async def delete(self, principal: Principal, token_id: UUID) -> None:
        """It ends: here at once, in other processes within a minute."""
        async with self._database.transaction(principal) as connection:
            if not await store.delete_token(connection, principal.user_id, token_id):
                raise errors.NotFound("You have no token with this id.")
        self._ended += 1
        self._remembered.pop((principal.user_id, token_id), None)

    def forget(self, user_id: UUID) -> None:
        """Look at all tokens of a user anew: his data was erased."""
        self._ended += 1
        for key in [key for key in self._remembered if key[0] == user_id]:
            del self._remembered[key]

    async def _look_up(self, parts: Parts) -> Principal | None:
        """Overloaded when too many wait to be looked up."""
        if time.monotonic() < self._refused.get((parts.user_id, parts.token_id, parts.digest), 0):
            return None
        ended = self._ended
        async with self._place(), self._database.transaction(Principal(parts.user_id)) as connection:
            found = await store.find_token(connection, parts.user_id, parts.token_id)
            if found is None or not hmac.compare_digest(found.digest, parts.digest):
                self._refuse(parts)
                return None
            await store.mark_used(connection, parts.user_id, parts.token_id)
        now, ends = time.time(), found.expires_at.timestamp()
        scopes = frozenset(found.scopes)
        principal = Principal(parts.user_id, found.is_anonymous, expires_at=min(ends, now + STREAM_S), scopes=scopes)
        if ended == self._ended:
            self._remember(parts, principal, time.monotonic() + min(ends - now, REMEMBERED_S))
        return principal

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(LOOKUP_WAIT_S):
                await self._looking.acquire()
        except TimeoutError as error:
            raise errors.Overloaded from error
        try:
            yield
        finally:
            self._looking.release()

    def _refuse(self, parts: Parts) -> None:
        """By its secret, too: who guesses at one shall not shut out whoever has it."""
        self._refused[parts.user_id, parts.token_id, parts.digest] = time.monotonic() + REMEMBERED_S
        if len(self._refused) > REFUSED_TOKENS:
            self._refused.popitem(last=False)

    def _remember(self, parts: Parts, principal: Principal, until: float) -> None:
        key = parts.user_id, parts.token_id
        self._remembered[key] = Remembered(parts.digest, principal, until)
        self._remembered.move_to_end(key)
        if len(self._remembered) > REMEMBERED_TOKENS:
            self._remembered.popitem(last=False)
