"""The memories that a turn may leave, as they would be kept; nothing is looked up and nothing is written here."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import blake2b
from uuid import UUID

from chatServer.memory.facts import Fact, RuleExtractor, facts_in, is_denied
from chatServer.memory.facts.facts import LONG
from chatServer.memory.facts.sentences import statements
from chatServer.memory.remember.anew import said_anew
from chatServer.memory.remember.classify import Classified, classify
from chatServer.memory.remember.lessons import Lesson, lessons_of
from chatServer.memory.remember.worth import Worth, worth_keeping
from chatServer.memory.rules import FACT_INCREMENT, MIN_FACT_CHARACTERS, begin_of, importance_of, kind_of, tier_of
from chatServer.messages import clean_text, text_of
from chatServer.records import Category, Memory, Origin, Reason, StoredMessage, Triple, Trust, new_id
from chatServer.store.left import FinishedTurn
from chatServer.store.memories import MAX_TEXT

MAX_READ = 20_000  # characters of a message
_TASTES = ("likes:", "prefers:", "favourite:", "eats:", "drinks:", "diet", "called")  # keys of facts


@dataclass(frozen=True, slots=True)
class KnownTools:
    """By their names: those whose text is not anybody's, those that only keep memory, and those that only look into
    articles: that these worked is nothing to remember."""

    trusted: frozenset[str] = frozenset()
    keepers: frozenset[str] = frozenset()
    lookups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that may be kept; a negation ends only what it names."""

    memory: Memory
    is_negation: bool = False


def question_in(messages: list[StoredMessage]) -> StoredMessage | None:
    return next((each for each in messages if each.message.role == "user" and each.is_readable), None)


async def drafts_of(
    sheet: "Sheet",
    messages: list[StoredMessage],
    extractor: RuleExtractor,
    *,
    answers: Sequence[str],
    tools: KnownTools,
) -> list[Draft]:
    """Of a turn's messages; `answers` are those before it, which somebody may bring back."""
    question = question_in(messages)
    if question is None:
        return []
    drafts: list[Draft] = []
    results = [each for each in messages if each.message.role == "tool"]
    text = said_anew(clean_text(text_of(question.message))[:MAX_READ], answers)
    if not sheet.turn.is_forgotten and len(text) >= MIN_FACT_CHARACTERS:
        facts = await extractor.facts(text, question.created_at)
        drafts += [sheet.fact(fact, question) for fact in facts]
        is_noted = any(each.message.name in tools.keepers for each in results)  # then the page of notes has it
        read = partial(_kept, text, facts, question.created_at, has_tool_calls=bool(results))
        kept = None if is_noted else await asyncio.to_thread(read) if len(text) > LONG else read()
        if kept:
            drafts.append(Draft(sheet.memory(question, kept.text, kept.rules)))
    lessons = lessons_of((each.message for each in results), tools.keepers | tools.lookups)
    return drafts + [sheet.lesson(lesson, results[-1], tools.trusted) for lesson in lessons]


def _kept(text: str, facts: Sequence[Fact], said_at: datetime, *, has_tool_calls: bool) -> Worth | None:
    """The sentence to keep beside facts. Of "my favourite colour is green; no, teal" a fact says what holds, and no
    sentence of it does."""
    said = statements(text)
    told = {fact.sentence for fact in facts} | {each for each in said if facts_in(each, said_at=said_at)}
    return worth_keeping(text, told, has_tool_calls=has_tool_calls, said=said)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What all memories of one turn have in common."""

    turn: FinishedTurn
    turn_id: UUID
    shelf: str

    def reason(self, memory: Memory) -> Reason:
        source = memory.source_ids[0] if memory.source_ids else None
        return Reason("rules", message_id=source, turn_id=self.turn_id, attempt=self.turn.attempt)

    def fact(self, fact: Fact, question: StoredMessage) -> Draft:
        """What is no longer so is kept as what holds since then; what used to be so, as what is over."""
        rules = _rules_of(fact)
        is_ended = fact.is_negation and fact.valid_to is not None
        memory = self.memory(
            question,
            fact.text,
            rules,
            triple=Triple(fact.subject, fact.predicate, fact.object),
            fact_key=fact.key,
            valid_from=fact.valid_to if is_ended else fact.valid_from,
            valid_to=None if is_ended else fact.valid_to,
        )
        return Draft(memory, fact.is_negation)

    def lesson(self, lesson: Lesson, source: StoredMessage, trusted_tools: Collection[str]) -> Draft:
        """Of what tools did, never how a thing is done; names that we do not know are a model's invention."""
        names = lesson.tags[2:]
        about = blake2b("\n".join(sorted(names)).encode(), digest_size=8).hexdigest()
        rules = Classified(lesson.category, kind_of(lesson.category, is_own_text=False), lesson.importance, lesson.tags)
        trust: Trust = "assistant" if set(names) <= set(trusted_tools) else "untrusted"
        text = lesson.text.encode()[:MAX_TEXT].decode(errors="ignore")
        key = f"tools|{lesson.tags[0]}:{about}"
        return Draft(self.memory(source, text, rules, fact_key=key, origin="tool", trust=trust))

    def memory(
        self,
        source: StoredMessage,
        text: str,
        rules: Classified,
        *,
        triple: Triple | None = None,
        fact_key: str | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        origin: Origin = "rules",
        trust: Trust = "user",
    ) -> Memory:
        said_at = source.created_at
        return Memory(
            memory_id=new_id(),
            text=text,
            kind=rules.kind,
            category=rules.category,
            importance=rules.importance,
            tags=rules.tags,
            tier=tier_of(rules.importance),
            shelf=self.shelf,
            agent_name=self.turn.agent_name,
            session_id=self.turn.session_id,
            origin=origin,
            trust=trust,
            valid_from=begin_of(said_at, valid_from, valid_to),
            valid_to=valid_to,
            created_at=said_at,
            updated_at=said_at,
            triple=triple,
            fact_key=fact_key,
            source_ids=(UUID(source.message.message_id),),
            turn_id=self.turn_id,
            attempt=self.turn.attempt,
        )


def fact_of(memory: Memory) -> Fact:
    """A fact as it was told, of what was made of it."""
    triple = memory.triple or Triple("", "", "")
    parts = (triple.subject, triple.predicate, triple.object, memory.fact_key)
    is_negation = is_denied(memory.text, triple.object)
    return Fact(memory.text, *parts, is_negation, memory.valid_from, memory.valid_to, memory.text)


def _rules_of(fact: Fact) -> Classified:
    """A fact is knowledge, or a preference; which of them its key tells."""
    about = (fact.key or "").partition("|")[2]
    category: Category = "user_preference" if about.startswith(_TASTES) else "knowledge"
    found = classify(fact.text)
    tags = (category, *(tag for tag in found.tags if tag != found.category))
    return Classified(category, "fact", round(importance_of(category) + FACT_INCREMENT, 2), tags)
