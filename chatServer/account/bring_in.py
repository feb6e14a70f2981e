"""import, under a name that Python has not taken: a document of `export` becomes rows of whoever brings it.

It is not one transaction but one for each batch, so that a long document holds nobody up. Broken off, it is sent again:
what is there already is kept as it is, and counted.
"""

import contextlib
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO
from uuid import UUID

from pydantic import ValidationError

from chatServer import errors
from chatServer.account.document import read
from chatServer.account.export import FORMAT, VERSION
from chatServer.account.few import apart
from chatServer.account.fields import Row
from chatServer.account.items import ROWS, ArticleRow, ChunkRow
from chatServer.account.message_items import MessageRow
from chatServer.memory.embed import Embedder, NoEmbedder
from chatServer.memory.reembed import reembed_user
from chatServer.messages import clean_json
from chatServer.records import Principal
from chatServer.store import articles, limits, user_events
from chatServer.store import bring_in as store
from chatServer.store.pool import Connection, Database

BATCH = 100  # rows
BATCH_CHARACTERS = 1_000_000  # of their JSON, pictures and all; the last of them may be longer
TIMEOUT_MS = 30_000
ABOUT = ("format", "version", "begun_at", "user_id")
NOTHING_DONE = "With those of the document you would have more, and nothing of it was imported."
BROKEN_OFF = "What stands before the rest of its documents was imported. Delete some, and send the file again."

Open = Callable[[], TextIO]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Brought:
    """How many rows of each section were new, and how many were there or had nowhere to go."""

    added: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ROWS, 0))
    kept: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ROWS, 0))


@dataclass(frozen=True, slots=True)
class Room:
    """How much a user may have, as uploads are held to it; 0: as much as he likes."""

    articles: int = 0
    chunks: int = 0

    def refuse(self, articles: int, chunks: int, then: str) -> None:
        if 0 < self.articles < articles:
            raise errors.TooManyArticles(self.articles, then=then)
        if 0 < self.chunks < chunks:
            raise errors.TooManyArticles(self.chunks, "chunks of documents", then)


ENDLESS = Room()


@dataclass(frozen=True, slots=True)
class Batch:
    section: str
    rows: Sequence[Row] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Bringing:
    """Whose document it is, when it began, and what is known of it as a whole: how many chunks the articles have that
    were read where they come from."""

    principal: Principal
    room: Room
    whole: Mapping[UUID, int] = field(hash=False)
    began: float

    @property
    def waited_s(self) -> float:
        return time.monotonic() - self.began


async def bring_in(
    database: Database,
    principal: Principal,
    embedder: Embedder,
    document: Open,
    on_progress: Callable[[str, int], None] = lambda *_: None,
    *,
    room: Room = ENDLESS,
) -> Brought:
    """Look through all of it first: a document with a mistake changes nothing. Then the rows, and at last what they are
    found by."""
    began = time.monotonic()
    brings = await apart(_look_through, document)
    if room != ENDLESS:
        await _be_enough(database, principal, brings, room)
    whole = {each.article_id: each.chunks for each in brings if each.is_ready}
    bringing = Bringing(principal, room, whole, began)
    result = Brought()
    batches = _batches(document)
    try:
        while batch := await apart(next, batches, None):
            added = await _add(database, bringing, batch)
            result.added[batch.section] += added
            result.kept[batch.section] += len(batch.rows) - added
            on_progress(batch.section, result.added[batch.section] + result.kept[batch.section])
    except Exception:  # somebody uploads meanwhile, say: what has come is found all the same
        if any(result.added.values()):
            with contextlib.suppress(errors.ChatError):  # as when the database is away: the first error tells why
                await _end(database, bringing, embedder)
        raise
    await _end(database, bringing, embedder)
    return result


async def _end(database: Database, bringing: Bringing, embedder: Embedder) -> None:
    """Tell of what has come, and let it be found."""
    principal = bringing.principal
    async with database.transaction(principal) as connection:
        told, waited_s = {"change": "imported"}, bringing.waited_s
        await user_events.tell(connection, principal.user_id, "session", told, waited_s=waited_s)
    try:
        await reembed_user(database, embedder, principal)
    except errors.EmbedderFailed as error:  # by words they are found all the same
        logger.warning("no vectors for what was imported: %s", error)
        await reembed_user(database, NoEmbedder(), principal)


def _look_through(document: Open) -> list[store.Given]:
    """The articles of a document."""
    found: list[ArticleRow] = []
    chunks: Counter[UUID] = Counter()
    for batch in _batches(document):
        found += [row for row in batch.rows if isinstance(row, ArticleRow)]
        chunks.update(row.article_id for row in batch.rows if isinstance(row, ChunkRow))
    return [
        store.Given(each.article_id, each.name, each.content_hash, chunks[each.article_id], each.state == "ready")
        for each in found
    ]


async def _be_enough(database: Database, principal: Principal, brings: Sequence[store.Given], room: Room) -> None:
    """Before anything is stored; what is there already takes no more room."""
    async with database.transaction(principal) as connection:
        held = await articles.count_articles(connection, principal.user_id)
        more = await store.count_new(connection, principal.user_id, brings)
    if more.articles or more.chunks:
        room.refuse(held.articles + more.articles, held.chunks + more.chunks, NOTHING_DONE)


async def _add(database: Database, bringing: Bringing, batch: Batch) -> int:
    user_id = bringing.principal.user_id
    rows, pictures = await apart(_ready, batch, bringing.whole)
    async with database.transaction(bringing.principal, timeout_ms=TIMEOUT_MS) as connection:
        await user_events.be_in_time(connection, user_id, waited_s=bringing.waited_s)
        if batch.section == "messages":
            return await store.add_messages(connection, user_id, rows, pictures)
        added = await store.add_rows(connection, user_id, batch.section, rows)
        if added and batch.section in ("articles", "article_chunks"):
            await _be_within(connection, bringing.principal, bringing.room)
        return added


async def _be_within(connection: Connection, principal: Principal, room: Room) -> None:
    """Counted under the user's row, as uploads are."""
    await limits.hold_limits(connection, principal.user_id)
    held = await articles.count_articles(connection, principal.user_id)
    room.refuse(held.articles, held.chunks, BROKEN_OFF)


def _ready(batch: Batch, whole: Mapping[UUID, int]) -> tuple[list[dict[str, Any]], list[store.GivenPicture]]:
    """The rows as they are stored, with what they are found by: work for a thread, before any connection is held."""
    rows = [row.model_dump(mode="json", exclude={"images"}) for row in batch.rows]
    if batch.section == "memories":
        rows = [row | store.found_by(row["text"]) for row in rows]
    if batch.section == "articles":  # read is only what has come as a whole: we may be killed before
        rows = [row | store.LACKS_TEXT if row["state"] == "ready" else row for row in rows]
    if batch.section == "article_chunks":
        rows = [row | store.chunk_found_by(row["title"], row["heading"], row["text"]) for row in rows]
        rows = [row | {"whole": whole.get(UUID(row["article_id"]), 0)} for row in rows]
    return rows, _pictures(batch.rows)


def _pictures(rows: Sequence[Row]) -> list[store.GivenPicture]:
    return [
        store.GivenPicture(
            image.image_id, str(row.message_id), row.session_id, image.media_type, image.content, image.created_at
        )
        for row in rows
        if isinstance(row, MessageRow)
        for image in row.images
    ]


def _batches(document: Open) -> Iterator[Batch]:
    """The rows of the document, checked, some of one section at a time; raises InvalidRequest."""
    about: dict[str, Any] = {}
    section, rows, size, last = "", list[Row](), 0, -1
    names = list(ROWS)
    with document() as source:
        for name, value in read(source, ROWS, ABOUT):
            if name in ABOUT:
                about[name] = value
                continue
            _refuse_others(about)
            if names.index(name) < last:
                raise errors.InvalidRequest("The parts of the document have to stand in the order of an export.")
            if rows and (name != section or len(rows) >= BATCH or size >= BATCH_CHARACTERS):
                yield Batch(section, rows)
                rows, size = [], 0
            if name != section:
                section, last, number = name, names.index(name), 0
            number += 1
            rows.append(_checked(name, number, value))
            size += len(json.dumps(value))
    _refuse_others(about)
    if rows:
        yield Batch(section, rows)


def _refuse_others(about: dict[str, Any]) -> None:
    if about.get("format") != FORMAT:
        raise errors.InvalidRequest(f'This is no export: a document begins with "format": "{FORMAT}".')
    if about.get("version") != VERSION:
        raise errors.InvalidRequest(
            f"This server reads documents of version {VERSION}; this one is of another. Bring it to a newer server, or "
            "export it anew."
        )


def _checked(name: str, number: int, value: Any) -> Row:
    try:
        return ROWS[name].model_validate(clean_json(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"][:3] if str(part).isidentifier())
        told = str(first["msg"]).removeprefix("Value error, ")
        raise errors.InvalidRequest(
            f"{name}, row {number}, {place or 'as a whole'}: {told}. Nothing was imported."
        ) from error
