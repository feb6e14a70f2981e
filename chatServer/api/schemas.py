"""The bodies of requests and answers."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import to_json

from chatServer import errors
from chatServer.api.fields import AgentName, Body
from chatServer.conversation import transcript
from chatServer.conversation.transcript import Transcript
from chatServer.messages import clean_text, text_of
from chatServer.protocols.fields import clean
from chatServer.records import Agent, Cursor, Hit, Page, Session
from chatServer.turn.result import Result


def _clean_title(value: Any) -> Any:
    return clean_text(value).strip() or None if isinstance(value, str) else value


Title = Annotated[Annotated[str, Field(max_length=200)] | None, BeforeValidator(_clean_title)]
SessionId = Annotated[
    str, Field(description="A UUID, or your own name for the session", max_length=128), BeforeValidator(clean)
]


class DevTokenRequest(Body):
    user: Annotated[
        str,
        Field(min_length=1, max_length=200, description="Any name; the same name is the same user"),
        BeforeValidator(clean),
    ]


class DevToken(BaseModel):
    access_token: str
    token_type: Literal["bearer"] = "bearer"  # noqa: S105
    expires_in: int
    user_id: str


class ResolveRequest(Body):
    agent_name: AgentName | None = None
    hint: SessionId | None = None


class CreateSessionRequest(Body):
    agent_name: AgentName | None = None
    session_id: SessionId | None = None
    title: Title = None
    memory: Literal["on", "off"] = "on"


class ChangeSessionRequest(Body):
    title: Title = None
    archived: bool = False
    memory: Literal["on", "off"] = "on"


class SessionAnswer(BaseModel):
    session_id: str
    agent_name: str
    external_id: str | None
    title: str | None
    memory: Literal["on", "off"]
    created_at: datetime
    last_active_at: datetime
    archived_at: datetime | None

    @classmethod
    def of(cls, session: Session) -> Self:
        return cls.model_validate(session, from_attributes=True)


class HitAnswer(BaseModel):
    message_id: str
    text: str = Field(description="The words around what was searched for, on one line")


class ListedSessionAnswer(SessionAnswer):
    hit: HitAnswer | None = Field(None, description="With ?q=: the newest message that has all its words, else any")

    @classmethod
    def of(cls, session: Session, hit: Hit | None = None) -> Self:
        return cls.model_validate({**asdict(session), "hit": hit and asdict(hit)})


class SessionsAnswer(BaseModel):
    sessions: list[ListedSessionAnswer]
    before: str | None = Field(description="Pass it as ?before= to get the next, older page")

    @classmethod
    def of(cls, page: Page) -> Self:
        before = _cursor_text(page.before) if page.before else None
        listed = [ListedSessionAnswer.of(each, page.hits.get(each.session_id)) for each in page.sessions]
        return cls(sessions=listed, before=before)


class UIMessageAnswer(BaseModel):
    """A message as the AI SDK's useChat holds it."""

    id: str
    role: Literal["user", "assistant", "system"]
    parts: list[dict[str, Any]]
    metadata: dict[str, Any]


class MessagesAnswer(BaseModel):
    messages: list[UIMessageAnswer]
    before: str | None = Field(description="Pass it as ?before= to get what was said before")
    after: str | None = Field(description="Pass it as ?after= to get what was said after; null: these are the newest")
    around: str | None = Field(description="With ?around=: under which id it is shown; of a step, that of its answer")

    @classmethod
    def of(cls, read: Transcript) -> Self:
        return cls.model_validate(asdict(read))


class ChatAnswer(BaseModel):
    session_id: str
    turn_id: str
    state: Literal["done", "stopped"]
    response: str = Field(description="The text of the answer")
    message: UIMessageAnswer
    usage: dict[str, Any]
    memory: dict[str, Any] = Field(description="What was recalled for it")

    @staticmethod
    def json_of(result: Result) -> bytes:
        """Written from what we have just made: to look through it as this model first, and to write that, took 20 us
        instead of 4 (2026-11-18)."""
        turn = result.turn
        spoken = [text_of(message) for message in result.messages if message.role == "assistant"]
        told = {
            "session_id": turn.session_id,
            "turn_id": str(turn.turn_id),
            "state": turn.state,
            "response": "\n\n".join(text for text in spoken if text),
            "message": transcript.answer_of(turn, result.messages),
            "usage": turn.usage or {},
            "memory": turn.recalled or {"items": [], "total_found": 0},
        }
        return to_json(told, inf_nan_mode="null")


class StopAnswer(BaseModel):
    turn_id: str


class AgentAnswer(BaseModel):
    name: str
    description: str
    model: str | None
    default: bool

    @classmethod
    def of(cls, agent: Agent, default: str) -> Self:
        return cls(name=agent.name, description=agent.description, model=agent.model, default=agent.name == default)


class AgentsAnswer(BaseModel):
    agents: list[AgentAnswer]


class Health(BaseModel):
    status: Literal["ok"] = "ok"
    version: str
    commit: str = Field(description="Of the code that runs; unknown where neither git nor the image says it")


class CheckAnswer(BaseModel):
    ok: bool
    detail: str = Field(description="A few words for a person")


class Ready(BaseModel):
    ready: bool
    checks: dict[str, CheckAnswer]


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = Field(examples=["about:blank"])
    title: str
    status: int
    detail: str = Field(description="A sentence for a person")
    code: str = Field(description="Stable; for programs", examples=["session_not_found"])
    request_id: str
    # What some codes tell beside that; there only with them.
    turn_id: str | SkipJsonSchema[None] = Field(None, description="The turn that is under way, or that failed")
    limit: str | int | SkipJsonSchema[None] = Field(None, description="Which limit was met, or how many there may be")
    limit_bytes: int | SkipJsonSchema[None] = Field(None, description="How large it may be")
    version: int | SkipJsonSchema[None] = Field(None, description="The version that there is now")
    agent_name: str | SkipJsonSchema[None] = Field(None, description="Whose session it is")
    known_agents: list[str] | SkipJsonSchema[None] = Field(None, description="The agents that there are")
    file: str | SkipJsonSchema[None] = Field(None, description="The name of the file that was not taken")


def _cursor_text(cursor: Cursor) -> str:
    return urlsafe_b64encode(f"{cursor.last_active_at.isoformat()} {cursor.session_id}".encode()).decode()


def parse_cursor(text: str) -> Cursor:
    """The cursor that an earlier page gave."""
    try:
        time, session_id = urlsafe_b64decode(text.encode()).decode().split(" ")
        last_active_at = datetime.fromisoformat(time)
    except ValueError as error:
        raise errors.InvalidRequest("The value of before is not one that an earlier page gave.") from error
    if last_active_at.tzinfo is None or "\0" in session_id:
        raise errors.InvalidRequest("The value of before is not one that an earlier page gave.")
    return Cursor(last_active_at, session_id)
