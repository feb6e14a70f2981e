"""Clients that ask again when they have their answer, in a process of their own: their work is not the server's."""

import asyncio
import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.pool import Pool

import numpy as np

from benchmarks import apart
from benchmarks.wire import Answer, Wire

REFUSED_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks, and where: each has a session of its own."""

    address: str
    path: str
    session_id: str
    headers: dict[str, str] = field(hash=False)

    def is_answered(self, answer: Answer, reply: str) -> bool:
        if answer.status != 200:
            return False
        return b"[DONE]" in answer.body[-40:] if self.streams else answer.json()["response"] == reply

    @property
    def streams(self) -> bool:
        return self.path == "/stream" or "Accept" in self.headers


@dataclass(slots=True)
class Heard:
    """What came back."""

    took_ms: list[float] = field(default_factory=list)
    refused: int = 0
    other: Counter[str] = field(default_factory=Counter)
    took_s: float = 0.0

    @property
    def per_s(self) -> float:
        return len(self.took_ms) / self.took_s

    def p(self, percent: float) -> float:
        return float(np.percentile(self.took_ms, percent)) if self.took_ms else 0.0


@contextlib.contextmanager
def client_process() -> Iterator[Pool]:
    with apart.processes(1) as pool:
        yield pool


def drive(
    pool: Pool,
    clients: Sequence[Client],
    texts: Sequence[str],
    reply: str,
    seconds: float,
    *,
    at_once: int | None = None,
) -> Heard:
    """So many at once, for so long, all clients by default: each who is answered makes room for the next at his place,
    where all have their turn before one has another. Each place is answered at least once. Wrong answers are errors."""
    places = len(clients) if at_once is None else at_once
    if places > len(clients):
        raise ValueError(f"{len(clients)} cannot ask at {places} places")
    heard: Heard = pool.apply(_drive, (clients, texts, reply, seconds, places))
    if heard.other:
        raise RuntimeError(f"{clients[0].address} answered {dict(heard.other)}")
    return heard


def _drive(clients: Sequence[Client], texts: Sequence[str], reply: str, seconds: float, places: int) -> Heard:
    return asyncio.run(_ask_all(clients, texts, reply, seconds, places))


async def _ask_all(clients: Sequence[Client], texts: Sequence[str], reply: str, seconds: float, places: int) -> Heard:
    heard = Heard()
    async with contextlib.AsyncExitStack() as stack:
        wires = {}
        for address in {client.address for client in clients}:
            wires[address] = await stack.enter_async_context(Wire(address))
        began = time.perf_counter()

        async def ask(number: int, those: Sequence[Client]) -> None:
            for client in itertools.cycle(those):
                body = {"message": texts[number % len(texts)], "session_id": client.session_id}
                number += places
                if not await _asked(wires[client.address], client, body, reply, heard):
                    await asyncio.sleep(REFUSED_PAUSE_S)
                if time.perf_counter() - began >= seconds:
                    return

        await asyncio.gather(*(ask(number, clients[number::places]) for number in range(places)))
        heard.took_s = time.perf_counter() - began
    return heard


async def _asked(wire: Wire, client: Client, body: dict[str, str], reply: str, heard: Heard) -> bool:
    """Whether there was an answer; a refusal is none."""
    began = time.perf_counter()
    try:
        answer = await wire.post(client.path, body, client.headers)
    except (OSError, EOFError, TimeoutError) as error:
        heard.other[type(error).__name__] += 1
        return False
    if client.is_answered(answer, reply):
        heard.took_ms.append((time.perf_counter() - began) * 1_000)
        return True
    if answer.status == 503:
        heard.refused += 1
    else:
        heard.other[f"{answer.status} {answer.body[:200]!r}"] += 1
    return False
