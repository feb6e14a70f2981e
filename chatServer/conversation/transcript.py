"""A session as people see it: UIMessages, one per user message and one per answer, paged by turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

from chatServer.conversation.pages import Page, Way, fill, read_page
from chatServer.conversation.sessions import SessionKey
from chatServer.errors import InvalidRequest, MessageNotFound, SessionNotFound
from chatServer.memory.guard import guard
from chatServer.messages import Message, UIMessage, cut_short, sources, to_ui_parts
from chatServer.records import Principal, Session, StoredMessage, Turn
from chatServer.records.moments import utc_iso
from chatServer.store import sessions, superseded
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from chatServer.store.queries import NEWEST


@dataclass(frozen=True, slots=True)
class Transcript:
    """Some of the conversation, oldest first, and where the parts before and after it go on."""

    messages: list[UIMessage]
    before: str | None
    after: str | None
    around: str | None = None  # under which id the message is shown that was asked for


async def read(
    database: Database,
    principal: Principal,
    key: SessionKey,
    *,
    limit: int,
    before: UUID | None = None,
    after: UUID | None = None,
    around: UUID | None = None,
) -> Transcript:
    """The `limit` messages before, after or around a point, else the newest, made whole: a page begins with what the
    user said, and ends with what was answered."""
    if sum(point is not None for point in (before, after, around)) > 1:
        raise InvalidRequest("Say one of before, after and around.")
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        history = ChatMessageHistory(connection, principal.user_id, session.session_id)
        asked = partial(read_page, connection, principal, session)
        back, ahead = Way(history.stretch, _is_said), Way(history.stretch_after, _is_said, is_back=False)
        if around:
            place, half = await _place(history, around), max(limit // 2, 1)
            page = await asked(back, limit=half, point=place) + await asked(ahead, limit=half, point=place - 1)
        elif after:
            page = await asked(ahead, limit=limit, point=_there(await history.place_of(after), "after"))
            page = replace(page, before=_id(page.stored[:1]))
        else:
            point = _there(await history.place_of(before), "before") if before else NEWEST
            page = await asked(back, limit=limit, point=point)
            page = replace(page, after=_id(page.stored[-1:])) if before else page
    return replace(await _transcript(page), around=_shown_as(page, around) if around else None)


async def read_one(database: Database, principal: Principal, key: SessionKey, message_id: UUID) -> UIMessage:
    """One message by itself; of an answer in several steps, that step."""
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        history = ChatMessageHistory(connection, principal.user_id, session.session_id)
        place = await _place(history, message_id)
        page = await fill(connection, principal, session, await history.page(1, place + 1))
    return (await _transcript(page)).messages[0]


async def read_superseded(
    database: Database, principal: Principal, key: SessionKey, *, limit: int, before: UUID | None
) -> Transcript:
    """The same of what edits and regenerations replaced; a page begins with a whole message."""
    async with database.transaction(principal) as connection:
        session = await _session(connection, principal, key)
        of_session = connection, principal.user_id, session.session_id
        point = _there(await superseded.find_place(*of_session, before), "before") if before else NEWEST
        back = Way(partial(superseded.read_page, *of_session), _is_another)
        page = await read_page(connection, principal, session, back, limit=limit, point=point)
    return await _transcript(page)


async def _session(connection: Connection, principal: Principal, key: SessionKey) -> Session:
    session = await sessions.find_session(connection, principal.user_id, key.value)
    if session is None:
        raise SessionNotFound
    return session


async def _place(history: ChatMessageHistory, message_id: UUID) -> int:
    place = await history.place_of(message_id)
    if place is None:
        raise MessageNotFound
    return place


def _there(place: int | None, name: str) -> int:
    if place is None:
        raise InvalidRequest(f"The value of {name} is not a message of this session.")
    return place


def _id(row: Sequence[StoredMessage]) -> str | None:
    return row[0].message.message_id if row else None


async def _transcript(page: Page) -> Transcript:
    """Made without a connection: a guard takes its time. What a process that died could not store of an answer is in
    the log, as long as that is kept, and no guard has seen it yet."""
    known = dict(page.known)
    for turn_id, text in page.words.items():
        known[turn_id] = replace(known[turn_id], partial_text=await guard(text))
    return Transcript(list(_ui_messages(page.stored, known)), page.before, page.after)


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
    messages = [each.message for each in rows]
    return {
        "id": _answer_id(rows, turn),
        "role": "assistant",
        "parts": _parts(messages, turn),
        "metadata": {**_metadata(rows[-1], turn), **_told(messages)},
    }


def _answer_id(rows: Sequence[StoredMessage], turn: Turn | None) -> str:
    return str((turn.reply_message_id if turn else None) or rows[-1].message.message_id)


def _shown_as(page: Page, message_id: UUID) -> str:
    """The id of the message that is shown for a row: the steps of an answer are shown as one."""
    for (is_answer, turn_id, _), group in groupby(page.stored, key=_speaker):
        rows = list(group)
        if is_answer and str(message_id) in [each.message.message_id for each in rows]:
            return _answer_id(rows, page.known.get(turn_id) if turn_id else None)
    return str(message_id)


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
