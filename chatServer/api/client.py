"""What a page has to know before anybody has signed in: where that is done. Nothing in it is a secret."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from chatServer import __version__
from chatServer.api.deps import CurrentState
from chatServer.config import Settings

router = APIRouter(prefix="/api/client", tags=["identity"])

ANY_KEY = "any-key"  # supabase-js wants one; where the issuer is behind us, no gateway asks for it


class SupabaseAnswer(BaseModel):
    url: str | None  # None: the origin of the page
    key: str


class ClientAnswer(BaseModel):
    sign_in: Literal["dev", "supabase", "token"]
    supabase: SupabaseAnswer | None
    version: str


@router.get("")
async def client(state: CurrentState) -> ClientAnswer:
    """How people sign in here: by any name, at Supabase, or elsewhere."""
    return described(state.settings)


def described(settings: Settings) -> ClientAnswer:
    """What the settings say of it, secrets aside."""
    supabase = _supabase(settings)
    if settings.auth_mode == "dev":
        return ClientAnswer(sign_in="dev", supabase=None, version=__version__)
    return ClientAnswer(sign_in="supabase" if supabase else "token", supabase=supabase, version=__version__)


def _supabase(settings: Settings) -> SupabaseAnswer | None:
    if settings.auth_mode == "dev":
        return None
    key = settings.supabase_publishable_key
    if settings.auth_internal_url is not None:
        return SupabaseAnswer(url=None, key=key or ANY_KEY)
    if settings.supabase_url is not None and key is not None:
        return SupabaseAnswer(url=settings.supabase_url.rstrip("/"), key=key)
    return None


def sign_in_origin(settings: Settings) -> str | None:
    """The one other origin that our page may talk to: where it signs in, unless that is behind us."""
    found = _supabase(settings)
    return "/".join(found.url.split("/")[:3]) if found is not None and found.url is not None else None
