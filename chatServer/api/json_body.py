"""A body of JSON, read by FastAPI's rules without its ways: for routes that are asked very often."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.types import Scope

from chatServer import errors
from chatServer.account.document import before_a_crowd
from chatServer.api.edge import raw_headers
from chatServer.api.problems import NOT_JSON, UNREADABLE, invalid

MAX_VALUES = 500_000  # and marks between them: 0.1 s, where 8 MB of empty lists are 2 s (2026-11-19)
_JSON_TYPE = re.compile(rb"\s*application/([^/;]*\+)?json\s*(;|\Z)", re.I)

Model = TypeVar("Model", bound=BaseModel)


def parsed(scope: Scope, body: bytes) -> Any:
    """What was sent, as yet unchecked: the bytes where there are none, or where they are not said to be JSON."""
    if not body or not _JSON_TYPE.match(raw_headers(scope).get(b"content-type", b"")):
        return body
    try:
        text = body.decode(json.detect_encoding(body), "surrogatepass")
        if len(before_a_crowd(text, MAX_VALUES)) < len(text):
            raise errors.InvalidRequest(f"A body may have {MAX_VALUES:,} values at most.")
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise errors.InvalidRequest(NOT_JSON) from error
    except (ValueError, RecursionError) as error:
        raise errors.InvalidRequest(UNREADABLE) from error


def checked(model: type[Model], given: Any) -> Model:
    """The body as the model has it."""
    if given == b"":
        raise invalid([{"type": "missing", "loc": ("body",)}])
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise invalid([{**each, "loc": ("body", *each["loc"])} for each in found]) from error
