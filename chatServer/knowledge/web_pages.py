"""The text of an HTML page as Markdown would write it: headings, paragraphs, lists, tables. Nothing is fetched."""

import re
from html.parser import HTMLParser
from typing import Any

from chatServer.knowledge.reading import Reading

UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object", "head", "title"})
HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
PARAGRAPHS = frozenset(
    {"p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "table", "pre"}
    | {"blockquote", "figure", "dl", "form", "hr", *HEADINGS}
)
LINES = frozenset({"br", "li", "tr", "dt", "dd", "figcaption", "option"})
CELLS = frozenset({"td", "th"})
IN_HEAD = frozenset({"head", "title", "meta", "link", "base", "style", "script", "noscript", "template"})
ENDED = UNSEEN - {"head", "script", "style"}  # these hide nothing where their end is missing


_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"' ]{0,2}([\w-]{1,40})", re.IGNORECASE)


def encoding_in(head: bytes) -> str:
    """What a page says of its letters; where it says nothing that we know, what browsers take it for."""
    found = _CHARSET.search(head)
    name = found[1].decode("ascii", "replace") if found else "cp1252"
    try:
        b"a".decode(name)
    except (LookupError, ValueError):  # or no encoding of letters
        return "cp1252"
    return name


def read(page: str) -> Reading:
    """The text that a browser would show."""
    words = _Words(page)
    words.feed(page)
    words.close()
    return Reading(" ".join("".join(words.title).split()), words.text())


class _Words(HTMLParser):
    """Goes from tag to tag and keeps no tree, so nesting without end is nothing to it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.title: list[str] = []
        small = page.lower()
        self._ends = {tag: small.count(f"</{tag}") for tag in ENDED}  # that are still to come
        self._pieces: list[str] = []
        self._unseen: dict[str, int] = {}
        self._endless: set[str] = set()
        self._has_title = False
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in IN_HEAD:
            self._end_head()
        if self._is_endless(tag):
            self._endless.add(tag)
        elif tag in UNSEEN:
            self._unseen[tag] = self._unseen.get(tag, 0) + 1
        self._verbatim += tag == "pre"
        self._break(tag)
        self._pieces.append(HEADINGS.get(tag, "- " if tag == "li" else ""))

    def handle_endtag(self, tag: str) -> None:
        if self._ends.get(tag):
            self._ends[tag] -= 1
        self._has_title |= tag == "title" and bool(self.title)
        if self._unseen.get(tag):
            self._unseen[tag] -= 1
            if not self._unseen[tag]:
                del self._unseen[tag]
        self._verbatim = max(0, self._verbatim - (tag == "pre"))
        if tag in CELLS:
            self._pieces.append(" | ")
        elif tag in PARAGRAPHS:
            self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)  # <script/> opens nothing that has to be closed

    def handle_data(self, data: str) -> None:
        if self._unseen and data.strip():
            self._end_head()
        if self._unseen.keys() - {"head"} == {"title"} and not self._has_title:  # pictures have titles, too
            self.title.append(data[:1_000])
        elif not self._unseen:
            self._pieces.append(data if self._verbatim else _as_shown(data))

    def text(self) -> str:
        """Blank lines between paragraphs, one at a time; no blanks around lines."""
        lines: list[str] = []
        for line in "".join(self._pieces).split("\n"):
            kept = line.rstrip() if line.startswith("  ") else line.strip()  # code is indented
            kept = kept.removesuffix("|").rstrip()
            if kept.strip("#- ") or (lines and lines[-1] and not kept):
                lines.append(kept)
        return "\n".join(lines).strip()

    def set_cdata_mode(self, elem: str, **how: Any) -> None:
        """From some tags on, newer Pythons take everything for text up to their end."""
        if elem not in self._endless:
            super().set_cdata_mode(elem, **how)

    def _is_endless(self, tag: str) -> bool:
        """Whether no end is left for this tag, which would hide all that follows."""
        return tag in ENDED and self._ends[tag] <= self._unseen.get(tag, 0)

    def _end_head(self) -> None:
        """Its end need not be written: whatever cannot stand in it ends it."""
        if self._unseen.keys() == {"head"}:
            del self._unseen["head"]

    def _break(self, tag: str) -> None:
        if tag in PARAGRAPHS:
            self._pieces.append("\n\n")
        elif tag in LINES:
            self._pieces.append("\n")


def _as_shown(data: str) -> str:
    """Blanks and line ends of the source are one blank each run, as browsers show them."""
    words = " ".join(data.split())
    before = " " if data[:1].isspace() else ""
    return before + words + (" " if words and data[-1:].isspace() else "")
