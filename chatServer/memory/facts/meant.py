"""Whom a sentence means that only names somebody: "Anna moved to Vienna", after "my sister Anna"."""

import re
from collections.abc import Iterable, Sequence

from chatServer.memory.facts.clauses import SAME_KIN, without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.vocabulary import KIN, NOT_NAMES, PARTNERS
from chatServer.memory.facts.words import NAME, any_of

_SHORT = re.compile(rf"({NAME})'s (?=(?:an?|now|no longer|not|actually|already|\d{{1,3}})\b)")
_HIS = "(?:birthday|job|employer|favou?rite)"
_NAMED = re.compile(
    rf"(?P<name>{NAME})(?:(?='s {_HIS}\b)| )(?P<rest>(?:'s |just |now |actually |no longer )?"
    + any_of(
        _HIS,
        "is|isn't|has|hasn't|doesn't|does|lives|moved|works|worked|studies|speaks|plays|drives|likes|loves|hates",
        "prefers|eats|drinks|smokes|turned|died|passed|started|stopped|quit|got|lost|relocated|left",
    )
    + r"\b.+)"
)
# Of these one has one at a time.
_ONLY = PARTNERS | {"mother", "father", "mom", "mum", "dad"}
_UNNAMED = re.compile(
    rf"my (?P<word>{'|'.join(sorted(_ONLY))}) (?P<rest>(?:is|has|lives|moved|works|died|passed)\b.+)", re.IGNORECASE
)
_CHANGED = re.compile(r"\b(?:now|no longer|any ?more|moved|actually|died|passed away)\b", re.IGNORECASE)
_SAID = re.compile(r"(?:is|are) (?:called|named) ", re.IGNORECASE)


def may_name(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    said = _spoken(text.strip())
    return bool(_NAMED.match(said) or (_UNNAMED.match(said) and _CHANGED.search(said)))


def known(sentence: str, told: Sequence[Fact]) -> str:
    """The sentence with who it is that it names, where only one can be meant; others as they are."""
    said = _spoken(sentence)
    if (named := _NAMED.fullmatch(said)) and named["name"].lower() not in NOT_NAMES:
        kin = {word for word, name in somebody(told) if name.lower() == named["name"].lower()}
        return f"My {kin.pop()} {said}" if len(kin) == 1 else sentence
    unnamed = _UNNAMED.fullmatch(said)
    if unnamed and _CHANGED.search(said) and not _SAID.match(unnamed["rest"]):
        word = SAME_KIN.get(unnamed["word"].lower(), unnamed["word"].lower())
        names = {name for kin, name in somebody(told) if kin == word}
        return f"My {word} {names.pop()} {unnamed['rest']}" if len(names) == 1 else sentence
    return sentence


def _spoken(text: str) -> str:
    """ "No, Anna's a nurse" as "Anna is a nurse"."""
    return _SHORT.sub(r"\1 is ", without_leads(text), count=1)


def somebody(told: Iterable[Fact]) -> set[tuple[str, str]]:
    """Everybody who was named, as what he is to the user, and his name."""
    found: set[tuple[str, str]] = set()
    for fact in told:
        word = fact.predicate.removeprefix("has ")
        if fact.subject == "user" and word in KIN and word != fact.predicate and not fact.is_negation:
            found.add((word, fact.object))
    return found
