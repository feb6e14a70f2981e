"""Texts in a fence: what is inside can neither end its block nor begin another."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache


def fence(kind: str, text: str) -> str:
    """A block <kind>...</kind>; tags of this kind in the text get a backslash, which `unfenced` takes away again."""
    return f"<{kind}>\n{_tag(kind).sub(_one_more, text)}\n</{kind}>"


def unfenced(kind: str, prompt: str) -> str | None:
    """The text of the first block of this kind, as it was before it was fenced; None where there is none."""
    return next(all_unfenced(kind, prompt), None)


def all_unfenced(kind: str, prompt: str) -> Iterator[str]:
    """The same of every block of this kind."""
    opening, closing = f"<{kind}>\n", f"\n</{kind}>"
    place = 0
    while (begin := prompt.find(opening, place)) >= 0:
        begin += len(opening)
        if (end := prompt.find(closing, begin)) < 0:
            return
        yield _tag(kind).sub(_one_less, prompt[begin:end])
        place = end + len(closing)


# What looks like an angle or a slash, and what is not seen between letters.
_ANGLES = "<\u00ab\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276c\u276e\u02c2\u1438"
_SLASHES = "/\uff0f\u2044\u2215\u2571\u29f8"
_UNSEEN = (
    "[\\s\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u061c\u115f\u1160\u17b4\u17b5\u1806\u180b-\u180f\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]*"
)
# Letters of other scripts that look like ours, and those that Unicode itself takes for ours: wide, bold, in circles.
_ALIKE = {
    **{"a": "аα", "c": "сϲ", "e": "еε", "i": "іιı", "l": "ӏ|", "m": "м", "n": "пո", "o": "оοօ", "r": "г", "s": "ѕ"},
    **{"t": "тτ", "u": "υս", "v": "ѵν", "y": "уγ"},
}
_VARIANTS = (
    *((0x02B0, 0x02C0), (0x02E0, 0x02E5), (0x1D2C, 0x1DC0), (0x2070, 0x20A0), (0x2100, 0x2190), (0x24B6, 0x24EA)),
    *((0xFF21, 0xFF5B), (0x1D400, 0x1D6A6), (0x1F130, 0x1F170)),
)


@cache
def _tag(kind: str) -> re.Pattern[str]:
    """A tag of this kind, or what a reader may take for one. Each run of what is not seen stands between two different
    things, so that a pattern tries each of them once."""
    spelled = _UNSEEN.join(f"[{re.escape(letter + _ALIKE.get(letter, '') + _wide(letter))}]" for letter in kind)
    slashes = f"[{_SLASHES}{_UNSEEN[1:]}"  # none, one or more of them, with what is not seen between
    return re.compile(rf"([{_ANGLES}]|&lt;|&#60;|&#x3c;)(\\*)({slashes}{spelled})", re.IGNORECASE)


@cache
def _wide(letter: str) -> str:
    every = (chr(code) for first, end in _VARIANTS for code in range(first, end))
    return "".join(each for each in every if unicodedata.normalize("NFKC", each).casefold() == letter)


def _one_more(tag: re.Match[str]) -> str:
    return f"{tag[1]}\\{tag[2]}{tag[3]}"


def _one_less(tag: re.Match[str]) -> str:
    return f"{tag[1]}{tag[2][1:]}{tag[3]}"
