"""What a client wants answered, in the same shape whichever way it was asked."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Literal

from chatServer.conversation.sessions import SessionKey
from chatServer.messages import Message, text_of

Trigger = Literal["submit", "edit", "regenerate"]


@dataclass(frozen=True, slots=True)
class Ask:
    message: Message = field(hash=False)  # of the user; its id is the client's
    session: SessionKey | None = None  # None: the active one, or a new one
    agent_name: str | None = None  # None: the session's, or the default
    key: str | None = None  # the same key is the same turn; None: every request is a new one
    has_own_key: bool = False  # the client chose the key, and promises that it stands for one body
    trigger: Trigger = "submit"

    @property
    def request_hash(self) -> bytes | None:
        """By which another body under the same key is noticed."""
        if not self.has_own_key:
            return None
        said = [text_of(self.message), self.message.images or [], self.agent_name, self.trigger]
        return hashlib.sha256(json.dumps(said).encode()).digest()
