"""Whether a question is about what was, and no longer is."""

import re

READ_CHARACTERS = 2_000

_PAST = re.compile(
    r"\bused to\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\boriginally\b|\bback then\b|\bin the past\b|\bat first\b"
    r"|\banymore\b|\bno longer\b|\bearlier on\b|\bold (?:address|name|job|phone|number|email|employer|home|city)\b"
    r"|\b(?:before|until) (?:that|then|now|moving|changing|switching|i (?:moved|changed|switched|left|quit|started))\b"
    r"|\bex-\w|\b(?:did|was|were|had)\b[^.?!]{0,120}\bbefore\s{0,3}[?.!]?\s{0,3}\Z"
    r"|\b(?:did|was|were)\b[^.?!]{0,120}\b(?:19|20)\d\d\b|\b(?:19|20)\d\d\b[^.?!]{0,120}\b(?:did|was|were)\b",
    re.IGNORECASE,
)


def asks_about_the_past(question: str) -> bool:
    """English only: elsewhere what holds is found, and what does not is left out."""
    return _PAST.search(question[:READ_CHARACTERS]) is not None
