"""Workers to be killed: a process that has loaded everything, and at each line on its input becomes one worker more.

It says the id of each. Their memory agent is the script's, their tools the server's own.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping

from chatServer.agent.catalog import load_agents
from chatServer.agent.models import Models
from chatServer.config import ROOT, load_settings
from chatServer.conversation.tokens import count_text
from chatServer.main import workshop
from chatServer.store.opened import opened_database
from chatServer.store.queue import Pace
from chatServer.work.worker import Worker

QUICK = Pace(poll_s=0.05, heartbeat_s=0.2, stalled_s=1.5, job_s=20)


async def work() -> None:
    settings = load_settings()
    agents = load_agents(settings.agents_dir, settings.default_agent)
    async with opened_database(settings) as database:
        tasks = workshop(settings, database, agents, Models(settings)).tasks()
        await Worker(database, tasks, grace_s=1, pace=QUICK).run(asyncio.Event())


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody has to bury them
    count_text("")
    for _ in sys.stdin:
        if child := os.fork():
            print(child, flush=True)
            continue
        sys.stdin.close()
        asyncio.run(work())
        return


@contextlib.contextmanager
def workers(environment: Mapping[str, str]) -> Iterator[Callable[[], int]]:
    """Whoever is called starts a worker and says its id; those that are left are killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.tools.revising_worker"],
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        cwd=environment["CHAT_DATA_DIR"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    started: list[int] = []

    def start() -> int:
        process.stdin.write("one more\n")
        process.stdin.flush()
        started.append(int(process.stdout.readline()))
        return started[-1]

    try:
        yield start
    finally:
        for pid in started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


if __name__ == "__main__":
    main()
