"""The one place where text is made fit for Postgres, and where the text for search is made."""

import math
import re
import unicodedata
from typing import Any

REPLACEMENT = "\ufffd"
SEARCHABLE_BYTES = 100_000
SCANNED_CHARACTERS = 1_000_000  # for embedded files, before the first 100 kB are taken
MIN_BASE64 = 256
MAX_MARKS = 30
WORD_LENGTH = 64  # Postgres refuses lexemes above 2 kB; nobody types that much of a word to find it
MAX_DEPTH = 200  # whoever reads it back recurses

_SURROGATE = re.compile("[\ud800-\udfff]")
_DATA_URI = re.compile(
    r"data:(?:[\w.+-]{1,80}/[\w.+-]{1,80})?(?:;[\w.+=-]{1,80}){0,8},[^\s\"'<>)\]]*", re.ASCII | re.IGNORECASE
)
# The look-behind makes each run be tried once: without it a run of 255 characters is tried 255 times.
_BASE64 = re.compile(rf"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{{{MIN_BASE64},}}")
# Scripts that write no spaces: Han, Hiragana, Katakana.
_UNSPACED = re.compile(
    "([\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
# \w leaves out the vowel signs of Indic and Thai words, which would fall apart into consonants.
_WORD = re.compile(r"[\w\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e]+")
# What lies between words of ASCII is a blank, and their letters are small.
_ASCII = bytes(ord(chr(code).lower()) if re.match(r"\w", chr(code), re.ASCII) else 32 for code in range(256))


def clean_text(text: str) -> str:
    """Replace what Postgres refuses: NUL and surrogates without a partner."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    if text.isascii():
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_json(value: Any, *, depth: int = 0) -> Any:
    """Make any value fit for JSONB. Whatever JSON does not know becomes text: a message is never lost."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, (int, float)):
        return _clean_number(value)
    if depth >= MAX_DEPTH:
        return REPLACEMENT
    if isinstance(value, dict):
        return _clean_dict(value, depth + 1)
    if isinstance(value, list | tuple):
        return [clean_json(item, depth=depth + 1) for item in value]
    return _text_of_anything(value)


def _clean_number(value: float | bool | None) -> float | bool | str | None:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or -(2**63) <= value < 2**63:
        return value
    return _text_of_anything(value)  # most readers have 64 bits


def _clean_dict(value: dict[Any, Any], depth: int) -> dict[str, Any]:
    cleaned: dict[str, Any] = {}
    met: dict[str, int] = {}
    for key, item in value.items():
        name = wanted = clean_text(key if isinstance(key, str) else _text_of_anything(key))
        while name in cleaned:
            met[wanted] = met.get(wanted, 0) + 1
            name = f"{wanted}_{met[wanted]}"
        if type(item) is str:
            cleaned[name] = clean_text(item)
        elif item is None or (type(item) is int and 0 <= item < 2**31):  # most others: counts
            cleaned[name] = item
        else:
            cleaned[name] = clean_json(item, depth=depth)
    return cleaned


def _text_of_anything(value: object) -> str:
    try:
        return clean_text(str(value))
    except Exception:  # noqa: BLE001  a foreign __str__ may do anything
        return REPLACEMENT


def searchable(text: str) -> str:
    """The words that full-text search indexes, of at most the first 100 kB, without embedded files."""
    return " ".join(words_in(text))


def words_in(text: str) -> list[str]:
    """The same, one by one."""
    prose = _without_files(text[:SCANNED_CHARACTERS])
    if prose.isascii():  # as most are: a tenth of what the rest takes, to the same end (2026-11-19)
        apart = prose[:SEARCHABLE_BYTES].encode().translate(_ASCII).decode()
        return [word[:WORD_LENGTH] for word in apart.split()]
    folded = unicodedata.normalize("NFKC", _few_marks(_first_bytes(prose))).casefold()
    # Folding can lengthen a text elevenfold, and a tsvector above 1 MB is an error.
    words = _first_bytes(unicodedata.normalize("NFKC", folded))
    spaced = " ".join(_UNSPACED.split(words))  # a fifth of what a substitution takes (2026-11-15)
    return [word[:WORD_LENGTH] for word in _WORD.findall(spaced)]


def _without_files(text: str) -> str:
    if "data:" in text.lower():
        text = _DATA_URI.sub(" ", text)
    # No run has a blank in it; to look for one in a text of 300 characters takes ten times as long as to split it.
    has_run = len(text) >= MIN_BASE64 and max(map(len, text.split()), default=0) >= MIN_BASE64
    return _BASE64.sub(" ", text) if has_run else text


def _few_marks(text: str) -> str:
    """Normalising sorts the marks on a letter, in time that grows with their square: 50,000 took 5 s."""
    if text.isascii():
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def _first_bytes(text: str) -> str:
    return text[:SEARCHABLE_BYTES].encode("utf-8", "ignore")[:SEARCHABLE_BYTES].decode("utf-8", "ignore")
