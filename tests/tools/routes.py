"""Every route that an app answers, whether its description names it or not, and which of them want no token."""

import re
import uuid
from collections.abc import Iterable, Iterator

import httpx
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute

from chatServer.api import web_page
from chatServer.config import Settings
from chatServer.main import create_app

PUBLIC = {
    "/healthz", "/readyz", "/metrics", "/api/dev/token", "/auth/v1/{path:path}",
    "/openapi.json", "/docs", "/docs/start.js", "/docs/{name}", "/api/client",
    *web_page.PAGES, "/assets/{name}", "/icon.svg", "/theme.js",
}  # fmt: skip

ENDLESS = {"/api/events"}  # what a client has to leave by itself
STRANGERS = ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic YTpi"}, {"Authorization": ""})


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """Method and template; those of mounted apps too. An app that does not tell its routes is its own."""
    return sorted(set(_walk(app.routes, "")))


def _walk(routes: Iterable[BaseRoute], prefix: str) -> Iterator[tuple[str, str]]:
    for found in iter_route_contexts(list(routes)):
        path = prefix + (found.path or "")
        below = getattr(found.route, "routes", None)
        if below:
            yield from _walk(below, path)
        elif hasattr(found.route, "routes"):  # mounted: what is in it is its own affair, not whether it asks
            yield from ((method, f"{path}/") for method in ("GET", "POST"))
        else:
            yield from ((method, path) for method in found.methods or ("WEBSOCKET",))


async def open_doors(client: httpx.AsyncClient, routes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The routes that answer a stranger with anything but the 401 that all share."""
    return [(method, path) for method, path in routes if not await _asks_who(client, method, path)]


async def _asks_who(client: httpx.AsyncClient, method: str, path: str) -> bool:
    url = re.sub(r"\{[^}]+\}", str(uuid.uuid4()), path)
    answers = [await client.request(method, url, json={}, headers=headers) for headers in STRANGERS]
    return all(
        answer.status_code == 401
        and answer.headers["www-authenticate"] == "Bearer"
        and (method == "HEAD" or answer.json()["code"] == "unauthenticated")
        for answer in answers
    )


def layers_of(app):
    layer = app.middleware_stack
    while layer is not None:
        yield layer
        layer = getattr(layer, "app", None)


def all_routes() -> list[tuple[str, str]]:
    return routes_of(create_app(Settings(_env_file=None)))
