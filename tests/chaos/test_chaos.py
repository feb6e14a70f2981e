"""The short form of make chaos: a little of every fault leaves nothing but zeros, and a planted bug does not."""

from collections.abc import Iterator

import pytest

from tests.chaos.faults import FAULTS, SHORT_FORM
from tests.chaos.scene import play
from tests.chaos.stage import Stage, opened_stage

SEED = 5


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with opened_stage(tmp_path_factory.mktemp("chaos")) as opened:
        yield opened


async def test_nothing_is_lost_doubled_or_left_behind_by_a_little_of_every_fault(stage):
    result = await play(stage, "short", SHORT_FORM, SHORT_FORM.rounds, SEED)
    print(f"{result.did}; {result.asked} asked, {result.answered} answers heard in {result.seconds:.1f} s")
    assert {kind: found for kind, found in result.findings.items() if found} == {}
    assert result.answered > 30


async def test_a_server_that_ignores_keys_is_caught(stage):
    result = await play(stage, "cut", FAULTS["cut"], 5, SEED, bug="no_key")
    assert result.findings["doubled"]
