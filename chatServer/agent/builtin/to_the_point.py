"""Which of the sentences that were given answer a question: of whom it asks, in his own words, and still so."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from chatServer.agent.builtin.extract import Sentence, Source, best, question_keys
from chatServer.agent.builtin.kinds import others_for
from chatServer.agent.builtin.noted_anew import without_noted_anew
from chatServer.agent.builtin.outdated import wanted_first, without_outdated
from chatServer.agent.builtin.statements import asks_of_oneself
from chatServer.memory.facts.sentences import said_for_oneself
from chatServer.memory.recall.asked_of import Asked, asked_in, is_beside
from chatServer.memory.recall.label import BY_USER, CORRECTED, REMEMBERED
from chatServer.messages.text import one_line

SURE = 0.75  # of a question's weight that a sentence has: then articles need not be asked
MAX_SENTENCES = 3
MAX_OF_A_KIND = 6  # who asks for his kids has perhaps four
MAX_WEIGHED = 12  # sentences, of which those about others are left out
MAX_NEAR = 300  # characters of one
OWN = ("notes", "memories", "said")  # what the user tells, and not what he reads


def answering(question: str, sources: Iterable[Source], wording: str = "") -> list[Sentence]:
    """The best sentences, without those about somebody else than the question is, or that are over."""
    asked = asked_in(question)
    return _to_the_point(question, asked, best(wording or question, _told(sources, asked), MAX_WEIGHED))


def or_of_its_kind(question: str, sources: Iterable[Source], found: list[Sentence]) -> list[Sentence]:
    """What was found, or what the user told of what the question names by its kind, if that has more of it."""
    covered = found[0].covered if found else 0.0
    if covered >= SURE or not all(each.kind in OWN for each in found):
        return found
    asked = asked_in(question)
    own = _told((source for source in sources if source.kind in OWN), asked)
    kin = best(question, own, MAX_WEIGHED, others_for(question_keys(question)))
    others = _to_the_point(question, asked, kin, MAX_OF_A_KIND)
    return others if others and others[0].covered > covered else found


def nearest(question: str, sources: Iterable[Source]) -> list[Sentence]:
    """Where no sentence has the words of a question of the user's own life: what recall found by its meaning."""
    asked = asked_in(question)
    if not asks_of_oneself(question) or (asked and asked.favourites):  # of favourites the kind is always said
        return []
    lines = [each for each in _told(sources, asked) if each.label.startswith((BY_USER, CORRECTED, REMEMBERED))]
    found = [Sentence(each.kind, "", one_line(each.text)[:MAX_NEAR], 0, each.label) for each in lines if each.text]
    return _to_the_point(question, asked, found)


def _told(sources: Iterable[Source], asked: Asked | None) -> Iterator[Source]:
    """Who asks of himself is told what he said for himself: in no quotation, and not what would be."""
    for source in sources:
        is_said = source.kind == "said" or source.label.startswith(BY_USER)
        is_meant = asked is not None and (asked.is_of_oneself or asked.is_for_own)
        yield replace(source, text=said_for_oneself(source.text)) if is_said and is_meant else source


def _to_the_point(
    question: str, asked: Asked | None, found: list[Sentence], limit: int = MAX_SENTENCES
) -> list[Sentence]:
    found = wanted_first(question, without_noted_anew(without_outdated(found)))
    if asked is None:
        return found[:limit]
    return [each for each in found if each.kind not in OWN or not is_beside(each.text, asked)][:limit]
