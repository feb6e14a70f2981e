"""Whether the server grows: half of what it can do, for half an hour.

python -m benchmarks.soak [MINUTES] exits with 1 when its memory rises by 1 MB a minute or more, fitted over all
samples after the first sixth of the time, when fewer than 90 % of the turns are answered, or anything wrongly.
"""

import asyncio
import collections
import random
import statistics
import sys
import time
from typing import Any

from benchmarks import apart
from benchmarks.command import parser
from benchmarks.overload import REPLY, closed_loop, in_process
from benchmarks.server import Server, running_server
from benchmarks.wire import Wire

MINUTES = 30.0
CACHE_MB = "4"  # full within minutes: what all these users say would take 60
SESSIONS = 3  # of each user
USERS = 1_500  # at 25 requests a second, one a minute of each
SAMPLE_EVERY_S = 10
MAX_MB_PER_MINUTE = 1.0
MIN_ANSWERED = 0.9
DONE = b"data: [DONE]\n\n"
TURNS = ("turn", "streamed")
KINDS = {"turn": 75, "streamed": 10, "resolve": 5, "stop": 5, "wrong": 5}  # of a hundred


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("minutes", nargs="?", type=float, default=MINUTES)
    minutes = asked.parse_args().minutes
    with running_server({"rules": [], "default": REPLY}, RECALL_CACHE_MB=CACHE_MB) as server:
        in_process(server, closed_loop, 3.0)
        half = in_process(server, closed_loop, 10.0).per_s / 2
        headers = [server.headers(f"user{number}") for number in range(USERS)]
        with apart.processes(1) as pool:
            working = pool.apply_async(work, (server.address, headers, half, minutes * 60))
            samples = watch(server, minutes * 60)
            counted = working.get(300)
    growth = slope([each for each in samples if each[0] >= minutes / 6])
    wrong = {name: count for name, count in counted.items() if not name.startswith("ok")}
    answered = share_answered(counted)
    is_good = growth < MAX_MB_PER_MINUTE and answered >= MIN_ANSWERED and not wrong
    print(f"{half:.0f} requests/s for {minutes:g} minutes: {dict(counted)}")
    print(f"turns answered: {answered:.1%} (bound {MIN_ANSWERED:.0%})")
    print(f"memory {samples[0][1]:.0f} MB at first, {samples[-1][1]:.0f} MB at last; N={len(samples)} samples")
    print(f"it rises by {growth:.2f} MB a minute (bound {MAX_MB_PER_MINUTE:g}): {'good' if is_good else 'MISSED'}")
    sys.exit(0 if is_good else 1)


def watch(server: Server, seconds: float) -> list[tuple[float, float]]:
    """Minutes and megabytes."""
    began, samples = time.monotonic(), []
    while time.monotonic() - began < seconds:
        samples.append(((time.monotonic() - began) / 60, server.memory_mb))
        if len(samples) % 30 == 1:
            print(f"  {samples[-1][0]:4.0f} min {samples[-1][1]:6.1f} MB", flush=True)
        time.sleep(SAMPLE_EVERY_S)
    return samples


def slope(samples: list[tuple[float, float]]) -> float:
    minutes, megabytes = zip(*samples, strict=True)
    return statistics.linear_regression(minutes, megabytes).slope


def share_answered(counted: collections.Counter[str]) -> float:
    """Of all turns that were asked for; those in the way of each other (409) and turned away (503) are not answered."""
    asked = sum(count for name, count in counted.items() if any(kind in name.split() for kind in TURNS))
    return sum(counted[f"ok {kind} 200"] for kind in TURNS) / max(asked, 1)


def work(address: str, headers: list[dict[str, str]], per_s: float, seconds: float) -> collections.Counter[str]:
    """In a process of its own: turns, most of them in JSON, some streamed; in between sessions are resolved, answers
    stopped, and nonsense sent."""
    return asyncio.run(_work(address, headers, per_s, seconds))


async def _work(address: str, headers: list[dict[str, str]], per_s: float, seconds: float) -> collections.Counter[str]:
    counted: collections.Counter[str] = collections.Counter()
    choose = random.Random(7)
    async with Wire(address) as client, asyncio.TaskGroup() as group:
        began = time.perf_counter()
        for number in range(int(per_s * seconds)):
            await asyncio.sleep(max(0.0, began + number / per_s - time.perf_counter()))
            user = choose.randrange(USERS)
            body: dict[str, Any] = {"message": f"question {number}", "session_id": f"s{choose.randrange(SESSIONS)}"}
            [kind] = choose.choices(list(KINDS), list(KINDS.values()))
            group.create_task(_ask(client, kind, body, headers[user], counted))
    return counted


async def _ask(
    client: Wire, kind: str, body: dict[str, Any], headers: dict[str, str], counted: collections.Counter[str]
) -> None:
    session = body["session_id"]
    path, content, expected = {
        "turn": ("/api/chat", body, (200, 409, 503)),  # 409: its last turn is not over; 503: others use the machine too
        "streamed": ("/api/chat", body, (200, 409, 503)),
        "resolve": ("/api/sessions/resolve", {"agent_name": "assistant", "hint": session}, (200, 503)),
        "stop": (f"/api/chat/{session}/stop", {}, (202, 204, 503)),
        "wrong": ("/api/chat", {"message": ""}, (422, 503)),
    }[kind]
    if kind == "streamed":
        headers = headers | {"Accept": "text/event-stream"}
    try:
        answer = await client.post(path, content, headers)
    except (OSError, EOFError, TimeoutError) as error:
        counted[f"{kind} {type(error).__name__}"] += 1
    else:
        is_whole = kind != "streamed" or answer.status != 200 or answer.body.endswith(DONE)
        counted[f"{'ok' if answer.status in expected and is_whole else 'WRONG'} {kind} {answer.status}"] += 1


if __name__ == "__main__":
    main()
