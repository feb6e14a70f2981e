"""Whether a request was made on this very machine."""

import re

from starlette.requests import Request

from chatServer.config import is_loopback

_LOCAL_HOST = re.compile(r"^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?\Z", re.I)
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")


def is_local(request: Request) -> bool:
    """From loopback, to a loopback name (a page elsewhere may point its own name at us), and not through a proxy.

    A proxy on this machine that adds no header of its own cannot be told from a local client.
    """
    from_here = request.client is not None and is_loopback(request.client.host)
    hosts = request.headers.getlist("host")
    asked_for_us = len(hosts) == 1 and bool(_LOCAL_HOST.match(hosts[0]))
    origin = request.headers.get("origin", "http://localhost").partition("://")[2]
    from_our_page = bool(_LOCAL_HOST.match(origin))
    return from_here and asked_for_us and from_our_page and not any(name in request.headers for name in FORWARDED)
