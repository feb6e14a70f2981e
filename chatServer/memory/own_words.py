"""Whether a text says nothing but what the user has said himself."""

from collections.abc import Iterable

from chatServer.memory.alike import MAX_READ, signature

MIN_SHARE = 0.9  # of the telling words


def are_own_words(text: str, said: Iterable[str]) -> bool:
    """Nearly all telling words of a text are among the user's; names, numbers and negations all are. Who forbids a
    thing has not said how to do it: a word that he said with "not" is another word."""
    if len(text) > MAX_READ:  # what is not read is not vouched for
        return False
    wanted = signature(text)
    missing = set(wanted.words)
    for each in said:
        missing -= set(signature(each).words)
    if not wanted.words or any(_matters(word, wanted.names) for word in missing):
        return False
    return len(missing) <= (1 - MIN_SHARE) * len(set(wanted.words))


def _matters(word: str, names: frozenset[str]) -> bool:
    return word in names or word.startswith("not") or any(character.isdigit() for character in word)
