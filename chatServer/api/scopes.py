"""Where a personal token may be used: at the routes of its scopes, and at no other, whichever are added."""

from chatServer import errors
from chatServer.records import Principal, Scope

# By what a route's template begins with; the longest counts. What is not here wants the user himself.
SCOPES: dict[str, tuple[Scope, ...]] = {
    "/api/chat": ("chat",),
    "/api/sessions": ("chat",),
    "/api/events": ("chat",),
    "/api/context": ("chat",),
    "/api/usage": ("chat",),
    "/api/agents": ("chat",),
    "/api/agents/{name}/notes": ("chat", "memory"),
    "/api/memories": ("memory",),
    "/api/knowledge": ("memory",),
    "/mcp": ("memory",),
}


def check_scope(principal: Principal, route: str) -> None:
    """Refuse a personal token where it is not meant to be used; who has signed in may do everything of his own."""
    if principal.scopes is None:
        return
    wanted = scopes_of(route)
    if not wanted:
        raise errors.Forbidden("A personal token cannot do this. Sign in.")
    if not principal.scopes & set(wanted):
        raise errors.Forbidden(f"This token is not for this. It needs the scope {' or '.join(wanted)}.")


def scopes_of(route: str) -> tuple[Scope, ...]:
    """The scopes of which one is enough; none: no token is."""
    found = [prefix for prefix in SCOPES if route == prefix or route.startswith(f"{prefix}/")]
    return SCOPES[max(found, key=len)] if found else ()
