"""Before the model: one transaction in which the session is locked, the turn found or begun, the question stored,
and everything read that the prompt needs."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from chatServer import errors, metrics
from chatServer.agent.catalog import Catalog
from chatServer.agent.models import Models
from chatServer.agent.tools import Tool
from chatServer.conversation import sessions
from chatServer.conversation.assemble import assemble
from chatServer.conversation.tokens import count_question
from chatServer.conversation.window import WindowMemory
from chatServer.memory import notebook
from chatServer.messages import Message
from chatServer.records import Agent, ModelInput, Principal, Session, Turn, new_id
from chatServer.store import events, images, turns
from chatServer.store.context import Context, ask_context
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from chatServer.turn.ask import Ask
from chatServer.turn.prompt import parts_of, tools_for


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that is ours to run, and what its prompt is made of."""

    principal: Principal
    session: Session
    agent: Agent
    turn: Turn
    window: WindowMemory = field(hash=False)  # what was said, and what this turn adds to it
    asked: ModelInput = field(hash=False)
    tools: tuple[Tool, ...] = field(hash=False)
    first_seq: int = 1  # a later attempt goes on counting, so that whoever resumes misses nothing


@dataclass(frozen=True, slots=True)
class Beginning:
    """What it takes to begin turns."""

    database: Database
    agents: Catalog
    models: Models
    default_model: str

    async def begin(self, principal: Principal, ask: Ask) -> Begun | Turn:
        """A turn to run; or the one that this key has begun before, to be joined or replayed."""
        if ask.agent_name is not None:
            self.agents.get(ask.agent_name)
        tokens = await count_question(ask.message)
        async with self.database.transaction(principal) as connection:
            session = await sessions.enter(
                connection,
                principal,
                agent_name=ask.agent_name,
                default_agent=self.agents.default,
                key=ask.session,
            )
            agent = self.agents.get(session.agent_name)
            # These travel with the question for the turn. What they read is the same before it begins and after.
            context = await ask_context(connection, principal.user_id, agent.name, session.session_id)
            history = ChatMessageHistory(connection, principal.user_id, session.session_id)
            await history.ask_ahead(limit=agent.window_messages, message_id=_uuid_or_none(ask.message.message_id))
            known = await _known_turn(connection, principal, session, ask)
            if known is not None and known.state != "interrupted":
                return known
            model = self._model_for(agent)
            window = WindowMemory(k=agent.window_messages)
            if known is None:
                turn, first_seq = _new_turn(session, ask, model, await _free_id(history, ask.message.message_id)), 1
                await turns.insert_turn(connection, principal.user_id, turn, trigger=ask.trigger)
                question = replace(ask.message, message_id=str(turn.user_message_id))
                await history_of(connection, principal, turn).append([question], tokens=[tokens])
            else:
                turn, first_seq = await _taken_over(connection, principal, known, model)
                question = await _stored_question(connection, principal, turn)
                # Except for the notes, when a dead attempt's are taken back.
                context = await ask_context(connection, principal.user_id, agent.name, session.session_id)
            before = await context.fetchone() or Context()
            await window.load(history, after=before.covers_to)
            window.conversation.load([question])
            # Within the transaction, though it needs no database: a question that does not fit leaves nothing behind.
            parts = parts_of(agent, session, before, question=question, tokens=tokens, model=model, models=self.models)
            asked, _ = assemble(parts, window.stored)
        return Begun(principal, session, agent, turn, window, asked, tools_for(agent, session), first_seq)

    def _model_for(self, agent: Agent) -> str:
        """Refused here, before anything is stored, when it cannot be used."""
        name = agent.model or self.default_model
        if problem := self.models.problem(name):
            raise problem
        return name


async def _known_turn(connection: Connection, principal: Principal, session: Session, ask: Ask) -> Turn | None:
    """The turn that has this key; another one that is running is in the way."""
    found = await turns.find_turns(connection, principal.user_id, session.session_id, ask.key)
    known = next((turn for turn in found if ask.key is not None and turn.turn_key == ask.key), None)
    if known and ask.has_own_key and known.request_hash != ask.request_hash:
        raise errors.IdempotencyMismatch
    for turn in found:
        if turn is not known and turn.state == "running":
            if known is None or known.state == "interrupted":
                raise errors.TurnInProgress(str(turn.turn_id))
        elif turn is not known:
            await turns.mark_interrupted(connection, principal.user_id, turn.turn_id)
    return known


def _new_turn(session: Session, ask: Ask, model: str, question_id: UUID) -> Turn:
    return Turn(
        turn_id=new_id(),
        session_id=session.session_id,
        agent_name=session.agent_name,
        turn_key=ask.key,
        request_hash=ask.request_hash,
        state="running",
        attempt=1,
        user_message_id=question_id,
        reply_message_id=new_id(),
        model=model,
    )


async def _free_id(history: ChatMessageHistory, wanted: str) -> UUID:
    """The client's own id for its message where that is a UUID and free; many are neither."""
    wanted_id = _uuid_or_none(wanted)
    return new_id() if wanted_id is None or await history.has(wanted_id) else wanted_id


def _uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def _taken_over(connection: Connection, principal: Principal, dead: Turn, model: str) -> tuple[Turn, int]:
    """Another attempt, from the state before the dead one: what that wrote into notes is reverted."""
    attempt = await turns.take_over(connection, principal.user_id, dead, model=model)
    if attempt is None:
        raise errors.TurnInProgress(str(dead.turn_id))
    metrics.turns_taken_over.inc()
    await notebook.revert_attempt(connection, principal.user_id, dead.turn_id, dead.attempt)
    last_seq = await events.last_seq(connection, principal.user_id, dead.turn_id)
    await events.delete_events(connection, principal.user_id, dead.turn_id)
    return replace(dead, state="running", attempt=attempt, model=model), last_seq + 1


async def _stored_question(connection: Connection, principal: Principal, turn: Turn) -> Message:
    assert turn.user_message_id is not None  # nosec B101 # narrows a type
    history = history_of(connection, principal, turn)
    stored = await history.of_turn(turn.turn_id, turn.user_message_id)
    stored = await images.put_images_back(connection, principal.user_id, turn.session_id, stored)
    return stored[0].message


def history_of(connection: Connection, principal: Principal, turn: Turn) -> ChatMessageHistory:
    """Where a turn's messages go, in a transaction that holds its session."""
    return ChatMessageHistory(
        connection,
        principal.user_id,
        turn.session_id,
        agent_name=turn.agent_name,
        turn_id=turn.turn_id,
        is_locked=True,
    )
