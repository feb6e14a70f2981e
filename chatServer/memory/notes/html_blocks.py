"""Where raw HTML begins and ends in Markdown: the seven kinds of CommonMark 4.6."""

import re
from typing import NamedTuple

from markdown_it.common.html_blocks import block_names

# Possessive, or followed by what cannot begin like it: no line, however odd, is read twice. Groups that may end in more
# than one way are not possessive themselves: Python before 3.11.5 misreads those.
_VALUE = r"(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\")"
_ATTRIBUTE = rf"(?:\s++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\s*+=\s*+{_VALUE})?)"
_TAG = rf"(?:<[A-Za-z][A-Za-z0-9-]*+{_ATTRIBUTE}*\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>)\s*+$"


class Kind(NamedTuple):
    """What the last line of a block holds; no `end`: the block goes to the next blank line."""

    end: re.Pattern[str] | None


_KINDS = [
    (r"<(?:script|pre|style|textarea)(?=\s|>|$)", Kind(re.compile(r"</(?:script|pre|style|textarea)>", re.I))),
    (r"<!--", Kind(re.compile(r"-->"))),
    (r"<\?", Kind(re.compile(r"\?>"))),
    (r"<![a-z]", Kind(re.compile(r">"))),
    (r"<!\[CDATA\[", Kind(re.compile(r"\]\]>"))),
    (rf"</?(?:{'|'.join(block_names)})(?=\s|/?>|$)", Kind(None)),
]
_BEGIN = re.compile("|".join(f"({begin})" for begin, _ in _KINDS), re.I)
_ANY_TAG = re.compile(_TAG)


def start(line: str, text: int, *, in_paragraph: bool) -> Kind | None:
    """The kind that begins at this place; a tag of any name does not interrupt a paragraph."""
    if found := _BEGIN.match(line, text):
        return _KINDS[(found.lastindex or 1) - 1][1]
    return None if in_paragraph or not _ANY_TAG.match(line, text) else Kind(None)
