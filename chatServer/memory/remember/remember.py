"""What a finished turn leaves in memory: facts of the user's own words, a sentence worth keeping, lessons of its tools.

What the assistant said is not read: whatever it recalled would be learned again, as if somebody had said it anew.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from chatServer import metrics
from chatServer.memory.facts import (
    Fact,
    RuleExtractor,
    arrived,
    beside,
    called_off,
    diets,
    given_up,
    only_tells,
    over,
    partings,
    unnamed,
)
from chatServer.memory.facts.corrections import names_old, speaks_of_old
from chatServer.memory.facts.meant import may_name
from chatServer.memory.facts.moves import may_leave_home
from chatServer.memory.guard import guard
from chatServer.memory.remember.classify import classify
from chatServer.memory.remember.drafts import MAX_READ, Draft, KnownTools, Sheet, drafts_of, fact_of, question_in
from chatServer.memory.rules import MAX_PER_MINUTE
from chatServer.memory.shelve import prefixes, shelve
from chatServer.messages import text_of
from chatServer.records import Principal, Scopes, StoredMessage
from chatServer.store import learned, sessions, user_events
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.history import ChatMessageHistory
from chatServer.store.left import FinishedTurn
from chatServer.store.pool import Connection, Database

MAX_CORRECTION = 160  # characters
MESSAGES_CORRECTED = 6  # of the user's, which may be corrected by what it names as wrong
MESSAGES_BETWEEN = 12  # an answer, and a few calls of tools
NO_TOOLS = KnownTools()


@dataclass(slots=True)
class Learned:
    """What became of the drafts of one turn."""

    outcomes: Counter[str] = field(default_factory=Counter)
    created: list[UUID] = field(default_factory=list)
    ended: list[UUID] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """Ids and numbers, never a text."""
        ids = {"created": [str(each) for each in self.created], "ended": [str(each) for each in self.ended]}
        return {**ids, "repeated": self.outcomes["repeated"]}


@dataclass(frozen=True, slots=True)
class Material:
    """What a turn is learned from."""

    sheet: Sheet
    messages: list[StoredMessage] = field(repr=False)
    answers: list[str] = field(repr=False)  # that were given before it
    extractor: RuleExtractor = field(repr=False)


def sheet_of(turn: FinishedTurn, turn_id: UUID, *, scopes: Scopes) -> Sheet | None:
    """Where what is learned from a turn goes; None: there is nothing to learn, or its agent remembers nothing."""
    if not turn.is_unlearned:
        metrics.memories_refused.labels("done_or_off").inc()
        return None
    shelf = store.shelf_of(scopes(turn.agent_name), turn.agent_name, turn.session_id)
    if shelf is None:
        metrics.memories_refused.labels("off").inc()
        return None
    return Sheet(turn, turn_id, shelf)


async def ask_material(connection: Connection, user_id: UUID, sheet: Sheet) -> ChatMessageHistory:
    """Let what `gather` reads first travel with the next question."""
    history = ChatMessageHistory(connection, user_id, sheet.turn.session_id)
    await history.ask_turn_ahead(sheet.turn_id, sheet.turn.question_id, before=MESSAGES_BETWEEN)
    return history


async def gather(database: Database, principal: Principal, sheet: Sheet, asked: ChatMessageHistory) -> Material:
    """The turn, and what its question may speak of: most speak of nothing that was said before."""
    messages = await asked.of_turn(sheet.turn_id, sheet.turn.question_id)
    before = await asked.before_question(MESSAGES_BETWEEN, sheet.turn.question_id)
    question = question_in(messages)
    if question is None:
        return Material(sheet, messages, [], RuleExtractor())
    answers = [text_of(each.message)[:MAX_READ] for each in before if each.message.role == "assistant"]
    async with database.transaction(principal) as connection:
        earlier = await _told_before(connection, principal.user_id, question, before)
        denied = await _perhaps_denied(connection, principal.user_id, sheet.shelf, question)
    rules = RuleExtractor(earlier, denied, is_asked=bool(earlier) and _is_asked(before))
    return Material(sheet, messages, answers, rules)


async def remember(
    database: Database, principal: Principal, material: Material, *, tools: KnownTools = NO_TOOLS
) -> Learned:
    """Learn from a turn, once: `chat.turns.revision` says that it was done, in the transaction that does it.

    A turn that was taken over needs no care: this runs after its answer is stored, so that no dead attempt can have
    written a memory.
    """
    user_id, nothing, sheet = principal.user_id, Learned(), material.sheet
    drafts = await drafts_of(sheet, material.messages, material.extractor, answers=material.answers, tools=tools)
    drafts = [passed for draft in drafts if (passed := await _guarded(draft))]
    if not drafts:
        return _refused(nothing, "nothing_worth_keeping")
    said = {source for draft in drafts for source in draft.memory.source_ids}
    async with database.transaction(principal) as connection:
        await sessions.hold_session(connection, user_id, sheet.turn.session_id)
        if not await learned.claim(connection, user_id, sheet.turn_id, said):
            return _refused(nothing, "done_or_replaced")
        result = await _shelve_all(connection, user_id, sheet, drafts)
    for outcome, count in result.outcomes.items():
        metrics.memories.labels(outcome).inc(count)
    return result


async def _told_before(
    connection: Connection, user_id: UUID, question: StoredMessage, before: list[StoredMessage]
) -> list[Fact]:
    """The facts of the user's last message before this one, if this one is short enough to correct them; of some more
    messages, if it says what is not so: then it is known which is meant."""
    text = text_of(question.message)
    if len(text) > MAX_CORRECTION:
        return []
    said = [UUID(each.message.message_id) for each in before if each.message.role == "user"]
    said = said[-MESSAGES_CORRECTED if names_old(text) else -1 :]
    known = await store.find_said_by(connection, user_id, said) if said else []
    said_at = question.created_at
    return [fact_of(each) for each in known if each.triple and (each.valid_to is None or each.valid_to > said_at)]


def _is_asked(before: list[StoredMessage]) -> bool:
    """Whether "no, Madrid" may be about something else than what was told: the user wanted something, or was asked."""
    said, answer = _last(before, "user"), _last(before, "assistant")
    has_told = said is not None and only_tells(text_of(said.message)[:MAX_READ], said.created_at)
    return not has_told or (answer is not None and "?" in text_of(answer.message))


def _last(before: list[StoredMessage], role: str) -> StoredMessage | None:
    return next((each for each in reversed(before) if each.message.role == role), None)


async def _perhaps_denied(connection: Connection, user_id: UUID, shelf: str, question: StoredMessage) -> list[Fact]:
    """The facts that hold and share words with a message that says first what is not so, or what is put off,
    names somebody, or tells whence he moved; and those that what somebody eats may contradict, or that end with a life,
    a love, a job or a move."""
    text = text_of(question.message)[:MAX_READ]
    is_wanted = speaks_of_old(text) or may_leave_home(text) or (len(text) <= MAX_CORRECTION and may_name(text))
    near = await store.find_near(connection, user_id, shelf, prefixes(text)) if is_wanted else []
    told_of = (arrived, beside, diets, partings, given_up, unnamed, over, called_off)
    if words := [word for each in told_of for word in each.words_told_before(text)]:
        near += await store.find_near(connection, user_id, shelf, words)
    return [fact_of(each) for each in near if each.triple]


async def _shelve_all(connection: Connection, user_id: UUID, sheet: Sheet, drafts: list[Draft]) -> Learned:
    """One after the other, under the head; a flood is cut off."""
    await store.advance_head(connection, user_id)
    room = MAX_PER_MINUTE - await changes.count_created(connection, user_id)
    result = Learned()
    for draft in drafts:
        if room <= len(result.created):
            _refused(result, "too_many")
            continue
        reason = sheet.reason(draft.memory)
        shelved = await shelve(connection, user_id, draft.memory, reason, is_negation=draft.is_negation)
        result.outcomes[shelved.outcome] += 1
        if shelved.outcome in ("created", "superseded"):
            result.created.append(shelved.memory.memory_id)
        if shelved.ended:
            result.ended.append(shelved.ended.memory_id)
    await learned.keep(connection, user_id, sheet.turn_id, result.told())
    if result.created or result.outcomes["repeated"]:
        about = {"what": "memories", "session_id": sheet.turn.session_id, "turn_id": str(sheet.turn_id)}
        await user_events.tell(connection, user_id, "memory", about | result.told())
    return result


async def _guarded(draft: Draft) -> Draft | None:
    """What the deployment's guard lets pass; of a text that it has rewritten, its parts may not be told either."""
    text = await guard(draft.memory.text)
    if not text:
        metrics.memories_refused.labels("guard").inc()
        return None
    if text == draft.memory.text:
        return draft
    tags = (draft.memory.category, *classify(text).tags[1:])
    return replace(draft, memory=replace(draft.memory, text=text, tags=tags, triple=None, fact_key=None))


def _refused(result: Learned, reason: str) -> Learned:
    metrics.memories_refused.labels(reason).inc()
    return result
