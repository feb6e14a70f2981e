"""A tab that listens to GET /api/events, or to a turn, as a client of ours does: what it hears, in frames."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx

WITHIN_S = 20


class Frame(NamedTuple):
    id: str
    event: str
    data: Any


@dataclass
class Tab:
    """What one stream has said so far."""

    frames: list[Frame] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    has_ended: bool = False  # well, with its last chunk

    @property
    def events(self) -> list[Frame]:
        """But for the greeting."""
        return [frame for frame in self.frames if frame.event != "hello"]

    @property
    def cursor(self) -> str:
        return self.frames[-1].id

    async def until(self, is_true: Callable[["Tab"], object], within_s: float = WITHIN_S) -> None:
        deadline = time.monotonic() + within_s
        while not is_true(self):
            assert time.monotonic() < deadline, f"it never came; heard: {self.frames[-5:]} {self.comments[-1:]}"
            await asyncio.sleep(0.01)

    async def listen(self, lines: AsyncIterator[str]) -> None:
        said: dict[str, str] = {}
        async for line in lines:
            name, _, value = line.partition(": ")
            if line.startswith(":"):
                self.comments.append(line)
            elif line:
                said[name] = value
            elif said:
                self.frames.append(Frame(said["id"], said["event"], json.loads(said["data"])))
                said = {}
        self.has_ended = True


@contextlib.asynccontextmanager
async def hearing(
    client: httpx.AsyncClient, headers: dict[str, str], last_seen: str | None = None
) -> AsyncIterator[Tab]:
    """Listen until the block ends; the stream is open, and has greeted, when it begins."""
    resumed = {} if last_seen is None else {"Last-Event-ID": last_seen}
    tab = Tab()
    async with client.stream("GET", "/api/events", headers=headers | resumed, timeout=60) as answer:
        assert answer.status_code == 200, answer.status_code
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store, no-transform"
        listening = asyncio.create_task(tab.listen(answer.aiter_lines()))
        try:
            await tab.until(lambda heard: heard.frames)
            yield tab
        finally:
            listening.cancel()
            await asyncio.wait({listening})
