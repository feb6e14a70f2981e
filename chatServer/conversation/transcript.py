"""A session as people see it: UIMessages, one per user message and one per answer, paged by turn."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from chatServer.conversation.sessions import SessionKey
from chatServer.errors import InvalidRequest, MessageNotFound, SessionNotFound
from chatServer.memory.guard import guard
from chatServer.messages import Message, UIMessage, cut_short, sources, to_ui_parts
from chatServer.records import Principal, Session, StoredMessage, Stretch, Turn
from chatServer.records.moments import utc_iso
from chatServer.store import deeds, events, images, sessions, superseded, turns
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from chatServer.store.queries import NEWEST

LONGEST_PAGE = 2_000  # rows; one turn with more steps than this is cut
LARGEST_PAGE = 8_000_000  # characters and bytes of pictures, which JSON makes a third more
LARGEST_TURN = 16_000_000  # one turn with more than this is cut; one message may be larger


# Whether a page may begin with a row, given the one before it.
Begins: TypeAlias = Callable[[StoredMessage, StoredMessage], bool]


@dataclass(frozen=True, slots=True)
class Transcript:
    """Some of the conversation, oldest first, and where the part before it ends."""

    messages: list[UIMessage]
    before: str | None


class _Page(NamedTuple):
    """What a transcript is made of."""

    stored: list[StoredMessage]
    known: dict[UUID, Turn]
    words: dict[UUID, str]  # of turns whose process died
    before: str | None


async def read(
    database: Database, principal: Principal, key: SessionKey, *, limit: int, before: UUID | None = None
) -> Transcript:
    """The newest `limit` messages before a point, made whole: a page begins with what the user said."""
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        history = ChatMessageHistory(connection, principal.user_id, session.session_id)
        place = _there(await history.place_of(before)) if before else NEWEST
        rows = await _whole(history.stretch, limit, place, _is_said)
        page = await _page(connection, principal, session, rows, _is_said)
    return await _transcript(page)


async def read_one(database: Database, principal: Principal, key: SessionKey, message_id: UUID) -> UIMessage:
    """One message by itself; of an answer in several steps, that step."""
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        history = ChatMessageHistory(connection, principal.user_id, session.session_id)
        place = await history.place_of(message_id)
        if place is None:
            raise MessageNotFound
        rows = await history.page(1, place + 1), False
        page = await _page(connection, principal, session, rows, _is_said)
    return (await _transcript(page)).messages[0]


async def read_superseded(
    database: Database, principal: Principal, key: SessionKey, *, limit: int, before: UUID | None = None
) -> Transcript:
    """The same of what edits and regenerations replaced; a page begins with a whole message."""
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        of_session = connection, principal.user_id, session.session_id
        place = _there(await superseded.find_place(*of_session, before)) if before else NEWEST
        rows = await _whole(partial(superseded.read_page, *of_session), limit, place, _is_another)
        page = await _page(connection, principal, session, rows, _is_another)
    return await _transcript(page)


async def _session(connection: Connection, principal: Principal, key: SessionKey) -> Session:
    session = await sessions.find_session(connection, principal.user_id, key.value)
    if session is None:
        raise SessionNotFound
    return session


def _there(place: int | None) -> int:
    if place is None:
        raise InvalidRequest("The value of before is not a message of this session.")
    return place


async def _page(
    connection: Connection,
    principal: Principal,
    session: Session,
    rows: tuple[list[StoredMessage], bool],
    begins: Begins,
) -> _Page:
    stored, more = rows
    beside = Counter(await images.measure_images(connection, principal.user_id, session.session_id, stored))
    beside.update(await _unfinished_words(connection, principal, stored))
    start = _not_too_large(stored, beside, begins)
    stored, more = stored[start:], more or start > 0
    stored = await images.put_images_back(connection, principal.user_id, session.session_id, stored)
    stored = await deeds.without_taken_back(connection, principal.user_id, stored)
    known = await turns.read_turns(connection, principal.user_id, {each.turn_id for each in stored if each.turn_id})
    cut_off = [turn.turn_id for turn in known.values() if turn.state == "interrupted" and turn.partial_text is None]
    words = await events.read_words(connection, principal.user_id, cut_off)
    return _Page(stored, known, words, stored[0].message.message_id if stored and more else None)


async def _unfinished_words(
    connection: Connection, principal: Principal, stored: Sequence[StoredMessage]
) -> dict[str, int]:
    """How long what turns left beside their messages is, by the message that asked for it."""
    asked = {each.turn_id: each.message.message_id for each in stored if each.turn_id and each.message.role == "user"}
    found = await turns.measure_partial_texts(connection, principal.user_id, asked)
    return {asked[turn_id]: size for turn_id, size in found.items()}


async def _transcript(page: _Page) -> Transcript:
    """Made without a connection: a guard takes its time. What a process that died could not store of an answer is in
    the log, as long as that is kept, and no guard has seen it yet."""
    known = dict(page.known)
    for turn_id, text in page.words.items():
        known[turn_id] = replace(known[turn_id], partial_text=await guard(text))
    return Transcript(list(_ui_messages(page.stored, known)), page.before)


async def _whole(
    read: Callable[[int, int], Awaitable[Stretch]],
    limit: int,
    before: int,
    begins: Begins,
) -> tuple[list[StoredMessage], bool]:
    """As many rows as a page takes, from where one may begin, and whether there are more before them. Once it is too
    large, no more is read, and where it begins is for `_not_too_large` to say."""
    found: list[StoredMessage] = []
    while True:
        stretch = await read(limit + 1 - len(found), found[0].id if found else before)
        found = stretch.stored + found
        size = sum(each.size for each in found)
        start = next((i for i, (last, each) in enumerate(pairwise(found), 1) if begins(last, each)), None)
        if stretch.is_cut:
            if size > (LARGEST_TURN if start is None else LARGEST_PAGE):
                return found, True
        elif len(found) <= limit:
            return found, False
        elif start is not None:
            return found[start:], True
        elif limit >= LONGEST_PAGE or size > LARGEST_TURN:
            return found[1:], True
        else:
            limit = min(limit * 4, LONGEST_PAGE)


def _not_too_large(stored: Sequence[StoredMessage], beside: Mapping[str, int], begins: Begins) -> int:
    """Where the page begins so that it can be held in memory and sent: the newest rows, from a beginning if there is
    one in time, and at least one of them."""
    size, start = 0, 0
    for i in reversed(range(len(stored))):
        size += stored[i].size + beside.get(stored[i].message.message_id, 0)
        if size > LARGEST_PAGE and start:
            return start
        if size > LARGEST_TURN and i + 1 < len(stored):
            return i + 1
        if i and begins(stored[i - 1], stored[i]):
            start = i
    return 0


def _is_said(_: StoredMessage, each: StoredMessage) -> bool:
    return each.message.role == "user"


def _is_another(last: StoredMessage, each: StoredMessage) -> bool:
    return _speaker(last) != _speaker(each)


def _ui_messages(stored: Sequence[StoredMessage], known: dict[UUID, Turn]) -> Iterator[UIMessage]:
    answered = {each.turn_id for each in stored if _speaker(each)[0]}
    for (is_answer, turn_id, _), group in groupby(stored, key=_speaker):
        rows = list(group)
        turn = known.get(turn_id) if turn_id else None
        if is_answer:
            yield _answer(rows, turn)
        else:
            yield _said(rows[0])
            if turn and turn_id not in answered and _left_nothing(turn, rows[0]):
                yield _unfinished(rows[0], turn)


def _left_nothing(turn: Turn, question: StoredMessage) -> bool:
    """Whether a turn ended without an answer of its own; that of one that was replaced may be on another page."""
    return turn.state in ("failed", "interrupted") or (turn.state == "stopped" and question.superseded_at is None)


def _speaker(each: StoredMessage) -> tuple[bool, UUID | None, int]:
    """Rows of one answer belong together; every other row stands alone."""
    is_answer = each.message.role in ("assistant", "tool")
    return is_answer, each.turn_id, 0 if is_answer else each.id


def _said(each: StoredMessage) -> UIMessage:
    message = each.message
    return {
        "id": message.message_id,
        "role": "user" if message.role == "user" else "system",
        "parts": to_ui_parts([message]),
        "metadata": _metadata(each, None),
    }


def _answer(rows: Sequence[StoredMessage], turn: Turn | None) -> UIMessage:
    reply_id, messages = turn.reply_message_id if turn else None, [each.message for each in rows]
    return {
        "id": str(reply_id or rows[-1].message.message_id),
        "role": "assistant",
        "parts": _parts(messages, turn),
        "metadata": {**_metadata(rows[-1], turn), **_told(messages)},
    }


def answer_of(turn: Turn, messages: Sequence[Message]) -> UIMessage:
    """The answer of one turn, as its transcript will show it."""
    return {
        "id": str(turn.reply_message_id or turn.turn_id),
        "role": "assistant",
        "parts": _parts(messages, turn),
        "metadata": {"turn_id": str(turn.turn_id), **_outcome(turn), **_told(messages)},
    }


def _told(messages: Sequence[Message]) -> dict[str, Any]:
    """What the messages themselves say of their answer."""
    return {**sources.told(messages), **cut_short.told(messages)}


def _parts(messages: Sequence[Message], turn: Turn | None) -> list[dict[str, Any]]:
    """Of an answer; before its words, as in its stream, what was missing when it was asked for."""
    return [*_missing(turn), *to_ui_parts(messages)]


def _missing(turn: Turn | None) -> list[dict[str, Any]]:
    if turn is None or turn.told_recall is None:
        return []
    return [{"type": "data-recall", "id": str(turn.turn_id), "data": turn.told_recall}]


def _unfinished(question: StoredMessage, turn: Turn) -> UIMessage:
    """What an answer left that never came to its end: at least how it ended."""
    spoken = [{"type": "text", "text": turn.partial_text, "state": "done"}] if turn.partial_text else []
    return {
        "id": str(turn.reply_message_id or turn.turn_id),
        "role": "assistant",
        "parts": [*_missing(turn), *spoken],
        "metadata": {"turn_id": str(turn.turn_id), **_outcome(turn), **_replaced(question)},
    }


def _metadata(each: StoredMessage, turn: Turn | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"created_at": utc_iso(each.created_at)}
    if each.turn_id:
        metadata["turn_id"] = str(each.turn_id)
    if turn:
        metadata |= _outcome(turn)
    return metadata | _replaced(each)


def _replaced(each: StoredMessage) -> dict[str, Any]:
    if each.superseded_at is None:
        return {}
    return {"superseded_at": utc_iso(each.superseded_at), "superseded_by": str(each.superseded_by)}


def _outcome(turn: Turn) -> dict[str, Any]:
    outcome = {
        "state": turn.state,
        "error_code": turn.error_code,
        "model": turn.model,
        "usage": turn.usage,
        **turn.told_larger,
        "memories_used": (turn.recalled or {}).get("items") or None,
        "memory_revision": turn.told_revision,
    }
    return {name: value for name, value in outcome.items() if value is not None}
