"""Memories for a person at a terminal: as that user, through row level security, like any request."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from chatServer.api.memory_reports import AuditAnswer
from chatServer.api.memory_schemas import MemoryAnswer, WholeMemoryAnswer, shown_agent
from chatServer.memory import edit as edits
from chatServer.memory.audit import audit
from chatServer.memory.browse import browse, show
from chatServer.memory.edit import Edit
from chatServer.memory.forget import forget
from chatServer.memory.graph import graph
from chatServer.memory.maintain import Retention, maintain
from chatServer.protocols.graph import GraphAnswer
from chatServer.records import Memory, MemoryFilter, Principal
from chatServer.store.pool import Database
from chatServer.terminal.text import as_text, plain, table

PAGE = 200
MIN_TEXT = 40  # columns
AUDITED = 20
# Nobody signs up here: a user of whom there is nothing cannot be told from a name that was mistyped.
NOTHING = "Nothing is remembered of this user. Is the name or id right?"


async def list_memories(
    database: Database, user: Principal, wanted: MemoryFilter, *, as_json: bool = False, width: int | None = None
) -> str:
    """All memories that fit, the last changed first; `width` is that of a terminal, None where nobody looks."""
    found: list[Memory] = []
    before = None
    while True:
        page, before = await browse(database, user, wanted, limit=PAGE, before=before)
        found += page
        if before is None:
            break
    return await listed(database, user, found, as_json=as_json, width=width)


async def listed(
    database: Database, user: Principal, found: Sequence[Memory], *, as_json: bool, width: int | None
) -> str:
    """The rows of a list, or what a program reads."""
    if as_json:
        return as_text([MemoryAnswer.of(each).model_dump(mode="json") for each in found])
    if not found:
        any_at_all, _ = await browse(database, user, MemoryFilter(ever=True), limit=1)
        return "Nothing that is remembered fits." if any_at_all else NOTHING
    rows = [(each.memory_id, each.kind, each.tier, f"{each.importance:.2f}", shown_agent(each)) for each in found]
    lines = table(("ID", "KIND", "TIER", "IMP.", "AGENT"), rows).splitlines()
    texts = ["TEXT", *(_said(each) for each in found)]
    room = max(map(len, lines)) + 2
    if width and width - room < MIN_TEXT:  # the text below the rest
        return "\n".join(f"{line}\n{_clipped(f'  {text}', width)}" for line, text in zip(lines, texts, strict=True))
    return "\n".join(_clipped(f"{line:{room}}{text}", width) for line, text in zip(lines, texts, strict=True))


async def graph_memories(
    database: Database,
    user: Principal,
    entity: str | None,
    *,
    depth: int = 1,
    at: datetime | None = None,
    as_json: bool = False,
) -> str:
    """Who is connected with whom: a fact in each line."""
    found = await graph(database, user, entity=entity, hops=depth, at=at)
    shown = GraphAnswer.of(found)
    if as_json:
        return as_text(shown.model_dump(mode="json"))
    names = {each.target: each.target for each in shown.edges} | {node.id: node.name for node in shown.nodes}
    rows = [
        (names[each.source], ("not: " if each.is_negated else "") + each.predicate, names[each.target], each.memory_id)
        for each in shown.edges
    ]
    more = ["(there are more)"] if shown.truncated else []
    if not rows:
        return "No facts are known of that." if entity else "No facts are known."
    return "\n".join([table(("WHO", "WHAT", "WHOM", "ID"), rows), *more])


async def show_memory(database: Database, user: Principal, memory_id: UUID, *, as_json: bool = False) -> str:
    """One memory, all of it, and what was done to it."""
    shown = WholeMemoryAnswer.with_changes(*await show(database, user, memory_id)).model_dump(mode="json")
    if as_json:
        return as_text(shown)
    changes, replaced = shown.pop("changes"), shown.pop("replaced")
    source, triple = shown.pop("source"), shown.pop("triple")
    shown |= {"triple": " · ".join(triple.values()) if triple else None}
    shown |= {"tags": ", ".join(shown["tags"]), "session_id": source["session_id"]}
    shown |= {"message_ids": ", ".join(source["message_ids"])}
    shown |= {"replaced": " · ".join(each["text"] for each in replaced)}
    lines = [f"{name:15} {plain(value)}" for name, value in shown.items() if value not in (None, "")]
    rows = [
        (each["created_at"][:16].replace("T", " "), each["operation"], each["actor"], each["reason"], _undone(each))
        for each in changes
    ]
    return "\n".join([*lines, "", table(("WHEN", "WHAT", "WHO", "WHY", ""), rows)])


async def edit_memory(
    database: Database, user: Principal, memory_id: UUID, wanted: Edit, *, as_json: bool = False
) -> str:
    edited = await edits.edit(database, user, memory_id, wanted)
    return _one(edited) if as_json else f"Changed {memory_id}: {_said(edited)}"


async def forget_memory(
    database: Database, user: Principal, memory_id: UUID, *, called: str, as_json: bool = False
) -> str:
    """`called`: the user as the command line named him, for the line that brings it back."""
    memory = await forget.forget(database, user, memory_id, why="by command")
    if as_json:
        return as_text({"deleted": str(memory_id)})
    undo = f"{sys.argv[0]} memory undo --user {shlex.quote(called)} {memory_id}"
    return f"Forgot {memory_id}: {_said(memory)}\nTo have it back:\n{undo}"


async def undo_change(database: Database, user: Principal, memory_id: UUID, *, as_json: bool = False) -> str:
    """What was last done to a memory is taken back."""
    memory = await forget.undo(database, user, memory_id)
    if as_json:
        return _one(memory) if memory else as_text({"deleted": str(memory_id)})
    return (
        f"Again: {_said(memory)}" if memory else f"The memory {memory_id} is gone: it was taken back that it was made."
    )


async def audit_memories(
    database: Database, user: Principal, *, as_json: bool = False, width: int | None = None
) -> str:
    """What deserves a look, and what can be done."""
    found = AuditAnswer.of(await audit(database, user, limit=AUDITED))
    if as_json:
        return as_text(found.model_dump(mode="json"))
    lines = [table(("", "COUNT"), [(name.replace("_", " "), count) for name, count in found.counts.items()])]
    for name in ("duplicates", "never_recalled", "untrusted", "contradicted"):
        for entry in getattr(found, name):
            lines += ["", f"{name.replace('_', ' ')}: {entry.suggestion}"]
            lines += [_clipped(f"  {each.id}  {_line(each.text)}", width) for each in entry.memories]
    if found.hidden_messages:
        lines += ["", f"hidden messages: {found.hidden_messages[0].suggestion}"]
        lines += [f"  {each.message_id}  in {each.session_id}" for each in found.hidden_messages]
    return "\n".join(lines)


async def maintain_memories(
    database: Database, user: Principal, *, retention: Retention, dry_run: bool, as_json: bool = False
) -> str:
    """Look after the memories of a user now, or say what would be done."""
    done = asdict(await maintain(database, user, retention=retention, dry_run=dry_run))
    if as_json:
        return as_text({"dry_run": dry_run, **done})
    return table(("", "WOULD BE" if dry_run else "WERE"), list(done.items()))


def _one(memory: Memory) -> str:
    return as_text(MemoryAnswer.of(memory).model_dump(mode="json"))


def _said(memory: Memory) -> str:
    """What no longer holds says so."""
    until = f"(until {memory.valid_to:%Y-%m-%d}) " if memory.valid_to else ""
    return until + _line(memory.text)


def _line(text: str) -> str:
    return plain(" ".join(text.split()))


def _undone(change: dict[str, object]) -> str:
    return "undone" if change["undone"] else ""


def _clipped(line: str, width: int | None) -> str:
    """As wide as the terminal; whole where there is none."""
    return (line if width is None or len(line) <= width else f"{line[: width - 1]}…").rstrip()
