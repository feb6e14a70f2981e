"""What is said shorter than it is meant: "my sister's a vet", who is one, "so am I", and "mine is called Rex". Where
"'s" may tell whose it is, it stays as it is written."""

import re

from chatServer.memory.facts.vocabulary import CHILDREN, KIN, PETS
from chatServer.memory.facts.words import NAME, NUMBERS, any_of

_END = r"(?=[.,;!]|$| (?:and|but)\b)"
_AGE = "|".join(list(NUMBERS)[2:])
_IS = any_of(
    rf"(?:called|named) (?-i:{NAME})(?: (?-i:{NAME}))?(?:{_END}|,? not (?-i:{NAME}))",  # not "called Jo twice"
    r"an? (?!cappella\b)|not an? |no longer |allergic to |intolerant to |married to ",
    r"(?:from|living in|working (?:at|for|as|in)|moving to|studying) ",
    rf"(?:vegan|vegetarian|pescatarian|diabetic|divorced|married|widowed|retired|unemployed){_END}",
    rf"(?:\d{{1,3}}|{_AGE})(?: years old)?(?: now| today)?{_END}",
)
_HAS = any_of(r"got (?:an?|\d|two|three|four|five) ", r"(?:moved|relocated) to ", r"started (?:at|working) ")
_SHORT = re.compile(
    rf"(?P<who>\b(?:my|our) (?:(?:older|younger|big|little|twin) )?(?:{'|'.join(sorted(KIN, key=len, reverse=True))}))"
    rf"'s (?:(?P<is>(?={_IS}))|(?P<has>(?={_HAS})))",
    re.IGNORECASE,
)
_STATE = any_of(
    r"(?:allergic|intolerant) to [^,;]{3,40}?",
    r"(?:vegan|vegetarian|pescatarian|diabetic|asthmatic|epileptic|dyslexic|divorced|married|widowed|retired)",
)
_ALIKE = re.compile(
    rf"(?P<told>(?i:my) (?i:{'|'.join(sorted(KIN, key=len, reverse=True))})(?: {NAME})? (?:is|are) (?P<state>{_STATE}))"
    r"(?i:(?P<not>,? (?:but |and )?i am not)|,? (?:(?:and )?(?:so am i|i am too)|me too|as am i))(?=[.! ]*\Z)"
)
_MINE = re.compile(
    rf"\b(?i:my|our) [^,;]{{2,30}}'s (?P<kin>(?i:{'|'.join(sorted(PETS | CHILDREN, key=len, reverse=True))}))"
    rf" (?i:is )(?i:called |named )?{NAME},? (?:(?i:and|but) )?(?i:mine)(?: is|'s) (?i:called |named )?(?P<name>{NAME})"
    r"(?=[.! ]*\Z)"
)


def in_full(text: str) -> str:
    """ "My sister is called Jo", for "my sister's called Jo"; "has moved", for "'s moved"; and what is so of both."""
    text = _SHORT.sub(lambda said: f"{said['who']} {'is' if said['is'] is not None else 'has'} ", text)
    text = _MINE.sub(r"my \g<kin> is called \g<name>", text)
    return _ALIKE.sub(lambda said: f"{said['told']}, and I am {'not ' if said['not'] else ''}{said['state']}", text)
