"""The headings of a Markdown page: CommonMark's blocks, read line by line, in time that grows with the page only.

Not markdown-it-py, with which the tests compare it: that took 850 ms for a hostile page of 64 kB (2026-11-15).
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from chatServer.memory.notes import html_blocks, link_definitions

MAX_DEPTH = 100  # quotes and lists in each other; what is deeper is text
# Lines, and marks of quotes and lists. 64 kB of the shortest useful items, "- likes tea", have less; each costs 4 us.
MAX_PIECES = 6_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_STARTERS = frozenset("#>`~<-=+*_0123456789")
_spaces = re.compile(" *+").match
_ATX = re.compile(r"(#{1,6})(?: |$)")
_FENCE = re.compile(r"(`{3,}+)[^`]*+$|(~{3,}+)")
_RULE = re.compile(r"(?:(?:\* *+){3,}+|(?:- *+){3,}+|(?:_ *+){3,}+)$")
_UNDERLINE = re.compile(r"(?:=++|-++) *+$")
_PREFIX = re.compile(r"^[ \t]*+(?:>[ \t]*+|(?:[-+*]|\d{1,9}[.)])(?:[ \t]++|$))+", re.ASCII | re.MULTILINE)
_MARKER = re.compile(r"([-+*]|(\d{1,9})[.)])(?= |$)", re.ASCII)

Leaf = Literal["none", "paragraph", "fence", "html", "code"]


class Heading(NamedTuple):
    """A heading of the page itself, not of a list or a quote: its lines, counted from 0, `end` not included."""

    level: int
    start: int
    end: int
    text: str


def split_lines(page: str) -> list[str]:
    """The lines with their ends; together they are the page."""
    return _LINE.findall(page)


def count_pieces(page: str) -> int:
    """How much there is to read: its lines, and the marks of quotes and lists before their text."""
    marks = "".join(_PREFIX.findall(page))
    return page.count("\n") + page.count("\r") + sum(marks.count(mark) for mark in ">-+*.)")


def read_headings(lines: list[str]) -> Iterator[Heading]:
    """Every heading of the page, in order; the lines after the last one that is asked for are not read."""
    reader = _Reader(lines)
    for number, line in enumerate(lines):
        heading = reader.read(number, line.rstrip("\r\n").expandtabs(4))
        if heading is not None:
            yield heading


class _Reader:
    """Which blocks are open after each line.

    A container is a number: 0 for a quote, else the columns by which an item of a list indents its content, negative
    while the item is empty: thousands of objects would cost as much as all the rest.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._open: list[int] = []
        self._leaf: Leaf = "none"  # the innermost block
        self._leaf_start = 0
        self._was_blank = False
        self._fence = ""
        self._html_end: re.Pattern[str] | None = None  # None: a blank line

    def read(self, number: int, line: str) -> Heading | None:
        """Take the next line; the heading that ends with it, if one does."""
        was_blank, self._was_blank = self._was_blank, not line or line.isspace()
        if was_blank and self._was_blank:
            return None
        matched, column = self._match_containers(line) if self._open else (0, 0)
        text = _end_of_spaces(line, column)
        if text == len(line):
            self._blank(matched)
        elif matched == len(self._open) and self._leaf in ("fence", "html"):
            self._go_on_verbatim(line, column, text)
        elif text - column < 4 and line[text] not in _STARTERS:
            self._text(number, matched)
        else:
            return self._open_blocks(number, line, column, matched)
        return None

    def _match_containers(self, line: str) -> tuple[int, int]:
        """How many of the open containers the line goes on with, and the column behind their marks."""
        column = 0
        for index, width in enumerate(self._open):
            text = _end_of_spaces(line, column)
            if width == 0:
                if text - column > 3 or line[text : text + 1] != ">":
                    return index, column
                column = text + (2 if line[text + 1 : text + 2] == " " else 1)
            elif text == len(line):
                if width < 0:
                    return index, column
                column = text
            elif text - column >= abs(width):
                column += abs(width)
            else:
                return index, column
        return len(self._open), column

    def _blank(self, matched: int) -> None:
        if matched < len(self._open):
            del self._open[matched:]
            self._leaf = "none"
        elif self._leaf == "paragraph" or (self._leaf == "html" and self._html_end is None):
            self._leaf = "none"

    def _go_on_verbatim(self, line: str, column: int, text: int) -> None:
        """A line of the fence or the HTML that is open; it may be the last."""
        if self._leaf == "html":
            if self._html_end is not None and self._html_end.search(line, column):
                self._leaf = "none"
            return
        rest = line[text:].rstrip(" ")
        if text - column < 4 and rest.startswith(self._fence) and not rest.strip(self._fence[0]):
            self._leaf = "none"

    def _text(self, number: int, matched: int) -> None:
        """A line of a paragraph: a new one, or the one that is open, even when its marks are left out."""
        if self._leaf != "paragraph":
            self._begin(matched, "paragraph", number)

    def _begin(self, depth: int, leaf: Leaf, number: int) -> None:
        """Close what the line does not go on with, and open a leaf."""
        opened = self._open
        del opened[depth:]
        if opened and opened[-1] < 0:
            opened[-1] = -opened[-1]
        self._leaf, self._leaf_start = leaf, number

    def _open_blocks(self, number: int, line: str, column: int, matched: int) -> Heading | None:
        """Open what the line starts: containers, and a leaf in the last of them."""
        while True:
            text = _end_of_spaces(line, column)
            if text == len(line):
                return None
            if text - column >= 4:
                self._indented(number, matched)
                return None
            after = None
            if line[text] in _STARTERS:
                found = self._leaf_at(number, line, text, matched)
                if found is not None:
                    return found if isinstance(found, Heading) else None
                after = self._container_at(line, column, text, matched) if matched < MAX_DEPTH else None
            if after is None:
                self._text(number, matched)
                return None
            column, matched = after, len(self._open)

    def _indented(self, number: int, matched: int) -> None:
        if self._leaf == "code" and matched == len(self._open):
            return
        if self._leaf != "paragraph":
            self._begin(matched, "code", number)

    def _leaf_at(self, number: int, line: str, text: int, matched: int) -> Heading | Literal[True] | None:
        """The heading that stands here; True for another leaf that is no paragraph; None for neither."""
        mark = line[text]
        if mark == "#":
            if atx := _ATX.match(line, text):
                self._begin(matched, "none", number)
                return True if matched else Heading(len(atx[1]), number, number + 1, _atx_text(line[atx.end() :]))
        elif mark in "=-" and self._leaf == "paragraph" and matched == len(self._open):
            heading = self._underlined(number, 1 if mark == "=" else 2) if _UNDERLINE.match(line, text) else None
            if heading is not None:
                return heading
        elif mark in "`~<":
            return self._verbatim_at(number, line, text, matched)
        if mark in "*-_" and _RULE.match(line, text):
            self._begin(matched, "none", number)
            return True
        return None

    def _verbatim_at(self, number: int, line: str, text: int, matched: int) -> Literal[True] | None:
        if line[text] != "<":
            fence = _FENCE.match(line, text)
            if fence is None:
                return None
            self._begin(matched, "fence", number)
            self._fence = fence[1] or fence[2]
            return True
        html = html_blocks.start(line, text, in_paragraph=self._leaf == "paragraph")
        if html is None:
            return None
        self._begin(matched, "html", number)
        self._html_end = html.end
        if html.end is not None and html.end.search(line, text):
            self._leaf = "none"
        return True

    def _underlined(self, number: int, level: int) -> Heading | Literal[True] | None:
        first = self._leaf_start
        if self._lines[first].lstrip(" ").startswith("["):
            first += link_definitions.count_lines("".join(self._lines[first:number]))
        self._leaf = "none"
        if first == number:  # nothing is left to be underlined
            return None
        text = " ".join(line.strip() for line in self._lines[first:number])
        return True if self._open else Heading(level, first, number + 1, text)

    def _container_at(self, line: str, column: int, text: int, matched: int) -> int | None:
        """Open the quote or the item that stands here; the column of its content."""
        if line[text] == ">":
            self._begin(matched, "none", 0)
            self._open.append(0)
            return text + (2 if line[text + 1 : text + 2] == " " else 1)
        marker = _MARKER.match(line, text)
        if marker is None:
            return None
        end = marker.end()
        content = _end_of_spaces(line, end)
        is_blank = content == len(line)
        interrupts = self._leaf == "paragraph" and matched == len(self._open)
        if interrupts and (is_blank or marker[2] not in (None, "1")):
            return None
        after = end + 1 if is_blank or content - end > 4 else content
        self._begin(matched, "none", 0)
        self._open.append(column - after)
        return min(after, len(line))


def _end_of_spaces(line: str, column: int) -> int:
    if line[column : column + 1] != " ":
        return column
    return _spaces(line, column).end()  # type: ignore[union-attr]  # it matches anything


def _atx_text(rest: str) -> str:
    """What a heading says, without the number signs that may close it."""
    text = rest.rstrip(" ")
    unclosed = text.rstrip("#")
    return (unclosed if unclosed == "" or unclosed.endswith(" ") else text).strip()
