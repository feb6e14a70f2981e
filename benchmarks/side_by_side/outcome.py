"""What a measure says: tables for people, figures for the gates, points for the plots."""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.side_by_side.world import World


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`figures` are named as limits.toml names them."""

    tables: Sequence[Table] = ()
    figures: dict[str, float] = field(default_factory=dict)
    points: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        figures = {name: round(value, 4) for name, value in self.figures.items() if not math.isnan(value)}
        return asdict(self) | {"figures": figures}


@dataclass(frozen=True, slots=True)
class Measure:
    letter: str
    name: str
    says: str
    run: Callable[[World], Outcome]


def median(values: Iterable[float]) -> float:
    return statistics.median(list(values) or [float("nan")])


def short(value: float) -> str:
    """Three digits say what a noisy machine can say."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
