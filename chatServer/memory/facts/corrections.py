""" "Not Berlin, Madrid": what corrects a fact that was told just before."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts import events, kin, names
from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.facts.dates import is_when
from chatServer.memory.facts.meanings import MEANINGS, Fact, predicate_of
from chatServer.memory.facts.words import set_apart, spelled_out

MAX_WORDS = 12
_SORRY = r"(?:actually|no|nope|sorry|wait|oops|correction|oh|ah|my mistake|my bad|i was wrong|well)"
_NEW = r"(?P<new>[^,]{1,60}?)"
_WORDINGS = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:i meant(?: to say)?|i mean|make that|it should be"
        rf"|that should be) {_NEW}(?:,? not (?P<old>.+))?",
        rf"(?:{_SORRY}[,.:!]? ){{1,3}}(?:it is|that is|it's|that's) {_NEW}(?:,? not (?P<old>.+))?",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:(?:his|her|its|their) name is|(?:he|she|it|that)(?: is|'s)(?: called| named)?)"
        rf" {_NEW},? not (?P<old>.+)",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:it is )?not (?P<old>[^,]{{1,60}}),? (?:but |i meant |it is )?{_NEW}",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}{_NEW}, not (?P<old>.+)",
    )
)
_BARE = re.compile(rf"(?:{_SORRY}[,.:!]? ){{1,3}}(?P<new>[\w'-]+(?: [\w'-]+)?)", re.IGNORECASE)
_WRONG = re.compile(
    r"\b(?:no|nope|sorry|actually|oops|correction|mistake|my bad|wrong|meant|should be)\b", re.IGNORECASE
)
_DENIED_FIRST = re.compile(
    r"(?P<about>(?:(?:actually|no|sorry|well),? ){0,2}(?:my|our) [^,;]{1,60}? (?:is|are)) not "
    r"(?P<called>called |named )?(?P<old>[^,;]{1,60}?)"
    r"(?:[,;] (?:but )?(?:it|that|he|she|they)(?: is|'s| are)| but) (?:called |named )?(?P<new>[^,;]{1,60})",
    re.IGNORECASE,
)
_NAME = re.compile(r"\bname (?:is|are)$", re.IGNORECASE)
_DAYS = ("birthday", "birth year")  # keys of facts


def denies_first(text: str) -> bool:
    """Whether what the user has told long ago has to be known to understand this."""
    return _DENIED_FIRST.search(spelled_out(text)) is not None


def turned(sentence: str, told: Sequence[Fact], said_at: datetime) -> str:
    """ "It is not Rex, it is Max" as "it is Max, not Rex", which says what holds first; others as they are. Of names,
    and of what was told: "my favourite food is not healthy but tasty" only remarks on it."""
    match = _DENIED_FIRST.fullmatch(spelled_out(sentence).strip(" .!"))
    if match is None or not (_is_name(match) or _named(told, match["old"], said_at)):
        return sentence
    return f"{match['about']} {match['called'] or ''}{match['new']}, not {match['old']}"


def corrected(sentence: str, found: Sequence[Fact], earlier: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """The fact with its new object, where a sentence says nothing but what that is; and, where it does not replace the
    old one, that this is not so."""
    text = set_apart(spelled_out(sentence)).strip(" .!")
    told = [*earlier, *found]
    if not told or len(text.split()) > MAX_WORDS:
        return []
    if put_off := events.put_off(without_leads(text), told, said_at):
        return [replace(fact, sentence=sentence) for fact in put_off]
    for match in filter(None, (wording.fullmatch(text) for wording in _WORDINGS)):
        for fact in _meant(told, match, said_at):
            if _is_sure(match, text, fact) and (new := _changed(fact, match["new"], sentence, said_at)):
                return new
    bare = _BARE.fullmatch(text)
    if bare is None or not (_is_written_so(bare["new"]) or is_when(bare["new"])):  # "no, thanks" names no town
        return []
    changes = (_changed(fact, bare["new"], sentence, said_at) for fact in _likely(found, bare["new"]))
    return next(filter(None, changes), [])


def _is_name(match: re.Match[str]) -> bool:
    return bool((match["called"] or _NAME.search(match["about"])) and names.sure_name(match["new"]))


def _is_sure(match: re.Match[str], text: str, fact: Fact) -> bool:
    """ "Actually it's Madrid" corrects, "actually it's raining" does not; nor does "oh, it's Monday" an exam's day."""
    if events.is_event(fact) and not match["old"]:
        return _WRONG.search(text) is not None
    return bool(match["old"] or _is_written_so(match["new"]) or "meant" in text.lower())


def _is_written_so(new: str) -> bool:
    return any(each.isupper() or each.isdigit() for each in new)


def _meant(told: Sequence[Fact], match: re.Match[str], said_at: datetime) -> list[Fact]:
    return _likely(told, match["new"]) if match["old"] is None else _named(told, match["old"], said_at)[:1]


def _named(told: Sequence[Fact], old: str, said_at: datetime) -> list[Fact]:
    """The facts with the old object, the last one first."""
    wanted = old.strip(" .!").casefold()
    return [each for each in reversed(told) if each.object.casefold() == wanted or events.is_on(each, wanted, said_at)]


def _likely(told: Sequence[Fact], new: str) -> list[Fact]:
    """Where nothing old is named: the last one of the kind. A day corrects what was told of a day, whichever can be on
    it, for a birthday is on no Friday; nothing else does."""
    is_day = is_when(new)
    alike = [each for each in reversed(told) if _tells_when(each) == is_day] or told[::-1]
    return list(alike if is_day else alike[:1])


def _tells_when(fact: Fact) -> bool:
    return events.is_event(fact) or (fact.key or "").partition("|")[2] in _DAYS


def _changed(fact: Fact, text: str, sentence: str, said_at: datetime) -> list[Fact]:
    """Only facts of which one holds at a time, and names: of several tastes nobody knows which is meant."""
    if events.is_event(fact):
        return events.moved(fact, text, sentence, said_at)
    if fact.is_negation or fact.valid_to:
        return []
    if renamed := kin.corrected(fact, text, sentence):
        return renamed
    if fact.key is None or ":" in fact.key.partition("|")[2]:
        return []
    meanings = (
        each for each in MEANINGS.values() if predicate_of(each) == fact.predicate and fact.key.endswith(f"|{each.key}")
    )
    meaning = next(meanings, None)
    read = meaning.read(text) if meaning else []
    if len(read) != 1:
        return []
    was, now = fact.text, read[0]
    shown = now.shown or now.value
    ending = was.rfind(f" {fact.object}")
    text = f"{was[:ending]} {shown}." if ending >= 0 else was
    return [replace(fact, text=text, object=now.value, valid_from=None, sentence=sentence)]
