"""Sessions, turns, notes and two users against a plain model of them, whatever order things are done in."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.tools.machine import Machine
from tests.tools.served import Server, served

STEPS = 30
# Without shrinking, which could take minutes: thirty steps can be read as they are.
QUIET: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.generate],
    "report_multiple_bugs": False,
}


@pytest.fixture
def server(settings, urls) -> Iterator[Server]:
    with served(settings, urls) as opened:
        yield opened


def run(server: Server, examples: int, steps: int = STEPS, **options: Any) -> int:
    """How many steps were done, each with its checks."""
    done = 0

    class Counted(Machine):
        def teardown(self) -> None:
            nonlocal done
            done += self.steps - 1
            super().teardown()

    Counted.server = server
    run_state_machine_as_test(
        Counted, settings=settings_of(max_examples=examples, stateful_step_count=steps, **QUIET, **options)
    )
    return done


def settings_of(**options: Any) -> settings:
    return settings(**options)


def test_two_users_always_find_what_a_plain_model_says(server):
    began = time.monotonic()
    done = run(server, 30)
    print(f"30 examples, {done} steps in {time.monotonic() - began:.0f} s")


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_two_users_always_find_what_a_plain_model_says_at_length(server):
    print(f"300 examples, {run(server, 300)} steps")
