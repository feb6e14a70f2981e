"""Pages of notes in the database: read, change, restore, and take back what a dead attempt wrote.

Each change is one transaction that holds the page's row, so that no writer's work is lost, and leaves a version.
"""

from dataclasses import dataclass
from uuid import UUID

from chatServer import errors
from chatServer.memory.guard import guard
from chatServer.memory.notes import page as page_text
from chatServer.memory.notes.page import Operation
from chatServer.records import Author, Notes, NotesVersion, Principal
from chatServer.store import learned
from chatServer.store import notes as store
from chatServer.store.pool import Connection, Database

USER = Author("user")
DONE_BEFORE = "This was done before, or the turn is gone. Nothing was changed."
GUARDED = "The guard of this server does not let it be noted. Nothing was changed."
TURN_IS_OVER = "This turn has ended, or goes on elsewhere. Nothing was changed."


@dataclass(frozen=True, slots=True)
class Changed:
    """The page after an operation, a sentence about it, and the version that it had before."""

    page: Notes
    text: str
    is_error: bool
    previous_version: int

    @property
    def has_changed(self) -> bool:
        return self.page.version != self.previous_version


async def read(database: Database, principal: Principal, agent_name: str) -> Notes:
    """The page of the caller and an agent."""
    async with database.transaction(principal) as connection:
        return await store.read_notes(connection, principal.user_id, agent_name)


async def change(
    database: Database,
    principal: Principal,
    agent_name: str,
    operation: Operation,
    *,
    content: str | None = None,
    section_header: str | None = None,
    author: Author,
    after_turn: bool = False,
) -> Changed:
    """Do one operation; a mistake in it is an outcome, not an exception. `after_turn`: by whoever revises a turn that
    is done, and then once for each reason that the author has. What is not a person's own passes the guard."""
    user_id = principal.user_id
    if content is not None and author.actor == "agent":
        content = await guard(content)
        if content is None:
            page = await read(database, principal, agent_name)
            return Changed(page, GUARDED, True, page.version)
    async with database.transaction(principal) as connection:
        if operation == "read":
            page = await store.read_notes(connection, user_id, agent_name)
        elif after_turn and await _was_done(connection, user_id, agent_name, author):
            page = await store.read_notes(connection, user_id, agent_name)
            return Changed(page, DONE_BEFORE, False, page.version)
        elif not after_turn and await _is_over(connection, user_id, author):
            page = await store.read_notes(connection, user_id, agent_name)
            return Changed(page, TURN_IS_OVER, True, page.version)
        else:
            page = await store.lock_notes(connection, user_id, agent_name)
        done = page_text.apply(page.notes, operation, content, section_header)
        written = await store.write_notes(connection, user_id, page, done.notes, operation=operation, author=author)
    return Changed(written, done.text, done.is_error, page.version)


async def overwrite(
    database: Database, principal: Principal, agent_name: str, notes: str, *, if_version: int | None
) -> Notes:
    """What a person has made of the page, provided that it is still at the version that they have read."""
    if refusal := page_text.refusal_of_size(notes):
        raise errors.InvalidRequest(refusal)
    async with database.transaction(principal) as connection:
        page = await _locked(connection, principal, agent_name, if_version)
        return await store.write_notes(connection, principal.user_id, page, notes, operation="overwrite", author=USER)


async def versions(
    database: Database, principal: Principal, agent_name: str, *, limit: int, before: int | None
) -> tuple[list[NotesVersion], int | None]:
    """States of the page, the newest first, without their text; and where the older ones begin."""
    async with database.transaction(principal) as connection:
        found = await store.list_versions(connection, principal.user_id, agent_name, limit=limit + 1, before=before)
    return found[:limit], found[limit - 1].version if len(found) > limit else None


async def version(database: Database, principal: Principal, agent_name: str, number: int) -> NotesVersion:
    """One state of the page, with its text."""
    async with database.transaction(principal) as connection:
        return _there(await store.read_version(connection, principal.user_id, agent_name, number))


async def restore(
    database: Database, principal: Principal, agent_name: str, number: int, *, if_version: int | None
) -> Notes:
    """The page as it was at a version, as a new version."""
    async with database.transaction(principal) as connection:
        wanted = _there(await store.read_version(connection, principal.user_id, agent_name, number))
        page = await _locked(connection, principal, agent_name, if_version)
        return await store.write_notes(
            connection,
            principal.user_id,
            page,
            wanted.notes or "",
            operation="restore",
            author=Author("user", reason=f"version {number}"),
        )


async def revert_attempt(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int) -> list[Notes]:
    """Take back what a turn wrote in attempts up to this one, which is dead; the pages that went back.

    For whoever takes the turn over, in the same transaction, after the turn's row got its next attempt: a late
    write of the dead attempt waits for that row and is then refused. A page that somebody else has changed since
    stays as it is.
    """
    reverted: list[Notes] = []
    for agent_name in await store.find_pages_of_attempt(connection, user_id, turn_id, attempt):
        page = await store.lock_notes(connection, user_id, agent_name)
        before = await store.read_version_before_attempt(connection, user_id, agent_name, turn_id, attempt)
        if before is None or before.version >= page.version:
            continue
        author = Author("system", turn_id, attempt, reason=f"version {before.version}")
        written = await store.write_notes(
            connection, user_id, page, before.notes or "", operation="revert", author=author
        )
        reverted += [written] if written.version != page.version else []
    return reverted


async def _is_over(connection: Connection, user_id: UUID, author: Author) -> bool:
    """Whether the author's turn ended, was deleted or is in other hands; if not, it stays so in this transaction."""
    if author.turn_id is None:
        return False
    return not await store.lock_attempt(connection, user_id, author.turn_id, author.attempt)


async def _was_done(connection: Connection, user_id: UUID, agent_name: str, author: Author) -> bool:
    """Whether nothing is left to do: a job that runs twice, or whose turn was deleted meanwhile."""
    if author.turn_id is None:
        return False
    if not await learned.hold_turn(connection, user_id, author.turn_id, author.attempt, ()):
        return True
    return await store.was_done(connection, user_id, agent_name, author.turn_id, author.reason)


async def _locked(connection: Connection, principal: Principal, agent_name: str, if_version: int | None) -> Notes:
    """The page, if it is at this version; None is a version that no page has."""
    page = await store.lock_notes(connection, principal.user_id, agent_name)
    if page.version != if_version:
        raise errors.VersionConflict(
            "The notes were changed since you read them. Read them again, and repeat your change.",
            version=page.version,
        )
    return page


def _there(found: NotesVersion | None) -> NotesVersion:
    if found is None:
        raise errors.NotFound("These notes have no such version.")
    return found
