"""Which of the sentences that were given answer a question: of whom it asks, in his own words, and still so."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from chatServer.agent.builtin.extract import Sentence, Source, best, key_of, keys_of, question_keys, shared, words_of
from chatServer.agent.builtin.kinds import others_for
from chatServer.agent.builtin.noted_anew import without_noted_anew
from chatServer.agent.builtin.outdated import put_right, wanted_first, without_outdated
from chatServer.agent.builtin.statements import asks_of_oneself
from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.sentences import said_for_oneself
from chatServer.memory.facts.vocabulary import KIN
from chatServer.memory.facts.when import MONTH_NAMES
from chatServer.memory.facts.words import NUMBERS, word_set
from chatServer.memory.forget.whose import facts_told
from chatServer.memory.recall.asked_of import Asked, asked_in, is_beside
from chatServer.memory.recall.label import BY_USER, CORRECTED, REMEMBERED
from chatServer.memory.recall.reworded import reworded
from chatServer.messages.text import one_line

SURE = 0.75  # of a question's weight that a sentence has: then articles need not be asked
MAX_SENTENCES = 3
MAX_OF_A_KIND = 6  # who asks for his kids has perhaps four
MAX_WEIGHED = 12  # sentences, of which those about others are left out
MAX_NEAR = 300  # characters of one
OWN = ("notes", "memories", "said")  # what the user tells, and not what he reads
# Whoever speaks of somebody says as much.
_NO_MATTER = frozenset(map(key_of, word_set("name names called named know happened happen still now again there")))
_COMPOUND = re.compile(
    r"\b(?:my|our|the) (?!(?:next|last|new|old|first|current|own|best|favou?rite|full)\b)(\w+) (\w+)[?.! ]*$",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|no|never)\b|n't\b", re.IGNORECASE)
_ORIGIN = re.compile(r"\bwhere (?:am i|do i come|did i come) (?:originally )?from\b", re.IGNORECASE)  # common words
_COUNTS = re.compile(r"\b(?:how (?:old|many|much|long|tall|often)|when|what time|what day)\b", re.IGNORECASE)
_COUNTED = re.compile(
    rf"\d|\b(?:{'|'.join([*list(NUMBERS)[1:], 'every', *MONTH_NAMES])}|\w{{2,6}}day)s?\b", re.IGNORECASE
)


def answering(question: str, sources: Iterable[Source], wording: str = "") -> list[Sentence]:
    """The best sentences, without those about somebody else than the question is, or that are over."""
    asked, sources = asked_in(question), list(sources)
    told = list(_told(sources, asked))
    if _ORIGIN.search(question) and (kept := _to_the_point(question, asked, sources, list(_origins(told)))):
        return kept
    found = best(wording or question, told, MAX_WEIGHED)
    if kept := _to_the_point(question, asked, sources, found):
        return kept
    # What is no answer kept others out that share less of the question.
    beside = {each.text for each in found}
    left = [each for each in told if not any(text in each.text for text in beside)]
    return _to_the_point(question, asked, sources, best(wording or question, left, MAX_WEIGHED)) if found else []


def _origins(told: Iterable[Source]) -> Iterator[Sentence]:
    for source in told:
        facts = facts_told(source.text) if source.kind in ("memories", "said") else []
        if any(fact.predicate == "is from" and is_the_user(fact.subject) for fact in facts):
            yield Sentence(source.kind, "", one_line(source.text)[:MAX_NEAR], 0, source.label, covered=1.0)


def or_of_its_kind(question: str, sources: Iterable[Source], found: list[Sentence]) -> list[Sentence]:
    """What was found, or what the user told of what the question names by its kind, if that has more of it."""
    covered = found[0].covered if found else 0.0
    if covered >= SURE or not all(each.kind in OWN for each in found):
        return found
    asked, sources = asked_in(question), list(sources)
    own = _told((source for source in sources if source.kind in OWN), asked)
    kin = best(question, own, MAX_WEIGHED, others_for(question_keys(question)))
    others = _to_the_point(question, asked, sources, kin, MAX_OF_A_KIND)
    return others if others and others[0].covered > covered else found


def nearest(question: str, sources: Iterable[Source]) -> list[Sentence]:
    """Where no sentence has the words of a question of the user's own life: what recall found by its meaning."""
    asked, sources = asked_in(question), list(sources)
    if not asks_of_oneself(question) or (asked and asked.favourites):  # of favourites the kind is always said
        return []
    lines = [each for each in _told(sources, asked) if each.label.startswith((BY_USER, CORRECTED, REMEMBERED))]
    found = [Sentence(each.kind, "", one_line(each.text)[:MAX_NEAR], 0, each.label) for each in lines if each.text]
    return _to_the_point(question, asked, sources, found)


def is_half_told(question: str, found: Iterable[Sentence]) -> bool:
    """Whether no sentence speaks of what a question is about and says what it asks for: that Tom is the user's husband
    does not say what his job is, and a garage code is no other code."""
    question, found = without_leads(question), list(found)
    if (said := _COMPOUND.search(question)) and all(_is_another(each.text, said[1], said[2]) for each in found):
        return True
    asked = asked_in(question)
    names = asked.names if asked else frozenset()
    whom = {key_of(word) for word in words_of(question) if word in names or word in KIN}
    wanted = [set(question_keys(each)) - whom - _NO_MATTER for each in (question, reworded(question))]
    if not whom:
        return False
    is_counted = _COUNTS.search(question) is not None
    return not any(_has(whom, each.text) and _says_any(each.text, wanted, is_counted) for each in found)


def _is_another(text: str, kind: str, thing: str) -> bool:
    """Whether it speaks of a thing, and of another kind of it."""
    others = re.findall(rf"(?:\b([\w']+) )?\b{thing}\b", text, re.IGNORECASE)
    return bool(others) and all(map(keys_of, others)) and not _has({key_of(kind.lower())}, text)


def _says_any(text: str, wanted: list[set[str]], is_counted: bool) -> bool:
    return any(not keys or _has(keys, text) for keys in wanted) or (is_counted and _COUNTED.search(text) is not None)


def _has(keys: set[str], text: str) -> bool:
    return bool(shared(keys, text, others_for(keys)))


def _told(sources: Iterable[Source], asked: Asked | None) -> Iterator[Source]:
    """Who asks of himself is told what he said for himself: in no quotation, and not what would be."""
    for source in sources:
        is_said = source.kind == "said" or source.label.startswith(BY_USER)
        is_meant = asked is not None and (asked.is_of_oneself or asked.is_for_own)
        yield replace(source, text=said_for_oneself(source.text)) if is_said and is_meant else source


def _once(found: list[Sentence]) -> Iterator[Sentence]:
    """The sentences but for what was said in this conversation and is remembered in the same words."""
    kept = [set(keys_of(each.text)) for each in found if each.kind == "memories"]
    for each in found:
        keys = set(keys_of(each.text))
        if each.kind != "said" or _DENIES.search(each.text) or not any(keys <= memory for memory in kept):
            yield each


def _to_the_point(
    question: str, asked: Asked | None, sources: list[Source], found: list[Sentence], limit: int = MAX_SENTENCES
) -> list[Sentence]:
    found = put_right(found, sources, asked.others if asked else ())
    found = wanted_first(question, without_noted_anew(without_outdated(question, found, sources)))
    found = list(_once(found))
    if asked is None:
        return found[:limit]
    return [each for each in found if each.kind not in OWN or not is_beside(each.text, asked)][:limit]
