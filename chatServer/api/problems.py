"""Errors as RFC 9457 problem details: a stable code, a sentence for a person, nothing of the input or the inside."""

import logging
import re
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from chatServer import errors
from chatServer.api.schemas import Problem

MEDIA_TYPE = "application/problem+json"
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {MEDIA_TYPE: {}}}
    for status, text in {
        401: "No valid token",
        403: "Not allowed",
        404: "Not there, or not yours",
        409: "In conflict with what is there",
        422: "The request is not valid",
        503: "The database does not answer; see Retry-After",
    }.items()
}

_NAME = re.compile(r"^\w{1,40}\Z", re.ASCII)

logger = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Turn every error of the app into a problem."""
    app.add_exception_handler(errors.ChatError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def problem(request: Request, status: int, code: str, title: str, detail: str, **extra: Any) -> JSONResponse:
    request_id = getattr(request.state, "request_id", "")
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code}
    return JSONResponse({**body, "request_id": request_id, **extra}, status, media_type=MEDIA_TYPE)


async def _expected(request: Request, error: Exception) -> Response:
    error = cast(errors.ChatError, error)
    response = problem(request, error.status, error.code, error.title, error.detail, **error.extra)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    if error.status == errors.Unauthenticated.status:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _invalid(request: Request, error: Exception) -> Response:
    kind = errors.InvalidRequest
    found = [_sentence(each) for each in cast(RequestValidationError, error).errors()[:10]]
    return problem(request, kind.status, kind.code, kind.title, " ".join(found))


def _sentence(found: dict[str, Any]) -> str:
    """Where and what, in pydantic's words, which name the rule and never the value."""
    place = ".".join(str(part) for part in found["loc"][1:] if _NAME.match(str(part)))
    if found["type"] == "json_invalid":
        return "The body is not valid JSON."
    message = str(found["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}." if place else f"{message}."


async def _http(request: Request, error: Exception) -> Response:
    error = cast(HTTPException, error)
    if error.status_code == 404:
        return problem(request, 404, "not_found", "Not found", "There is nothing at this address.")
    if error.status_code == 405:
        response = problem(request, 405, "method_not_allowed", "Wrong method", "This address has other methods.")
        response.headers.update(error.headers or {})
        return response
    kind = errors.InvalidRequest  # a body that cannot even be read: bad encoding, nesting without end
    return problem(request, kind.status, kind.code, kind.title, "The body cannot be read as JSON.")


async def _unexpected(request: Request, error: Exception) -> Response:
    logger.error("unexpected %s", type(error).__name__, exc_info=error)
    kind = errors.ChatError
    return problem(request, kind.status, kind.code, kind.title, "This is a bug of ours. Nothing of yours was lost.")
