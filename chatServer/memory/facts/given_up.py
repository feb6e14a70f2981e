"""What the user had, and says by another word that he has no longer: "quit Greggs", after "I work at Greggs", "sold the
Volvo", after "I drive a Volvo", and "my new boss is Dmitri". Who says it of what was not told of may mean anything."""

import re
from collections.abc import Sequence
from datetime import datetime

from chatServer.memory.facts import kin
from chatServer.memory.facts.clauses import SAME_KIN, without_leads
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.vocabulary import PARTNERS
from chatServer.memory.facts.words import spelled_out

_MORE = r"(?P<more>(?:,| and) (?:now )?(?:i|my)\b.{3,200})?"
_GAVE_UP = re.compile(
    r"(?:i(?: have|'ve)?(?: just| finally| recently)? )?"
    r"(?:(?P<employer>quit|left|resigned from|(?:got |was |been )?(?:fired|sacked|laid off|let go) (?:from|by)"
    r"|stopped working (?:at|for|in))|(?P<drives>sold|scrapped|gave away|got rid of)) "
    rf"(?:the |my )?(?P<what>[^,.;]{{2,40}}?)(?:,? last (?:week|month|year))?(?:{_MORE}| and .{{3,80}})",
    re.IGNORECASE,
)
_SAYS = {"employer": "work at", "drives": "drive"}
_ONE_AT_A_TIME = PARTNERS | {"boss", "manager"}
_NEW = re.compile(rf"\bmy new (?P<kin>{'|'.join(sorted(_ONE_AT_A_TIME))})(?: is|'s)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|my) ", re.IGNORECASE)


def speaks_of_it(text: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    return _GAVE_UP.fullmatch(_plain(text)) is not None or _NEW.search(text) is not None


def in_plain_words(sentence: str, told: Sequence[Fact]) -> str:
    """ "I no longer work at Greggs, now I work in a warehouse"; others as they are."""
    said = _GAVE_UP.fullmatch(_plain(sentence))
    if said is None:
        return sentence
    about = "employer" if said["employer"] else "drives"
    had = [each for each in told if each.key == f"user|{about}" and not each.is_negation and not each.valid_to]
    named = next((each.object for each in had if _named(each.object) == _named(said["what"])), None)
    return f"I no longer {_SAYS[about]} {named}{said['more'] or ''}" if named else sentence


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
