"""What was said once and is remembered otherwise by now: it is not quoted beside what holds. And of what holds, that
which says just what was asked for comes first."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from chatServer.agent.builtin.extract import Sentence, Source, keys_of, question_keys, shared, words_of
from chatServer.agent.builtin.kinds import others_for
from chatServer.memory.facts import Fact
from chatServer.memory.facts.words import set_apart, spelled_out
from chatServer.memory.forget.whose import facts_told
from chatServer.memory.recall.label import IN, IN_PART, REMEMBERED, is_over
from chatServer.memory.recall.past import asks_about_the_past
from chatServer.messages.sentences import SENTENCE_END

_NOT_SO = re.compile(
    r"(?:,| (?!(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|or|but) )[\w'-]+)"
    r" (?:and )?not (?:(?:on|at|in|the) ){0,2}(?P<old>[\w':.-]*\w(?: [\w':.-]*\w)?)(?: any ?more)?[.!) ]*$",
    re.IGNORECASE,
)
_SAID = ("memories", "said")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HAS_NOT = re.compile(r"The user (?:does not have|no longer has) ")
_NOT = re.compile(r"\b(?:not|no longer|former|ex|any ?more)\b|n't\b", re.IGNORECASE)
_EMPLOYER = re.compile(r"\bwork (?:for|at)\b|\b(?:my|our|his|her) (?:employer|company)\b", re.IGNORECASE)


def wanted_first(question: str, found: Sequence[Sentence]) -> list[Sentence]:
    """Who asks for whom he works wants no job, and no way to it; and who asks for somebody first those whom he has."""
    wanted = (
        list(found) if _NOT.search(question) else sorted(found, key=lambda each: _HAS_NOT.match(each.text) is not None)
    )
    if not _EMPLOYER.search(question):
        return wanted
    return sorted(wanted, key=lambda each: not any(fact.predicate == "works at" for fact in facts_told(each.text)))


def without_outdated(question: str, found: Sequence[Sentence], sources: Iterable[Source]) -> list[Sentence]:
    """The sentences but for those that the user said before what is remembered now, beside it or of what is asked."""
    said = {each.text: facts_told(each.text) for each in found if not _is_kept(each)}
    keys = set(question_keys(question))
    asked = {fact.key for facts in said.values() for fact in facts if shared(keys, fact.text, others_for(keys))}
    beside = _held(filter(_is_kept, found)) if said else {}
    now = beside | _held(filter(_is_kept, sources), asked) if asked else beside
    is_any_kept = any(map(_is_kept, found))
    is_of_now, today = not asks_about_the_past(question), datetime.now(UTC)

    def is_outdated(each: Sentence) -> bool:
        is_known_so = is_any_kept and (_is_in_part_over(each.label) or (is_of_now and is_over(each.label, today)))
        return is_known_so or not all(_still_holds(fact, now) for fact in said[each.text])

    return [each for each in found if _is_kept(each) or not is_outdated(each)]


def _held(given: Iterable[Sentence | Source], asked: Collection[str | None] = ()) -> dict[str | None, tuple[str, bool]]:
    """What is told by its key, of all or of those that are asked for."""
    told = (fact for each in given for fact in facts_told(each.text))
    return {fact.key: _value(fact) for fact in told if not asked or fact.key in asked}


def _is_kept(given: Sentence | Source) -> bool:
    return given.kind == "memories" and given.label.startswith(REMEMBERED)


def put_right(found: Sequence[Sentence], sources: Iterable[Source], whom: Collection[str] = ()) -> list[Sentence]:
    """The sentences, but for those of which another one says that it is not so: that one in their place. `whom`: who is
    asked for, and has to be meant by it."""
    denying = [new for source in sources if source.kind in _SAID and source.text for new in _denying(source)]
    put = [next((new.said for new in denying if new.denies(each, whom)), each) for each in found]
    return list({each.text: each for each in put}.values())


class _Denying(NamedTuple):
    """ "The rent is 700 now, not 650"."""

    said: Sentence
    old: str

    def denies(self, other: Sentence, whom: Collection[str]) -> bool:
        """Of the same, by what else both of them say, and not before it."""
        if self.said.text == other.text or _day(other.label) > _day(self.said.label):
            return False
        new, old = set(words_of(self.said.text)), set(words_of(other.text))
        is_of_whom = old.isdisjoint(set(whom) - new)
        if not is_of_whom or not old.issuperset(words_of(self.old)) or _NOT_SO.search(_plain(other.text)):
            return False
        return not set(keys_of(self.said.text)).difference(keys_of(self.old)).isdisjoint(keys_of(other.text))


def _denying(source: Source) -> Iterator[_Denying]:
    for text in SENTENCE_END.split(source.text):
        if found := _NOT_SO.search(_plain(text)):
            yield _Denying(Sentence(source.kind, "", text.strip(), 0, source.label), found["old"])


def _plain(text: str) -> str:
    return set_apart(spelled_out(text))


def _day(label: str) -> str:
    found = _DAY.search(label)
    return found[0] if found else ""


def _is_in_part_over(label: str) -> bool:
    """What holds of it is remembered for itself."""
    return f", {IN_PART}" in label.partition(f", {IN}")[0]


def _still_holds(fact: Fact, holds: dict[str | None, tuple[str, bool]]) -> bool:
    return fact.key is None or holds.get(fact.key, _value(fact)) == _value(fact)


def _value(fact: Fact) -> tuple[str, bool]:
    return fact.object.casefold(), fact.is_negation
