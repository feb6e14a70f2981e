"""Named SQL: each statement lives in store/sql/*.sql under a name and a line that says what it does."""

import re
from pathlib import Path

NEWEST = 2**63 - 1  # beyond the number of every row: all are before it, none is after it
SQL_DIR = Path(__file__).parent / "sql"
# Ours outside the schema chat, under the names that others look for; statements about all our tables ask for them.
PUBLIC_TABLES = ("user_agent_active_sessions", "chat_message_history", "agent_long_term_memory")
_BLOCK = re.compile(r"^-- name: (?P<name>\w+)\n-- [^\n]+\n(?P<statement>.+?)(?=^-- name: |\Z)", re.M | re.S)


def load(file_name: str) -> dict[str, bytes]:
    """The statements of one file, by name."""
    text = (SQL_DIR / file_name).read_text()
    found = {block["name"]: block["statement"].strip().encode() for block in _BLOCK.finditer(text)}
    if len(found) != text.count("-- name: "):
        raise ValueError(f"{file_name}: every statement needs a name of its own and a line of description")
    return found
