"""Who is no longer there: dead, or parted from the user. It ends that he has somebody of the name."""

import re
from datetime import datetime

from chatServer.memory.facts import kin
from chatServer.memory.facts.clauses import SAME_KIN
from chatServer.memory.facts.dates import date_in
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import KIN, LOOSE_KIN, NOT_NAMES, PARTNERS, PETS, PLURALS
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
_CAUSE = re.compile(r"of (?:old age|cancer|covid|pneumonia|an? (?:heart attack|stroke))|(?:this morning|last night)")
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
    day = date_in(when, told.said_at) if when else None
    return not when or bool(day or _CAUSE.fullmatch(when.lower())), min(day or told.said_at, told.said_at)


def _is_somebody(word: str, name: str) -> bool:
    return word.lower() in KIN and word.lower() not in PLURALS and name.lower() not in NOT_NAMES


def _over(told: Told, word: str, name: str, until: datetime, *, is_dead: bool = False) -> Fact:
    relation = SAME_KIN.get(word.lower(), word.lower())
    return kin.no_longer(relation, name, until, told.sentence, how=", who died" if is_dead else "")
