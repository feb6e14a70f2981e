"""Who asks a benchmark what it does is told so, and does not wait for a run of it."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
RUN = sorted(path.stem for path in FOLDER.glob("*.py") if '__name__ == "__main__"' in path.read_text())


def test_there_are_some():
    assert {"turn", "edges", "soak", "recall"} <= set(RUN)


@pytest.mark.parametrize("name", [*RUN, "side_by_side.__main__"])
def test_help_tells_what_is_measured_and_measures_nothing(name, monkeypatch, capsys):
    module = importlib.import_module(f"benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: ")
    assert module.__doc__.split()[0] in said


@pytest.mark.parametrize("name", RUN)
def test_what_it_does_not_know_ends_it(name, monkeypatch, capsys):
    module = importlib.import_module(f"benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [name, "--faster"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 2
    assert "--faster" in capsys.readouterr().err
