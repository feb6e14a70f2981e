"""What somebody did, and says by another word that it is over: "dropped out of Yale", after "I study law at Yale",
"gave up tennis", "moved away from Rome". Of what was not told of it may mean anything."""

import re
from collections.abc import Sequence

from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.words import spelled_out

_STUDIED = ("studies", "school", "employment")  # together: who has graduated need not say where
_ENGAGED = ("spouse", "marital status", "fiancé called", "fiancée called")
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
    (rf"(?:i|we){_LATELY} (?:broke off|broken off|called off|ended) (?:the|our|my) engagement", _ENGAGED),
    (rf"i{_LATELY} (?:gave up|given up|stopped|quit) (?:doing |going )?{_WHAT}", ("plays", "does")),
    (
        rf"(?:i{_LATELY} (?:am|came|come|gone|went)|my (?:doctor|gp|psychiatrist){_LATELY} (?:took|taken) me) off"
        rf" {_WHAT}",
        ("takes",),
    ),
)
_OVER = tuple((re.compile(said + _WHEN, re.IGNORECASE), about) for said, about in _ROWS)
_MAY_BE = re.compile(
    r"\b(?:moved|graduated|dropped|finished|completed|gave|given|stopped|quit|off|ended)\b", re.IGNORECASE
)
_SAYS = {
    "home": "live in", "studies": "study", "school": "study at", "employment": "am", "plays": "play", "takes": "take",
    "spouse": "am engaged to", "marital status": "am",
}  # fmt: skip
_DOES = {
    "goes": "go", "does": "practise", "has fiancé": "have a fiancé called", "has fiancée": "have a fiancée called",
}  # fmt: skip


def speaks_of_it(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    return any(_all_over(text))


def words_told_before(text: str) -> list[str]:
    """What a memory may say of who has graduated, or was to marry."""
    about = {over[1] for over in _all_over(text) if over}
    studied = ["studies", "student"] if _STUDIED in about else []
    return studied + (["engaged", "fiancé", "fiancée"] if _ENGAGED in about else [])


def in_plain_words(sentence: str, told: Sequence[Fact]) -> str:
    """ "I no longer study law and I no longer study at Yale"; others as they are."""
    over = _over(sentence)
    if over is None:
        return sentence
    said, about = over
    what = (said.groupdict().get("what") or "").lower()
    held = [each for each in told if _about(each) in about and not each.is_negation and not each.valid_to]
    named = [each for each in held if each.object.lower() == what]
    ends = held if about in (_STUDIED, _ENGAGED) and (named or not what) else named
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
    """Who has graduated may have worked meanwhile, and who is engaged no longer may be married."""
    if fact.predicate in ("is", "is married to") and _about(fact) in _ENGAGED:
        return fact.object == "engaged"
    return _about(fact) != "employment" or fact.object == "a student"


def _ended(fact: Fact, when: str) -> str:
    if says := _SAYS.get(_about(fact)):
        return f"I no longer {says} {fact.object}{when}"
    return f"I no longer {_DOES[fact.predicate]} {fact.object}"  # of these no day is read on which it ended
