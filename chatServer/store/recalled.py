"""What a turn was given of what is remembered, as its row keeps it: of a message, which most of it is, 27 bytes."""

import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

LINE = struct.Struct(">16sqHB")  # id, microseconds since 1970, score in thousandths, and who said it where
FIELDS = {"id", "what", "role", "score", "said_at", "trust", "source"}  # of a message; some ask
ROLES = ("user", "assistant")
ASKS = len(ROLES)
MARKS = 2 * ASKS  # below them the places of sessions
MAX_SESSIONS = 256 // MARKS
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def kept(recalled: dict[str, Any]) -> dict[str, Any]:
    """The same in less room: whatever is a message and nothing else becomes letters, in its place, with those that are
    next to it."""
    sessions: list[str] = []
    items: list[str | dict[str, Any]] = []
    for item in recalled["items"]:
        line = _packed(item, sessions)
        if isinstance(line, str) and items and isinstance(items[-1], str):
            items[-1] += line  # JSON takes four bytes for each string
        else:
            items.append(line)
    told = {**recalled, "items": items}
    return {**told, "sessions": sessions} if sessions else told


def read(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """As clients read it, of a row of any age. What an import brought and is no such line is left out."""
    if row is None or "sessions" not in row:
        return row
    told = {name: value for name, value in row.items() if name != "sessions"}
    items: list[dict[str, Any]] = []
    for item in row["items"]:
        items += _read(item, row["sessions"]) if isinstance(item, str) else [item]
    return {**told, "items": items}


def _packed(item: dict[str, Any], sessions: list[str]) -> str | dict[str, Any]:
    """Only where nothing is lost by it."""
    role, source = item["role"], item["source"]
    session, asks = source.get("session_id"), "asks" in item
    is_plain = item["what"] == "message" and item.keys() - {"asks"} == FIELDS and role == item["trust"] in ROLES
    if not is_plain or session is None or source.get("message_id") != item["id"]:
        return item
    if session not in sessions:
        if len(sessions) == MAX_SESSIONS:
            return item
        sessions.append(session)
    said = (datetime.fromisoformat(item["said_at"]) - EPOCH) // MICROSECOND
    marks = ROLES.index(role) + ASKS * asks + MARKS * sessions.index(session)
    return b64encode(LINE.pack(UUID(item["id"]).bytes, said, round(item["score"] * 1_000), marks)).decode()


def _read(lines: str, sessions: Sequence[str]) -> list[dict[str, Any]]:
    try:
        return [_unpacked(line, sessions) for line in LINE.iter_unpack(b64decode(lines))]
    except (ValueError, IndexError, TypeError, OverflowError, struct.error):
        return []


def _unpacked(line: tuple[bytes, int, int, int], sessions: Sequence[str]) -> dict[str, Any]:
    raw_id, said, score, marks = line
    message_id, role = str(UUID(bytes=raw_id)), ROLES[marks % ASKS]
    return {
        "id": message_id,
        "what": "message",
        "role": role,
        **({"asks": True} if marks % MARKS >= ASKS else {}),
        "score": score / 1_000,
        "said_at": (EPOCH + said * MICROSECOND).isoformat(),
        "trust": role,
        "source": {"session_id": sessions[marks // MARKS], "message_id": message_id},
    }
