"""Who is asking: a token is read strictly, with the issuer's rules, and remembered for a minute at most."""

import hashlib
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NoReturn
from uuid import UUID

import jwt
from starlette.types import Scope

from chatServer import errors, metrics
from chatServer.api.keys import Keys
from chatServer.api.personal_tokens import PREFIX, PersonalTokens
from chatServer.records import NOBODY, Principal

MAX_TOKEN_LENGTH = 8_192
MAX_LIFETIME_S = 24 * 3600
LEEWAY_S = 5
REMEMBERED_S = 60
REMEMBERED_TOKENS = 10_000
ROLE = "authenticated"
REQUIRED = ["exp", "iat", "sub", "aud", "iss"]
REASONS: dict[type[Exception], str] = {
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it is from the future: compare the clocks",
    jwt.InvalidIssuerError: "another issuer than ours is in it",
    jwt.InvalidAudienceError: "another audience than AUTH_AUDIENCE is in it",
    jwt.MissingRequiredClaimError: f"one of {', '.join(REQUIRED)} is not in it",
    jwt.InvalidSignatureError: "it is signed with another key",
}
NO_USER = "its sub is no user's id"
NEEDS_SIGN_IN = "This needs a token: send one header Authorization: Bearer <access token>."

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Issuer:
    """What a token must say about itself."""

    name: str
    audience: str


class Authenticator:
    """Turns access tokens into principals. Whatever is wrong with one, the answer is the same; the log says what."""

    def __init__(self, issuer: Issuer, keys: Keys, tokens: PersonalTokens | None = None) -> None:
        self._issuer = issuer
        self._keys = keys
        self._tokens = tokens
        # Until when, by time.monotonic(): a clock that is set back lets nothing live longer.
        self._remembered: OrderedDict[bytes, tuple[Principal, float]] = OrderedDict()

    async def principal_of(self, token: str) -> Principal:
        """The user of a token."""
        if len(token) > MAX_TOKEN_LENGTH or not token.isascii():
            raise _refusal("it is no token")
        if self._tokens is not None and token.startswith(PREFIX):
            return await self._tokens.principal_of(token) or _refuse("it is no personal token of ours, or over")
        digest = hashlib.sha256(token.encode()).digest()
        principal, until = self._remembered.get(digest, (None, 0.0))
        if principal is None or time.monotonic() >= until:
            claims = await self._claims(token)
            principal = _principal(claims)
            self._remember(digest, principal, claims["exp"])
        return principal

    async def _claims(self, token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            kid = header.get("kid")
            found = await self._keys.find(kid if isinstance(kid, str) else None)
            if found is None or header.get("alg") != found.algorithm:
                raise _refusal("no key of ours is for it")
            return jwt.decode(
                token,
                found.key,
                algorithms=[found.algorithm],
                audience=self._issuer.audience,
                issuer=self._issuer.name,
                leeway=LEEWAY_S,
                options={"require": REQUIRED},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise _refusal(REASONS.get(type(error), "it cannot be read")) from error

    def _remember(self, digest: bytes, principal: Principal, expires_at: int) -> None:
        self._remembered[digest] = (principal, time.monotonic() + min(expires_at - time.time(), REMEMBERED_S))
        self._remembered.move_to_end(digest)
        if len(self._remembered) > REMEMBERED_TOKENS:
            self._remembered.popitem(last=False)


def bearer_of(scope: Scope) -> str | None:
    """The token that came with a request; of two, whoever stands before us may have read the other."""
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, token = (given[0] if len(given) == 1 else b"").decode("latin-1").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def bearer_token(scope: Scope) -> str:
    """The same of somebody who has to sign in."""
    if (token := bearer_of(scope)) is None:
        raise errors.Unauthenticated(NEEDS_SIGN_IN)
    return token


async def sender(scope: Scope) -> Principal:
    """Who sends a request; strangers are refused. It is asked before there is a route, and by the route again: the
    answer is remembered."""
    authenticator: Authenticator = scope["state"]["chat"].authenticator
    return await authenticator.principal_of(bearer_token(scope))


def _principal(claims: dict[str, Any]) -> Principal:
    """The user, if every claim has the type and the value that the issuer gives it."""
    times = (claims["exp"], claims["iat"])
    has_whole_seconds = all(type(each) is int for each in times)  # JSON's true is an int too, but not here
    if not has_whole_seconds or claims["exp"] <= claims["iat"]:
        raise _refusal("its times are not whole seconds, one after the other")
    if claims["exp"] - claims["iat"] > MAX_LIFETIME_S:
        raise _refusal("it is good for more than a day")
    if claims.get("role") != ROLE:
        raise _refusal(f"its role is not {ROLE}")
    try:
        user_id = UUID(claims["sub"])
    except ValueError as error:
        raise _refusal(NO_USER) from error
    if str(user_id) != claims["sub"].lower() or user_id == NOBODY.user_id:
        raise _refusal(NO_USER)
    return Principal(user_id, claims.get("is_anonymous") is True, expires_at=claims["exp"] + LEEWAY_S)


def _refuse(why: str) -> NoReturn:
    raise _refusal(why)


def _refusal(why: str) -> errors.Unauthenticated:
    """`why` is for whoever operates the server: who guesses at tokens learns nothing from the answer."""
    metrics.refused_tokens.inc()
    logger.info("a token was refused: %s", why)
    return errors.Unauthenticated("The token is not valid, or no longer. Sign in again.")
