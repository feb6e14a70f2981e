"""What recall reads: packed columns for its index, and live rows for what it shows."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import TupleRow, class_row

from chatServer.messages import text_of
from chatServer.messages.rows import message_of
from chatServer.records import Category, Kind, Origin, Trust
from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST

SQL = queries.load("recall.sql")
NOBODY_ASKS = {"asking": None, "after": NEWEST, "after_seq": NEWEST, "limit": 0}
NEW_SHOWN = 100  # of what came since the index was last asked, whole rows
SHOWN_CHARACTERS = 50_000  # of a message, to find the passage in
LESSONS = 1_000  # on a shelf that are looked at: there are as many as sets of tools
LESSON_LIFE = timedelta(days=30)  # in which how a tool went tells something about how it will go
LESSON_MARKS = ("tool_usage", "success", "tool_failure", "error")  # among the tags, beside the names of tools


class Clock(NamedTuple):
    """When a transaction looked: the number of the user's last change to memories, and the time; and what it missed."""

    seq: int
    now_s: float
    is_off: bool = False  # the session that asks has no memory: it is shown nothing
    place: int = 0  # of the user's last message, also of one that is never shown
    place_missed: int | None = None  # of the newest message that came since and is not told: there are too many
    seq_missed: int | None = None  # of the newest such memory
    erased_s: float = 0.0  # when all that is the user's was last erased
    gone: Sequence[UUID] = ()  # memories that were changed since and are no more


CLOCK = len(Clock._fields)  # columns of news that say how far things have come, and where those of memories begin


class Columns(NamedTuple):
    """A piece of what is found by, the newest first. Numbers are big-endian; lists have one entry for each item."""

    size: int
    ids: bytes  # 16 for each
    places: bytes  # int64: of a message its place, of a memory the number of its last change
    times: bytes  # float64: when it was said, or from when on it holds, in seconds
    characters: bytes  # int32
    sessions: list[str | None]
    agents: list[str | None]
    roles: list[str]  # of a memory its trust
    speakers: list[str | None]  # of a memory its shelf
    term_bytes: bytes  # int32: how much of `terms` belongs to each
    terms: bytes
    has_vector: bytes  # int32
    vectors: bytes  # of those that have one: int16 size, int16 1 or 0, numbers: of four bits, with 0 float16
    # Of memories alone:
    importances: bytes = b""  # float32
    is_long: bytes = b""  # int32
    ends: bytes = b""  # float64: until when it held; infinity: it holds
    subjects: Sequence[str | None] = ()
    objects: Sequence[str | None] = ()
    sources: Sequence[str] = ()  # ids of messages, with spaces between; none of what holds and has an end before it


MEMORIES = CLOCK + len(Columns._fields) - len(Columns._field_defaults)


class Since(NamedTuple):
    """Up to where an index knows things, what it knows beyond that, and which items it has without a vector."""

    place: int
    seq: int
    known_messages: Sequence[UUID]  # with their vector
    waiting_messages: Sequence[UUID]  # without it
    lacking_messages: Sequence[UUID]
    lacking_memories: Sequence[UUID]


class Scope(NamedTuple):
    """Where an agent may look: the messages of an agent, of a session or of all, and memories on some shelves."""

    asking: str  # the session in which it is asked
    agent_name: str | None
    session_id: str | None
    shelves: tuple[str, ...]
    closed: tuple[str, ...] = ()  # agents whose messages are for nobody else


class Glance(NamedTuple):
    """As much of the clock as says whether there may be anything new, and the newest messages."""

    seq: int
    erased_s: float
    newest: list[str]  # as prompts name them


class LiveMessage(NamedTuple):
    message_id: UUID
    said_at: datetime
    session_id: str
    title: str | None
    role: str
    speaker: str | None
    text: str


class LiveMemory(NamedTuple):
    memory_id: UUID
    text: str
    kind: Kind
    category: Category
    trust: Trust
    origin: Origin
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: UUID | None
    session_id: str | None
    title: str | None
    source_ids: list[UUID]
    corrected_at: datetime | None = None  # by the user himself, of what was learned in a session
    created_at: datetime | None = None  # when it was said; it may hold since long before


class News(NamedTuple):
    """What an index did not know, and what is live of what was found."""

    clock: Clock
    messages: Columns | None
    memories: Columns | None
    live: Mapping[UUID, LiveMessage | LiveMemory] = {}
    lessons: Sequence[LiveMemory] = ()


async def ask_glance(connection: Connection, user_id: UUID, *, after: int, limit: int) -> Answer[Glance]:
    """The question, which travels with whatever is asked next."""
    values = {"user_id": user_id, "after": after, "limit": limit}
    return await connection.cursor(row_factory=class_row(Glance)).execute(SQL["glance"], values, binary=True)


async def load_newest(
    connection: Connection, user_id: UUID, model: str, *, messages: int, memories: int
) -> tuple[Clock, Columns | None, Columns | None]:
    """The newest of both, and when that was, in one round trip."""
    values = {"user_id": user_id, "model": model, "before": NEWEST}
    await _walk_the_index(connection)
    clock = await _clock(
        connection, {**NOBODY_ASKS, "user_id": user_id}
    )  # before the others: what changes meanwhile is read twice, not never
    found = [
        await connection.execute(SQL["load_messages"], {**values, "limit": messages}, binary=True),
        await connection.execute(SQL["load_memories"], {**values, "limit": memories}, binary=True),
    ]
    return await _read_clock(clock), await _columns(found[0]), await _columns(found[1])


async def load_messages(
    connection: Connection, user_id: UUID, model: str, *, before: int, limit: int
) -> Columns | None:
    await _walk_the_index(connection)
    values = {"user_id": user_id, "model": model, "before": before, "limit": limit}
    return await _columns(await connection.execute(SQL["load_messages"], values, binary=True))


async def load_memories(
    connection: Connection, user_id: UUID, model: str, *, before: int, limit: int
) -> Columns | None:
    await _walk_the_index(connection)
    values = {"user_id": user_id, "model": model, "before": before, "limit": limit}
    return await _columns(await connection.execute(SQL["load_memories"], values, binary=True))


class NewsAsked(NamedTuple):
    """An answer to come, to be read when the transaction is over: then it has come with its COMMIT."""

    answer: Answer[TupleRow]

    async def read(self) -> News:
        row = await self.answer.fetchone()
        assert row is not None  # nosec B101 # narrows a type
        return News(Clock(*row[:CLOCK]), _packed(row[CLOCK:MEMORIES]), _packed(row[MEMORIES:]))


class LiveAsked(NamedTuple):
    """The same of live rows."""

    messages: Answer[TupleRow]
    memories: Answer[TupleRow]

    async def read(self, news: News) -> News:
        """The news with what is live beside them."""
        live: dict[UUID, LiveMessage | LiveMemory]
        live = {row[0]: message for row in await self.messages.fetchall() if (message := _live(row))}
        lessons = []
        for is_lesson, *memory in await self.memories.fetchall():
            if is_lesson:
                lessons.append(LiveMemory(*memory))
            else:
                live[memory[0]] = LiveMemory(*memory)
        return news._replace(live=live, lessons=lessons)


async def ask_news(
    connection: Connection, user_id: UUID, model: str, since: Since, *, asking: str, limit: int
) -> NewsAsked:
    """What came since, for a session that asks."""
    values = {**_values(user_id, model, since), "asking": asking, "limit": limit}
    values |= {"lacking_messages": _array(since.lacking_messages), "lacking_memories": _array(since.lacking_memories)}
    await connection.execute(SQL["plan_once"])
    return NewsAsked(await connection.execute(SQL["load_news"], values, binary=True))


async def ask_live(
    connection: Connection,
    user_id: UUID,
    model: str,
    since: Since,
    *,
    found: Collection[UUID],
    excluded: Collection[UUID],
    scope: Scope,
    tools: Collection[str],
) -> LiveAsked:
    """The live rows of what was found and of what came since, and how these tools went."""
    values = {**_values(user_id, model, since), "ids": _array(found), "limit": NEW_SHOWN}
    values |= {"shelves": list(scope.shelves)}
    messages = {
        **values,
        "excluded": _array(excluded),
        "agent_name": scope.agent_name,
        "session_id": scope.session_id,
        "closed": list(scope.closed),
        "characters": SHOWN_CHARACTERS,
    }
    known = list(tools)
    memories = {**values, "tools": known, "marks": [*LESSON_MARKS, *known], "fresh_for": LESSON_LIFE, "among": LESSONS}
    await connection.execute(SQL["plan_once"])
    return LiveAsked(
        await connection.execute(SQL["read_live_messages"], messages),
        await connection.execute(SQL["read_live_memories"], memories),
    )


def _values(user_id: UUID, model: str, since: Since) -> dict[str, Any]:
    values = {"user_id": user_id, "model": model, "after": since.place, "after_seq": since.seq}
    return values | {"known": _array(since.known_messages), "waiting": _array(since.waiting_messages)}


def _array(ids: Collection[UUID]) -> str:
    """As Postgres reads it, to be cast: psycopg would make it of a list one by one, for each statement anew."""
    return "{" + ",".join([each.hex for each in ids]) + "}"


def _live(row: Sequence[Any]) -> LiveMessage | None:
    """None: another writer has made of it what is no message."""
    message_id, said_at, session_id, title, role, speaker, text, message = row
    if (text := shown_text(text, message)) is None:
        return None
    return LiveMessage(message_id, said_at, session_id, title, role, speaker, text)


def shown_text(text: str | None, message: str) -> str | None:
    """What a row says, by its text or, where its content is in several parts, or none, by all of it; None: another
    writer has made of it what is no message."""
    if text is not None:
        return text
    try:
        return text_of(message_of(message))[:SHOWN_CHARACTERS]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


async def _walk_the_index(connection: Connection) -> None:
    for name in ("walk_the_index", "fetch_one_by_one"):
        await connection.execute(SQL[name])


async def _clock(connection: Connection, values: dict[str, Any]) -> Answer[Clock]:
    return await connection.cursor(row_factory=class_row(Clock)).execute(SQL["read_clock"], values)


async def _read_clock(answer: Answer[Clock]) -> Clock:
    clock = await answer.fetchone()
    assert clock is not None  # nosec B101 # narrows a type
    return clock


async def _columns(answer: Answer[tuple[object, ...]]) -> Columns | None:
    row = await answer.fetchone()
    return _packed(row) if row else None


def _packed(row: Sequence[Any]) -> Columns | None:
    if not row[0]:
        return None
    columns: list[Any] = [b"" if value is None else value for value in row]
    return Columns(*columns)
