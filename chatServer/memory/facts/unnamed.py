"""Who is gone and is not named: "we broke up", "our dog died". It is whoever was told of, where that is only one."""

import re
from collections.abc import Sequence

from chatServer.memory.facts.clauses import SAME_KIN, without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.meant import somebody
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.vocabulary import PARTNERS, PETS
from chatServer.memory.facts.when import MONTH_NAMES, SEASONS
from chatServer.memory.facts.words import NAME, spelled_out

_WHOM = rf"(?:my (?P<word>\w+)|(?P<name>(?-i:{NAME})))"
_LATELY = "(?: have| has)?(?: just| recently| finally)?"
_UP = rf"{_LATELY} (?:broke|broken|split) up"
_TIME = r"(?P<when>,? (?:yesterday|today|(?:this|last) \w+|(?:in|on) \w+|\w+ \w+ ago))?"
_PARTED = tuple(
    re.compile(said + _TIME, re.IGNORECASE)
    for said in (
        rf"(?:we|(?:me and )?{_WHOM}(?: and (?:i|me))?){_UP}(?: with me)?",
        rf"{_WHOM}{_LATELY} (?:left|dumped|divorced) me",
        rf"i{_UP} with {_WHOM}",
    )
)
_DIED = re.compile(
    rf"(?:my|our) (?P<word>\w+){_LATELY} (?P<how>died|passed away|(?:was|had to be) put (?:down|to sleep)){_TIME}",
    re.IGNORECASE,
)
# Whom one has lost since yesterday may come home.
_LOST = re.compile(
    rf"(?:i|we){_LATELY} lost (?:my|our) (?P<word>\w+)(?: to (?:(?:\w+ )?cancer|old age|(?:kidney|heart|liver) failure)"
    rf"{_TIME}|(?P<long_ago> (?:last (?:month|year|{'|'.join(SEASONS)})|in (?:{'|'.join(MONTH_NAMES)}|(?:19|20)\d\d)"
    r"|\w+ (?:months?|years?) ago)))",
    re.IGNORECASE,
)
_GONE = ((_DIED, PETS), (_LOST, PETS), *((each, PARTNERS) for each in _PARTED))
_MAY_BE = re.compile(r"\b(?:broken?|split|left|dumped|divorced|died|passed|put|lost)\b", re.IGNORECASE)
_NOBODY: frozenset[str] = frozenset()


def words_told_before(text: str) -> list[str]:
    """What a memory may call whoever is gone; nothing where nobody is."""
    said = sentences(text) if _MAY_BE.search(text) else ()
    return sorted({word for each in said for word in _gone(each)[1]})


def in_plain_words(sentence: str, told: Sequence[Fact]) -> str:
    """ "I broke up with my girlfriend Anna"; others as they are, and those that may mean another."""
    said, words = _gone(sentence)
    if said is None:
        return sentence
    name = said.groupdict().get("name")
    named = {each for each in somebody(told) if each[0] in words and name in (None, each[1])}
    are_several = any(fact.key in {f"user|count:{word}" for word in words} for fact in told)
    if len(named) == 1 and not are_several:
        ((word, name),) = named
        is_dead, when = said.re in (_DIED, _LOST), said["when"] or said.groupdict().get("long_ago") or ""
        died = f"My {word} {name} {said.groupdict().get('how') or 'died'}"
        return (died if is_dead else f"I broke up with my {word} {name}") + when
    alone = {fact.object for fact in told if fact.predicate == "has" and fact.object in words and not fact.is_negation}
    return f"I no longer have a {alone.pop()}" if len(alone) == 1 and not named and not name else sentence


def _gone(sentence: str) -> tuple[re.Match[str] | None, frozenset[str]]:
    """What is said, and the words for whom it may be said of."""
    if not _MAY_BE.search(sentence):
        return None, _NOBODY
    plain = without_leads(spelled_out(" ".join(sentence.split()))).strip(" .!:(")
    for pattern, words in _GONE:
        if said := pattern.fullmatch(plain):
            word = (said["word"] or "").lower()
            return said, words & {SAME_KIN.get(word, word)} if word else words
    return None, _NOBODY
