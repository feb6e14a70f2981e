"""The words of a message around what was searched for, on one line."""

import re
from collections.abc import Sequence

LENGTH = 160
LEAD = 40  # characters before what was found
CUT = "…"


def excerpt(text: str, words: Sequence[str]) -> str:
    """From a little before the first of the words; else from the beginning, for they may be spelled otherwise."""
    line = " ".join(text.split())
    any_word = "|".join(map(re.escape, words))
    found = re.search(rf"\b(?:{any_word})", line, re.IGNORECASE) or re.search(any_word, line, re.IGNORECASE)
    at = found.start() if found else 0
    begin = line.rfind(" ", 0, at - LEAD) + 1 if at > LEAD else 0
    begin = begin if at - begin <= 2 * LEAD else at - LEAD  # where nothing is spaced
    shown = line[begin : begin + LENGTH].rstrip()
    return (CUT if begin else "") + shown + (CUT if begin + LENGTH < len(line) else "")
