"""What `builtin` does when it shall forget something: first the memories, then the section or line of the notes."""

from typing import Any

from chatServer.agent.builtin.apart import Prompt
from chatServer.agent.builtin.extract import Source, best, keys_of
from chatServer.agent.builtin.phrases import phrase
from chatServer.agent.builtin.reply import MAX_QUOTED, READ, Reply
from chatServer.agent.let_go import FORGET_TOOL, STAYS
from chatServer.agent.speech import said_in
from chatServer.agent.wishes import Wish
from chatServer.conversation.budget import is_cut
from chatServer.memory.notes.outline import MAX_PIECES, count_pieces, read_headings, split_lines
from chatServer.memory.notes.page import NOTHING
from chatServer.messages import searchable

EMPTY = {"operation": "delete_all_notes"}
REDACTED = "[REDACTED_"  # by agent/pii.py
UNREADABLE = "The notes cannot be read whole here, and so no line is taken out of them. Name a section, or edit them."
MAX_NAMED = 500  # characters of what is to be forgotten


class Unreadable(Exception):
    """The page cannot be written back without losing what was not seen of it."""


def forgotten(given: Prompt, wish: Wish) -> Reply:
    """First the memories, then the page of notes; said is what is gone."""
    done = given.calls[-1].get("operation") if given.calls and given.results else None
    if wish.kind == "forget_all":
        return Reply(phrase(wish.language, "all_forgotten")) if done else Reply(call=EMPTY)
    if FORGET_TOOL in given.tools and not given.calls:
        return Reply(call={"what": wish.what[:MAX_NAMED]}, tool=FORGET_TOOL)
    told = _told(given)
    gone = [line.removeprefix("- ") for line in told if line.startswith("- ")]
    stays = [phrase(wish.language, "stays")] if STAYS in told else []
    if done and done != "read":
        return _done(wish, [wish.what, *gone], stays)
    return _out_of_the_notes(given, wish, gone, stays)


def _out_of_the_notes(given: Prompt, wish: Wish, gone: list[str], stays: list[str]) -> Reply:
    page = page_read(given)
    if page is None:  # the prompt's copy may be old by now, and the page is written back whole
        return Reply(call=READ)
    try:
        arguments = arguments_to_forget(wish.what, page)
    except Unreadable:
        return _done(wish, gone, [*stays, phrase(wish.language, "failed", UNREADABLE)])
    if arguments:
        return Reply(call=arguments)
    return _done(wish, gone, stays) if gone else Reply(phrase(wish.language, "nothing_to_forget"))


def _done(wish: Wish, gone: list[str], more: list[str]) -> Reply:
    """One thing in the sentence itself, several below it; and what is to be known of it."""
    each = gone[0] if len(gone) == 1 else "".join(f"\n- {thing}" for thing in gone)
    return Reply("\n\n".join([*([phrase(wish.language, "forgotten", each)] if gone else []), *more]))


def _told(given: Prompt) -> list[str]:
    """The lines in which the tool has told what it let go."""
    told = [
        result
        for arguments, result in zip(given.calls, given.results, strict=False)
        if "operation" not in arguments and result.status != "error"
    ]
    return [line for result in told for line in said_in(result)[:MAX_QUOTED].splitlines()]


def page_read(given: Prompt) -> str | None:
    """The notes as the tool has just read them, if it has."""
    if not given.results or not given.calls or given.calls[-1].get("operation") != "read":
        return None
    page = said_in(given.results[-1])
    return "" if page == NOTHING else page


def arguments_to_forget(what: str, page: str) -> dict[str, Any] | None:
    """For the notes tool; None where the page says nothing like it."""
    if count_pieces(page) > MAX_PIECES:
        raise Unreadable
    wanted = searchable(what)
    for heading in read_headings(split_lines(page)):
        if wanted and searchable(heading.text) == wanted:
            return {"operation": "delete_section_by_header", "section_header": heading.text}
    kept = without_line(what, page)
    if kept is None:
        return None
    if not can_be_written(page):
        raise Unreadable
    return {"operation": "overwrite", "content": kept} if kept.strip() else EMPTY


def can_be_written(page: str) -> bool:
    """Whether all of it was read."""
    return REDACTED not in page and not is_cut(page)


def without_line(what: str, page: str) -> str | None:
    """The page without the line that this is about; None where there is none, or where the line holds others up."""
    lines, keys = split_lines(page), set(keys_of(what))
    for found in best(what, [Source("notes", page)]):
        # Forgetting takes more than finding: half of what was named must be in the line itself.
        if 2 * len(keys & set(keys_of(found.text))) < len(keys):
            continue
        kept = lines[: found.line] + lines[found.line + 1 :]
        if _headings(kept) == _headings(lines):  # not so without the first line of a block of code
            return "".join(kept).strip("\n")
    return None


def _headings(lines: list[str]) -> list[str]:
    return [heading.text for heading in read_headings(lines)]
