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

from benchmarks.side_by_side.world import ending_postgres

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "benchmarks.side_by_side", "--quick", "--alone", "--only", "first_token")
WITHIN_S = 90


# Ctrl-C and `timeout` tell the whole group of a run; `kill` tells it alone.
@pytest.mark.parametrize(
    ("told_by", "tell", "enough"),
    [(signal.SIGINT, os.killpg, 3), (signal.SIGTERM, os.kill, 3), (signal.SIGTERM, os.killpg, 1)],
    ids=["Ctrl-C", "SIGTERM", "SIGTERM to all while Postgres starts"],
)
def test_a_run_that_is_told_to_end_ends_all_that_it_has_started(told_by, tell, enough):
    with tempfile.TemporaryDirectory(prefix="ends-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # the embedded server may run as another user
        run = subprocess.Popen(
            COMMAND, cwd=ROOT, env={**os.environ, "TMPDIR": folder}, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=ignore_interrupts,  # noqa: PLW1509
        )  # fmt: skip
        try:
            started = all_of(run.pid, folder, enough)
            assert len(started) >= enough, "Postgres; then also the server, and its worker or the floor"
            tell(run.pid, told_by)
            run.wait(WITHIN_S)
            _, alive = psutil.wait_procs(started, timeout=5)
            assert not alive
            assert not any(Path(folder).iterdir())
            assert not [each for each in psutil.process_iter(["cmdline"]) if is_on(each.info["cmdline"], folder)]
        finally:
            run.kill()
            run.wait()


def test_what_initdb_left_running_is_ended_too(tmp_path):
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "PGDATA": str(tmp_path / "postgres")}) as left:
        try:
            with ending_postgres(tmp_path):
                pass
            assert not psutil.pid_exists(left.pid)
        finally:
            left.kill()


WAITS = """
import time
from benchmarks.side_by_side.__main__ import end_when_told
from benchmarks.side_by_side.load import client_process
if __name__ == "__main__":
    end_when_told()
    with client_process() as pool:
        pool.apply(len, ("",))
        print("has nothing to do", flush=True)
        time.sleep(60)
"""


def test_clients_that_wait_do_not_keep_a_run_that_all_of_is_told_to_end(tmp_path):
    (tmp_path / "waits.py").write_text(WAITS)
    command, environment = (sys.executable, tmp_path / "waits.py"), {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.PIPE) as run:
        assert run.stdout.readline()
        time.sleep(0.3)  # until it waits for the next
        os.killpg(run.pid, signal.SIGTERM)
        try:
            assert run.wait(20) == 128 + signal.SIGTERM
        finally:
            run.kill()


def ignore_interrupts():
    """As a script does for what it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def all_of(pid, folder, enough):
    """Once there are so many: Postgres, which is nobody's child, and children."""
    deadline = time.monotonic() + WITHIN_S
    found = []
    while len(found) < enough and time.monotonic() < deadline:
        time.sleep(0.02)
        postgres = [each for each in psutil.process_iter(["cmdline"]) if is_on(each.info["cmdline"], folder)]
        servers = psutil.Process(pid).children()
        found = [*postgres, *servers] if postgres else []
    return found


def is_on(command, folder):
    return "-D" in (command or []) and any(part.startswith(folder) for part in command)
