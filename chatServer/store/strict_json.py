"""JSON as it is stored: letters as they are, and no number that JSON does not have."""

import json
from typing import Any

from psycopg.types.json import Jsonb

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def jsonb(value: Any) -> Jsonb:
    return Jsonb(value, dumps=_ENCODER.encode)
