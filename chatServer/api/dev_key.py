"""The key with which this machine signs tokens for development."""

import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import jwt

from chatServer.api.auth import MAX_LIFETIME_S, ROLE, Issuer
from chatServer.errors import StartupError

KEY_FILE = "dev-signing-key"
KEY_BYTES = 32
DEV_ISSUER = Issuer(name="chatserver-dev", audience="authenticated")


@dataclass(frozen=True, slots=True)
class DevKey:
    """Signs tokens for made-up users."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, data_dir: Path) -> "DevKey":
        """The key in the data directory; made when it is missing."""
        path = data_dir / KEY_FILE
        data_dir.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _write_once(path, secrets.token_bytes(KEY_BYTES))
        secret = path.read_bytes()
        if len(secret) < KEY_BYTES:
            raise StartupError(f"{path} is damaged. Remove it: the next start makes a new key.")
        return cls(secret)

    def sign(self, user_id: UUID) -> str:
        now = int(time.time())
        claims = {"sub": str(user_id), "role": ROLE, "aud": DEV_ISSUER.audience, "iss": DEV_ISSUER.name}
        return jwt.encode({**claims, "iat": now, "exp": now + MAX_LIFETIME_S}, self.secret, "HS256")


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
