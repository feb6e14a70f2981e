"""What a document may hold, row by row: whatever the tables would refuse is refused here, with a sentence."""

from datetime import UTC, date, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from chatServer.account.fields import Big, Count, Json, Long, Moment, Name, Row, SessionId, Share, Short, Tokens, Tries
from chatServer.account.message_items import MessageRow
from chatServer.conversation.tokens import count_text
from chatServer.knowledge.kinds import clean_name
from chatServer.records import Actor, ArticleState, Category, Kind, Operation, Origin, Tier, Trust, TurnState
from chatServer.records.moments import can_be_written
from chatServer.store import memory_json

NOT_READ = "It was not read yet when it was exported. Upload it again."

RevisionState = Literal["none", "queued", "running", "done", "failed"]


class SessionRow(Row):
    session_id: SessionId
    agent_name: Name
    external_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,128}$")] | None
    title: Annotated[str, Field(max_length=1_000)] | None
    memory: Literal["on", "off"]
    created_at: Moment
    last_active_at: Moment
    archived_at: Moment | None


class ActiveRow(Row):
    agent_name: Name
    active_session_id: SessionId
    last_active_at: Moment
    created_at: Moment


class TurnRow(Row):
    turn_id: UUID
    session_id: SessionId
    agent_name: Name
    turn_key: Annotated[str, Field(max_length=600)] | None
    trigger: Literal["submit", "edit", "regenerate"]
    request_hash: Annotated[str, Field(pattern=r"^([0-9a-f]{2}){0,128}$")] | None
    state: TurnState
    attempt: Tries
    user_message_id: UUID | None
    reply_message_id: UUID | None
    supersedes_turn_id: UUID | None
    client_message_id: Annotated[str, Field(max_length=1_000)] | None
    partial_text: Long | None
    error_code: Short | None
    model: Short | None
    usage: Json
    recalled: Json
    revision_state: RevisionState
    revision: Json
    started_at: Moment
    finished_at: Moment | None

    @field_validator("state")
    @classmethod
    def _nothing_runs_here(cls, state: TurnState) -> TurnState:
        return "interrupted" if state == "running" else state

    @field_validator("recalled")
    @classmethod
    def _can_be_read(cls, recalled: Json) -> Json:
        """As `store/recalled.py` does it: objects, and beside sessions also lines that stand for some."""
        if recalled is not None:
            lines, sessions = recalled.get("items"), recalled.get("sessions", [])
            kinds = (dict, str) if "sessions" in recalled else dict
            if not (_is_list_of(lines, kinds) and _is_list_of(sessions, str)):
                raise ValueError("what was recalled for a turn is an object with a list of items")
        return recalled

    @field_validator("revision")
    @classmethod
    def _is_asked_what_was_learned(cls, revision: Json) -> Json:
        if not isinstance((revision or {}).get("remembered") or {}, dict):
            raise ValueError("what was remembered of a turn is an object")
        return revision

    @field_validator("started_at")
    @classmethod
    def _nothing_begins_later(cls, started_at: datetime) -> datetime:
        """What comes after it would wait for it."""
        return min(started_at, datetime.now(UTC))

    @field_validator("revision_state")
    @classmethod
    def _nothing_waits_here(cls, state: RevisionState) -> RevisionState:
        """Jobs do not come along: what has not been revised by now never is."""
        return state if state == "done" else "none"


def _is_list_of(value: object, kinds: type | tuple[type, ...]) -> bool:
    return isinstance(value, list) and all(isinstance(each, kinds) for each in value)


def _fits(text: str, info: ValidationInfo) -> str:
    if len(text.encode()) > 65_536:
        raise ValueError(f"{info.field_name}: 65,536 bytes at most")
    return text


class SummaryRow(Row):
    session_id: SessionId
    summary: Long  # as MEMORY_COMPRESSION_TARGET_TOKENS may make it
    messages: Count = 0
    tokens: Count
    model: Short | None
    updated_at: Moment
    covers_to: UUID | None

    @model_validator(mode="after")
    def _is_counted_here(self) -> Self:
        self.tokens = count_text(self.summary)
        return self


class NotesRow(Row):
    id: UUID
    agent_name: Name
    notes: str
    version: Count
    created_at: Moment
    updated_at: Moment

    _size = field_validator("notes")(_fits)


class VersionRow(Row):
    page_id: UUID
    agent_name: Name
    version: Count
    notes: str
    operation: Short
    actor: Literal["user", "agent", "system"]
    reason: Annotated[str, Field(max_length=10_000)] | None
    turn_id: UUID | None
    attempt: Count | None
    untrusted_turn: bool
    created_at: Moment

    _size = field_validator("notes")(_fits)


class MemoryRow(Row):
    memory_id: UUID
    seq: Big
    shelf: Name
    agent_name: Name
    session_id: Name | None
    kind: Kind
    category: Category
    text: Annotated[str, Field(min_length=1)]
    importance: Share
    tags: Annotated[list[Short], Field(max_length=100)]
    tier: Tier
    subject: Annotated[str, Field(max_length=8_192)] | None
    predicate: Annotated[str, Field(max_length=8_192)] | None
    object: Annotated[str, Field(max_length=8_192)] | None
    fact_key: Annotated[str, Field(max_length=400)] | None
    valid_from: Moment
    valid_to: Moment | None
    superseded_by: UUID | None
    origin: Origin
    trust: Trust
    source_ids: Annotated[list[UUID], Field(max_length=100)]
    turn_id: UUID | None
    attempt: Count | None
    recalls: Count
    recalled_at: Moment | None
    expires_at: Moment | None
    created_at: Moment
    updated_at: Moment

    @model_validator(mode="after")
    def _is_a_memory(self) -> Self:
        if len(self.text.encode()) > 8_192:
            raise ValueError("a memory has 8,192 bytes at most")
        if sum(each is not None for each in (self.subject, self.predicate, self.object)) not in (0, 3):
            raise ValueError("a triple has three parts")
        if self.kind == "procedure" and self.trust == "untrusted":
            self.kind = "episode"  # whoever wrote the document: what comes from outside is no rule to go by
        return self


class ChangeRow(Row):
    seq: Big
    memory_id: UUID
    operation: Operation
    actor: Actor
    reason: Annotated[str, Field(max_length=10_000)] | None
    message_id: UUID | None
    turn_id: UUID | None
    attempt: Count | None
    before: Json
    hidden: Annotated[list[UUID], Field(max_length=20_000)]
    undone: bool
    created_at: Moment

    @field_validator("before")
    @classmethod
    def _can_be_put_back(cls, before: Json) -> Json:
        """What undo would put back has to be a memory that the tables take."""
        if before is not None:
            try:
                memory = memory_json.loaded(before)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise ValueError("what was before a change is no memory") from error
            triple = memory.triple
            parts = [triple.subject, triple.predicate, triple.object] if triple else [None] * 3
            named = {name: before[name] for name in MemoryRow.model_fields if name in before}
            row = MemoryRow.model_validate(named | dict(zip(("subject", "predicate", "object"), parts, strict=True)))
            if any(getattr(memory, name) != getattr(row, name) for name in memory_json.TIMES):
                raise ValueError("a time before a change is not written as an export writes it")
            return before | {
                "kind": row.kind,
                "importance": row.importance,
                "recalls": row.recalls,
                "attempt": row.attempt,
            }
        return before


class ArticleRow(Row):
    article_id: UUID
    name: Annotated[str, Field(min_length=1, max_length=255), AfterValidator(clean_name)]
    title: Annotated[str, Field(max_length=300)]
    media_type: Short
    size_bytes: Count
    content_hash: Short
    version: Count
    state: ArticleState
    error_code: Short | None
    error: Annotated[str, Field(max_length=1_000)] | None
    pages: Count | None
    tokens: Count  # both are counted here
    chunks: Count
    created_at: Moment
    updated_at: Moment

    @model_validator(mode="after")
    def _nothing_is_read_here(self) -> Self:
        """Files do not come along: what was not read by then has to be uploaded again. Text of an upload before it
        answers all the same."""
        if self.state in ("waiting", "reading"):
            self.state, self.error_code, self.error = "failed", "not_read", NOT_READ
        return self


class ChunkRow(Row):
    article_id: UUID
    content_hash: Short
    title: Annotated[str, Field(max_length=300)]
    position: Count
    page: Count | None
    heading: Annotated[str, Field(max_length=300)]
    text: Annotated[str, Field(max_length=20_000)]
    tokens: Count

    @model_validator(mode="after")
    def _is_counted_here(self) -> Self:
        self.tokens = count_text(self.text)
        return self


class UsageRow(Row):
    day: Annotated[date, AfterValidator(can_be_written)]
    agent_name: Name
    model: Short
    turns: Count
    input_tokens: Tokens
    output_tokens: Tokens
    revision_tokens: Tokens = 0


ROWS: dict[str, type[Row]] = {
    "sessions": SessionRow,
    "active_sessions": ActiveRow,
    "turns": TurnRow,
    "messages": MessageRow,
    "summaries": SummaryRow,
    "notes": NotesRow,
    "notes_versions": VersionRow,
    "memories": MemoryRow,
    "memory_changes": ChangeRow,
    "articles": ArticleRow,
    "article_chunks": ChunkRow,
    "usage": UsageRow,
}
