"""preview(): the prompt that a turn would send just now, put together as a turn does it; none is begun, nothing is
stored, and no model is asked."""

import asyncio
from dataclasses import dataclass, field, replace

from chatServer import errors
from chatServer.agent.summary.unsummarised import READ_MESSAGES
from chatServer.conversation import sessions
from chatServer.conversation.assemble import Parts, assemble
from chatServer.conversation.tokens import count_apart
from chatServer.conversation.window import WindowMemory
from chatServer.records import Budget, ModelInput, Principal, RecallResult, Summary
from chatServer.store import summaries
from chatServer.store.context import Context
from chatServer.store.history import ChatMessageHistory
from chatServer.store.summaries import Rest
from chatServer.turn import recalled
from chatServer.turn.ask import Ask
from chatServer.turn.before import Beginning, new_turn
from chatServer.turn.begun import Begun
from chatServer.turn.explain import Part, explain
from chatServer.turn.fitting import Fitting
from chatServer.turn.gate import Gate
from chatServer.turn.prompt import ask_for, notes_for, tools_for
from chatServer.turn.recalled import Recaller
from chatServer.turn.replaced import Replaced
from chatServer.turn.triggers import Trigger, triggers_of

ENDLESS = 10**9  # tokens: a window into which everything fits


@dataclass(frozen=True, slots=True)
class Preview:
    """What a turn would ask, part by part, and what would happen because of its length."""

    begun: Begun  # as it would be; there is no such turn
    is_new: bool  # the session would be made by it
    budget: Budget
    recalled: RecallResult | None
    parts: tuple[Part, ...] = field(hash=False)
    triggers: tuple[Trigger, ...]

    @property
    def fits(self) -> bool:
        return self.budget.room_tokens >= 0


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A turn as it would begin, and what else was read for it."""

    begun: Begun
    is_new: bool
    notes: str
    summary: Summary | None
    rest: Rest  # what the summary does not hold


async def rehearse(beginning: Beginning, principal: Principal, ask: Ask, gate: Gate) -> Rehearsal:
    """What `Beginning.begin` does for a new message, without what it writes, locks and counts. It has a place of those
    who begin turns only while it reads; whatever takes long is done before and after, beside everybody else's work."""
    if ask.message is None or ask.trigger != "submit":
        raise errors.InvalidRequest("Only a new message has a preview: not an edit, and not an answer anew.")
    if ask.agent_name is not None:
        beginning.agents.get(ask.agent_name)
    user_id, default = principal.user_id, beginning.agents.default
    tokens = await count_apart(ask.message)
    async with gate.entered(user_id), beginning.database.transaction(principal) as connection:
        session, is_new = await sessions.look(
            connection, principal, agent_name=ask.agent_name, default_agent=default, key=ask.session
        )
        agent = beginning.agents.get(session.agent_name)
        model = beginning.model_for(agent)
        history = ChatMessageHistory(connection, user_id, session.session_id)
        asking = await ask_for(connection, principal, session, agent, history)
        summary = await summaries.read_summary(connection, user_id, session.session_id)
        rest = await summaries.count_after(connection, user_id, session.session_id, limit=READ_MESSAGES)
        context = await asking.fetchone() or Context()
        window = WindowMemory(k=agent.window_messages, most_tokens=beginning.most_tokens(agent, model))
        await window.load(history)
    turn = new_turn(session, ask, model, Replaced())
    question = replace(ask.message, message_id=str(turn.user_message_id))
    window.conversation.load([question])
    parts = beginning.parts(agent, session, context, question=question, tokens=tokens, model=model)
    parts, asked, budget = await asyncio.to_thread(_assembled, beginning, parts, window)
    begun = Begun(
        principal=principal,
        session=session,
        agent=agent,
        turn=turn,
        window=window,
        parts=parts,
        asked=asked,
        budget=budget,
        tools=tools_for(agent, session, has_articles=context.has_articles),
    )
    return Rehearsal(begun, is_new, notes_for(agent, session, context), summary, rest)


def _assembled(beginning: Beginning, parts: Parts, window: WindowMemory) -> tuple[Parts, ModelInput, Budget]:
    """As a turn does it; of a question that does not fit, what has to be there beside it, with less than no room
    in the largest model that could be asked."""
    try:
        return beginning.assembled(parts, window)
    except errors.ContextTooLarge:
        parts = beginning.larger(parts) or parts
        asked, budget = assemble(replace(parts, summary=None, window_tokens=ENDLESS), [])
        tokens, dropped = parts.window_tokens, window.stored
        forgotten = sum(each.id > parts.covers_to for each in dropped)
        budget = replace(budget, dropped_messages=len(dropped), forgotten_messages=forgotten)
        mark_tokens = parts.compression.mark_tokens(tokens)
        return parts, asked, replace(budget, window_tokens=tokens, mark_tokens=mark_tokens)


async def preview(rehearsal: Rehearsal, prompt: Fitting, recaller: Recaller) -> Preview:
    """With what is recalled for it, and told apart; whatever would be summarised before the model is asked is not."""
    begun = rehearsal.begun
    triggers = triggers_of(begun, prompt, rehearsal.summary, rehearsal.rest)
    found = await recalled.find(recaller, begun, prompt.asked, prompt.budget)
    found = prompt.quote(found) if found else None
    parts = await asyncio.to_thread(explain, begun, prompt, rehearsal.notes, found)
    return Preview(begun, rehearsal.is_new, prompt.budget, found, parts, triggers)
