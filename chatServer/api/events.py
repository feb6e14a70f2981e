"""What happens to your things, for your other tabs and devices, as it happens."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Header, Response

from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.event_stream import A_STREAM, EventStream
from chatServer.api.problems import documented
from chatServer.conversation.feed import Stream
from chatServer.protocols import sse
from chatServer.store.user_events import Told

router = APIRouter(prefix="/api/events", tags=["events"], responses=documented(401, 403, 503))

UNKNOWN = 0  # a number that no event has


@router.get(
    "",
    response_class=Response,
    responses={200: {"content": A_STREAM, "description": "Events without end"}, **documented(422, 429)},
)
async def listen(
    state: CurrentState,
    user: CurrentUser,
    last_event_id: Annotated[str | None, Header(description="The id of the last event that you have seen")] = None,
) -> EventStream:
    """From now on, or after Last-Event-ID: sessions, titles, turns, memory and knowledge of yours that change."""
    stream = await state.feeds.open(user, None if last_event_id is None else parse_event_id(last_event_id))
    return EventStream(frames(stream), sse.HEADERS, expires_at=user.expires_at, on_end=stream.close)


async def frames(stream: Stream) -> AsyncGenerator[bytes, None]:
    """The bytes of a stream; it ends without a word, and the client comes back with what it has seen last."""
    async for batch in stream.follow():
        yield "".join(map(frame, batch)).encode() or sse.HEARTBEAT


def frame(told: Told) -> str:
    return f"id: {told.seq}\nevent: {told.kind}\ndata: {told.data}\n\n"


def parse_event_id(text: str) -> int:
    """What is no number of ours is unknown."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else UNKNOWN
