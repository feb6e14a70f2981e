"""Before the model: one transaction in which the session is locked, the turn found or begun, the question stored,
and everything read that the prompt needs."""

import time
from dataclasses import dataclass, replace

from chatServer import errors, metrics
from chatServer.agent.catalog import Catalog
from chatServer.agent.models import BUILTIN, Models
from chatServer.agent.purposes import NO_ADVISERS, Advisers
from chatServer.conversation import sessions
from chatServer.conversation.assemble import Parts, assemble, lasting
from chatServer.conversation.tokens import count_apart, count_message
from chatServer.conversation.window import WindowMemory
from chatServer.memory.forget import forget_named
from chatServer.memory.notes import notebook
from chatServer.messages import Message
from chatServer.records import Agent, Budget, ModelInput, Principal, Session, Turn, new_id
from chatServer.store import events, images, turns, user_events
from chatServer.store.context import Context
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from chatServer.turn import limits
from chatServer.turn.ask import Ask
from chatServer.turn.begun import MAX_ATTEMPTS, Begun, Looks
from chatServer.turn.limits import Quotas
from chatServer.turn.prompt import ask_for, has_memory, parts_of, tools_for
from chatServer.turn.replaced import Replaced, ask_again, find_replaced, make_room, meant


@dataclass(frozen=True, slots=True)
class Beginning:
    """What it takes to begin turns."""

    database: Database
    agents: Catalog
    models: Models
    default_model: str
    quotas: Quotas
    advisers: Advisers = NO_ADVISERS  # who summarises what becomes too long

    async def begin(self, principal: Principal, ask: Ask, *, asked_at: float, ahead: Looks) -> Begun | Turn:
        """A turn to run; or the one that this key has begun before, to be joined or replayed."""
        if ask.agent_name is not None:
            self.agents.get(ask.agent_name)
        said = (ask.otherwise or ask).message
        tokens = await count_apart(said) if said else 0
        async with self.database.transaction(principal) as connection:
            waited_s = time.monotonic() - asked_at
            session = await sessions.enter(
                connection,
                principal,
                agent_name=ask.agent_name,
                default_agent=self.agents.default,
                key=ask.session,
            )
            ask = await meant(connection, principal, session, ask)
            agent = self.agents.get(session.agent_name)
            history = ChatMessageHistory(connection, principal.user_id, session.session_id)
            asking, glancing = None, None
            if ask.trigger == "submit":
                # They travel with the question for the turn, and read the same before and after.
                asking = await ask_for(connection, principal, session, agent, history)
                glancing = await ahead.glance(connection, principal, agent) if has_memory(agent, session) else None
            counted = await limits.ask(connection, principal, self.quotas.quota_of(principal))
            replaced = await find_replaced(connection, principal, session, ask)
            ask = replaced.keyed(ask)
            known = await _known_turn(connection, principal, session, ask, replaced)
            if known is not None and known.state != "interrupted":
                return known
            model = self.model_for(agent)
            window = WindowMemory(k=agent.window_messages, most_tokens=self.most_tokens(agent, model))
            if known is None:
                turn = new_turn(session, ask, model, replaced)
                question, tokens = await _new_question(connection, principal, turn, ask, replaced, tokens=tokens)
            else:
                question, tokens = await _stored_question(connection, principal, known)
                turn = await _taken_over(connection, principal, known, model)
                asking = None  # except for the notes, when a dead attempt's are taken back
            if asking is None:
                asking = await ask_for(connection, principal, session, agent, history)
            context = await asking.fetchone() or Context()
            await window.load(history)
            window.conversation.load([question])
            await user_events.tell_turn(connection, principal.user_id, turn, "running", waited_s=waited_s)
            # Within the transaction, though it needs no database: a question that does not fit leaves nothing behind.
            parts = self.parts(agent, session, context, question=question, tokens=tokens, model=model)
            parts, asked, budget = self.assembled(parts, window)
            metrics.larger_models.inc(parts.is_larger_model)
            turn = await _with_model(connection, principal, turn, parts.model)
            needed = budget.prompt_tokens + budget.reserve_tokens
            allowance = await limits.reserve(connection, counted, turn.turn_id, needed)
            tools = tools_for(agent, session, has_articles=context.has_articles)
            glance = await glancing.fetchone() if glancing else None
            begun = Begun(
                principal, session, agent, turn, window, parts, asked, budget, tools, allowance, asked_at, glance
            )
            if known is None and ask.trigger == "submit":  # others take something away, which is there until the COMMIT
                ahead.look(begun)
        return begun

    def parts(
        self, agent: Agent, session: Session, context: Context, *, question: Message, tokens: int, model: str
    ) -> Parts:
        """What the prompt is made of, and when the agent's conversations are summarised."""
        return parts_of(
            agent,
            session,
            context,
            question=question,
            tokens=tokens,
            model=model,
            models=self.models,
            compression=self.advisers.compression(agent.name),
        )

    def assembled(self, parts: Parts, window: WindowMemory) -> tuple[Parts, ModelInput, Budget]:
        """The prompt, for the agent's larger model where it does not fit into the other one even if all but the last
        exchanges is summarised; ContextTooLarge where it fits into neither."""
        larger = self.larger(parts)
        try:
            asked, budget = assemble(parts, window.stored, is_whole=window.is_whole)
            if larger is None or not budget.forgotten_messages or lasting(parts, window.stored)[1]:
                return parts, asked, budget
        except errors.ContextTooLarge:
            if larger is None:
                raise
        return larger, *assemble(larger, window.stored, is_whole=window.is_whole)

    def larger(self, parts: Parts) -> Parts | None:
        """The same for the larger model, if there is one that can be used and is larger."""
        name = parts.agent.larger_model
        if name is None or self.models.problem(name) is not None:
            return None
        tokens = self.models.context_tokens(name)
        if tokens <= parts.window_tokens:
            return None
        return replace(parts, model=name, window_tokens=tokens, is_larger_model=True)

    def most_tokens(self, agent: Agent, model: str) -> int:
        """What either of an agent's models can take in all."""
        known = (self.models.context_tokens(name) for name in (model, agent.larger_model) if name)
        return max(agent.window_tokens or 0, *known)

    def model_for(self, agent: Agent) -> str:
        """Refused here, before anything is stored, when it cannot be used."""
        name = agent.model or self.default_model
        if problem := self.models.problem(name):
            raise problem
        return name


async def _with_model(connection: Connection, principal: Principal, turn: Turn, model: str) -> Turn:
    """The turn with the model that it is answered by."""
    if model == turn.model:
        return turn
    await turns.set_model(connection, principal.user_id, turn.turn_id, model)
    return replace(turn, model=model)


async def _known_turn(
    connection: Connection, principal: Principal, session: Session, ask: Ask, replaced: Replaced
) -> Turn | None:
    """The turn that has this key; another one that is running is in the way."""
    found = await turns.find_turns(connection, principal.user_id, session.session_id, ask.key)
    known = next((turn for turn in found if ask.key is not None and turn.turn_key == ask.key), None)
    if known and ask.has_own_key and known.request_hash != ask.request_hash:
        raise errors.IdempotencyMismatch
    released = known if known and not replaced.is_done_by(known, ask) else None
    if released:
        await turns.release_key(connection, principal.user_id, released.turn_id)
        known = None
    is_joined = known is not None and known.state != "interrupted"  # then nothing begins, and nobody is in the way
    unfinished = [turn for turn in found if turn is not known and turn.state in ("running", "interrupted")]
    for turn in unfinished:
        if turn.state == "interrupted" and await turns.mark_interrupted(connection, principal.user_id, turn.turn_id):
            await user_events.tell_turn(connection, principal.user_id, turn, "interrupted")
        elif not is_joined and (turn.state == "running" or turn is not released):
            raise _in_the_way(turn)
    return known


def _in_the_way(turn: Turn) -> errors.TurnInProgress:
    """Whether its process is alive nobody knows before its lease is over."""
    return errors.TurnInProgress(
        "This session is still answering another message. Wait for it, or stop it. If that answer broke off because "
        f"its server died, another message is taken after {turns.LEASE_S} seconds at most.",
        turn_id=str(turn.turn_id),
    )


def new_turn(session: Session, ask: Ask, model: str, replaced: Replaced) -> Turn:
    """One that runs, as soon as somebody stores it."""
    asked_before = replaced.question if ask.message is None else None
    return Turn(
        turn_id=new_id(),
        session_id=session.session_id,
        agent_name=session.agent_name,
        turn_key=ask.key,
        request_hash=ask.request_hash,
        state="running",
        attempt=1,
        # Never the client's: it may use one twice.
        user_message_id=asked_before.message_id if asked_before else new_id(),
        reply_message_id=new_id(),
        model=model,
    )


async def _new_question(
    connection: Connection, principal: Principal, turn: Turn, ask: Ask, replaced: Replaced, *, tokens: int
) -> tuple[Message, int]:
    """Store the turn and what it answers, and its tokens: in the place of what is named there, or at the end."""
    await turns.insert_turn(
        connection,
        principal.user_id,
        turn,
        trigger=ask.trigger,
        client_message_id=ask.message_id if ask.message else None,
        supersedes_turn_id=replaced.question.turn_id if replaced.question else None,
    )
    if ask.trigger != "submit":
        await make_room(connection, principal, turn, replaced)
    if ask.message is None:
        return await ask_again(connection, principal, turn, replaced)
    question = ask.message.under(str(turn.user_message_id))
    await history_of(connection, principal, turn).append([question], tokens=[tokens])
    return question, tokens


async def _taken_over(connection: Connection, principal: Principal, dead: Turn, model: str) -> Turn:
    """Another attempt, from the state before the dead one: what that wrote into notes is reverted."""
    attempt = await turns.take_over(connection, principal.user_id, dead, model=model)
    if attempt is None:
        raise _in_the_way(dead)
    metrics.turns_taken_over.inc()
    await notebook.revert_attempt(connection, principal.user_id, dead.turn_id, dead.attempt)
    await forget_named.revert_attempt(connection, principal.user_id, dead.turn_id, dead.attempt)
    await events.delete_events(connection, principal.user_id, dead.turn_id)
    return replace(dead, state="running", attempt=attempt, model=model)


async def _stored_question(connection: Connection, principal: Principal, dead: Turn) -> tuple[Message, int]:
    """What was asked, and its tokens; unless the conversation has gone on since: an answer would come too late."""
    history = history_of(connection, principal, dead)
    stored = await history.of_turn(dead.turn_id, dead.user_message_id) if dead.user_message_id else []
    newest = await history.page(1)
    why = "the conversation has gone on since" if not stored or newest[-1].turn_id != dead.turn_id else ""
    if any(each.message.message_id == str(dead.reply_message_id) for each in stored):  # an import's
        why = "an answer is there"
    elif dead.attempt >= MAX_ATTEMPTS:
        why = "so was every attempt at it"
    if why:
        raise errors.ModelFailed(
            f"This answer was interrupted, and {why}. Send the message again.", turn_id=str(dead.turn_id)
        )
    [question, *_] = await images.put_images_back(connection, principal.user_id, dead.session_id, stored)
    return question.message, question.tokens or count_message(question.message)


def history_of(connection: Connection, principal: Principal, turn: Turn) -> ChatMessageHistory:
    """Where a turn's messages go, in a transaction that holds its session."""
    return ChatMessageHistory(
        connection,
        principal.user_id,
        turn.session_id,
        agent_name=turn.agent_name,
        turn_id=turn.turn_id,
        is_locked=True,
        quotes=turn.model == BUILTIN,
    )
