"""A message as its row in the database says it, whoever wrote that."""

import json
import logging
from functools import lru_cache
from sys import getsizeof
from typing import Any
from uuid import UUID

from langchain_core.messages import messages_from_dict

from chatServer.messages.clean import clean_text
from chatServer.messages.langchain import from_langchain
from chatServer.messages.message import Message
from chatServer.messages.plain import read_plain

SHORT = 1_500  # characters of a row that is kept in mind
KEPT = 4_096  # of these rows: 20 of each of 200 conversations
LIGHT_BYTES = 7_500  # of a row and its message: 32 MB in all. Made for it, short ones took 49 to 144 MB (2026-11-19)
AS_POSTGRES_WRITES = json.JSONDecoder()  # nothing before the value and nothing behind it that had to be skipped
WHOLE = {
    "AIMessageChunk": "ai",
    "HumanMessageChunk": "human",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
}

logger = logging.getLogger(__name__)


def read_row(row: str, message_id: UUID) -> tuple[Message, bool]:
    """What a row says, and whether a model may read it. Who reads the same may be given the same: nobody changes it."""
    if len(row) > SHORT:
        return _read(row, message_id)
    try:
        return _kept_in_mind(row, message_id)
    except _Heavy:
        return _read(row, message_id)


def forget_rows() -> None:
    """Keep nothing in mind of what was said."""
    _kept_in_mind.cache_clear()


def _read(row: str, given_id: UUID) -> tuple[Message, bool]:
    message_id = str(given_id)
    try:
        message = message_of(row, message_id)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # The table is open to other writers. What we cannot read is shown to people as it stands, and to no model.
        logger.warning("message %s is not in LangChain's format", message_id)
        return Message("assistant", f"(not a message: {clean_text(row)})", message_id), False
    message.message_id = message_id
    return message, True


class _Heavy(Exception):
    """What is raised is not kept."""


def _read_light(row: str, message_id: UUID) -> tuple[Message, bool]:
    if _most_bytes(row) > LIGHT_BYTES:
        raise _Heavy
    return _read(row, message_id)


def _most_bytes(row: str) -> int:
    """What a row and its message may take in memory, by what may be values in it: to look at these took 120 us."""
    texts, values = 28 * row.count('"'), 96 * row.count(", ")
    return 2 * getsizeof(row) + 240 * row.count("{") + 64 * row.count("[") + texts + values


# Found by every letter of the row, so that one that was changed is read anew. With each question a window is read
# again, of twenty messages eighteen as they were: 880 of a turn's 7,800 calls of functions went there (2026-11-18).
_kept_in_mind = lru_cache(maxsize=KEPT)(_read_light)


def message_of(row: str, message_id: str | None = None) -> Message:
    """A row's JSON as a message; whatever LangChain raises, where another writer's is none."""
    stored, _ = AS_POSTGRES_WRITES.raw_decode(row)
    if message_id and type(stored) is dict and type(stored.get("data")) is dict:
        stored["data"].setdefault("id", message_id)
    return read_plain(stored) or from_langchain(messages_from_dict([_whole(stored)])[0])


def _whole(row: Any) -> Any:
    """A chunk of a stream as the message it is: LangChain would parse its broken arguments, at any length, in time
    that grows with their square."""
    kind = WHOLE.get(row["type"])
    if kind is None:
        return row
    data = {name: value for name, value in row["data"].items() if name not in ("type", "tool_call_chunks")}
    return {"type": kind, "data": data}
