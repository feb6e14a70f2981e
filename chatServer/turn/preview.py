"""preview(): the prompt that a turn would send just now, put together as a turn does it; none is begun, nothing is
stored, and no model is asked."""

from dataclasses import dataclass, field, replace

from chatServer import errors
from chatServer.agent.compact import READ_MESSAGES
from chatServer.conversation import sessions
from chatServer.conversation.assemble import assemble_anyway
from chatServer.conversation.tokens import count_apart
from chatServer.conversation.window import WindowMemory
from chatServer.records import Principal, RecallResult, Summary
from chatServer.store import summaries
from chatServer.store.context import Context, ask_context
from chatServer.store.history import ChatMessageHistory
from chatServer.turn import recalled
from chatServer.turn.ask import Ask
from chatServer.turn.before import Beginning, Begun, new_turn
from chatServer.turn.explain import Part, explain
from chatServer.turn.prompt import has_memory, parts_of, tools_for
from chatServer.turn.recalled import Recaller
from chatServer.turn.replaced import Replaced
from chatServer.turn.triggers import Trigger, triggers_of


@dataclass(frozen=True, slots=True)
class Preview:
    """What a turn would ask, part by part, and what would happen because of its length."""

    begun: Begun  # as it would be; there is no such turn
    is_new: bool  # the session would be made by it
    recalled: RecallResult | None
    parts: tuple[Part, ...] = field(hash=False)
    triggers: tuple[Trigger, ...]

    @property
    def fits(self) -> bool:
        return self.begun.budget.room_tokens >= 0


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A turn as it would begin, and what else was read for it."""

    begun: Begun
    is_new: bool
    notes: str
    summary: Summary | None
    unsummarised: int  # messages that the summary does not hold


async def rehearse(beginning: Beginning, principal: Principal, ask: Ask) -> Rehearsal:
    """What `Beginning.begin` does for a new message, without what it writes, locks and counts."""
    if ask.message is None or ask.trigger != "submit":
        raise errors.InvalidRequest("Only a new message has a preview: not an edit, and not an answer anew.")
    if ask.agent_name is not None:
        beginning.agents.get(ask.agent_name)
    user_id, default = principal.user_id, beginning.agents.default
    tokens = await count_apart(ask.message)
    async with beginning.database.transaction(principal) as connection:
        session, is_new = await sessions.look(
            connection, principal, agent_name=ask.agent_name, default_agent=default, key=ask.session
        )
        agent = beginning.agents.get(session.agent_name)
        model = beginning.model_for(agent)
        history = ChatMessageHistory(connection, user_id, session.session_id)
        asking = await ask_context(connection, user_id, agent.name, session.session_id)
        await history.ask_ahead(limit=agent.window_messages)
        summary = await summaries.read_summary(connection, user_id, session.session_id)
        unsummarised = await summaries.count_after(connection, user_id, session.session_id, limit=READ_MESSAGES)
        context = await asking.fetchone() or Context()
        window = WindowMemory(k=agent.window_messages)
        await window.load(history)
    turn = new_turn(session, ask, model, Replaced())
    question = replace(ask.message, message_id=str(turn.user_message_id))
    window.conversation.load([question])
    parts = parts_of(agent, session, context, question=question, tokens=tokens, model=model, models=beginning.models)
    asked, budget = assemble_anyway(parts, window.stored, is_whole=window.is_whole)
    begun = Begun(principal, session, agent, turn, window, asked, budget, tools_for(agent, session))
    notes = (context.notes or "") if has_memory(agent, session) else ""
    return Rehearsal(begun, is_new, notes, summary, unsummarised)


async def preview(rehearsal: Rehearsal, recaller: Recaller) -> Preview:
    """With what is recalled for it."""
    begun = rehearsal.begun
    found = await recalled.find(recaller, begun)
    asked = recalled.with_memories(begun.asked, found) if found else begun.asked
    parts = explain(begun, rehearsal.notes, asked, found)
    triggers = triggers_of(begun, rehearsal.summary, rehearsal.unsummarised)
    return Preview(begun, rehearsal.is_new, found, parts, triggers)
