"""Whether a question is about what was, and no longer is."""

import re

READ_CHARACTERS = 2_000

_PAST = re.compile(
    r"\bused to\b|\bdid (?:i|we|he|she|they|my \w{1,20}) use to\b|\bprevious(?:ly)?\b"
    r"|\bformer(?:ly)?\b|\boriginally\b|\bback then\b|\bin the past\b|\bat first\b"
    r"|\banymore\b|\bno longer\b|\bearlier on\b|\bold (?:address|name|job|phone|number|email|employer|home|city)\b"
    r"|\b(?:before|until) (?:that|then|now|moving|changing|switching|i (?:moved|changed|switched|left|quit|started))\b"
    r"|\bwhen (?:was|were) (?:my|our)\b"  # what was ahead once
    r"|\bex-\w|\b(?:did|was|were|had)\b[^.?!]{0,120}\bbefore\s{0,3}[?.!]?\s{0,3}\Z"
    r"|\b(?:did|was|were)\b[^.?!]{0,120}\b(?:19|20)\d\d\b|\b(?:19|20)\d\d\b[^.?!]{0,120}\b(?:did|was|were)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:did|was|were|had)\b[^.?!]{0,120}\b(?:live|lived|living|work|worked|working|study|studied|home|job|employer"
    r"|address)\b[^.?!]{0,40}\bbefore (?:in |at |the )?(?-i:[A-Z])",
    re.IGNORECASE,
)  # "Where did I live before Munich?"


def asks_about_the_past(question: str) -> bool:
    """English only: elsewhere what holds is found, and what does not is left out."""
    read = question[:READ_CHARACTERS]
    return _PAST.search(read) is not None or _BEFORE.search(read) is not None


def without_before(question: str) -> str:
    """Of "where did I live before Munich" what is asked about: Munich is what came after it, and no answer."""
    return question.partition(" before ")[0] if _BEFORE.search(question[:READ_CHARACTERS]) else question
