"""Facts that a user tells of himself, found by rules. Precision before recall: what is unsure is not a fact."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import dropwhile

from chatServer.memory.facts import (
    arrived,
    beside,
    called_off,
    corrections,
    diets,
    events,
    first_person,
    given_up,
    health,
    kin,
    meant,
    moves,
    names,
    over,
    partings,
    partly,
    tastes,
    unnamed,
)
from chatServer.memory.facts.clauses import Clause, clauses
from chatServer.memory.facts.dates import Span, without_time
from chatServer.memory.facts.meanings import MEANINGS, Fact, Meaning
from chatServer.memory.facts.objects import Object, folded
from chatServer.memory.facts.patterns import patterns_for
from chatServer.memory.facts.sentences import MAX_SENTENCE, sentences, statements
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import PETS
from chatServer.memory.facts.words import counted
from chatServer.memory.rules import MAX_FACTS_PER_MESSAGE

A_YEAR = timedelta(days=366)
LONG = 1_000  # characters from which on a message is read in a thread: 4,000 that tell much take 50 ms (2026-11-18)
MAX_STATEMENTS = 60  # of one message: whoever writes more of them tells no more facts than are kept
_WANTS = re.compile(r"\?|\b(?:please|me|you|your|let's)\b", re.IGNORECASE)  # "find me a hotel there"
_AT_WORK = re.compile(r" (?:at (?:work|the office)|in (?:my|our) (?:team|company))\b", re.IGNORECASE)
MIN_AGE = 10  # of a user: "I'm 5" is more often a place in a queue


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """These rules; `earlier` is what "no, I meant Madrid" may be about, `held` what a whole sentence may deny, and
    `is_asked` whether the message may answer something."""

    earlier: Sequence[Fact] = ()
    held: Sequence[Fact] = ()
    is_asked: bool = False

    async def facts(self, text: str, said_at: datetime) -> list[Fact]:
        read = partial(facts_in, text, said_at=said_at, earlier=self.earlier, held=self.held, is_asked=self.is_asked)
        return await asyncio.to_thread(read) if len(text) > LONG else read()


def facts_in(
    text: str,
    *,
    said_at: datetime,
    earlier: Sequence[Fact] = (),
    held: Sequence[Fact] = (),
    is_asked: bool = False,
) -> list[Fact]:
    """What a message of the user tells, in order. `earlier`: what he told last, for "no, I meant Madrid"; `held`: what
    he told at any time, for "my favourite colour is not blue but green"; `is_asked`: there is something else that "no,
    Madrid" may be about."""
    found: list[Fact] = []
    said_first = statements(text, is_reply=bool(earlier or held))[:MAX_STATEMENTS]
    for number, sentence in enumerate(dropwhile(first_person.greets, said_first)):
        corrected = corrections.corrected(sentence, found, earlier, said_at, held=held, is_asked=is_asked)
        if corrected:
            found = events.settled(found, corrected)
            continue
        facts: list[Fact] = []
        told = [*held, *earlier, *found]
        whole = sentence if number else first_person.filled_in(sentence)
        turned = corrections.turned(whole, told, said_at)
        said = meant.known(turned, told)
        for each in (given_up, unnamed, over):
            said = each.in_plain_words(said, told)
        for clause in clauses(said):
            if facts or not clause.is_elided:  # "balance work and study prep" is no sentence with "I study"
                facts = moves.without_unsure(_facts(Told(clause, sentence, said_at)), told)
                found += facts if said == whole else [each for each in facts if not _is_told(each, told)]
        found += given_up.replaced(said, found, told, said_at)
        found += called_off.ended(sentence, told, said_at)
    found += diets.ended(found, [*held, *earlier], said_at)
    found += arrived.ended(found, [*held, *earlier], said_at)
    found += partings.ended_with(found, [*held, *earlier], said_at)
    return _settled(beside.told_apart(found, [*held, *earlier]))[:MAX_FACTS_PER_MESSAGE]


def only_tells(text: str, said_at: datetime) -> bool:
    """Whether every sentence of a short message tells a fact, and none asks for what a reply could be about."""
    if len(text) > MAX_SENTENCE or _WANTS.search(text):
        return False
    return all(facts_in(each, said_at=said_at) for each in sentences(text))


def _is_told(fact: Fact, told: Sequence[Fact]) -> bool:
    return any((fact.text, fact.key) == (each.text, each.key) for each in told)


def _facts(told: Told) -> list[Fact]:
    """Of the first wording that fits and whose objects can be read."""
    who = told.clause.who
    if who.relation and (ended := partings.ended(told) if who.name else partings.died(told)) is not None:
        return ended
    there_is = replace(told, clause=Clause(who, told.clause.said))  # also of whom something is denied
    named = [kin.relation(there_is, who.name)] if who.name else []
    for pattern in patterns_for(told.clause.said):
        match = pattern.fullmatch(told.clause.said)
        if match and (found := _read(told, {name: text for name, text in match.groupdict().items() if text})):
            return named + partly.without_parts(found, told)
    return named


def _read(told: Told, groups: dict[str, str]) -> list[Fact]:
    if "prefers" in groups or "favourite" in groups:
        return tastes.preferred(told, groups)
    if "role" in groups:
        return _serving(told, groups["role"].lower(), groups["who"])
    found: list[Fact] = []
    for name, text in groups.items():
        facts = _SPECIAL[name](told, text) if name in _SPECIAL else _plain(told, name, text)
        if not facts:
            return []
        found += facts
    if "left" in groups and found[-1].valid_from:
        found[0] = replace(found[0], valid_to=found[-1].valid_from)
    return found


def _serving(told: Told, role: str, text: str) -> list[Fact]:
    """That the user's doctor is Dr Okafor; who else has one has his own."""
    is_own = not told.clause.who.relation and not told.clause.is_negation
    said = Meaning(f"'s {role}", role, names.sure_name)
    return [told.fact(said, who) for who in names.sure_name(text)] if is_own else []


def _plain(told: Told, name: str, text: str) -> list[Fact]:
    meaning = MEANINGS[name]
    if name in _NEVER_DENIED and told.clause.is_negation and not told.clause.is_over:
        return []
    text, span = without_time(text, told.said_at, is_ahead=name == "moving", is_past=told.clause.is_past)
    who = told.clause.who
    is_no_age = name == "age" and not who.relation and counted(text) < MIN_AGE
    if is_no_age or (name in ("email", "phone") and who.relation):
        return []
    if name == "age":
        span = Span(told.said_at)
    if name == "moving" and span.when:
        dated = replace(meaning, key=f"moving:{{}} {folded(span.when.what)}")  # whoever tells no day leaves it as it is
        return [told.fact(dated, Object(what.value, f"{what.value} {span.when}")) for what in meaning.read(text)]
    facts = meaning.read(text)
    if name in ("name", "sure_name") and who.is_plural:
        return []
    if name in ("name", "sure_name") and who.relation:
        named = [kin.relation(told, what.value) for what in facts]
        return named + [denied for fact in named for denied in kin.renamed(text, fact)]
    return [told.fact(meaning, what, span) for what in facts]


def _goes(told: Told, text: str) -> list[Fact]:
    """How often is said by who does it; that he no longer does needs none."""
    is_habit = any(each.shown != each.value for each in MEANINGS["goes"].read(text))
    return _plain(told, "goes", text) if is_habit or told.clause.is_negation else []


def _in_its_place(told: Told, name: str, text: str) -> list[Fact]:
    """Of "ramipril now, not metformin" both: this one, and the other no longer."""
    now, _, before = text.partition(", not ")
    old = [] if not before or told.clause.is_negation else _plain(told.over(), name, before)
    return _plain(told, name, now.removesuffix(" now")) + old


def _past(told: Told, name: str, text: str) -> list[Fact]:
    return [] if told.clause.is_negation else _plain(told.past(), name, text)  # "I never lived in Rome" is no news


def _left(told: Told, text: str) -> list[Fact]:
    """Where somebody lived until he moved here."""
    here = [fact for fact in _plain(told, "home", text) if moves.is_known(fact)]
    return (
        []
        if told.clause.is_negation
        else [
            replace(was, valid_from=None, valid_to=now.valid_from or was.valid_to)
            for now, was in zip(here, _past(told, "home", text), strict=False)
        ]
    )


def _over(told: Told, name: str, text: str) -> list[Fact]:
    return [] if told.clause.is_negation else _plain(told.over(), name, text)  # who is no ex-smoker may smoke, or not


def _started(told: Told, text: str) -> list[Fact]:
    """Where somebody started long ago he may be no longer, or he tells how he got where he is."""
    facts = [] if told.clause.is_negation else _plain(told, "company", text)
    return [fact for fact in facts if not fact.valid_from or fact.valid_from > told.said_at - A_YEAR]


def _alcohol(told: Told, text: str = "alcohol") -> list[Fact]:
    """Who says of himself that he does not drink means no water; "I drink" means nothing in particular."""
    is_whole = "drink and" not in told.sentence.lower()  # "I don't drink and drive"
    is_meant = told.clause.is_negation and not told.clause.who.relation and is_whole
    return _plain(told, "alcohol", text) if is_meant else []


def _is_written_alike(told: Told, text: str) -> bool:
    """Who writes "I" with a capital writes "moved to Tearsville" with one, too: "I moved to tears" is no place; and
    what somebody moved to at work is none either."""
    return (text != text.lower() or told.clause.said[0].islower()) and not _AT_WORK.search(text)


# "I'm not a doctor" tells nothing; "I don't live in Rome" does.
_NEVER_DENIED = frozenset(
    [
        "job",
        "name",
        "sure_name",
        "called",
        "age",
        "moving",
        "spouse",
        "fiance",
        "studies",
        "owns",
        "raised",
        "citizen",
        "degree",
        "runs",
        "breed",
    ]
)
_SPECIAL = {
    "was_home": lambda told, text: _past(told, "home", text),
    "moved": lambda told, text: _plain(told, "home", text) if _is_written_alike(told, text) else [],
    "came": lambda told, text: _plain(told, "origin", text) if _is_written_alike(told, text) else [],
    "left": lambda told, text: _past(told, "home", text),
    "started": _started,
    "started_there": lambda told, text: [] if told.clause.is_negation else _plain(told, "started_there", text),
    "was_job": lambda told, text: _past(told, "job", text),
    "was_employer": lambda told, text: _past(told, "employer", text),
    "no_employer": lambda told, text: _over(told, "employer", text),
    "no_allergy": lambda told, text: _over(told, "allergy", text),
    "no_eats": lambda told, text: _over(told, "eats", text),
    "no_drinks": lambda told, text: _over(told, "drinks", text),
    "no_smokes": lambda told, text: _over(told, "smokes", text),
    "non_smoker": lambda told, text: _plain(told.flipped(), "smokes", text),
    "alcohol": lambda told, text: _alcohol(told),
    "no_alcohol": lambda told, text: [] if told.clause.is_negation else _alcohol(told.over(), text),
    "sober": lambda told, text: [] if told.clause.is_over else _alcohol(told.flipped(), text),
    "takes": lambda told, text: _in_its_place(told, "takes", text),
    "uses": lambda told, text: _in_its_place(told, "uses", text),
    "goes": _goes,
    "here_from": _left,
    "breed": lambda told, text: _plain(told, "breed", text) if told.clause.who.relation in PETS else [],
    "ill": lambda told, text: _plain(told, "condition", health.ILL.get(text.lower(), "")),
    "dislikes": lambda told, text: _plain(told.flipped(), "likes", text),
    "has": kin.possessed,
    "several": kin.each_named,
    "parted": partings.parted,
    "put_down": partings.put_down,
    "lost": partings.lost,
    "former": partings.former,
    "event": events.planned,
    "due": events.due,
    "expected": events.expected,
    "born": events.born,
    "pregnant": events.pregnant,
    "retiring": events.retiring,
}


def _settled(found: Sequence[Fact]) -> list[Fact]:
    """Each once; of those that exclude each other the one that was said last."""
    last = {fact.key: fact for fact in found if fact.key and _holds(fact)}
    kept = [fact for fact in found if not (fact.key and _holds(fact)) or last[fact.key] is fact]
    return list({(fact.text, fact.key): fact for fact in kept}.values())


def _holds(fact: Fact) -> bool:
    return not fact.valid_to and (not fact.is_negation or ":" in (fact.key or ""))
