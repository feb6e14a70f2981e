"""Is it alive?"""

from fastapi import APIRouter

from chatServer import __version__
from chatServer.api.schemas import Health

router = APIRouter(tags=["operations"])


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(version=__version__)
