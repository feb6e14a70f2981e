"""The three bodies of POST /api/chat, read into one Ask."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from chatServer import errors
from chatServer.api.schemas import AgentName, SessionId, Text
from chatServer.conversation.sessions import SessionKey
from chatServer.messages import Message, checked_image, clean_text, from_ui_message
from chatServer.turn.ask import Ask

MAX_IMAGES = 10
MAX_KEY_LENGTH = 255
MAX_ID_LENGTH = 200


class ChatRequest(BaseModel):
    """`{message: "text", session_id?, agent_id?, images?}`; or what useChat sends: `{id, messages}`, `{id, message}`.

    A plain body refuses fields that it does not know; useChat's may hold whatever its page adds."""

    model_config = ConfigDict(extra="allow")

    message: Text | dict[str, Any] | None = Field(None, description="A text, or a UIMessage of role user")
    messages: list[Any] | None = Field(None, description="UIMessages; the last of role user counts, the rest is ours")
    id: SessionId | None = Field(None, description="The session, as useChat names it")
    session_id: SessionId | None = None
    agent_id: AgentName | None = None
    agent_name: AgentName | None = Field(None, description="The same as agent_id")
    images: Annotated[list[Text], Field(max_length=MAX_IMAGES, description="data: URIs")] = []
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: Annotated[Text | None, Field(alias="messageId", max_length=MAX_ID_LENGTH)] = None

    @model_validator(mode="after")
    def is_one_of_the_three(self) -> Self:
        if (self.message is None) == (self.messages is None):
            raise ValueError("Send either message or messages")
        if self.is_plain and (self.model_extra or self.id is not None):
            raise ValueError("A plain body has message, session_id, agent_id and images, and nothing else")
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

    def ask(self, own_key: str | None) -> Ask:
        """What is to be answered; `own_key` is the header Idempotency-Key."""
        if self.trigger != "submit-message" or self.message_id is not None:
            raise errors.InvalidRequest("Messages cannot be edited or answered anew yet: send another one.")
        session_id = self.id if self.session_id is None else self.session_id
        message = self._message()
        return Ask(
            message=message,
            session=SessionKey.parse(session_id) if session_id is not None else None,
            agent_name=self.agent_id or self.agent_name,
            key=checked_key(own_key) if own_key is not None else self._key(message),
            has_own_key=own_key is not None,
        )

    def _key(self, message: Message) -> str | None:
        return None if self.is_plain or not self._has_id() else f"submit:{message.message_id}"

    def _has_id(self) -> bool:
        return bool(self._ui_message().get("id"))

    def _message(self) -> Message:
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
        if not message.images and not str(message.content or "").strip():
            raise errors.InvalidRequest("The message is empty.")
        if len(message.images or []) > MAX_IMAGES:
            raise errors.InvalidRequest(f"A message may have {MAX_IMAGES} images at most.")
        if len(message.message_id) > MAX_ID_LENGTH or clean_text(message.message_id) != message.message_id:
            raise errors.InvalidRequest(f"The id of a message has at most {MAX_ID_LENGTH} characters, and no NUL.")
        return message

    def _ui_message(self) -> dict[str, Any]:
        if isinstance(self.message, dict):
            return self.message
        said = [each for each in self.messages or [] if isinstance(each, dict) and each.get("role") == "user"]
        if not said:
            raise errors.InvalidRequest("There is no message of role user to answer.")
        return said[-1]


def checked_key(key: str) -> str:
    """An Idempotency-Key that can be kept."""
    if not 0 < len(key) <= MAX_KEY_LENGTH or not key.isprintable() or clean_text(key) != key:
        raise errors.InvalidRequest(f"An Idempotency-Key has 1 to {MAX_KEY_LENGTH} printable characters.")
    return key
