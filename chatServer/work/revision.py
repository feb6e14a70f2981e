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
    Compacted,
    Unsummarised,
    claimed,
    letting_go,
    read_if_due,
    store_compacted,
)
from chatServer.agent.tools.toolbox import known_tools
from chatServer.messages import text_of, to_langchain
from chatServer.records import Caller, Principal, StoredMessage, Trust, Usage
from chatServer.store import jobs, revisions, sessions, usage
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from chatServer.store.revisions import RecentTurn, Unrevised

RECENT_MESSAGES = 100  # what is older and was never read stays unread
MAX_WAITING = 20  # turns; with so many nobody waits for yet another
MOST_AT_ONCE = 200  # the others are left to their own jobs
PUT_OFF_S = 5  # while another makes the summary


@dataclass(frozen=True, slots=True)
class Reviser:
    """How turns are revised; by itself, by rules alone."""

    mode: Literal["off", "every_turn", "on_summary"] = "on_summary"
    advisers: Advisers = NO_ADVISERS
    memory_tools: ToolsFor | None = None  # without them a model could keep nothing

    async def revise(self, database: Database, principal: Principal, turn_id: UUID) -> None:
        """Revise a turn and those that wait before it; RevisionFailed when a model should be asked again later."""
        found = await self._find(database, principal, turn_id)
        if found is None:
            return
        done = Done(found)
        async with letting_go(database, principal, found.due):
            if found.due or found.said:
                await self._ask(database, principal, found, done)
            await _finish(database, principal, done)

    async def _find(self, database: Database, principal: Principal, turn_id: UUID) -> "Found | None":
        user_id = principal.user_id
        async with database.transaction(principal) as connection:
            turn = await revisions.find_revision(connection, user_id, turn_id)
            if turn is None:
                return None
            waiting = await revisions.list_waiting(connection, user_id, turn.session_id, limit=MOST_AT_ONCE)
            if len(waiting) < MAX_WAITING and _is_followed(turn_id, waiting):
                return None  # the job of the next one does it for this one too
            if not turn.has_memory:  # it was switched off meanwhile
                return Found(turn, turn_id, tuple(waiting))
            how = self.advisers.compression(turn.agent_name)
            due = await read_if_due(connection, user_id, turn.session_id, how=how)
            reads = self._reads(is_time=due is not None or any(each.state != "queued" for each in waiting))
            unread = await self._unread(connection, user_id, turn.session_id) if reads else ()
            unread, said = await _said(connection, user_id, turn.session_id, unread) if unread else ((), ())
            spent = await usage.read_today(connection, user_id) if due or unread else (0, 0)
            if due and (due := await claimed(connection, user_id, due, is_job=True)) is None:
                # Somebody is at it: these are not done before their summary is.
                await jobs.enqueue_after_turn(connection, turn.session_id, turn_id, delay_s=PUT_OFF_S)
                return None
        return Found(turn, turn_id, tuple(waiting), due, unread, said, spent)

    async def _unread(self, connection: Connection, user_id: UUID, session_id: str) -> tuple[RecentTurn, ...]:
        recent = await revisions.list_recent_turns(connection, user_id, session_id, messages=RECENT_MESSAGES)
        return tuple(each for each in recent if not each.is_read)

    def _reads(self, *, is_time: bool) -> bool:
        """Whether the memory agent has its turn; it is time with a summary, and when it has begun before."""
        if self.memory_tools is None:
            return False
        return self.mode == "every_turn" or (self.mode == "on_summary" and is_time)

    async def _model(self, found: "Found", task: Task) -> NamedModel | None:
        turn = found.turn
        return await self.advisers.model(turn.agent_name, task, found.spent, is_anonymous=turn.is_anonymous)

    async def _ask(self, database: Database, principal: Principal, found: "Found", done: "Done") -> None:
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
        self, database: Database, principal: Principal, found: "Found", done: "Done", agent: NamedModel
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


def _is_followed(turn_id: UUID, waiting: Sequence[RecentTurn]) -> bool:
    """Whether a later turn is in the queue, of which each has its own job; what has begun is left to nobody."""
    began = next((each.started_at for each in waiting if each.turn_id == turn_id and each.state == "queued"), None)
    return began is not None and any(each.state == "queued" and each.started_at > began for each in waiting)


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to be revised, after one turn."""

    turn: Unrevised
    turn_id: UUID
    waiting: tuple[RecentTurn, ...] = ()  # this one, and those that have waited for it
    due: Unsummarised | None = None  # what a summary is to be made of
    unread: tuple[RecentTurn, ...] = ()  # turns that the memory agent is to read
    said: tuple[StoredMessage, ...] = field(default=(), repr=False)  # what it is shown of them
    spent: tuple[int, int] = (0, 0)  # tokens of the user's day: in all, and behind the scenes

    @property
    def waiting_ids(self) -> list[UUID]:
        return [each.turn_id for each in self.waiting] or [self.turn_id]

    def caller(self, principal: Principal) -> Caller:
        """In whose name tools are called, and where what they keep comes from."""
        names = {each.message.name for each in self.said if each.message.role == "tool"}
        trust: Trust = "assistant" if names <= known_tools().trusted else "untrusted"
        # The oldest: whoever does it again, after a run that was broken off, does so in the same name.
        first = self.waiting[0] if self.waiting else None
        return Caller(
            principal,
            self.turn.agent_name,
            trust,
            "model",
            first.turn_id if first else self.turn_id,
            first.attempt if first else None,
            said=tuple(
                (UUID(each.message.message_id), text_of(each.message))
                for each in self.said
                if each.message.role == "user"
            ),
        )


@dataclass(slots=True)
class Done:
    """What became of it."""

    found: Found
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
        await done.store_summary(connection, user_id)
        known = {each.turn_id: each for each in found.waiting}
        is_there = False
        for turn_id in found.waiting_ids:
            told = done.told(known.get(turn_id))
            is_there |= await revisions.finish(connection, user_id, found.turn.session_id, turn_id, told)
        if not is_there:
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
