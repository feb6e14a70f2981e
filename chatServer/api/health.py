"""Is it alive?"""

from fastapi import APIRouter

from chatServer import __version__
from chatServer.api.schemas import Health

router = APIRouter(tags=["operations"])


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(version=__version__)
