"""What is remembered about you: look through it, correct it, take things back."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response, status

from chatServer import errors
from chatServer.api.deps import CurrentState, CurrentUser, MessageInPath
from chatServer.api.memory_reports import AuditAnswer
from chatServer.api.memory_schemas import (
    ChangeMemoryRequest,
    CreateMemoryRequest,
    MemoriesAnswer,
    MemoryAnswer,
    Name,
    WholeMemoryAnswer,
    triple_of,
)
from chatServer.api.problems import A_BODY, documented
from chatServer.conversation import sessions
from chatServer.conversation.sessions import SessionKey
from chatServer.memory import audit as audits
from chatServer.memory import edit as edits
from chatServer.memory import graph
from chatServer.memory.browse import browse, search, show
from chatServer.memory.edit import Edit
from chatServer.memory.forget import forget, pass_over
from chatServer.memory.recall.reworded import in_a_search
from chatServer.protocols.fields import Moment, Text
from chatServer.protocols.graph import GraphAnswer
from chatServer.records import EVERY_AGENT, Category, Kind, MemoryFilter, Tier, Trust

router = APIRouter(prefix="/api/memories", tags=["memories"], responses=documented(401, 403, 503))

MAX_SEQ = 2**63 - 1
NOT_BOTH = "Ask for what held at a time, or for all that ever did."
REMOVABLE: tuple[edits.Removable, ...] = ("valid_to", "expires_at", "triple")


async def wanted(
    *,
    state: CurrentState,
    user: CurrentUser,
    kind: Kind | None = None,
    category: Category | None = None,
    tier: Tier | None = None,
    trust: Trust | None = None,
    tag: Annotated[Text | None, Query(max_length=64)] = None,
    agent_name: Annotated[Text | None, Query(max_length=64, description="* for what every agent recalls")] = None,
    session_id: Annotated[Text | None, Query(max_length=128)] = None,
    as_of: Annotated[Moment | None, Query(description="What held then")] = None,
    superseded: Annotated[bool, Query(description="Also what no longer holds")] = False,
    q: Annotated[Text | None, Query(max_length=500, description="Words, or a phrase")] = None,
) -> MemoryFilter:
    """Which memories somebody asks for."""
    if as_of and superseded:
        raise errors.InvalidRequest(NOT_BOTH)
    session = await sessions.get(state.database, user, SessionKey.parse(session_id)) if session_id else None
    return MemoryFilter(
        kind=kind,
        category=category,
        tier=tier,
        trust=trust,
        tag=tag,
        agent_name=None if agent_name == EVERY_AGENT else agent_name,
        shelves=(EVERY_AGENT,) if agent_name == EVERY_AGENT else None,
        session_id=session.session_id if session else None,
        phrase=q.strip() or None if q else None,
        at=as_of,
        ever=superseded,
    )


@router.get("", responses=documented(404, 422, 429))
async def find(
    wanted: Annotated[MemoryFilter, Depends(wanted)],
    state: CurrentState,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[int | None, Query(ge=0, le=MAX_SEQ)] = None,
) -> MemoriesAnswer:
    """Your memories, the last changed first; with `q` one page, what bears most on it first."""
    if wanted.phrase and before is None:
        ranked = await state.recaller.rank_memories(user, in_a_search(wanted.phrase))
        best = await search(state.database, user, wanted, ranked, limit=limit)
        return MemoriesAnswer(memories=[MemoryAnswer.of(each) for each in best], before=None)
    found, older = await browse(state.database, user, wanted, limit=limit, before=before)
    return MemoriesAnswer(memories=[MemoryAnswer.of(each) for each in found], before=older)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": MemoryAnswer, "description": "It was there"}, **documented(404, *A_BODY)},
)
async def create(body: CreateMemoryRequest, state: CurrentState, user: CurrentUser, response: Response) -> MemoryAnswer:
    """A memory of your own making; what is remembered already is not kept twice (200)."""
    if body.agent_name != EVERY_AGENT:
        state.agents.get(body.agent_name)
    memory, is_new = await edits.create(
        state.database,
        user,
        Edit(
            text=body.text,
            kind=body.kind,
            category=body.category,
            importance=body.importance,
            tags=body.tags,
            expires_at=body.expires_at,
            triple=triple_of(body.triple),
        ),
        shelf=body.agent_name,
        agent_name=body.agent_name,
    )
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return MemoryAnswer.of(memory)


@router.get("/graph", responses=documented(422, 429))
async def read_graph(
    state: CurrentState,
    user: CurrentUser,
    *,
    entity: Annotated[Name | None, Query(max_length=500)] = None,
    as_of: Annotated[Moment | None, Query(description="What held then")] = None,
    superseded: Annotated[bool, Query(description="Also what no longer holds")] = False,
    depth: Annotated[int, Query(ge=1, le=graph.MAX_HOPS)] = 1,
) -> GraphAnswer:
    """The facts around an entity, or all."""
    if as_of and superseded:
        raise errors.InvalidRequest(NOT_BOTH)
    found = await graph.graph(state.database, user, entity=entity, hops=depth, at=as_of, ever=superseded)
    return GraphAnswer.of(found)


@router.get("/audit", responses=documented(422, 429))
async def audit(state: CurrentState, user: CurrentUser, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> AuditAnswer:
    """What deserves a look: duplicates, never recalled, untrusted, contradicted, hidden, forgotten."""
    return AuditAnswer.of(await audits.audit(state.database, user, limit=limit))


@router.get("/{memory_id}", responses=documented(404, 422, 429))
async def get(memory_id: UUID, state: CurrentState, user: CurrentUser) -> WholeMemoryAnswer:
    """One memory, with what was done to it."""
    return WholeMemoryAnswer.with_changes(*await show(state.database, user, memory_id))


@router.patch("/{memory_id}", responses=documented(404, *A_BODY))
async def change(memory_id: UUID, body: ChangeMemoryRequest, state: CurrentState, user: CurrentUser) -> MemoryAnswer:
    """Correct it; from then on it is your word."""
    given = body.model_fields_set
    nothing = given - {name for name in given if getattr(body, name) is not None}
    if not given or nothing - set(REMOVABLE):
        raise errors.InvalidRequest("Say what to change, and what to; null takes away valid_to, expires_at or triple.")
    change = Edit(
        text=body.text,
        kind=body.kind,
        category=body.category,
        importance=body.importance,
        tags=body.tags,
        tier=body.tier,
        valid_to=body.valid_to,
        expires_at=body.expires_at,
        triple=triple_of(body.triple),
        without=frozenset(name for name in REMOVABLE if name in nothing),
    )
    return MemoryAnswer.of(await edits.edit(state.database, user, memory_id, change))


@router.delete(
    "/{memory_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def delete(memory_id: UUID, state: CurrentState, user: CurrentUser) -> None:
    """Forget it, and let recall pass over the messages that said it."""
    await forget.forget(state.database, user, memory_id)


@router.post(
    "/{memory_id}/undo",
    response_model=MemoryAnswer,
    responses={204: {"description": "It is gone: that it was made was taken back"}, **documented(404, 422)},
)
async def undo(
    memory_id: UUID, state: CurrentState, user: CurrentUser, of: Literal["deletion"] | None = None
) -> MemoryAnswer | Response:
    """Take back what was last done to it, also that it was deleted; with `of` nothing but that, so that it can be asked
    for twice."""
    memory = await forget.undo(state.database, user, memory_id, only_deletion=of is not None)
    return Response(status_code=status.HTTP_204_NO_CONTENT) if memory is None else MemoryAnswer.of(memory)


@router.delete(
    "/messages/{message_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def delete_message(message_id: MessageInPath, state: CurrentState, user: CurrentUser) -> None:
    """Let recall pass over what was said there; it stays in its session."""
    await pass_over.pass_over(state.database, user, message_id)


@router.post(
    "/messages/{message_id}/undo",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def undo_message(message_id: MessageInPath, state: CurrentState, user: CurrentUser) -> None:
    """Let recall show it again."""
    await pass_over.show_again(state.database, user, message_id)
