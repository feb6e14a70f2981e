"""Whether a request was made on this very machine."""

import re

from starlette.requests import Request

from chatServer.config import is_loopback

_LOCAL_HOST = re.compile(r"^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?\Z", re.I)
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


def is_local(request: Request) -> bool:
    """From loopback, to a loopback name (a page elsewhere may point its own name at us), and not through a proxy."""
    from_here = request.client is not None and is_loopback(request.client.host)
    asked_for_us = bool(_LOCAL_HOST.match(request.headers.get("host", "")))
    return from_here and asked_for_us and not any(name in request.headers for name in FORWARDED)
