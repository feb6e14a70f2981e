"""Questions in the words in which facts are kept: who asks for a job is told what somebody works as, and who asks for
his pets of his cat. English only."""

import re

MAX_CHARACTERS = 500  # what is longer asks for more than that
_JOB = re.compile(r"\b(?:my|our|his|her|their|\w+['’]s) (?:job|profession|occupation)\b(?!['’])", re.IGNORECASE)
_LIVING = re.compile(r"\bdo(?:es)? for a living\b", re.IGNORECASE)

_OWN = re.compile(r"\b(?:i|my|we|our)\b", re.IGNORECASE)
# What is asked for by its kind is told by its name: the names that most have.
_NAMES = {
    "pet": "cat dog puppy", "children": "son daughter", "kid": "son daughter", "sibling": "brother sister",
    "parent": "mother father", "car": "drive", "diet": "vegetarian vegan eat", "movie": "film", "film": "movie",
    "instrument": "piano guitar violin", "language": "speak",
}  # fmt: skip
_KIND = re.compile(rf"\b({'|'.join(_NAMES)})s?\b", re.IGNORECASE)


def reworded(question: str) -> str:
    """The same question, as facts would say it."""
    if len(question) > MAX_CHARACTERS:
        return question
    return _LIVING.sub("work as", _JOB.sub(lambda found: f"{found[0].rpartition(' ')[0]} work as", question))


def in_other_words(question: str) -> str:
    """Both, for whoever looks for either; and what somebody who asks of himself may have called it."""
    other = reworded(question)
    is_own = len(question) <= MAX_CHARACTERS and _OWN.search(question)
    names = [_NAMES[kind.lower()] for kind in dict.fromkeys(_KIND.findall(question))] if is_own else []
    return " ".join([question, *([other] if other != question else []), *names])
