"""The user as the sign-in service knows him; his data are ours, he himself is not."""

import logging

import httpx

from chatServer.config import Settings
from chatServer.records import Principal

GONE = (200, 204, 404)  # or was before

logger = logging.getLogger(__name__)


async def delete_sign_in(settings: Settings, http: httpx.AsyncClient, user: Principal) -> str | None:
    """Delete the user at Supabase, by its admin API; or say why he stays there. One request: that needs no client
    library of theirs."""
    if settings.auth_mode == "dev":
        return "With AUTH_MODE=dev there are no sign-ins to delete: a name is enough to be somebody."
    if settings.supabase_secret_key is None:
        return "This server may not delete sign-ins: SUPABASE_SECRET_KEY is not set. Whoever operates it can."
    key = settings.supabase_secret_key.get_secret_value()
    base = (settings.auth_internal_url or settings.issuer).rstrip("/")
    try:
        answer = await http.delete(
            f"{base}/admin/users/{user.user_id}", headers={"apikey": key, "Authorization": f"Bearer {key}"}
        )
    except httpx.HTTPError as error:
        logger.warning("the sign-in service did not delete a user: %s", type(error).__name__)
        return "The sign-in service does not answer right now. Delete the account once more in a moment."
    if answer.status_code not in GONE:
        logger.warning("the sign-in service did not delete a user: %d", answer.status_code)
        return (
            f"The sign-in service refused, with status {answer.status_code}. Whoever operates the server can see why."
        )
    return None
