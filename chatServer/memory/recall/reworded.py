"""Questions in the words in which facts are kept: who asks for a job is told what somebody works as, and who asks for
his pets of his cat. English only."""

import re

MAX_CHARACTERS = 500  # what is longer asks for more than that
_JOB = re.compile(r"\b(my|our|his|her|their|\w+['’]s) (?:job|profession|occupation)\b(?!['’])", re.IGNORECASE)
_EMPLOYER = re.compile(r"\b(my|our|his|her|their|\w+['’]s) employer\b(?!['’])", re.IGNORECASE)
# Who asks for his way to work does not ask for his work.
_WAY = re.compile(
    r"\b(how (?:do|does|did) [\w' ]{1,30}?) (?:get|go|travel|come) to (?:work|school|uni|university|(?:my|the|his|her)"
    r" (?:job|office|school))\b",
    re.IGNORECASE,
)
_LIVING = re.compile(r"\bdo(?:es)? for a living\b", re.IGNORECASE)

_OWN = re.compile(r"\b(?:i|my|we|our)\b", re.IGNORECASE)
# What is asked for by its kind is told by its name: the names that most have.
_NAMES = {
    "pet": "cat dog puppy", "children": "son daughter", "kid": "son daughter", "sibling": "brother sister",
    "parent": "mother father", "car": "drive", "diet": "vegetarian vegan eat", "movie": "film", "film": "movie",
    "instrument": "piano guitar violin", "language": "speak", "commute": "cycle bike bus train drive walk",
}  # fmt: skip
_KIND = re.compile(rf"\b({'|'.join(_NAMES)})s?\b", re.IGNORECASE)


def in_one_word(question: str) -> str:
    """The same question without words that lead elsewhere."""
    return question if len(question) > MAX_CHARACTERS else _WAY.sub(r"\1 commute to work", question)


def reworded(question: str) -> str:
    """The same question, as facts would say it."""
    if len(question) > MAX_CHARACTERS:
        return question
    return _LIVING.sub("work as", _EMPLOYER.sub(r"\1 work at", _JOB.sub(r"\1 work as", question)))


def in_other_words(question: str) -> str:
    """Both, for whoever looks for either; and what somebody who asks of himself may have called it."""
    question = in_one_word(question)
    other = reworded(question)
    is_own = len(question) <= MAX_CHARACTERS and _OWN.search(question)
    names = [_NAMES[kind.lower()] for kind in dict.fromkeys(_KIND.findall(question))] if is_own else []
    return " ".join([question, *([other] if other != question else []), *names])
