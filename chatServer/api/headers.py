"""What every answer tells the browser: take nothing from elsewhere, guess nothing, keep nothing."""

from collections.abc import Sequence

from chatServer.api.request_id import HEADER

Header = tuple[bytes, bytes]

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
}
OVER_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}
JSON_TYPES = (b"application/json", b"application/problem+json")
_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in ALWAYS.items()]
_OVER_HTTPS = [*_ALWAYS, *((name.lower().encode(), value.encode()) for name, value in OVER_HTTPS.items())]

# For pages elsewhere that CORS_ORIGINS names. Tokens travel in Authorization, so no cookies are allowed.
CORS_REQUEST_HEADERS = (
    "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID", "X-Request-Id",
    "apikey", "X-Client-Info", "X-Supabase-Api-Version",  # what supabase-js sends to /auth/v1
    "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id",  # what clients of MCP send
)  # fmt: skip
CORS_ANSWER_HEADERS = (
    "ETag", "Retry-After", "X-Request-Id",
    "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests",
    "x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens",
    "X-Supabase-Api-Version",  # without it supabase-js finds no code in the issuer's errors
)  # fmt: skip
CORS_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def completed(given: Sequence[Header], request_id: str, scheme: str) -> list[Header]:
    """The headers of an answer, with what it does not say itself and the id of its request."""
    told = dict(given)
    added = [each for each in (_OVER_HTTPS if scheme == "https" else _ALWAYS) if each[0] not in told]
    if told.get(b"content-type", b"").partition(b";")[0] in JSON_TYPES and b"cache-control" not in told:
        added.append((b"cache-control", b"no-store"))  # people's conversations; tokens
    kept = [each for each in given if each[0] != HEADER]
    return [*kept, *added, (HEADER, request_id.encode())]
