"""The notes that an agent keeps about you: read them, correct them, see and restore what they were."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from pydantic import BaseModel, Field

from chatServer import errors
from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.fields import Body
from chatServer.api.problems import A_BODY, documented
from chatServer.memory.notes import notebook
from chatServer.protocols.fields import Text
from chatServer.records import Agent, Notes, NotesVersion

router = APIRouter(prefix="/api/agents/{name}/notes", tags=["notes"], responses=documented(401, 404, 422, 503))

MAX_VERSION = 2**31 - 1
# W/ is what a proxy that compresses makes of an ETag; a version is exact all the same.
_ETAG = re.compile(r'(?:W/)?"?(\d{1,10})"?', re.ASCII)


class NotesRequest(Body):
    notes: Annotated[Text, Field(description="Markdown, at most 65,536 bytes in UTF-8")]


class NotesAnswer(BaseModel):
    agent_name: str
    notes: str
    version: int = Field(description="Also in the header ETag; 0 for a page that nobody has written on yet")
    updated_at: datetime | None

    @classmethod
    def of(cls, page: Notes) -> Self:
        return cls.model_validate(page, from_attributes=True)


class VersionAnswer(BaseModel):
    version: int
    operation: str
    actor: Literal["user", "agent", "system"]
    reason: str | None
    turn_id: UUID | None
    untrusted_turn: bool = Field(description="The agent had read text from outside in the turn in which it wrote this")
    created_at: datetime
    size_bytes: int

    @classmethod
    def of(cls, version: NotesVersion) -> Self:
        return cls.model_validate(version, from_attributes=True)


class WholeVersionAnswer(VersionAnswer):
    notes: str


class VersionsAnswer(BaseModel):
    versions: list[VersionAnswer]
    before: int | None = Field(description="Pass it as ?before= to get the next, older page")


async def agent_in_path(_: CurrentUser, state: CurrentState, name: Annotated[str, Path(max_length=64)]) -> Agent:
    """Looked up after the token."""
    return state.agents.get(name)


async def version_to_change(
    _: CurrentUser,
    if_match: Annotated[str | None, Header(description="The ETag of what you have read", max_length=100)] = None,
) -> int | None:
    """The version that the caller has read; None when it is none that a page of ours can have."""
    if if_match is None or if_match.strip() in ("", "*"):
        raise errors.PreconditionRequired("Send the header If-Match with the ETag of the notes that you have read.")
    found = _ETAG.fullmatch(if_match.strip())
    return int(found[1]) if found else None


AgentInPath = Annotated[Agent, Depends(agent_in_path)]
VersionToChange = Annotated[int | None, Depends(version_to_change)]
VersionInPath = Annotated[int, Path(ge=0, le=MAX_VERSION)]


@router.get("", responses=documented(429))
async def read(agent: AgentInPath, state: CurrentState, user: CurrentUser, response: Response) -> NotesAnswer:
    """The page, with its version as ETag."""
    return _answer(await notebook.read(state.database, user, agent.name), response)


@router.put("", responses=documented(412, 428, *A_BODY))
async def write(
    *,
    agent: AgentInPath,
    if_version: VersionToChange,
    body: NotesRequest,
    state: CurrentState,
    user: CurrentUser,
    response: Response,
) -> NotesAnswer:
    """Replace the page, if nobody has changed it since you read it."""
    page = await notebook.overwrite(state.database, user, agent.name, body.notes, if_version=if_version)
    return _answer(page, response)


@router.get("/versions", responses=documented(429))
async def versions(
    agent: AgentInPath,
    state: CurrentState,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=200)] = 30,
    before: Annotated[int | None, Query(ge=0, le=MAX_VERSION)] = None,
) -> VersionsAnswer:
    """What the page was, the newest version first, without the texts."""
    found, older = await notebook.versions(state.database, user, agent.name, limit=limit, before=before)
    return VersionsAnswer(versions=[VersionAnswer.of(each) for each in found], before=older)


@router.get("/versions/{version}", responses=documented(429))
async def version(
    agent: AgentInPath, version: VersionInPath, state: CurrentState, user: CurrentUser
) -> WholeVersionAnswer:
    """One version, with its text."""
    return WholeVersionAnswer.of(await notebook.version(state.database, user, agent.name, version))


@router.post("/versions/{version}/restore", responses=documented(412, 428))
async def restore(
    *,
    agent: AgentInPath,
    version: VersionInPath,
    if_version: VersionToChange,
    state: CurrentState,
    user: CurrentUser,
    response: Response,
) -> NotesAnswer:
    """Make the page what it was, as a new version."""
    page = await notebook.restore(state.database, user, agent.name, version, if_version=if_version)
    return _answer(page, response)


def _answer(page: Notes, response: Response) -> NotesAnswer:
    response.headers["ETag"] = f'"{page.version}"'
    return NotesAnswer.of(page)
