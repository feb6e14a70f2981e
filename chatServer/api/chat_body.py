"""The three bodies of POST /api/chat, read into one Ask."""

import re
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from chatServer import errors
from chatServer.api.fields import AgentName, Bounded
from chatServer.api.schemas import SessionId
from chatServer.conversation.sessions import SessionKey
from chatServer.messages import Message, checked_image, clean_text, from_ui_message
from chatServer.protocols.fields import Text
from chatServer.turn.ask import Ask

MAX_IMAGES = 10
MAX_CHARACTERS = 1_000_000
MAX_PARTS = 100
MAX_KEY_LENGTH = 255
MAX_ID_LENGTH = 200
NAME = re.compile(r"^[a-zA-Z_]{1,40}\Z")


def _last_of_user(messages: Any) -> Any:
    """The one that counts: the rest, which grows with the conversation, is not even looked at."""
    if not isinstance(messages, list):
        return messages
    return next(([each] for each in reversed(messages) if isinstance(each, dict) and each.get("role") == "user"), [])


class ChatRequest(Bounded):
    """`{message: "text", session_id?, agent_id?, images?}`; or what useChat sends: `{id, messages}`, `{id, message}`.

    useChat edits with `messageId`, which then is the message's own id, and answers anew with `trigger`. A plain body
    refuses fields that it does not know; useChat's may hold whatever its page adds."""

    model_config = ConfigDict(extra="allow")

    message: Text | dict[str, Any] | None = Field(None, description="A text, or a UIMessage of role user")
    messages: Annotated[list[Any], BeforeValidator(_last_of_user)] | None = Field(
        None, description="UIMessages; the last of role user counts, the rest is ours"
    )
    id: SessionId | None = Field(None, description="The session, as useChat names it")
    session_id: SessionId | None = None
    agent_id: AgentName | None = None
    agent_name: AgentName | None = Field(None, description="The same as agent_id")
    images: list[Text] = Field([], max_length=MAX_IMAGES, description="data: URIs")
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: Annotated[Text | None, Field(alias="messageId", max_length=MAX_ID_LENGTH)] = None

    @model_validator(mode="after")
    def is_one_of_the_three(self) -> Self:
        if (self.message is None) == (self.messages is None) and not self._is_regenerate:
            raise ValueError(f"Send either message or messages{self._not_known()}")
        if self.is_plain and (self.model_extra or self.id is not None):
            known = "A plain body has message, session_id, agent_id and images, and nothing else"
            raise ValueError(f"{known}{self._not_known()}")
        if not self.is_plain and self.images:
            raise ValueError("The images of a UIMessage are its file parts")
        if None not in (self.agent_id, self.agent_name) and self.agent_id != self.agent_name:
            raise ValueError("agent_id and agent_name are one thing: send one of them")
        if None not in (self.id, self.session_id) and self.id != self.session_id:
            raise ValueError("id and session_id are one thing: send one of them")
        return self

    @property
    def is_plain(self) -> bool:
        return isinstance(self.message, str)

    def _not_known(self) -> str:
        """The first field that may be a slip of the pen; what does not look like a name is not repeated."""
        unknown = next((name for name in self.model_extra or () if NAME.match(name)), None)
        if unknown is None and self.is_plain and self.id is not None:
            return "; its session is session_id, not id"
        return f"; there is no field {unknown}" if unknown else ""

    def ask(self, own_key: str | None) -> Ask:
        """What is to be answered; `own_key` is the header Idempotency-Key."""
        if self.is_plain and (self._is_regenerate or self.message_id is not None):
            raise errors.InvalidRequest("A plain body has no ids: send UIMessages to edit or to answer anew.")
        if self.message_id is not None and not _can_be_kept(self.message_id, MAX_ID_LENGTH):
            raise errors.InvalidRequest(f"A messageId has 1 to {MAX_ID_LENGTH} printable characters.")
        session_id = self.id if self.session_id is None else self.session_id
        message = None if self._is_regenerate else self._message()
        ask = Ask(
            message=message,
            session=SessionKey.parse(session_id) if session_id is not None else None,
            agent_name=self.agent_id or self.agent_name,
            trigger="regenerate" if message is None else "submit" if self.message_id is None else "edit",
            message_id=self._name(message),
        )
        otherwise = self._beside(ask)
        keyed = _keyed(ask, own_key)
        return replace(keyed, otherwise=_keyed(otherwise, own_key)) if otherwise else keyed

    @property
    def _is_regenerate(self) -> bool:
        return self.trigger == "regenerate-message"

    def _name(self, message: Message | None) -> str | None:
        """What the client calls the message; one that it edits comes under the id that it has."""
        if message is None:
            return self.message_id
        name = message.message_id if not self.is_plain and self._has_id() else None
        if self.message_id not in (None, name or self.message_id):
            raise errors.InvalidRequest("The messageId of an edit has to be the id of the message that comes with it.")
        return self.message_id or name

    def _beside(self, ask: Ask) -> Ask | None:
        """The last question of whoever wants an answer anew and names none, as useChat's `regenerate()` does after a
        message was refused. What of it cannot be read matters only where it never arrived: a page may show a picture
        by an address."""
        if not self._is_regenerate or self.message_id is not None or not (self.message or self.messages):
            return None
        if not self._has_id():
            return None
        name = self._ui_message()["id"]
        try:
            return replace(ask, message=self._message(), trigger="submit", message_id=name)
        except errors.InvalidRequest as error:
            if not (isinstance(name, str) and _can_be_kept(name, MAX_ID_LENGTH)):
                raise
            return replace(ask, trigger="submit", message_id=name, refusal=error.detail)

    def _has_id(self) -> bool:
        return bool(self._ui_message().get("id"))

    def _message(self) -> Message:
        parts = [] if self.is_plain else self._ui_message().get("parts")
        if isinstance(parts, list) and len(parts) > MAX_PARTS:
            raise errors.InvalidRequest(f"A message may have {MAX_PARTS} parts at most.")
        try:
            message = (
                Message(role="user", content=self.message, images=self.images)
                if isinstance(self.message, str)
                else from_ui_message(self._ui_message())
            )
            for image in message.images or []:
                checked_image(image)
        except errors.MessageError as error:
            raise errors.InvalidRequest(str(error)) from error
        if len(str(message.content or "")) > MAX_CHARACTERS:
            raise errors.InvalidRequest(f"A message may have {MAX_CHARACTERS:,} characters at most.")
        if not message.images and not str(message.content or "").strip():
            raise errors.InvalidRequest("The message is empty.")
        if len(message.images or []) > MAX_IMAGES:
            raise errors.InvalidRequest(f"A message may have {MAX_IMAGES} images at most.")
        if not _can_be_kept(message.message_id, MAX_ID_LENGTH):
            raise errors.InvalidRequest(f"The id of a message has 1 to {MAX_ID_LENGTH} printable characters.")
        return message

    def _ui_message(self) -> dict[str, Any]:
        if isinstance(self.message, dict):
            return self.message
        if not self.messages:
            raise errors.InvalidRequest("There is no message of role user to answer.")
        found: dict[str, Any] = self.messages[-1]
        return found


def _keyed(ask: Ask, own_key: str | None) -> Ask:
    if own_key is not None:
        return replace(ask, key=f"own:{checked_key(own_key)}", has_own_key=True)  # never one that we derive
    key = _key_of(ask)
    return ask if key is None else replace(ask, key=key)


def _key_of(ask: Ask) -> str | None:
    """What makes it safe to repeat, where the client names no key; that of a regeneration depends on what there is."""
    match ask.trigger:
        case "submit" if ask.message_id is not None:
            return f"submit:{ask.message_id}"
        case "edit":
            return f"edit:{ask.message_id}:{ask.content_hash}"
    return None


def checked_key(key: str) -> str:
    """An Idempotency-Key that can be kept."""
    if not _can_be_kept(key, MAX_KEY_LENGTH):
        raise errors.InvalidRequest(f"An Idempotency-Key has 1 to {MAX_KEY_LENGTH} printable characters.")
    return key


def _can_be_kept(text: str, max_length: int) -> bool:
    return 0 < len(text) <= max_length and text.isprintable() and clean_text(text) == text
