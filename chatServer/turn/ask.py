"""What a client wants answered, in the same shape whichever way it was asked."""

import hashlib
import json
from dataclasses import field
from typing import Any, Literal

from chatServer.conversation.sessions import SessionKey
from chatServer.messages import Message, text_of
from chatServer.records.quick import quick

Way = Literal["submit", "edit", "regenerate"]


@quick
class Ask:
    message: Message | None = field(hash=False)  # of the user; None: what he said before is answered anew
    session: SessionKey | None = None  # None: the active one, or a new one
    agent_name: str | None = None  # None: the session's, or the default
    key: str | None = None  # the same key is the same turn; None: every request is a new one
    has_own_key: bool = False  # the client chose the key, and promises that it stands for one body
    trigger: Way = "submit"
    message_id: str | None = None  # what the client calls the message, or the one that is edited or answered anew
    otherwise: "Ask | None" = None  # of an answer anew that names none: the message beside it, if that never arrived
    refusal: str = ""  # why that message, which then is None, cannot be taken

    @property
    def request_hash(self) -> bytes | None:
        """By which another body under the same key is noticed."""
        if not self.has_own_key:
            return None
        if self.otherwise:  # one request, whichever it was taken for the first time
            return self.otherwise.request_hash
        replaced = [] if self.trigger == "submit" else [self.message_id]
        return _digest([*self._said, self.agent_name, self.trigger, *replaced])

    @property
    def content_hash(self) -> str:
        """By which another edit of the same message is noticed."""
        return _digest(self._said).hex()[:32]

    @property
    def _said(self) -> list[Any]:
        return [text_of(self.message), self.message.images or []] if self.message else []


def _digest(said: list[Any]) -> bytes:
    return hashlib.sha256(json.dumps(said).encode()).digest()
