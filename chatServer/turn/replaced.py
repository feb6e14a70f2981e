"""Edit and regenerate: which question is meant, whether it was done before, and what makes room for the new answer."""

from dataclasses import replace

from chatServer import errors
from chatServer.conversation.tokens import count_message
from chatServer.memory.retire import retire_replaced
from chatServer.messages import Message, text_of
from chatServer.records import Principal, Session, Turn
from chatServer.records.quick import quick
from chatServer.store import images, superseded
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection
from chatServer.store.superseded import Question
from chatServer.turn.ask import Ask


@quick
class Replaced:
    """What an edit or a regeneration takes the place of; without a question there is none such, or no longer."""

    question: Question | None = None
    keeps_question: bool = False  # only its answer is replaced

    def keyed(self, ask: Ask) -> Ask:
        """The answer that is replaced is the key of a regeneration: the same one twice is one turn."""
        if not self.keeps_question or ask.has_own_key:
            return ask
        if self.question is None:
            name = superseded.uuid_of(ask.message_id) or ask.message_id
        else:
            name = self.question.reply_message_id or self.question.message_id
        return replace(ask, key=f"regenerate:{name}")

    def is_done_by(self, known: Turn, ask: Ask) -> bool:
        """Whether the turn that has the key is what is asked for. An edit may be made again on purpose: it is another
        one when the first has failed, has been replaced itself, or the conversation has gone on since."""
        if ask.trigger != "edit" or ask.has_own_key or known.state == "running" or self.question is None:
            return True
        return known.state != "failed" and known.turn_id == self.question.turn_id == self.question.newest_turn_id


async def find_replaced(connection: Connection, principal: Principal, session: Session, ask: Ask) -> Replaced:
    """What the client names: a message of the user by our id or by its own; of an answer that is to be given anew also
    by the answer's, or else the last one."""
    if ask.trigger == "submit":
        return Replaced()
    is_edit = ask.trigger == "edit"
    found = await superseded.find_question(
        connection, principal.user_id, session.session_id, name=ask.message_id, has_answers=not is_edit
    )
    if found and is_edit and not found.is_named:
        found = None
    return Replaced(found, keeps_question=not is_edit)


async def meant(connection: Connection, principal: Principal, session: Session, ask: Ask) -> Ask:
    """Who asks for an answer anew beside a message that never arrived means that one. It did if its id is here, or if
    the last one came without any and says the same."""
    if ask.otherwise is None:
        return ask
    user_id, session_id = principal.user_id, session.session_id
    name, message = ask.otherwise.message_id, ask.otherwise.message
    if await superseded.find_question(connection, user_id, session_id, name=name, has_answers=False):
        return ask
    if message is None:
        raise errors.InvalidRequest(ask.otherwise.refusal)
    last = await superseded.find_question(connection, user_id, session_id, name=None, has_answers=False)
    if last is None or last.client_message_id is not None:
        return ask.otherwise
    [said] = await ChatMessageHistory(connection, user_id, session_id).page(1, before=last.id + 1)
    has_same_text = text_of(said.message) == text_of(message)
    return ask if has_same_text and not message.images else ask.otherwise


async def make_room(connection: Connection, principal: Principal, turn: Turn, replaced: Replaced) -> None:
    """All that followed the question is superseded by the turn, and with an edit the question too; and unlearned."""
    if replaced.question is None:
        raise errors.MessageNotFound
    user_id, question, keeps_it = principal.user_id, replaced.question, replaced.keeps_question
    first = question.id + 1 if keeps_it else question.id
    await retire_replaced(connection, user_id, turn.session_id, first=first)
    await superseded.supersede(
        connection, user_id, turn.session_id, question, by=turn.turn_id, with_question=not keeps_it
    )


async def ask_again(
    connection: Connection, principal: Principal, turn: Turn, replaced: Replaced
) -> tuple[Message, int]:
    """The question becomes the turn's own; with its tokens."""
    assert replaced.question is not None  # nosec B101 # narrows a type
    user_id, question = principal.user_id, replaced.question
    await superseded.adopt_question(connection, user_id, question.message_id, turn.turn_id)
    history = ChatMessageHistory(connection, user_id, turn.session_id)
    found = await history.page(1, before=question.id + 1)
    [stored] = await images.put_images_back(connection, user_id, turn.session_id, found)
    return stored.message, stored.tokens or count_message(stored.message)
