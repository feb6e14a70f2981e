"""Is it alive, can it work, and how does it do?"""

import hmac

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from chatServer import __version__, errors, metrics
from chatServer.api.auth import bearer_of
from chatServer.api.deps import CurrentState
from chatServer.api.local import is_local
from chatServer.api.problems import documented
from chatServer.api.schemas import CheckAnswer, Health, Ready
from chatServer.api.state import State

router = APIRouter(tags=["operations"])


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def healthz(state: CurrentState) -> Health:
    """The process answers."""
    return Health(version=__version__, commit=state.commit)


@router.get("/readyz", responses={503: {"model": Ready, "description": "Not now; the checks say why"}})
async def readyz(state: CurrentState, response: Response) -> Ready:
    """It can do its work: send it requests. 503 says not to, and why."""
    checks = await state.readiness.checks()
    answer = {name: CheckAnswer(ok=check.ok, detail=check.detail) for name, check in checks.items()}
    ends = state.shutdown.has_begun
    answer["shutting_down"] = CheckAnswer(ok=not ends, detail="takes nothing new" if ends else "no")
    is_ready = not ends and all(check.ok or check.works_in_part for check in checks.values())
    response.status_code = 200 if is_ready else 503
    return Ready(ready=is_ready, checks=answer)


@router.get(
    "/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **documented(401, 403)}
)
async def prometheus(request: Request, state: CurrentState) -> Response:
    """Numbers for Prometheus: with METRICS_TOKEN as bearer token, or, where none is set, from this machine only."""
    _allow(request, state)
    pool = state.database.usage()
    metrics.pool_size.set(pool.size)
    metrics.pool_free.set(pool.free)
    metrics.pool_waiting.set(pool.waiting)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _allow(request: Request, state: State) -> None:
    token = state.settings.metrics_token
    if token is None:
        if not is_local(request):
            raise errors.Forbidden("Metrics are for this machine only, unless METRICS_TOKEN is set.")
        return
    given = bearer_of(request.scope) or ""
    if not hmac.compare_digest(given.encode(), token.get_secret_value().encode()):
        raise errors.Unauthenticated("This needs the token of METRICS_TOKEN.")
