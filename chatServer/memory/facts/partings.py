"""Who is no longer there: dead, or parted from the user. It ends that he has somebody of the name."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts import kin, names
from chatServer.memory.facts.clauses import SAME_KIN
from chatServer.memory.facts.dates import Span, date_in, when_in
from chatServer.memory.facts.meanings import MEANINGS, Fact, Meaning, Who, predicate_of
from chatServer.memory.facts.objects import Object
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import KIN, LOOSE_KIN, NOT_NAMES, PARTNERS, PEOPLE, PETS, PLURALS
from chatServer.memory.facts.when import When
from chatServer.memory.facts.words import NAME, any_of

_PUT = " put "  # down, or to sleep: people are put to bed
_PUT_DOWN = r"put (?:down|to sleep)"
_DIED = any_of("died", "passed away", "am dead", "am deceased", "was killed", rf"(?:was|had to be) {_PUT_DOWN}")
_LEFT = any_of("left me", "divorced me", "dumped me", "broke up with me")
_GONE = re.compile(rf"i (?:have )?(?:(?P<died>{_DIED})|(?P<left>{_LEFT}))(?:,? (?P<when>.+))?", re.IGNORECASE)
# What may mean as much: nobody knows, so nothing is learned.
_PERHAPS_GONE = re.compile(
    rf"i (?:who |that |which )?(?:had |have )?(?:{_DIED}|left us|passed on|disappeared|vanished|went missing"
    r"|r[au]n (?:away|off)|(?:am|was|got|been) (?:with us|gone|missing|dying|buried|rehomed|lost|stolen|run over))\b",
    re.IGNORECASE,
)
_PERHAPS_LEFT = re.compile(rf"i (?:who |that |which )?(?:had |have )?(?:{_LEFT}|moved out)\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\A(?:of (?:old age|cancer|covid|pneumonia|an? (?:heart attack|stroke))|this morning|last night)\b", re.IGNORECASE
)
_DEAR = PEOPLE - LOOSE_KIN
_AS_A_CHILD = re.compile(
    r"when i was (?:\d{1,2}|\w+)(?: years old)?|(?:before|after) i was born|a (?:long time|while) ago", re.I
)
_TO_ILLNESS = re.compile(
    r"to (?:(?:\w+ )?cancer|covid|dementia|alzheimer's|a (?:heart attack|stroke))(?: .+)?", re.IGNORECASE
)
_SOMEBODY_DIED = re.compile(r"\b(?:died|passed away|lost my|killed)\b", re.IGNORECASE)
_PARTED = re.compile(r"\b(?:divorced?|widowed)\b", re.IGNORECASE)
_ALONE = ("divorced", "widowed")
_WORD = re.compile(r"[\w-]+")
_WHO_DIED = ", who died."
_NAMED = re.compile(rf"(\w+),? ((?-i:{NAME}))(?:,? (.+))?", re.IGNORECASE)
_FORMER = re.compile(rf"(ex|late|former)[ -](\w+),? ((?-i:{NAME}))(?:,? .+)?", re.IGNORECASE)
_DOWN = re.compile(r"(?:down|to sleep)(?: (.+))?", re.IGNORECASE)


def ended(told: Told) -> list[Fact] | None:
    """Of "my cat Miso died last week" that the user no longer has her; nothing of what may say so; None of others."""
    said, who = told.clause.said, told.clause.who
    gone = _GONE.fullmatch(said)
    if gone and _PUT in said and who.relation not in PETS:
        return []
    if gone and not told.clause.is_negation and (gone["died"] or who.relation in PARTNERS):
        is_sure, until = _until(told, gone["when"])
        if is_sure:
            return [_over(told, who.relation, who.name, until, is_dead=bool(gone["died"]))]
    may_have_left = who.relation in PARTNERS and _PERHAPS_LEFT.match(said)
    return [] if may_have_left or _PERHAPS_GONE.match(said) else None


def died(told: Told) -> list[Fact] | None:
    """Of "my mum passed away in 2019", who was not named; of a friend it may be said for fun, and of one cat of two."""
    relation = told.clause.who.relation
    gone = _GONE.fullmatch(told.clause.said)
    if not gone or not gone["died"] or relation not in _DEAR or told.clause.is_negation or told.clause.is_past:
        return None
    said_when = _CAUSE.sub("", gone["when"] or "", count=1).strip(" ,")
    when = when_in(said_when, told.said_at) if said_when else None
    is_sure = _until(told, gone["when"])[0] or _AS_A_CHILD.fullmatch(gone["when"])
    return [_dead(told, relation, when)] if is_sure and told.clause.said != "i am dead" else []


def lost(told: Told, text: str) -> list[Fact]:
    """Of "I lost my husband two years ago"; in a shop one loses him for a while."""
    word, _, rest = text.partition(" ")
    relation = SAME_KIN.get(word.lower(), word.lower())
    when = when_in(rest, told.said_at)
    is_long_ago = when is not None and when.unit in ("month", "year", "season")
    if relation not in _DEAR or told.clause.is_negation or not (is_long_ago or _TO_ILLNESS.fullmatch(rest)):
        return []
    return [_dead(told.about(Who(relation)), relation, when)]


def _dead(told: Told, relation: str, when: When | None) -> Fact:
    said = told.about(Who(relation)).fact(
        Meaning("be", "died", names.name), Object("dead"), Span(when.day if when else None)
    )
    return replace(said, text=f"{Who(relation)} died{f' {when}' if when else ''}.")


def words_told_before(text: str) -> list[str]:
    """What a memory may say that a death ends, or a divorce; nothing where it tells of none."""
    married = ["married", "engaged"] if _PARTED.search(text) else []
    if not _SOMEBODY_DIED.search(text):
        return married
    said = {word.casefold() for word in _WORD.findall(text)}
    return [*sorted({SAME_KIN.get(word, word) for word in said & KIN}), *married]


def ended_with(found: Sequence[Fact], told: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """Where the dead lived, what they did and liked; and to whom somebody was married who is divorced."""
    dead = {_subject(fact): fact for fact in found if _is_death(fact)}
    parted = {f"{fact.subject}|spouse": fact for fact in found if fact.object in _ALONE and not fact.is_negation}
    ended: list[Fact] = []
    for fact in told if dead or parted else ():
        end = dead.get(fact.subject) or parted.get(fact.key or "")
        if end and not fact.is_negation and not fact.valid_to and (text := _was(fact)):
            until = min(end.valid_from or end.valid_to or said_at, said_at)
            ended.append(replace(fact, text=text, valid_to=until, sentence=end.sentence))
    return ended


def _is_death(fact: Fact) -> bool:
    return fact.text.endswith(_WHO_DIED) or (fact.key or "").endswith("|died")


def _subject(fact: Fact) -> str:
    word = fact.predicate.removeprefix("has ")
    return f"{word}:{fact.object.lower()}" if fact.text.endswith(_WHO_DIED) else fact.subject


def _was(fact: Fact) -> str:
    """ "My mother used to live in Leeds", of "my mother lives in Leeds"."""
    about = (fact.key or "").partition("|")[2].partition(":")[0]
    says = next((each.says for each in MEANINGS.values() if _tells(each, fact.predicate, about)), "")
    who, found, what = fact.text.partition(f" {fact.predicate} ")
    return f"{who} used to {says} {what}" if says and found else ""


def _tells(meaning: Meaning, predicate: str, about: str) -> bool:
    is_of_it = predicate_of(meaning) == predicate and (meaning.key or "").partition(":")[0] == about
    return is_of_it and not meaning.is_of_a_day and not meaning.says.startswith("'s")


def former(told: Told, text: str) -> list[Fact]:
    """Of "my ex-wife Clara ..." and "my late father Karl ..."."""
    found = _FORMER.fullmatch(text)
    kind, word, name = found.groups() if found else ("", "", "")
    is_dead = kind.lower() == "late"
    if is_dead and word.lower() in LOOSE_KIN:  # a late friend may have come late
        return []
    return [_over(told, word, name, told.said_at, is_dead=is_dead)] if _is_somebody(word, name) else []


def parted(told: Told, text: str) -> list[Fact]:
    """Of "I broke up with my girlfriend Anna last year"."""
    found = _NAMED.fullmatch(text)
    is_sure, until = _until(told, found[3]) if found else (False, told.said_at)
    if not found or not is_sure or found[1].lower() not in PARTNERS or told.clause.is_negation:
        return []
    return [_over(told, found[1], found[2], until)] if _is_somebody(found[1], found[2]) else []


def put_down(told: Told, text: str) -> list[Fact]:
    """Of "I had to put my dog Rex down"."""
    found = _NAMED.fullmatch(text)
    down = _DOWN.fullmatch(found[3] or "") if found else None
    is_sure, until = _until(told, down[1]) if down else (False, told.said_at)
    is_pet = found and found[1].lower() in PETS and _is_somebody(found[1], found[2])
    if not found or not is_pet or not is_sure or told.clause.is_negation:
        return []
    return [_over(told, found[1], found[2], until, is_dead=True)]


def _until(told: Told, when: str | None) -> tuple[bool, datetime]:
    """Whether nothing but a time, or a cause of death, is said; and when it was."""
    rest = _CAUSE.sub("", when or "", count=1).strip(" ,")
    day = date_in(rest, told.said_at) if rest else None
    return not rest or day is not None, min(day or told.said_at, told.said_at)


def _is_somebody(word: str, name: str) -> bool:
    return word.lower() in KIN and word.lower() not in PLURALS and name.lower() not in NOT_NAMES


def _over(told: Told, word: str, name: str, until: datetime, *, is_dead: bool = False) -> Fact:
    relation = SAME_KIN.get(word.lower(), word.lower())
    return kin.no_longer(relation, name, until, told.sentence, how=_WHO_DIED.removesuffix(".") if is_dead else "")
