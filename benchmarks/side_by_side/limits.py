"""The limits of limits.toml, and which figures keep to them."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "limits.toml"


@dataclass(frozen=True, slots=True)
class Limit:
    measure: str
    figure: str
    says: str
    least: float | None = None
    most: float | None = None
    goal: float | None = None
    quick: float | None = None

    def for_a_quick_run(self) -> "Limit":
        """With its slack; without any, nothing is asked of it."""
        least = self.quick if self.least is not None and self.most is None else None
        most = self.quick if self.most is not None and self.least is None else None
        return Limit(self.measure, self.figure, self.says, least, most)

    def is_kept(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    @property
    def bound(self) -> str:
        said = [f"at least {self.least:g}"] if self.least is not None else []
        said += [f"at most {self.most:g}"] if self.most is not None else []
        said += [f"goal {self.goal:g}"] if self.goal is not None else []
        return ", ".join(said) or "not asked of a quick run"


def read_limits(*, is_quick: bool) -> Iterator[Limit]:
    for measure, figures in tomllib.loads(FILE.read_text()).items():
        for figure, given in figures.items():
            limit = Limit(measure, figure, **given)
            yield limit.for_a_quick_run() if is_quick else limit
