"""Whether a text says nothing but what the user has said himself, and where he said it."""

from collections.abc import Iterable, Sequence
from uuid import UUID

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


def sources_of(text: str, said: Sequence[tuple[UUID, str]]) -> tuple[UUID, ...]:
    """The messages that share telling words with a text; all of them when none does: it is from one of these."""
    wanted = set(signature(text).words)
    sharing = tuple(message_id for message_id, each in said if wanted & set(signature(each).words))
    return sharing or tuple(message_id for message_id, _ in said)


def _matters(word: str, names: frozenset[str]) -> bool:
    return word in names or word.startswith("not") or any(character.isdigit() for character in word)
