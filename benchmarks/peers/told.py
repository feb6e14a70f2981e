"""What every peer is told, and where its database is; without LangChain, which the floor does not know."""

import os

from pydantic import BaseModel

REPLY = os.environ.get("PEER_REPLY", "word")
URL = os.environ["PEER_DATABASE_URL"]
POOL_SIZE = 10  # as many connections as our own server has


class ChatRequest(BaseModel):
    session_id: str
    message: str


class FillRequest(BaseModel):
    """So many messages for each of these sessions, whose texts come round again and again."""

    session_ids: list[str]
    texts: list[str]
    messages: int


class RememberRequest(BaseModel):
    user_id: str
    text: str


class RecallRequest(BaseModel):
    user_id: str
    question: str
    limit: int = 10


class SaidMessage(BaseModel):
    id: str
    role: str
    content: str


class TellRequest(BaseModel):
    """What was said to and by one user, in its order."""

    user_id: str
    messages: list[SaidMessage]
