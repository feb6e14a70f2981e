"""Questions in the words in which facts are kept: who asks for a job is told what somebody works as. English only."""

import re

MAX_CHARACTERS = 500  # what is longer asks for more than that
_JOB = re.compile(r"\b(?:my|our|his|her|their|\w+['’]s) (?:job|profession|occupation)\b(?!['’])", re.IGNORECASE)
_LIVING = re.compile(r"\bdo(?:es)? for a living\b", re.IGNORECASE)


def reworded(question: str) -> str:
    """The same question, as facts would say it."""
    if len(question) > MAX_CHARACTERS:
        return question
    return _LIVING.sub("work as", _JOB.sub(lambda found: f"{found[0].rpartition(' ')[0]} work as", question))


def in_other_words(question: str) -> str:
    """Both, for whoever looks for either."""
    other = reworded(question)
    return question if other == question else f"{question} {other}"
