"""What the user had, and says by another word that he has no longer: "quit Greggs", after "I work at Greggs", "sold the
Volvo", after "I drive a Volvo", and "my new boss is Dmitri". Who says it of what was not told of may mean anything."""

import re
from collections.abc import Sequence
from datetime import datetime

from chatServer.memory.facts import kin, names
from chatServer.memory.facts.clauses import SAME_KIN, without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.vocabulary import PARTNERS, SUBJECTS
from chatServer.memory.facts.words import spelled_out

_LATELY = "(?: have|'ve)?(?: just| finally| recently)?"
_BOUGHT = rf"(?:,| and)(?: (?:i|we){_LATELY})?(?: now)? (?:bought|got|drive|leased) (?P<bought>an? [^,.;]{{2,40}}?)"
_MORE = r"(?P<more>(?:,| and) (?:now )?(?:i|my)\b.{3,200})?"
_WHEN = r",? (?:now|last \w+|yesterday|today|(?:in|on) \w+|\w+ \w+ ago)"
_GAVE_UP = re.compile(
    rf"(?:(?:i{_LATELY} )?"
    r"(?P<employer>quit|left|resigned from|(?:got |was |been )?(?:fired|sacked|laid off|let go) (?:from|by)"
    rf"|stopped working (?:at|for|in))|(?:(?:i|we){_LATELY} )?(?P<drives>sold|scrapped|gave away|got rid of)) "
    rf"(?:the |my |our )?(?P<what>[^,.;]{{2,40}}?)(?:{_WHEN})?(?:{_BOUGHT}(?:{_WHEN})?|{_MORE}| and .{{3,80}})",
    re.IGNORECASE,
)
# Where he worked, of whom it was told.
_LOST_JOB = re.compile(
    rf"i{_LATELY} (?:(?:lost|quit|left|resigned from) my job|(?:got |was |been )(?:laid off|fired|sacked"
    r"|made redundant))"
    rf"(?P<when>{_WHEN})?{_MORE}",
    re.IGNORECASE,
)
# What somebody studies, of whom it was told that he studies.
_SWITCHED = re.compile(
    rf"i{_LATELY} (?:switched|changed|transferred)(?P<subject> (?:my )?(?:majors?|subjects?|courses?|degrees?))?"
    rf"(?: from (?P<old>[\w ]{{3,30}}?))? to (?P<new>[\w ]{{3,30}}?)(?:{_WHEN}| now| instead)?",
    re.IGNORECASE,
)
_SAYS = {"employer": "work at", "drives": "drive"}
_ONE_AT_A_TIME = PARTNERS | {"boss", "manager"}
_NEW = re.compile(rf"\bmy new (?P<kin>{'|'.join(sorted(_ONE_AT_A_TIME))})(?: is|'s)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|my) ", re.IGNORECASE)


def speaks_of_it(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    said = _plain(text)
    return any(each.fullmatch(said) for each in (_GAVE_UP, _LOST_JOB, _SWITCHED)) or _NEW.search(text) is not None


def words_told_before(text: str) -> list[str]:
    """What a memory may say of the job that was lost; nothing where none was."""
    return ["work"] if any(_LOST_JOB.fullmatch(_plain(each)) for each in sentences(text)) else []


def in_plain_words(sentence: str, told: Sequence[Fact]) -> str:
    """ "I no longer work at Greggs, now I work in a warehouse"; others as they are."""
    said = _GAVE_UP.fullmatch(_plain(sentence))
    if jobless := _LOST_JOB.fullmatch(_plain(sentence)):
        jobs = set(_had(told, "employer"))
        return (
            f"I no longer work at {jobs.pop()}{jobless['when'] or ''}{jobless['more'] or ''}"
            if len(jobs) == 1
            else sentence
        )
    if said is None:
        return _studied(sentence, told)
    about = "employer" if said["employer"] else "drives"
    is_gone_home = (said["employer"] or "").lower() == "left" and said["what"].islower()  # "I left the library"
    had = [] if is_gone_home else _had(told, about)
    named = next((each for each in had if _is_called(_named(each), said["what"], about)), None)
    bought = f", I drive {said['bought']}" if about == "drives" and names.car(said["bought"] or "") else ""
    return f"I no longer {_SAYS[about]} {named}{bought or said['more'] or ''}" if named else sentence


def _studied(sentence: str, told: Sequence[Fact]) -> str:
    """ "I study chemistry", for who switched to it from what he studied."""
    said, had = _SWITCHED.fullmatch(_plain(sentence)), _had(told, "studies")
    is_meant = said and (said["subject"] or said["new"].lower() in SUBJECTS)
    is_of_it = said and (not said["old"] or _named(said["old"]) in map(_named, had))
    return f"I study {said['new']}" if said and had and is_meant and is_of_it else sentence


def _had(told: Sequence[Fact], about: str) -> list[str]:
    keys = [(each, (each.key or "").partition(":")[0]) for each in told if not each.is_negation and not each.valid_to]
    return [each.object for each, key in keys if key == f"user|{about}"]


def _is_called(had: str, what: str, about: str) -> bool:
    """ "The Volvo" is the Volvo V60, and "the car" whatever is driven."""
    is_the_car = about == "drives" and (what.lower() == "car" or had.startswith(f"{_named(what)} "))
    return is_the_car or had == _named(what)


def replaced(sentence: str, found: Sequence[Fact], told: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """Of "my new boss is Dmitri" that the one who was told of is it no longer."""
    said = _NEW.search(sentence)
    word = SAME_KIN.get(said["kin"].lower(), said["kin"].lower()) if said else ""
    now = {fact.object for fact in found if _is_of(fact, word)}
    before = {fact.object for fact in told if _is_of(fact, word)} - now
    return [kin.no_longer(word, name, said_at, sentence) for name in sorted(before)] if len(now) == 1 else []


def _is_of(fact: Fact, word: str) -> bool:
    return fact.predicate == f"has {word}" and kin.is_relation(fact) and not fact.is_negation and not fact.valid_to


def _plain(text: str) -> str:
    return without_leads(spelled_out(" ".join(text.split()))).strip(" .!")


def _named(what: str) -> str:
    return _ARTICLE.sub("", what.strip()).casefold()
