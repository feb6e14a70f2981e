"""What somebody did, and says by another word that it is over: "dropped out of Yale", after "I study law at Yale",
"gave up tennis", "moved away from Rome". Of what was not told of it may mean anything."""

import re
from collections.abc import Sequence

from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.words import spelled_out

_STUDIED = ("studies", "school", "employment")  # together: who has graduated need not say where
_LATELY = "(?: have)?(?: just| finally| recently)?"
_WHAT = r"(?:my |the )?(?P<what>[\w '-]{2,40}?)"
_WHEN = r"(?:(?P<when>,? (?:yesterday|today|(?:this|last) \w+|(?:in|on) \w+|\w+ \w+ ago))| now)?"
_ROWS = (
    (rf"(?:i|we){_LATELY} moved (?:away from|out of) {_WHAT}", ("home",)),
    (
        rf"i{_LATELY} (?:graduated|dropped out|(?:finished|completed) (?:uni|university|college|my (?:degree|studies)))"
        rf"(?: (?:from|of) {_WHAT})?",
        _STUDIED,
    ),
    (rf"i{_LATELY} (?:gave up|given up|stopped|quit) (?:doing |going )?{_WHAT}", ("plays", "does")),
    (
        rf"(?:i{_LATELY} (?:am|came|come|gone|went)|my (?:doctor|gp|psychiatrist){_LATELY} (?:took|taken) me) off"
        rf" {_WHAT}",
        ("takes",),
    ),
)
_OVER = tuple((re.compile(said + _WHEN, re.IGNORECASE), about) for said, about in _ROWS)
_MAY_BE = re.compile(r"\b(?:moved|graduated|dropped|finished|completed|gave|given|stopped|quit|off)\b", re.IGNORECASE)
_SAYS = {
    "home": "live in", "studies": "study", "school": "study at", "employment": "am", "plays": "play", "takes": "take",
}  # fmt: skip
_DOES = {"goes": "go", "does": "practise"}


def speaks_of_it(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    return any(_all_over(text))


def words_told_before(text: str) -> list[str]:
    """What a memory may say of who has graduated."""
    return ["studies", "student"] if any(over and over[1] == _STUDIED for over in _all_over(text)) else []


def in_plain_words(sentence: str, told: Sequence[Fact]) -> str:
    """ "I no longer study law and I no longer study at Yale"; others as they are."""
    over = _over(sentence)
    if over is None:
        return sentence
    said, about = over
    what = (said["what"] or "").lower()
    held = [each for each in told if _about(each) in about and not each.is_negation and not each.valid_to]
    named = [each for each in held if each.object.lower() == what]
    ends = held if about == _STUDIED and (named or not what) else named
    return " and ".join(_ended(each, said["when"] or "") for each in ends if _is_over(each)) or sentence


def _all_over(text: str) -> list[tuple[re.Match[str], tuple[str, ...]] | None]:
    return (
        [_over(each) for each in sentences(text)] if _MAY_BE.search(text) else []
    )  # to cut it takes ten times as long


def _over(sentence: str) -> tuple[re.Match[str], tuple[str, ...]] | None:
    if not _MAY_BE.search(sentence):
        return None
    plain = without_leads(spelled_out(" ".join(sentence.split()))).strip(" .!:(")
    return next(((said, about) for each, about in _OVER if (said := each.fullmatch(plain))), None)


def _about(fact: Fact) -> str:
    """Nothing of whoever is not the user."""
    who, _, key = (fact.key or "").partition("|")
    return key.partition(":")[0] if who == "user" else ""


def _is_over(fact: Fact) -> bool:
    """Who has graduated may have worked meanwhile."""
    return _about(fact) != "employment" or fact.object == "a student"


def _ended(fact: Fact, when: str) -> str:
    if says := _SAYS.get(_about(fact)):
        return f"I no longer {says} {fact.object}{when}"
    return f"I no longer {_DOES[fact.predicate]} {fact.object}"  # what somebody does has no day on which it ended
