"""What tests of whole processes are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    pid_file = tmp_path / "postgres" / "postmaster.pid"
    if pid_file.exists():  # a test that kills -9 its server leaves our Postgres behind
        pytest.fail("the embedded Postgres was still running at the end")
