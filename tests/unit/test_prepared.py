"""Prepared commands end as those that subprocess starts."""

import os
import signal

import psutil

from tests.tools import prepared
from tests.tools.waiting import wait_until


def test_a_signal_to_one_that_is_gone_is_sent_in_vain(tmp_path):
    command = prepared.started(["--help"], environment=os.environ, cwd=tmp_path)
    assert command.stdout is not None
    with command.stdout:
        assert "usage" in command.stdout.read()
    wait_until(lambda: not psutil.pid_exists(command.pid))  # and nobody asked for its exit code
    command.send_signal(signal.SIGINT)
    assert command.wait(1) == 0
