"""What nobody expected: a 500 with the request's id, and a log line without anybody's text."""

import io
import logging
from collections.abc import Iterator

import httpx
import pytest

from chatServer import logs
from chatServer.main import create_app
from tests.conftest import serving_app

SECRET = "the text of a failing row"


@pytest.fixture
async def client(settings):
    app = create_app(settings)

    @app.get("/boom")
    async def boom() -> None:
        raise RuntimeError(SECRET)

    async with serving_app(app) as opened:
        yield opened


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the server would write."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logs.JsonLines())
    logger = logging.getLogger("chatServer.api.last_resort")
    logger.addHandler(handler)
    yield handler.stream
    logger.removeHandler(handler)


async def test_an_unexpected_error_is_a_problem_with_the_requests_id(client: httpx.AsyncClient, log: io.StringIO):
    answer = await client.get("/boom", headers={"X-Request-Id": "night-shift-1"})
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == "night-shift-1"
    assert answer.json()["code"] == "internal_error"
    assert SECRET not in answer.text
    written = log.getvalue()
    assert SECRET not in written
    assert "night-shift-1" in written
    assert "RuntimeError" in written
    assert "in boom" in written, "where it happened is said"
