"""The page of notes as text: the seven operations of `manage_long_term_memory`, pure functions over Markdown."""

import re
from dataclasses import dataclass
from typing import Literal

from chatServer.memory.notes.outline import MAX_PIECES, count_pieces, read_headings, split_lines
from chatServer.messages import clean_text

Operation = Literal[
    "read",
    "overwrite",
    "append",
    "prepend",
    "delete_section_by_header",
    "replace_section_by_header",
    "delete_all_notes",
]
MAX_BYTES = 65_536
NOTHING = "The notes are empty."
NOTED = "This line is on the page already. Nothing was changed."

NEEDS_CONTENT = frozenset({"overwrite", "append", "prepend", "replace_section_by_header"})
NEEDS_HEADER = frozenset({"delete_section_by_header", "replace_section_by_header"})
MAX_HEADERS_TOLD = 20
_BLANK_START = re.compile(r"(?:[ \t]*[\r\n])*")  # not possessive: before 3.11.5 Python forgets where such a group began


@dataclass(frozen=True, slots=True)
class Change:
    """The page after an operation, and a sentence about it; after an error the page is as it was."""

    notes: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """What is before a section, its header, and what comes after its text; whole lines."""

    before: str
    header: str
    after: str


def apply(notes: str, operation: Operation, content: str | None = None, section_header: str | None = None) -> Change:
    """Do one operation; whatever is wrong with it is said, and changes nothing."""
    content = clean_text(content or "")
    wanted = _wanted(clean_text(section_header or ""))
    if operation in NEEDS_CONTENT and not content.strip():
        return Change(notes, f"{operation} needs content that is not blank. Nothing was changed.", is_error=True)
    if operation in NEEDS_HEADER and not wanted:
        return Change(notes, f"{operation} needs a section_header. Nothing was changed.", is_error=True)
    if operation == "read":
        return Change(notes, notes if notes.strip() else NOTHING)
    if operation in NEEDS_HEADER:
        return _change_section(notes, operation, content, wanted)
    if operation == "append" and _is_noted(notes, content):
        return Change(notes, NOTED)
    return _sized(notes, _change_page(notes, operation, content))


def refusal_of_size(notes: str) -> str | None:
    """Why a page of this size is not kept, if it is not."""
    size = len(notes.encode("utf-8", "surrogatepass"))
    if size <= MAX_BYTES:
        return None
    return f"The notes would have {size:,} bytes, and a page has at most {MAX_BYTES:,}. Nothing was changed."


def find_section(notes: str, wanted: frozenset[str]) -> Section | list[str]:
    """The first section with one of these headers, to the next of the same or a higher level; or all the headers."""
    lines = split_lines(notes)
    headings = read_headings(lines)
    others: list[str] = []
    for found in headings:
        if found.text in wanted:
            break
        others.append(found.text)
    else:
        return others
    following = next((heading.start for heading in headings if heading.level <= found.level), len(lines))
    return Section(
        before="".join(lines[: found.start]),
        header="".join(lines[found.start : found.end]),
        after="".join(lines[following:]),
    )


def _change_page(notes: str, operation: Operation, content: str) -> str:
    if operation == "append":
        return _join(notes, content)
    if operation == "prepend":
        return _join(content, notes)
    return content if operation == "overwrite" else ""


def _is_noted(notes: str, content: str) -> bool:
    """Whether the only line of a text is a line of the section at whose end it would stand."""
    added = [line.rstrip() for line in split_lines(content) if line.strip()]
    if len(added) != 1 or added[0] not in notes or count_pieces(notes) > MAX_PIECES:
        return False
    lines = split_lines(notes)
    start = max((heading.end for heading in read_headings(lines)), default=0)
    return added[0] in (line.rstrip() for line in lines[start:])


def _change_section(notes: str, operation: Operation, content: str, wanted: frozenset[str]) -> Change:
    pieces = count_pieces(notes)
    if pieces > MAX_PIECES:
        said = f"The notes have {pieces:,} lines, quotes and list items, and sections are found among {MAX_PIECES:,}"
        return Change(
            notes, f"{said} at most. Nothing was changed; overwrite them with something shorter.", is_error=True
        )
    section = find_section(notes, wanted)
    if isinstance(section, list):
        return Change(notes, _missing(section), is_error=True)
    after = section.after.lstrip(" ")  # indented, it could become part of a list that is now before it
    if operation == "delete_section_by_header":
        return _sized(notes, _join(section.before, after) if after else section.before.rstrip(" \t\r\n"))
    return _sized(notes, section.before + _join(section.header, content, after))


def _missing(headers: list[str]) -> str:
    """Which headers there are, so that the next try can be right."""
    told = "; ".join(header[:80] for header in headers[:MAX_HEADERS_TOLD])
    more = "; …" if len(headers) > MAX_HEADERS_TOLD else ""
    known = f"The headers are: {told}{more}." if headers else "The notes have no headers."
    return f"There is no section with this header. {known} Nothing was changed."


def _sized(old: str, new: str) -> Change:
    if refusal := refusal_of_size(new):
        return Change(old, refusal, is_error=True)
    if new == old:
        return Change(old, "The notes are as they were.")
    return Change(new, f"Done. The notes have {len(new.encode()):,} of {MAX_BYTES:,} bytes.")


def _join(*parts: str) -> str:
    """The parts that are not blank, with exactly one blank line between them."""
    kept = [part for part in parts if part.strip(" \t\r\n")]
    if not kept:
        return ""
    heads = [part.rstrip(" \t\r\n") for part in kept[:-1]]
    first, *rest = [*heads, kept[-1]]
    return "\n\n".join([first, *(part[_BLANK_START.match(part).end() :] for part in rest)])  # type: ignore[union-attr]


def _wanted(header: str) -> frozenset[str]:
    """A header as it is given: its text, or its whole line with the number signs."""
    text = " ".join(line.strip() for line in header.splitlines()).strip()
    bare = text.lstrip("#").strip()
    unclosed = bare.rstrip("#")
    closed = unclosed.strip() if unclosed.endswith((" ", "\t")) else bare
    return frozenset({text, bare, closed} - {""}) if bare else frozenset()
