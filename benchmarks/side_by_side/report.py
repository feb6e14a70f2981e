"""RESULTS.md for people, results.json for machines, and the plots; all written by the command itself."""

import json
import platform
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import psutil

from benchmarks.side_by_side.limits import read_limits
from benchmarks.side_by_side.outcome import Measure, Outcome, short
from benchmarks.side_by_side.world import PEERS_PYTHON, ROOT

FOLDER = ROOT / "benchmarks"
OURS = ("fastapi", "uvicorn", "psycopg", "langchain-core", "procrastinate", "numpy")
PEERS = (
    "fastapi", "uvicorn", "psycopg", "langchain", "langchain-classic", "langchain-postgres", "langgraph",
    "langgraph-checkpoint-postgres", "mem0ai",
)  # fmt: skip
ASK_VERSIONS = "import sys, importlib.metadata as m; print('\\n'.join(m.version(each) for each in sys.argv[1:]))"


@dataclass(slots=True)
class Results:
    """All that is known, each measure as of its last run."""

    folder: Path
    is_quick: bool
    measures: dict[str, Any]

    @classmethod
    def read(cls, *, is_quick: bool) -> Self:
        folder = FOLDER / "quick" if is_quick else FOLDER
        folder.mkdir(exist_ok=True)
        file = folder / "results.json"
        return cls(folder, is_quick, json.loads(file.read_text())["measures"] if file.exists() else {})

    def take(self, measure: Measure, outcome: Outcome, *, took_s: float) -> None:
        self.measures[measure.name] = {
            "letter": measure.letter,
            "says": measure.says,
            "measured_at": datetime.now(UTC).isoformat(timespec="minutes"),
            "took_s": round(took_s),
            "machine": machine(),
            "versions": versions(),
            **outcome.as_json(),
        }
        for line in self._measure_lines(measure.name):
            print(line)

    def are_kept(self, wanted: Collection[str]) -> bool:
        """A full run has to know every figure, except of a measure that has none at all and says why."""
        asked = {name for name in wanted if self.measures.get(name, {}).get("figures")}
        unkept = {"MISSED"} if self.is_quick else {"MISSED", "not measured"}
        missed = [row for row in self._gates() if row[0].split(".")[0] in asked and row[-1] in unkept]
        for row in missed:
            print(" | ".join(row))
        return not missed

    def write(self) -> None:
        (self.folder / "results.json").write_text(
            json.dumps({"is_quick": self.is_quick, "measures": self.measures}, indent=1, allow_nan=False) + "\n"
        )
        if PEERS_PYTHON.exists():  # else it is a quick run of ours alone
            command = [str(PEERS_PYTHON), "-m", "benchmarks.side_by_side.plots", str(self.folder)]
            subprocess.run(command, check=True, cwd=ROOT)
        (self.folder / "RESULTS.md").write_text("\n".join(self._lines()) + "\n")

    def durations(self, wanted: Collection[str]) -> Iterator[str]:
        """How long each measure took, and all of them."""
        taken = {name: each["took_s"] for name, each in self._in_order() if name in wanted}
        rows = [(f"{self.measures[name]['letter']}: {name}", took_s) for name, took_s in taken.items()]
        yield from table_lines(("measure", "s"), [*rows, ("together", sum(taken.values()))])

    def _in_order(self) -> list[tuple[str, Any]]:
        return sorted(self.measures.items(), key=lambda each: str(each[1]["letter"]))

    def _gates(self) -> Iterator[list[str]]:
        for limit in read_limits(is_quick=self.is_quick):
            value = self.measures.get(limit.measure, {}).get("figures", {}).get(limit.figure)
            if value is None:
                verdict, said = "not measured", "-"
            elif limit.least is None and limit.most is None:
                verdict, said = "not judged", short(value)
            else:
                verdict, said = "kept" if limit.is_kept(value) else "MISSED", short(value)
            yield [f"{limit.measure}.{limit.figure}", limit.says, said, limit.bound, verdict]

    def _lines(self) -> Iterator[str]:
        yield "# Side by side"
        yield ""
        command = "QUICK=1 make bench" if self.is_quick else "make bench"
        yield f"Written by `{command}`; not by hand. What is measured and why it is fair: docs/performance.md."
        yield ""
        yield "## Limits"
        yield ""
        yield from table_lines(("figure", "what", "measured", "bound", ""), list(self._gates()))
        for picture in sorted(self.folder.glob("*.png")):
            yield f"![{picture.stem.replace('_', ' ')}]({picture.name})"
        yield from ("", "## How long it took", "")
        yield from self.durations(self.measures)
        for name, _ in self._in_order():
            yield from self._measure_lines(name)

    def _measure_lines(self, name: str) -> Iterator[str]:
        measure = self.measures[name]
        yield from ("", f"## {measure['letter']}: {name}", "", str(measure["says"]).replace("\n", " "), "")
        machine = ", ".join(f"{key} {value}" for key, value in measure["machine"].items())
        yield f"{measure['measured_at']}, {measure['took_s']} s; {machine}."
        for table in measure["tables"]:
            yield from ("", f"### {table['title']}", "")
            yield from table_lines(table["columns"], table["rows"])
            if table["note"]:
                yield from ("", table["note"])
        yield ""
        yield "Versions: " + "; ".join(
            f"{whose}: " + ", ".join(f"{package} {version}" for package, version in some.items())
            for whose, some in measure["versions"].items()
        )


def table_lines(columns: Collection[str], rows: Collection[Collection[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield f"| {' | '.join(str(value) for value in row)} |"
    yield ""


def machine() -> dict[str, str]:
    return {
        "cores": str(psutil.cpu_count()),
        "load before": f"{psutil.getloadavg()[1]:.1f}",
        "memory GB": f"{psutil.virtual_memory().total / 1e9:.0f}",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }


def versions() -> dict[str, dict[str, str]]:
    ours = {"Python": sys.version.split()[0]} | {name: metadata.version(name) for name in OURS}
    if not PEERS_PYTHON.exists():
        return {"ours": ours}
    command = [str(PEERS_PYTHON), "-c", ASK_VERSIONS, *PEERS]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return {"ours": ours, "peers": dict(zip(PEERS, said, strict=True))}
