"""make secrets: random passwords for docker-compose.yml into .env. What is there already stays as it is."""

import re
import secrets
import sys
from pathlib import Path

# Hexadecimal, because they become parts of addresses.
NAMES = ("POSTGRES_PASSWORD", "AUTH_DB_PASSWORD", "CHAT_APP_PASSWORD", "AUTH_JWT_SECRET")


def write_secrets(path: Path) -> list[str]:
    """Add the missing ones; the names of those that were."""
    text = path.read_text() if path.exists() else ""
    missing = [name for name in NAMES if not re.search(rf"^{name}=\S", text, re.MULTILINE)]
    if missing:
        lines = "".join(f"{name}={secrets.token_hex(32)}\n" for name in missing)
        separator = "" if not text or text.endswith("\n") else "\n"
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text(text + separator + lines)
    return missing


if __name__ == "__main__":
    written = write_secrets(Path(sys.argv[1] if len(sys.argv) > 1 else ".env"))
    print("Written to .env: " + ", ".join(written) if written else "Nothing is missing in .env.")
