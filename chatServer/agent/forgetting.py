"""What `builtin` does with a page of notes when it shall forget something: the section, or the line, that is named."""

from typing import Any

from chatServer.agent.extract import Source, best, keys_of
from chatServer.conversation.budget import is_cut
from chatServer.memory.outline import MAX_PIECES, count_pieces, read_headings, split_lines
from chatServer.messages import searchable

EMPTY = {"operation": "delete_all_notes"}
REDACTED = "[REDACTED_"  # by agent/pii.py


class Unreadable(Exception):
    """The page cannot be written back without losing what was not seen of it."""


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
    if REDACTED in page or is_cut(page):
        raise Unreadable
    return {"operation": "overwrite", "content": kept} if kept.strip() else EMPTY


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
