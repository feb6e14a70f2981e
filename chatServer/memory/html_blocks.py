"""Where raw HTML begins and ends in Markdown: the seven kinds of CommonMark 4.6."""

import re
from typing import NamedTuple

from markdown_it.common.html_blocks import block_names

# Possessive throughout: no line, however odd, is read twice.
_VALUE = r"(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\")"
_ATTRIBUTE = rf"(?:\s++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\s*+=\s*+{_VALUE})?+)"
_TAG = rf"(?:<[A-Za-z][A-Za-z0-9-]*+{_ATTRIBUTE}*+\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>)\s*+$"


class Kind(NamedTuple):
    """What a line begins with, and what the last line holds; no `end`: the block goes to the next blank line."""

    begin: re.Pattern[str]
    end: re.Pattern[str] | None


_ENDED_BY_TEXT = [
    Kind(
        re.compile(r"<(?:script|pre|style|textarea)(?=\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    Kind(re.compile(r"<!--"), re.compile(r"-->")),
    Kind(re.compile(r"<\?"), re.compile(r"\?>")),
    Kind(re.compile(r"<![A-Za-z]"), re.compile(r">")),
    Kind(re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
]
_BLOCK = Kind(re.compile(rf"</?(?:{'|'.join(block_names)})(?=\s|/?>|$)", re.I), None)
_ANY = Kind(re.compile(_TAG), None)


def start(line: str, text: int, *, in_paragraph: bool) -> Kind | None:
    """The kind that begins at this place; a tag of any name does not interrupt a paragraph."""
    kinds = [*_ENDED_BY_TEXT, _BLOCK] if in_paragraph else [*_ENDED_BY_TEXT, _BLOCK, _ANY]
    return next((kind for kind in kinds if kind.begin.match(line, text)), None)
