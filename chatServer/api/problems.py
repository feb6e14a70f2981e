"""Errors as RFC 9457 problem details: a stable code, a sentence for a person, nothing of the input or the inside."""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp

from chatServer import errors
from chatServer.api.schemas import Problem

MEDIA_TYPE = "application/problem+json"
MEANINGS = {
    401: "No valid token",
    403: "Not allowed",
    404: "Not there, or not yours",
    408: "The body did not arrive in time",
    409: "In conflict with what is there",
    412: "Changed since you read it",
    413: "The body is too large",
    422: "The request is not valid",
    428: "If-Match is missing",
    429: "Too much of one user; see Retry-After",
    502: "The model failed",
    503: "Not now: the database, the sign-in service, the model's set-up, a crowd or a shutdown; see Retry-After",
    504: "The model took too long",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
A_BODY = (408, 413, 422)  # what can go wrong with any

NOT_JSON = "The body is not valid JSON."
UNREADABLE = "The body cannot be read as JSON."

_NAME = re.compile(r"^\w{1,40}\Z", re.ASCII)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route can answer with, for /openapi.json."""
    schema = {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}
    return {status: {"description": MEANINGS[status], "content": {MEDIA_TYPE: schema}} for status in statuses}


class DescribedApp(FastAPI):
    """FastAPI, whose description knows what a problem is: it adds only what is answered as plain JSON. It has
    the layers that are needed here."""

    def openapi(self) -> dict[str, Any]:
        described = super().openapi()
        described["components"]["schemas"].setdefault(Problem.__name__, Problem.model_json_schema())
        return described

    def build_middleware_stack(self) -> ASGIApp:
        """FastAPI's without its outermost two: what they would do with an exception that nobody expected, and telemetry
        with all of them, is done by the Door or not wanted."""
        app: ASGIApp = ExceptionMiddleware(AsyncExitStackMiddleware(self.router), handlers=self.exception_handlers)
        for layer, args, options in reversed(self.user_middleware):
            app = layer(app, *args, **options)
        return app


def install(app: FastAPI, shown: Callable[[Request], Response | None] = lambda _: None) -> None:
    """Turn every expected error of the app into a problem; the unexpected ones are the Door's. `shown`: what a person
    is shown at an address where there is nothing."""

    async def http(request: Request, error: Exception) -> Response:
        is_nowhere = cast(HTTPException, error).status_code == errors.NotFound.status
        return (shown(request) if is_nowhere else None) or await _http(request, error)

    app.add_exception_handler(errors.ChatError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http)


def problem(request: Request, error: errors.ChatError) -> JSONResponse:
    """The answer to an error."""
    body = {"type": "about:blank", "title": error.title, "status": error.status, "detail": error.detail}
    ids = {"code": error.code, "request_id": getattr(request.state, "request_id", "")}
    response = JSONResponse({**body, **ids, **error.extra}, error.status, error.headers, media_type=MEDIA_TYPE)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    if error.status == errors.Unauthenticated.status:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _expected(request: Request, error: Exception) -> Response:
    return problem(request, cast(errors.ChatError, error))


async def _invalid(request: Request, error: Exception) -> Response:
    return problem(request, invalid(cast(RequestValidationError, error).errors()))


def invalid(found: Sequence[dict[str, Any]]) -> errors.InvalidRequest:
    """What is wrong with a request, as pydantic and FastAPI found it."""
    return errors.InvalidRequest(" ".join(_sentence(each) for each in found[:10]))


def _sentence(found: dict[str, Any]) -> str:
    """Where and what, in pydantic's words, which name the rule and never the value."""
    if found["type"] == "json_invalid":
        return NOT_JSON
    if found["type"] in ("model_attributes_type", "model_type", "missing") and len(found["loc"]) == 1:
        return "The body has to be a JSON object, sent with Content-Type: application/json."
    if found["type"] == "uuid_parsing":  # whose message quotes a character
        return f"{found['loc'][-1]}: Input should be a UUID."
    if found["type"] == "extra_forbidden":
        return "There is a field that does not belong here; see docs/api.md for those that do."
    place = ".".join(str(part) for part in found["loc"][1:] if _NAME.match(str(part)))
    message = str(found["msg"]).removeprefix("Value error, ")
    if found["type"] == "too_long" and isinstance(found["input"], str):  # a text is read first, and measured then
        message = f"String should have at most {found['ctx']['max_length']} characters"
    return f"{place}: {message}." if place else f"{message}."


async def _http(request: Request, error: Exception) -> Response:
    """What the framework itself refuses."""
    error = cast(HTTPException, error)
    if error.status_code == errors.NotFound.status:
        return problem(request, errors.NotFound("There is nothing at this address."))
    if error.status_code == errors.MethodNotAllowed.status:
        response = problem(request, errors.MethodNotAllowed("This address has other methods; see the header Allow."))
        response.headers.update(error.headers or {})
        if allowed := _methods_at(request):
            response.headers["Allow"] = ", ".join(allowed)
        return response
    # The rest is a body that cannot even be read: bad encoding, nesting without end.
    return problem(request, errors.InvalidRequest(UNREADABLE))


def _methods_at(request: Request) -> list[str]:
    """Of all routes of the address: the framework names those of the first."""
    scope = {"type": "http", "path": request.scope["path"], "root_path": request.scope.get("root_path", "")}

    def is_there(method: str) -> bool:
        return any(route.matches({**scope, "method": method})[0] is Match.FULL for route in request.app.routes)

    return [method for method in METHODS if is_there(method)]
