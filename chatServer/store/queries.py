"""Named SQL: each statement lives in store/sql/*.sql under a name and a line that says what it does."""

import re
from pathlib import Path

NEWEST = 2**63 - 1  # beyond the number of every row: all are before it, none is after it
SQL_DIR = Path(__file__).parent / "sql"
# Ours outside the schema chat, under the names that others look for; statements about all our tables ask for them.
PUBLIC_TABLES = ("user_agent_active_sessions", "chat_message_history", "agent_long_term_memory")
# What statements say of a turn as {is_alive}: within its lease. One that lies far ahead is none: the clock was set back
# since, and who lives renews it within seconds.
IS_ALIVE = "(lease_until between now() and now() + interval '10 minutes')"
_BLOCK = re.compile(r"^-- name: (?P<name>\w+)\n-- [^\n]+\n(?P<statement>.+?)(?=^-- name: |\Z)", re.M | re.S)


def load(file_name: str) -> dict[str, bytes]:
    """The statements of one file, by name."""
    text = (SQL_DIR / file_name).read_text().replace("{is_alive}", IS_ALIVE)
    found = {block["name"]: block["statement"].strip().encode() for block in _BLOCK.finditer(text)}
    if len(found) != text.count("-- name: "):
        raise ValueError(f"{file_name}: every statement needs a name of its own and a line of description")
    return found
