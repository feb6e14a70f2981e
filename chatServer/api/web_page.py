"""The web client, as `make web` has built it: one page at each of its addresses, and the files that it loads."""

import re
from pathlib import Path
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from chatServer import errors
from chatServer.api.client import sign_in_origin
from chatServer.api.deps import CurrentState
from chatServer.api.state import State
from chatServer.config import Settings

router = APIRouter(include_in_schema=False)

METHODS = ["GET", "HEAD"]
# What the page itself makes of its address: webApp/src/shell/pages.ts. Anything else stays a 404, of which it says so
# to a person; programs read a problem.
PAGES = ("/", "/memory", "/notes", "/graph", "/knowledge", "/usage", "/account")
PROGRAMS = ("/api/", "/auth/", "/assets/")
TYPES = {
    ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}  # fmt: skip
ASK_AGAIN = {"Cache-Control": "no-cache"}
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}  # their names say what is in them
_ASSET = re.compile(r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}\Z")
NOT_BUILT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chatServer</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>chatServer is running</h1>
<p>Its web client is not built, or its build has failed. It takes Node 20.19 or newer (<code>node --version</code>): run
<code>make web</code> where this server's code is, do what its last lines say, then load this page again.</p>
<p>The API works without it: <a href="/docs">its description</a>.</p>
</body>
</html>
"""


def policy(settings: Settings) -> str:
    """What the page may load and whom it may talk to: us, and where people sign in."""
    origin = sign_in_origin(settings)
    connect = f"'self' {origin}" if origin else "'self'"
    return (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src {connect}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


async def page(state: CurrentState) -> Response:
    return _page(state.settings, 200)


def not_found(request: Request) -> Response | None:
    """The same page, which says that there is none at its address; None for whoever is no person with a browser."""
    is_read = request.method in METHODS and not request.url.path.startswith(PROGRAMS)
    if not is_read or "text/html" not in request.headers.get("accept", ""):
        return None
    response = _page(cast(State, request.state.chat).settings, errors.NotFound.status)
    response.headers["Vary"] = "Accept"
    return response


def _page(settings: Settings, status: int) -> Response:
    index = settings.web_dir / "index.html"
    if not index.is_file():
        headers = ASK_AGAIN | {"Content-Security-Policy": "default-src 'none'; img-src data:"}
        return HTMLResponse(NOT_BUILT, status, headers)
    headers = ASK_AGAIN | {"Content-Security-Policy": policy(settings)}
    return FileResponse(index, status, headers, media_type="text/html")


for path in PAGES:
    router.add_api_route(path, page, methods=METHODS)


@router.api_route("/assets/{name}", methods=METHODS)
async def asset(name: str, request: Request, state: CurrentState) -> Response:
    """One of the built files; hashed names, so that they never change."""
    if not _ASSET.match(name) or Path(name).suffix not in TYPES:
        raise errors.NotFound("There is nothing at this address.")
    return _file(request, state.settings.web_dir / "assets" / name, TYPES[Path(name).suffix], FOR_GOOD)


@router.api_route("/icon.svg", methods=METHODS)
async def icon(request: Request, state: CurrentState) -> Response:
    return _file(request, state.settings.web_dir / "icon.svg", TYPES[".svg"], ASK_AGAIN)


@router.api_route("/theme.js", methods=METHODS)
async def theme(request: Request, state: CurrentState) -> Response:
    return _file(request, state.settings.web_dir / "theme.js", TYPES[".js"], ASK_AGAIN)


def _file(request: Request, file: Path, media_type: str, headers: dict[str, str]) -> Response:
    """The file, or what the build has made of it with gzip for whoever can read that."""
    packed = file.with_name(f"{file.name}.gz")
    if "gzip" in request.headers.get("accept-encoding", "") and packed.is_file():
        headers = headers | {"Content-Encoding": "gzip"}
        file = packed
    elif not file.is_file():
        raise errors.NotFound("There is nothing at this address.")
    return FileResponse(file, media_type=media_type, headers=headers | {"Vary": "Accept-Encoding"})
