"""What of a message somebody says anew: not what a prompt or an answer had said before, and he has only brought back.

Else what is recalled would be learned again, as if he had told it himself, and what was forgotten would return.
"""

import re
from collections.abc import Iterable

BLOCKS = ("memories", "articles", "summary", "notes")  # of a prompt
MIN_LINE = 12  # characters: shorter lines are anybody's

_OPENING = re.compile(rf"<({'|'.join(BLOCKS)})>", re.IGNORECASE)
# As a prompt quotes a memory: who said it, and when. Whoever writes so of himself is found by his message still.
_QUOTED = re.compile(r"[ \t>*•-]{0,8}\([^()\n]{1,80}, \d{4}-\d\d-\d\d[^()\n]{0,120}\)")


def said_anew(text: str, answers: Iterable[str] = ()) -> str:
    """The text without blocks of a prompt, lines that quote a memory, and lines of these answers."""
    known = {line for answer in answers for line in map(_plain, answer.splitlines()) if len(line) >= MIN_LINE}
    lines = _without_blocks(text).splitlines()
    return "\n".join(line for line in lines if _plain(line) not in known and not _QUOTED.match(line)).strip()


def _without_blocks(text: str) -> str:
    """A block ends where it is closed; one that stands on a line of its own and never is, with the text."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are longer as small ones
        lower = text
    kept, place, unclosed = [], 0, set[str]()
    while found := _OPENING.search(text, place):
        kind = found[1].lower()
        end = -1 if kind in unclosed else lower.find(f"</{kind}>", found.end())
        if end >= 0:
            kept.append(text[place : found.start()])
            place = end + len(kind) + 3
            continue
        unclosed.add(kind)
        if text[found.end() : found.end() + 1] == "\n":
            return "".join([*kept, text[place : found.start()]])
        kept.append(text[place : found.end()])
        place = found.end()
    return "".join([*kept, text[place:]])


def _plain(line: str) -> str:
    """Also where a client has marked it as a quotation."""
    return " ".join(line.lstrip("> \t").split())
