"""The turn over HTTP: ask, follow, stop."""

from collections.abc import Awaitable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Request, Response, status
from starlette.types import Receive, Scope, Send

from chatServer import errors
from chatServer.api.chat_body import ChatRequest
from chatServer.api.deps import CurrentState, CurrentUser, SessionInPath, signed_in
from chatServer.api.edge import CHAT, Edge, raw_headers
from chatServer.api.event_stream import A_STREAM, EventStream
from chatServer.api.json_body import checked, parsed
from chatServer.api.problems import A_BODY, documented, problem
from chatServer.api.schemas import ChatAnswer, StopAnswer
from chatServer.protocols import ui_stream
from chatServer.records import Principal
from chatServer.turn.turns import Place, Turns

router = APIRouter(prefix="/api/chat", tags=["chat"], responses=documented(401, 403, 503))


@router.post(
    "",
    response_model=ChatAnswer,
    responses={
        200: {"content": A_STREAM, "description": "The answer, or a stream of it"},
        **documented(404, 409, 429, 502, 504, *A_BODY),
    },
)
async def chat(
    request: Request,
    body: ChatRequest,
    user: CurrentUser,
    *,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Ask. A plain body is answered in JSON, useChat's as its UI message stream; the header Accept decides otherwise.
    The answer is written to its end whether or not anybody is listening."""
    turns: Turns = request.scope["state"]["chat"].turns
    place = await turns.begin(user, body.ask(idempotency_key))
    if wants_stream(request.headers.get("accept", ""), is_plain=body.is_plain):
        return stream(turns, user, place)
    told = headers_of(place)
    try:
        answer = ChatAnswer.json_of(await turns.result(user, place))
    except errors.ChatError as error:
        error.headers |= told
        raise
    return Response(answer, headers=told, media_type="application/json")


ROUTE = router.routes[-1]  # for /openapi.json, other methods, and whoever asks which route it was


class Straight(Edge):
    """The innermost layer: it hands `chat` what it asks for, in the order in which FastAPI would. FastAPI's search for
    that, and its and Starlette's layers before it, made 500 of the 7,770 calls of functions in a turn (2026-11-18)."""

    def request(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        is_chat = (scope["method"], scope["path"]) == CHAT
        return _answer(scope, receive, send) if is_chat else self.app(scope, receive, send)


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    scope["route"] = ROUTE
    try:
        given = parsed(scope, (await receive())["body"])  # all of it: WholeBody has seen to that
        user = await signed_in(scope)
        body = checked(ChatRequest, given)
        key = raw_headers(scope).get(b"idempotency-key")
        own_key = None if key is None else key.decode("latin-1")
        response = await chat(Request(scope), body, user, idempotency_key=own_key)
    except errors.ChatError as error:
        response = problem(Request(scope), error)
        error.__traceback__ = None  # which grows where one error is told to several, as Starlette knows
    await response(scope, receive, send)


@router.get(
    "/{session_id}/stream",
    response_class=Response,
    responses={
        200: {"content": A_STREAM, "description": "The stream from where it was left, or from its start"},
        204: {"description": "Nothing is being answered here"},
        **documented(422),
    },
)
async def resume(
    key: SessionInPath,
    state: CurrentState,
    user: CurrentUser,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Go on listening: to what is being answered, or to the rest after Last-Event-ID, even a while after its end."""
    place = await state.turns.find(user, key, parse_event_id(last_event_id))
    if place is None:
        return Response(status_code=status.HTTP_204_NO_CONTENT)
    return stream(state.turns, user, place)


@router.post(
    "/{session_id}/stop",
    status_code=status.HTTP_202_ACCEPTED,
    response_model=StopAnswer,
    responses={204: {"description": "Nothing is being answered here"}, **documented(*A_BODY)},
)
async def stop(key: SessionInPath, state: CurrentState, user: CurrentUser) -> StopAnswer | Response:
    """Stop the answer that is being written; what was said so far stays, marked as stopped."""
    turn_id = await state.turns.stop(user, key)
    if turn_id is None:
        return Response(status_code=status.HTTP_204_NO_CONTENT)
    return StopAnswer(turn_id=str(turn_id))


def stream(turns: Turns, user: Principal, place: Place) -> EventStream:
    turn_id = place.turn.turn_id
    frames = ui_stream.frames(turn_id, turns.follow(user, place))
    return EventStream(frames, ui_stream.HEADERS | headers_of(place), expires_at=user.expires_at)


def headers_of(place: Place) -> dict[str, str]:
    """What is left of the user's limits, when a turn was begun."""
    return place.allowance.headers() if place.allowance else {}


def wants_stream(accept: str, *, is_plain: bool) -> bool:
    """A plain body wants JSON unless it names the stream, another one the stream unless it names JSON alone."""
    if "text/event-stream" in accept:
        return True
    return not is_plain and "application/json" not in accept


def parse_event_id(text: str | None) -> tuple[UUID, int] | None:
    """`<turn>:<number>`; anything else is as good as nothing."""
    turn_id, _, seq = (text or "").partition(":")
    try:
        return UUID(turn_id), int(seq[:9]) if seq.isdecimal() and seq.isascii() else 0
    except ValueError:
        return None
