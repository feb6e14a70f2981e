"""F: what hundreds of answers that are being streamed take in memory, and how long others wait meanwhile."""

import asyncio
import json
import time
from multiprocessing.pool import AsyncResult
from urllib.parse import urlsplit

import httpx
import numpy as np

from benchmarks.side_by_side.load import client_process
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, short
from benchmarks.side_by_side.world import Stack, World

WORDS = 120
WORD_EVERY_MS = 200
BEGIN_S = 8  # nobody's questions come all in one moment
READS_PER_S = 20
SCRIPT = {
    "rules": [{"match": "^at length", "reply": " ".join(["word"] * WORDS), "delay_ms": WORD_EVERY_MS}],
    "default": "Yes.",
}


def run(world: World) -> Outcome:
    streams, read_s = (50, 4) if world.is_quick else (500, 12)
    database = world.database("streams", is_ours=True)
    with (
        world.ours(database, script=SCRIPT, with_worker=False) as stack,
        client_process() as pool,
        httpx.Client(base_url=stack.address, headers=stack.headers("reader"), timeout=30) as reader,
    ):
        for number in range(20):
            reader.post("/api/chat", json={"message": f"question {number}", "session_id": "s"}).raise_for_status()
        headers = [stack.headers(f"listener {number}") for number in range(streams)]
        # Once before, so that what is made but once (connections, buffers, users) is not taken for a stream's.
        pool.apply(listen_to_all, (stack.address, headers, True))
        world.wait_until_idle()
        idle_mb, idle = stack.memory_mb, read(reader, read_s)
        listening: AsyncResult[int] = pool.apply_async(listen_to_all, (stack.address, headers, False))
        time.sleep(BEGIN_S + 1)
        busy_mb, cpu, began = stack.memory_mb, stack.cpu_s, time.monotonic()
        busy = read(reader, read_s)
        share = (stack.cpu_s - cpu) / (time.monotonic() - began)
        whole = listening.get(180)
    return told_of(stack, streams, whole, (idle_mb, busy_mb), (idle, busy), share)


def told_of(
    stack: Stack,
    streams: int,
    whole: int,
    mb: tuple[float, float],
    reads: tuple[list[float], list[float]],
    share: float,
) -> Outcome:
    if whole != streams:
        raise RuntimeError(f"{whole} of {streams} streams arrived whole")
    kb = (mb[1] - mb[0]) * 1_000 / streams
    rows = [
        [name, len(some), *(short(float(np.percentile(some, percent))) for percent in (50, 95, 99)), short(size)]
        for name, some, size in zip(("idle", f"{streams} streams"), reads, mb, strict=True)
    ]
    note = f"{short(kb)} kB a stream; the server took {share:.0%} of a core; {whole} of {streams} arrived whole."
    columns = ("meanwhile", "N reads of a history", "p50 ms", "p95 ms", "p99 ms", "MB resident")
    ratio = float(np.percentile(reads[1], 95) / np.percentile(reads[0], 95))
    return Outcome([Table(f"{stack.name}, a word every {WORD_EVERY_MS} ms", columns, rows, note)],
                   {"kb_per_stream": kb, "reads_p95_ratio": ratio})  # fmt: skip


def read(reader: httpx.Client, seconds: int) -> list[float]:
    """At a steady pace, each timed from when it was due."""
    took_ms, began = [], time.perf_counter()
    for number in range(seconds * READS_PER_S):
        due = began + number / READS_PER_S
        time.sleep(max(0.0, due - time.perf_counter()))
        reader.get("/api/sessions/s/messages").raise_for_status()
        took_ms.append((time.perf_counter() - due) * 1_000)
    return took_ms


def listen_to_all(address: str, headers: list[dict[str, str]], is_brief: bool) -> int:
    return asyncio.run(_listen_to_all(address, headers, is_brief))


async def _listen_to_all(address: str, headers: list[dict[str, str]], is_brief: bool) -> int:
    """How many streams arrived whole."""
    parts = urlsplit(address)

    async def listen(number: int) -> bool:
        await asyncio.sleep(number * BEGIN_S / len(headers))
        body = json.dumps({"message": "briefly" if is_brief else "at length", "session_id": f"s{number}"})
        lines = [f"{name}: {value}" for name, value in headers[number].items()]
        head = ["POST /api/chat HTTP/1.1", f"host: {parts.netloc}", "content-type: application/json"]
        head += ["accept: text/event-stream", "connection: close", f"content-length: {len(body)}", *lines, "", ""]
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(("\r\n".join(head) + body).encode())
        heard = await reader.read()
        writer.close()
        return heard.count(b'"text-delta"') >= (1 if is_brief else WORDS) and b"[DONE]" in heard

    return sum(await asyncio.gather(*(listen(number) for number in range(len(headers)))))


MEASURE = Measure("F", "open_streams", __doc__.split(": ", 1)[1], run)
