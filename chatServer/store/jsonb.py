"""JSON as it is stored."""

from typing import Any

from psycopg.types.json import Jsonb

from chatServer.messages.as_json import as_json


def jsonb(value: Any) -> Jsonb:
    return Jsonb(value, dumps=as_json)
