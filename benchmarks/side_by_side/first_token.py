"""B: what a stack adds to the model's own time to its first token, one at a time; the model here takes none."""

import contextlib
import json
import time
from collections import defaultdict
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np

from benchmarks.side_by_side import told
from benchmarks.side_by_side.load import Client
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, short
from benchmarks.side_by_side.turn_scene import FLOOR, OFF_STREAM, SAVER, STREAM, fill_ours, fill_peer, session_ids
from benchmarks.side_by_side.turn_slices import drain, standing_still
from benchmarks.side_by_side.world import REPLY, World

MESSAGES = 100  # in the session before
SLICE = 25  # sessions, each asked once: what was said before stays about as long
BESIDE = "ours, stream, worker beside"  # on what was just asked, where a person would still be reading the answer
AS_STREAM = {"Accept": "text/event-stream"}
PEERS = {FLOOR: "floor", SAVER: "saver"}
WORD = REPLY.split(" ", maxsplit=1)[0].encode()


def run(world: World) -> Outcome:
    rounds = 2 if world.is_quick else 8
    first_ms: dict[str, list[float]] = defaultdict(list)
    whole_ms: dict[str, list[float]] = defaultdict(list)
    with contextlib.ExitStack() as stack:
        database = world.database("first_ours", is_ours=True)
        starting = {
            name: stack.enter_context(world.starting_peer(module, world.database(f"first_{module}")))
            for name, module in PEERS.items()
            if world.has(module)
        }
        fill_ours(world, database, {MESSAGES: SLICE})
        ours = stack.enter_context(world.ours(database))
        clients = {}
        for name, kind in ((STREAM, "ours"), (OFF_STREAM, "ours, memory off"), (BESIDE, "ours")):
            clients[name] = [
                Client(ours.address, "/api/chat", session, ours.headers(f"{kind} {session}") | AS_STREAM)
                for session in session_ids(kind, MESSAGES, SLICE)
            ]
        for name, started in starting.items():
            peer = started()
            fill_peer(peer, MESSAGES, SLICE)
            sessions = session_ids("ours", MESSAGES, SLICE)
            clients[name] = [Client(peer.address, "/stream", session, {}) for session in sessions]
        for number in range(rounds + 1):
            for name, some in clients.items():
                drain(world, ours)
                world.wait_until_idle()
                with contextlib.nullcontext() if name == BESIDE else standing_still(ours):
                    times = [ask(*each) for each in zip(some, told.texts(seed=1), strict=False)]
                if number:  # the first fills the caches
                    first_ms[name] += [first for first, _ in times]
                    whole_ms[name] += [whole for _, whole in times]
    rows = [
        [name, len(some), *(short(float(np.percentile(some, percent))) for percent in (50, 95, 99)),
         short(float(np.median(whole_ms[name])))]
        for name, some in first_ms.items()
    ]  # fmt: skip
    columns = ("stack", "N", "first token p50 ms", "p95", "p99", "whole answer p50 ms")
    figures = {
        "added_p50_ms": float(np.median(first_ms[STREAM])),
        "added_beside_p50_ms": float(np.median(first_ms[BESIDE])),
        "added_off_p50_ms": float(np.median(first_ms[OFF_STREAM])),
    }
    return Outcome([Table(f"Sessions of {MESSAGES} messages, 20 words streamed", columns, rows)], figures)


def ask(client: Client, text: str) -> tuple[float, float]:
    """Milliseconds until the first word is read, and until the last; on a connection of its own, opened before."""
    parts = urlsplit(client.address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.connect()
    try:
        body = json.dumps({"message": text, "session_id": client.session_id})
        began = time.perf_counter()
        connection.request("POST", client.path, body, client.headers | {"Content-Type": "application/json"})
        answer = connection.getresponse()
        line = answer.readline()
        while line and not _has_the_word(line):
            line = answer.readline()
        first = time.perf_counter()
        if answer.status != 200 or not line or b"[DONE]" not in answer.read():
            raise RuntimeError(f"{client.address} answered {answer.status}")
        return (first - began) * 1_000, (time.perf_counter() - began) * 1_000
    finally:
        connection.close()


def _has_the_word(line: bytes) -> bool:
    return line.startswith(b"data:") and WORD in line


MEASURE = Measure("B", "first_token", __doc__.split(": ", 1)[1], run)
