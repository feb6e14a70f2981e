"""revise: what a conversation leaves behind once it is answered. Rules have read the turn before
(memory/remember/); here its session is summarised when that is due, and a model, where one is set up, looks for what
else is worth keeping.

One job for each turn, and the last one that waits does it for all before it: so a worker that is late catches up in one
go. Everything is decided from what the database says, and told in the transaction that ends it: a run that was broken
off anywhere is done again, and what its tools have stored until then is found there.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from chatServer import errors, metrics
from chatServer.agent.memory_tools import ToolsFor
from chatServer.agent.purposes import NO_ADVISERS, Advisers, NamedModel, Task
from chatServer.agent.revise import OptimizedAgentState, ReviseNode, first_shown
from chatServer.agent.summary.unsummarised import (
    READ_MESSAGES,
    Compacted,
    claimed,
    letting_go,
    may_be_due,
    read_if_due,
    store_compacted,
)
from chatServer.messages import text_of, to_langchain
from chatServer.records import Principal, StoredMessage, Usage
from chatServer.store import jobs, revisions, sessions, summaries, usage
from chatServer.store.history import ChatMessageHistory
from chatServer.store.left import FinishedTurn
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection, Database
from chatServer.store.revisions import RecentTurn, Unrevised
from chatServer.work.found import Also, Found, Seen, is_left_to_another

RECENT_MESSAGES = 100  # what is older and was never read stays unread
MOST_AT_ONCE = 200  # the others are left to their own jobs
PUT_OFF_S = 5  # while another makes the summary


@dataclass(frozen=True, slots=True)
class Reviser:
    """How turns are revised; by itself, by rules alone."""

    mode: Literal["off", "every_turn", "on_summary"] = "on_summary"
    advisers: Advisers = NO_ADVISERS
    memory_tools: ToolsFor | None = None  # without them a model could keep nothing

    async def glance(self, connection: Connection, user_id: UUID, turn_id: UUID, turn: FinishedTurn) -> "Glance":
        """Ask what `Glance.seen` tells; the answers come with those to the questions which follow."""
        extent = await summaries.ask_extent(connection, user_id, turn.session_id, limit=READ_MESSAGES)
        waiting = await revisions.ask_waiting(connection, user_id, turn.session_id, limit=MOST_AT_ONCE)
        return Glance(self, turn_id, turn, extent, waiting)

    async def revise(self, database: Database, principal: Principal, seen: Seen) -> None:
        """Revise a turn and those that wait before it; RevisionFailed when a model should be asked again later."""
        found = seen.found or await self._find(database, principal, seen.turn_id, seen.turn)
        if found is None:
            return
        done = Done(found, also=seen.also)
        async with letting_go(database, principal, found.due):
            if found.due or found.said:
                await self._ask(database, principal, found, done)
            await _finish(database, principal, done)

    async def _find(
        self, database: Database, principal: Principal, turn_id: UUID, finished: FinishedTurn
    ) -> Found | None:
        user_id, session_id = principal.user_id, finished.session_id
        async with database.transaction(principal) as connection:
            # All of these are answered at once, with the last question.
            asked_turn = await revisions.ask_revision(connection, user_id, turn_id)
            asked_waiting = await revisions.ask_waiting(connection, user_id, session_id, limit=MOST_AT_ONCE)
            asked_today = await usage.ask_today(connection, user_id)
            how = self.advisers.compression(finished.agent_name)
            due = await read_if_due(connection, user_id, session_id, how=how)
            turn, waiting = await asked_turn.fetchone(), await asked_waiting.fetchall()
            if turn is None or is_left_to_another(turn_id, waiting):
                return None
            if not turn.has_memory:  # it was switched off meanwhile
                return Found(turn, turn_id, tuple(waiting))
            reads = self.reads(is_time=due is not None or any(each.state != "queued" for each in waiting))
            unread = await self._unread(connection, user_id, session_id) if reads else ()
            unread, said = await _said(connection, user_id, session_id, unread) if unread else ((), ())
            spent = await usage.read_today(connection, user_id, asked_today)
            if due and (due := await claimed(connection, user_id, due, is_job=True)) is None:
                # Somebody is at it: these are not done before their summary is.
                await jobs.enqueue_after_turn(connection, session_id, turn_id, delay_s=PUT_OFF_S)
                return None
        return Found(turn, turn_id, tuple(waiting), due, unread, said, spent)

    async def _unread(self, connection: Connection, user_id: UUID, session_id: str) -> tuple[RecentTurn, ...]:
        recent = await revisions.list_recent_turns(connection, user_id, session_id, messages=RECENT_MESSAGES)
        return tuple(each for each in recent if not each.is_read)

    def reads(self, *, is_time: bool) -> bool:
        """Whether the memory agent has its turn; it is time with a summary, and when it has begun before."""
        if self.memory_tools is None:
            return False
        return self.mode == "every_turn" or (self.mode == "on_summary" and is_time)

    async def _model(self, found: Found, task: Task) -> NamedModel | None:
        turn = found.turn
        return await self.advisers.model(turn.agent_name, task, found.spent, is_anonymous=turn.is_anonymous)

    async def _ask(self, database: Database, principal: Principal, found: Found, done: "Done") -> None:
        """Everything that may take a while, with no connection held."""
        if found.due:
            model = await self._model(found, "summary")
            done.compacted = await found.due.compacted(model)
            if model:
                done.charge(model[0], done.compacted.summary.usage)
        agent = await self._model(found, "revise") if found.said else None
        if agent and self.memory_tools:
            async with database.transaction(principal) as connection:
                await sessions.hold_session(connection, principal.user_id, found.turn.session_id)
                if not await revisions.mark(connection, principal.user_id, found.waiting_ids, "running"):
                    return  # all of it was deleted meanwhile, and is read by nobody
                # Before the agent reads, which takes long: a turn may wait for it.
                await done.store_summary(connection, principal.user_id)
                await done.add_usage(connection, principal.user_id)
            await self._read(database, principal, found, done, agent)

    async def _read(
        self, database: Database, principal: Principal, found: Found, done: "Done", agent: NamedModel
    ) -> None:
        """Let the memory agent read what was said; what it takes is charged though it fails."""
        assert self.memory_tools is not None  # nosec B101 # narrows a type
        name, model = agent
        state: OptimizedAgentState = {
            "messages": [to_langchain(each.message) for each in found.said if each.message.role != "tool"],
            "session_id": found.turn.session_id,
            "user_id": str(principal.user_id),
        }
        async with self.memory_tools(found.caller(principal)) as tools:
            node = ReviseNode(tools, model=model, is_summary_due=lambda _: False)
            told = await node.execute(state)
        done.charge(name, node.usage)
        if "memory_update_error" in told:
            async with database.transaction(principal) as connection:
                await sessions.hold_session(connection, principal.user_id, found.turn.session_id)
                if await revisions.mark(connection, principal.user_id, found.waiting_ids, "failed"):
                    await done.add_usage(connection, principal.user_id)
            raise errors.RevisionFailed
        done.tools_used = list(told["memory_tools_used"])
        done.read = [each.turn_id for each in found.unread]


@dataclass(frozen=True, slots=True)
class Glance:
    """At what there is to be revised: after most turns nothing but their states, as no summary is due and no model is
    asked."""

    reviser: Reviser
    turn_id: UUID
    turn: FinishedTurn
    extent: Answer[summaries.Extent]
    waiting: Answer[RecentTurn]

    async def seen(self) -> Seen | None:
        """None: there is nothing to revise, or another job does it."""
        extent, waiting = await self.extent.fetchone(), await self.waiting.fetchall()
        if is_left_to_another(self.turn_id, waiting):
            return None
        is_again, how = any(each.state != "queued" for each in waiting), self.reviser.advisers.compression
        turn = self.turn
        is_due = turn.has_memory and (extent is None or may_be_due(extent, how(turn.agent_name)))
        if is_again or is_due or self.reviser.reads(is_time=False):
            return Seen(self.turn_id, turn)
        about = Unrevised(turn.session_id, turn.agent_name, turn.has_memory, turn.is_anonymous)
        return Seen(self.turn_id, turn, Found(about, self.turn_id, tuple(waiting)))


@dataclass(slots=True)
class Done:
    """What became of it."""

    found: Found
    also: Also | None = None
    compacted: Compacted | None = None  # a summary that is not stored yet
    is_summarised: bool = False
    tools_used: list[str] = field(default_factory=list)
    read: list[UUID] = field(default_factory=list)
    costs: list[tuple[str, Usage]] = field(default_factory=list)  # of models, by their names

    def charge(self, model: str, took: Usage) -> None:
        if took != Usage():
            self.costs.append((model, took))
            metrics.revision_tokens.inc(took.input_tokens + took.output_tokens)

    async def store_summary(self, connection: Connection, user_id: UUID) -> None:
        """Once, where there is one; the caller holds the session's row."""
        if self.compacted:
            kept = await store_compacted(connection, user_id, self.compacted, turn_id=self.found.turn_id)
            self.compacted, self.is_summarised = None, kept is not None

    async def add_usage(self, connection: Connection, user_id: UUID) -> None:
        costs, self.costs = self.costs, []
        for model, took in costs:
            agent_name = self.found.turn.agent_name
            await usage.add_revision(connection, user_id, agent_name=agent_name, model=model, usage=took)

    def told(self, turn: RecentTurn | None) -> dict[str, Any]:
        """As clients read it: names, never a text."""
        has_updated = bool(self.tools_used) or self.is_summarised or (turn is not None and turn.has_learned)
        return {"status": "completed", "memory_updated": has_updated, "memory_tools_used": self.tools_used}


async def _finish(database: Database, principal: Principal, done: Done) -> None:
    """The summary, what it all took and that the turns are revised: in one transaction, so each of it once."""
    user_id, found = principal.user_id, done.found
    async with database.transaction(principal) as connection:
        await sessions.hold_session(connection, user_id, found.turn.session_id)
        if done.also:
            await done.also(connection, user_id)
        await done.store_summary(connection, user_id)
        known = {each.turn_id: each for each in found.waiting}
        told = {turn_id: done.told(known.get(turn_id)) for turn_id in found.waiting_ids}
        if not await revisions.finish(connection, user_id, found.turn.session_id, told):
            return  # all of it was deleted meanwhile, and nothing may come back
        if done.read:
            await revisions.mark_read(connection, user_id, done.read)
        await done.add_usage(connection, user_id)


async def _said(
    connection: Connection, user_id: UUID, session_id: str, turns: Sequence[RecentTurn]
) -> tuple[tuple[RecentTurn, ...], tuple[StoredMessage, ...]]:
    """What was said in these turns, and in which: the newest, as many as are shown at once. Not what the user has had
    forgotten, and no answer that may only repeat what was recalled for it: that would be learned again, as if somebody
    had said it anew."""
    history = ChatMessageHistory(connection, user_id, session_id)
    by_id = {each.turn_id: each for each in turns}
    page = [each for each in await history.page(RECENT_MESSAGES) if each.turn_id in by_id and each.is_readable]
    hidden = await revisions.find_hidden(connection, user_id, [UUID(each.message.message_id) for each in page])
    shown = [each for each in page if _is_shown(each, by_id, hidden)]
    begins = first_shown([to_langchain(each.message) for each in shown])
    left_out = {each.turn_id for each in shown[:begins]}
    if begins:  # a last turn that is too long by itself would never be read: its end is better than nothing
        left_out -= {shown[-1].turn_id}
    read = tuple(each for each in turns if each.turn_id not in left_out)
    said = tuple(each for each in shown[begins:] if each.turn_id not in left_out)
    return read, said if any(each.message.role == "user" for each in said) else ()


def _is_shown(each: StoredMessage, turns: dict[UUID, RecentTurn], hidden: Collection[UUID]) -> bool:
    if UUID(each.message.message_id) in hidden or each.turn_id is None:
        return False
    if each.message.role == "assistant":
        return not turns[each.turn_id].has_recalled and bool(text_of(each.message))
    return each.message.role in ("user", "tool")  # of a tool only that it was there: its results are not shown
