"""Where the keys come from that tokens are verified with: one of our own, or the issuer's key set."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx
import jwt

from chatServer import errors, metrics

MAX_KEY_SET_BYTES = 65_536
FETCH_TIMEOUT_S = 3.0
FRESH_S = 600.0  # so long the keys are taken without asking
BETWEEN_FETCHES_S = 30.0  # an unknown kid may be new; ten thousand of them are an attack
STALE_S = 24 * 3600.0  # an issuer that is down must not sign everybody out
ALGORITHMS = {("EC", "secp256r1"): "ES256", ("RSA", None): "RS256"}
MIN_RSA_BITS = 2_048

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A key and the one algorithm that it is for; a token has no say in it."""

    key: Any = field(repr=False)
    algorithm: str


class UnusableKeys(ValueError):
    """A key set with nothing in it that we verify with."""


class Keys(Protocol):
    async def find(self, kid: str | None) -> VerificationKey | None:
        """The key that a token names, if it is one of ours."""


@dataclass(frozen=True, slots=True)
class OneKey:
    """A shared secret: whatever a token names, there is only this one."""

    secret: bytes = field(repr=False)

    async def find(self, kid: str | None) -> VerificationKey:
        return VerificationKey(self.secret, "HS256")


class IssuerKeys:
    """The issuer's JWKS, fetched when needed by one request at a time, and kept through its outages."""

    def __init__(self, url: str, client: httpx.AsyncClient, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._client = client
        self._clock = clock
        self._fetching = asyncio.Lock()
        self._keys: dict[str, VerificationKey] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None

    async def find(self, kid: str | None) -> VerificationKey | None:
        if kid is None:
            return None
        is_known = kid in self._keys and self._age_s() <= STALE_S
        if is_known and not self._is_fresh() and self._fetching.locked():
            metrics.stale_keys.inc()  # somebody is fetching already: an issuer that hangs holds one request, not all
            return self._keys[kid]
        if not self._is_fresh() or kid not in self._keys:
            async with self._fetching:
                if (not self._is_fresh() or kid not in self._keys) and self._may_fetch():
                    await self._fetch()
        if self._age_s() > STALE_S:
            raise errors.IssuerUnavailable
        if not self._is_fresh():
            metrics.stale_keys.inc()
        return self._keys.get(kid)

    async def status(self) -> tuple[bool, str]:
        """Whether tokens can be verified, and with keys of which age; asks the issuer when they are old."""
        async with self._fetching:
            if not self._is_fresh() and self._may_fetch():
                await self._fetch()
        if self._age_s() > STALE_S or not self._keys:
            return False, "no signing key could be fetched from the issuer: chatserver doctor says why"
        age = f"{len(self._keys)} keys, {self._age_s():.0f} s old"
        return True, age if self._is_fresh() else f"{age}: the issuer does not answer"

    def _age_s(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    def _is_fresh(self) -> bool:
        return self._age_s() < FRESH_S

    def _may_fetch(self) -> bool:
        return self._tried_at is None or self._clock() - self._tried_at >= BETWEEN_FETCHES_S

    async def _fetch(self) -> None:
        self._tried_at = self._clock()
        try:
            response, body = await get_bounded(self._client, self._url, FETCH_TIMEOUT_S)
            response.raise_for_status()
            self._keys = parse_key_set(body)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TimeoutError) as error:
            metrics.jwks_fetches.labels("failed").inc()
            logger.warning("the issuer's keys cannot be fetched: %s", type(error).__name__)
            return
        self._fetched_at = self._clock()
        metrics.jwks_fetches.labels("ok").inc()


async def get_bounded(client: httpx.AsyncClient, url: str, timeout_s: float) -> tuple[httpx.Response, bytes]:
    """An answer of the issuer's and its body, bounded in size and in total time: one that drips must not hold us."""
    async with asyncio.timeout(timeout_s), client.stream("GET", url) as response:
        body = b""
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_KEY_SET_BYTES:
                raise ValueError("the issuer's answer is too large")
        return response, body


def parse_key_set(body: bytes) -> dict[str, VerificationKey]:
    """The public signing keys by kid. Symmetric keys, weak ones and those for other uses are left out."""
    try:
        listed = json.loads(body)["keys"]
        usable = {str(key["kid"]): made for key in listed if (made := _verification_key(key))}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("not a usable key set") from error
    if not usable:
        raise UnusableKeys("not a usable key set: it holds no ES256 or RS256 key for signatures")
    return usable


def _verification_key(raw: object) -> VerificationKey | None:
    """One that we cannot use is left out: it must not take the others with it."""
    if not isinstance(raw, dict) or not isinstance(raw.get("kid"), str) or not raw["kid"]:
        return None
    try:
        key = jwt.PyJWK.from_dict({name: value for name, value in raw.items() if name != "alg"})
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError, NotImplementedError):
        return None
    curve = getattr(getattr(key.key, "curve", None), "name", None)
    algorithm = ALGORITHMS.get((str(key.key_type), curve))
    is_weak = algorithm == "RS256" and getattr(key.key, "key_size", 0) < MIN_RSA_BITS
    if algorithm is None or is_weak or key.public_key_use not in (None, "sig"):
        return None
    return VerificationKey(key.key, algorithm)
