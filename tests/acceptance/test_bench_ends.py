"""A run of `make bench` that is broken off leaves nothing behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "benchmarks.side_by_side", "--quick", "--alone", "--only", "first_token")
WITHIN_S = 90


@pytest.mark.parametrize("told_by", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_ends_all_that_it_has_started(told_by):
    with tempfile.TemporaryDirectory(prefix="ends-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # the embedded server may run as another user
        run = subprocess.Popen(
            COMMAND, cwd=ROOT, env={**os.environ, "TMPDIR": folder}, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=ignore_interrupts,  # noqa: PLW1509
        )  # fmt: skip
        try:
            started = all_of(run.pid, folder)
            assert len(started) >= 3, "Postgres, the server, and its worker or the floor"
            run.send_signal(told_by)
            run.wait(WITHIN_S)
            _, alive = psutil.wait_procs(started, timeout=5)
            assert not alive
            assert not any(Path(folder).iterdir())
        finally:
            run.kill()
            run.wait()


def ignore_interrupts():
    """As a script does for what it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def all_of(pid, folder):
    """Once there are a few: children, and Postgres, which is nobody's child."""
    deadline = time.monotonic() + WITHIN_S
    found = []
    while len(found) < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        postgres = [each for each in psutil.process_iter(["cmdline"]) if is_on(each.info["cmdline"], folder)]
        servers = psutil.Process(pid).children()
        found = [*postgres, *servers] if postgres and len(servers) >= 2 else []
    return found


def is_on(command, folder):
    return "-D" in (command or []) and any(part.startswith(folder) for part in command)
