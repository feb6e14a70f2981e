"""Words as a tsquery takes them, to find their other forms."""

from collections.abc import Collection

from chatServer.messages import searchable

SHORT_STEM = 4  # letters
ENDINGS = ("", "s", "e", "es", "ed", "er", "ing")  # of English words whose stem is short


def prefixed(words: Collection[str]) -> list[str]:
    """By what they begin with. Words are cut as those in the index: there is no quote among them to escape."""
    cut = dict.fromkeys(word for each in words for word in searchable(each).split())
    return [f"'{word}':*" for word in cut]


def inflected(stems: Collection[str]) -> list[str]:
    """With their endings: of a long stem any, of a short one those that words have. By what it
    begins with, "al" would find also, all and although."""
    cut = dict.fromkeys(word for each in stems for word in searchable(each).split())
    return [f"({' | '.join(_forms(word))})" for word in cut]


def _forms(stem: str) -> list[str]:
    stems = [stem, stem[:-1] + "y"] if stem.endswith("i") else [stem]
    if len(stem) > SHORT_STEM:
        return [f"'{each}':*" for each in stems]
    endings = (*ENDINGS, stem[-1] + "ing") if len(stem) > 2 else ("",)
    return [f"'{each}{ending}'" for each in stems for ending in endings]
