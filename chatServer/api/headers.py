"""What every answer tells the browser: take nothing from elsewhere, guess nothing, keep nothing."""

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from chatServer.api.edge import Edge

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
}
OVER_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}
JSON_TYPES = ("application/json", "application/problem+json")

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


class SecurityHeaders(Edge):
    """Adds what an answer does not say itself."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        added = ALWAYS | OVER_HTTPS if scope["scheme"] == "https" else ALWAYS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
                if headers.get("content-type", "").partition(";")[0] in JSON_TYPES:
                    headers.setdefault("Cache-Control", "no-store")  # people's conversations; tokens
            await send(message)

        await self.app(scope, receive, send_with_headers)
