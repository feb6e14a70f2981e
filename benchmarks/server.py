"""A real server for a measurement: a process of its own, a scripted model, and what they cost."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate

SERVE = "from chatServer.cli import main; main(['serve'])"
END_S = 60


@dataclass(frozen=True, slots=True)
class Server:
    process: psutil.Process
    address: str
    postgres: EmbeddedPostgres
    key: DevKey

    def headers(self, user: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key.sign(dev_user_id(user))}"}

    @property
    def memory_mb(self) -> float:
        return float(self.process.memory_info().rss) / 1_000_000

    @property
    def cpu_s(self) -> float:
        return cpu_s(self.process)

    @property
    def postgres_cpu_s(self) -> float:
        postmaster = psutil.Process(self.postgres.pid)
        return cpu_s(postmaster) + sum(cpu_s(child) for child in postmaster.children())


@contextlib.contextmanager
def running_server(
    script: dict[str, Any],
    *,
    code: str = SERVE,
    under: Sequence[str] = (),
    once_migrated: Callable[[EmbeddedPostgres], None] = lambda _: None,
    **settings: str,
) -> Iterator[Server]:
    """On an empty database in a folder that goes away again, with no limits that were not asked for; `under` something
    that watches it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, contextlib.ExitStack() as stack:
        directory = Path(folder)
        directory.chmod(0o755)  # the embedded server may run as another user
        postgres = stack.enter_context(embedded_postgres(directory))
        migrate(postgres.owner_url)
        once_migrated(postgres)
        (directory / "script.json").write_text(json.dumps(script))
        unlimited = {f"LIMIT_{name}": "0" for name in ("TURNS_PER_MINUTE", "PARALLEL_TURNS", "TOKENS_PER_DAY")}
        ours = {
            "CHAT_DATA_DIR": folder,
            "PORT": "0",
            "DATABASE_URL": postgres.app_url,
            "DATABASE_DIRECT_URL": postgres.app_url,
            "MODEL": f"script:{directory / 'script.json'}",
            "LOG_LEVEL": "WARNING",
        }
        process = subprocess.Popen(
            [*under, sys.executable, "-c", code],
            env={**os.environ, **ours, **unlimited, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it says a lot when it refuses
            text=True,
        )
        try:
            assert process.stdout is not None
            address = next(found[1] for line in process.stdout if (found := re.search(r"is at (http://\S+)", line)))
            yield Server(psutil.Process(process.pid), address, postgres, DevKey.of(directory))
        finally:
            process.terminate()
            process.wait(END_S)


def cpu_s(process: psutil.Process) -> float:
    """What a process has taken of the processor so far."""
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0
