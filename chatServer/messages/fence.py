"""Texts in a fence: what is inside can neither end its block nor begin another."""

import re
from collections.abc import Iterable


def fence(kind: str, text: str) -> str:
    """A block <kind>...</kind>; tags of this kind in the text get a backslash, which `unfenced` takes away again."""
    return f"<{kind}>\n{_tag(kind).sub(_one_more, text)}\n</{kind}>"


def unfenced(kind: str, prompt: str) -> str | None:
    """The text of the first block of this kind, as it was before it was fenced; None where there is none."""
    opening, closing = f"<{kind}>\n", f"\n</{kind}>"
    begin = prompt.find(opening)
    if begin < 0:
        return None
    begin += len(opening)
    end = prompt.find(closing, begin)
    return None if end < 0 else _tag(kind).sub(_one_less, prompt[begin:end])


def without_blocks(kinds: Iterable[str], text: str) -> str:
    """The text without its blocks of these kinds: what somebody said beside what was put next to it."""
    for kind in kinds:
        opening, closing = f"<{kind}>\n", f"\n</{kind}>"
        kept, place = [], 0
        while (begin := text.find(opening, place)) >= 0 and (end := text.find(closing, begin)) >= 0:
            kept.append(text[place:begin])
            place = end + len(closing)
        text = "".join([*kept, text[place:]])
    return text.strip()


def _tag(kind: str) -> re.Pattern[str]:
    # One run of spaces before the slash and one behind it: a pattern that tries each of them once.
    return re.compile(rf"<(\\*)(\s*(?:/\s*)?{re.escape(kind)})", re.IGNORECASE)


def _one_more(tag: re.Match[str]) -> str:
    return f"<\\{tag[1]}{tag[2]}"


def _one_less(tag: re.Match[str]) -> str:
    return f"<{tag[1][1:]}{tag[2]}"
