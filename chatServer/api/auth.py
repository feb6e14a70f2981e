"""Who is asking. Provisional: sign-in for development, with a key of this machine's own."""

import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import jwt

from chatServer import errors
from chatServer.records import Principal

ALGORITHM = "HS256"
AUDIENCE = "authenticated"
ISSUER = "chatserver-dev"
LIFETIME_S = 24 * 3600
DEV_USERS = UUID("6f1b0c9e-3f0a-5c39-9a52-1f1d5c0a7b11")  # the namespace in which a name becomes a user id


@dataclass(frozen=True, slots=True)
class DevTokens:
    """Signs and verifies tokens for made-up users."""

    key: bytes

    @classmethod
    def of(cls, data_dir: Path) -> "DevTokens":
        """Use the key in the data directory; make it when it is missing."""
        path = data_dir / "dev-signing-key"
        data_dir.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _write_once(path, secrets.token_bytes(32))
        return cls(path.read_bytes())

    def sign(self, user_id: UUID) -> str:
        now = int(time.time())
        claims = {"sub": str(user_id), "role": AUDIENCE, "aud": AUDIENCE, "iss": ISSUER}
        return jwt.encode({**claims, "iat": now, "exp": now + LIFETIME_S}, self.key, ALGORITHM)

    def verify(self, token: str) -> Principal:
        """The user of a token; whatever is wrong with it, the answer is the same."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self.key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=ISSUER,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
            if claims["exp"] - claims["iat"] > LIFETIME_S:
                raise ValueError("a token that lives longer than ours")
            return Principal(UUID(claims["sub"]))
        except (jwt.InvalidTokenError, ValueError, TypeError) as error:
            raise errors.Unauthenticated("The token is not valid, or no longer. Sign in again.") from error


def dev_user_id(user: str) -> UUID:
    """A UUID is itself; a name is always the same UUID."""
    try:
        return UUID(user)
    except ValueError:
        return uuid5(DEV_USERS, user)


def _write_once(path: Path, content: bytes) -> None:
    """Two processes may start at once: the key appears whole, and the first one wins."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_bytes(content)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
