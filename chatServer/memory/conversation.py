"""The memory of one conversation: its messages in order, in this process, without I/O."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from chatServer.errors import MessageError
from chatServer.messages import Message, encode_image_file, to_provider_dict

TWICE = "This message is in the memory already."


class MessageFields(TypedDict, total=False):
    """What a message can be made from, and what an update can change."""

    role: str
    content: Any
    name: str | None
    tool_calls: list[Any] | None
    agent_calls: list[Any] | None
    structured_data: dict[str, Any] | None
    images: list[str] | None
    tool_call_id: str | None


class BaseMemory(ABC):
    """The contract of every memory."""

    @abstractmethod
    def add(self, message: Message | None = None, **kwargs: Unpack[MessageFields]) -> str:
        """Add a message and return its id."""

    @abstractmethod
    def update(self, message_id: str, **kwargs: Unpack[MessageFields]) -> None:
        """Change fields of the message with this id."""

    @abstractmethod
    def retrieve_all(self) -> list[dict[str, Any]]:
        """Everything, oldest first, as dicts."""

    @abstractmethod
    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        """The n most recent, oldest first, as dicts."""

    @abstractmethod
    def reset_memory(self) -> None:
        """Forget everything but the system messages."""


class ConversationMemory(BaseMemory):
    """Linear history; images are encoded when they are retrieved, not when they are stored."""

    def __init__(
        self, description: str | None = None, *, encode_image: Callable[[str], str] = encode_image_file
    ) -> None:
        self._encode_image = encode_image
        self._messages: dict[str, Message] = {}
        self._known_ids: set[str] = set()  # stored elsewhere already: loaded, or the agent's description
        if description:
            self.load([Message(role="system", content=description)])

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages.values())

    def get(self, message_id: str) -> Message | None:
        return self._messages.get(message_id)

    def load(self, messages: Iterable[Message]) -> None:
        """Put messages in that are stored already."""
        stored = list(messages)
        by_id = {message.message_id: message for message in stored}
        if len(by_id) < len(stored) or not self._messages.keys().isdisjoint(by_id):
            raise MessageError(TWICE)
        self._messages |= by_id
        self._known_ids |= by_id.keys()

    def new_messages(self) -> tuple[Message, ...]:
        """What was added since loading, in order: what a turn has to store."""
        return tuple(message for key, message in self._messages.items() if key not in self._known_ids)

    def mark_stored(self) -> None:
        """Nothing is new any more."""
        self._known_ids.update(self._messages)

    def add(self, message: Message | None = None, **kwargs: Unpack[MessageFields]) -> str:
        """Add a message, or one made from the fields; the message takes precedence."""
        if message is None:
            if kwargs.get("role") is None:
                raise MessageError("A memory needs a message, or at least the role of one.")
            _refuse_unknown(kwargs)
            message = Message(**kwargs)
        if message.message_id in self._messages:
            raise MessageError(TWICE)
        self._messages[message.message_id] = message
        return message.message_id

    def update(self, message_id: str, **kwargs: Unpack[MessageFields]) -> None:
        """Change fields; the message stays as it was when any of them is wrong."""
        if message_id not in self._messages:
            raise MessageError("There is no message with this id to update.")
        _refuse_unknown(kwargs)
        if isinstance(kwargs.get("content"), list):
            kwargs.setdefault("images", None)  # the blocks bring their own images
        self._messages[message_id] = replace(self._messages[message_id], **kwargs)

    def retrieve_all(self) -> list[dict[str, Any]]:
        return self._dicts(self.messages)

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        return self._dicts(_last(self.messages, n))

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        """Messages of a role, oldest first; with n only the most recent of them."""
        found = tuple(message for message in self.messages if message.role == role)
        return self._dicts(found if n is None else _last(found, n))

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        message = self._messages.get(message_id)
        return None if message is None else self._message_to_dict(message)

    def remove_by_id(self, message_id: str) -> bool:
        """Whether there was such a message."""
        return self._messages.pop(message_id, None) is not None

    def reset_memory(self) -> None:
        self._messages = {key: message for key, message in self._messages.items() if message.role == "system"}

    def _message_to_dict(self, message: Message) -> dict[str, Any]:
        return to_provider_dict(message, self._encode_image)

    def _dicts(self, messages: Iterable[Message]) -> list[dict[str, Any]]:
        return [self._message_to_dict(message) for message in messages]


def _last(messages: tuple[Message, ...], n: int) -> tuple[Message, ...]:
    return messages[-n:] if n > 0 else ()


def _refuse_unknown(kwargs: MessageFields) -> None:
    unknown = kwargs.keys() - MessageFields.__annotations__.keys()
    if unknown:
        raise MessageError(f"A message has no field {', '.join(sorted(unknown))} to set.")
