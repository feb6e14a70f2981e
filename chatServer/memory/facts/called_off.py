"""What was ahead and does not come: "my exam was cancelled", "we're not flying to Rome after all"; and a child that was
expected, and is there or will never be."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts import events
from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.vocabulary import PARTNERS, PEOPLE
from chatServer.memory.facts.words import any_of, spelled_out

_LATELY = "(?: have| has)?(?: just| finally| recently)?"
_SOMEBODY = r"(?:i|we|they|he|she|the [\w-]+|my [\w-]+)"
_WHAT = r"(?:the|my|our) (?P<what>[\w'-]+(?: [\w'-]+){0,4}?)"
_WHY = r"(?:,? (?:now|any ?more|after all|again|today|yesterday|(?:because|due|so|and|but)\b.{3,120}))?"
_OFF = tuple(
    re.compile(said + _WHY, re.IGNORECASE)
    for said in (
        rf"{_WHAT} (?:(?:is|was|got|has been|had to be)(?: just)? (?:cancell?ed|called off)|is off|is not happening)",
        rf"{_SOMEBODY}{_LATELY} (?:had to )?(?:cancell?(?:ed)?|call(?:ed)? off) {_WHAT}",
        rf"{_SOMEBODY}{_LATELY} (?:had to )?call(?:ed)? {_WHAT} off",
        r"(?:i am|we are) (?:not|no longer) (?:flying|going|travell?ing) (?P<what>to [\w' -]{2,30}?)"
        r"(?:,? (?:any ?more|after all))",
    )
)
_MAY_BE_OFF = re.compile(r"\b(?:cancel\w*|off|happening|any ?more|after all|no longer)\b", re.IGNORECASE)
_WHO = rf"(?:i|we|my (?P<word>{any_of(*sorted(PEOPLE))}))"
_CHILD = r"(?:(?:baby|little|beautiful|healthy) )*(?:baby|son|daughter|twins|boy|girl|child)"
_COME = re.compile(
    any_of(
        rf"{_WHO}{_LATELY} (?:gave birth|given birth|had (?:the|our|my|her|an?) {_CHILD}|miscarried)",
        rf"{_WHO.replace('word', 'whose')}{_LATELY} (?:had an? (?:miscarriage|abortion|stillbirth)"
        r"|lost (?:the|our|my|her) (?:baby|twins))",
        rf"(?:the|our|my) {_CHILD} (?:is here|is born|was born|has arrived|arrived)",
    )
    + r"(?:,? .{2,120})?",
    re.IGNORECASE,
)
_MAY_HAVE_COME = re.compile(r"\b(?:birth|had|miscarried|lost|here|born|arrived)\b", re.IGNORECASE)
_EXPECTED = "user|event:baby "
_PREGNANT = "|pregnant"


def speaks_of_it(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    return _MAY_BE_OFF.search(text) is not None and any(_off(each) for each in sentences(text))


def words_told_before(text: str) -> list[str]:
    """What a memory may say of a child that is expected; nothing where none has come."""
    said = sentences(text) if _MAY_HAVE_COME.search(text) else ()
    return ["baby", "pregnant"] if any(map(_come, said)) else []


def ended(sentence: str, told: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """That it was to be, where one such thing was told of."""
    what, come = _off(sentence), _come(sentence)
    ahead = [fact for fact in told if fact.valid_to and fact.valid_to > said_at and not fact.is_negation]
    if what:
        meant = [fact for fact in ahead if events.is_called(fact, what)]
        return [events.was_to_be(fact, sentence, said_at, "which was called off") for fact in meant if len(meant) == 1]
    return list(_expected(ahead, come["word"] or come["whose"], sentence, said_at)) if come else []


def _expected(ahead: Sequence[Fact], word: str | None, sentence: str, said_at: datetime) -> Iterator[Fact]:
    """Who speaks of a wife, or of "us", speaks of his own child."""
    is_own = word is None or word.lower() in PARTNERS
    mothers = {"user", *PARTNERS} if is_own or word is None else {word.lower()}
    for fact in ahead:
        key = fact.key or ""
        if key.endswith(_PREGNANT) and fact.subject.partition(":")[0] in mothers:
            over = fact.text.replace(" is pregnant", " is no longer pregnant")
            yield replace(fact, text=over, is_negation=True, valid_from=None, valid_to=said_at, sentence=sentence)
        elif key.startswith(_EXPECTED) and is_own:
            yield events.was_to_be(fact, sentence, said_at)


def _come(sentence: str) -> re.Match[str] | None:
    return _COME.fullmatch(_plain(sentence)) if _MAY_HAVE_COME.search(sentence) else None


def _off(sentence: str) -> str | None:
    """What is called off."""
    if not _MAY_BE_OFF.search(sentence):
        return None
    said = next(filter(None, (each.fullmatch(_plain(sentence)) for each in _OFF)), None)
    return said["what"].lower() if said else None


def _plain(sentence: str) -> str:
    return without_leads(spelled_out(" ".join(sentence.split()))).strip(" .!:(")
