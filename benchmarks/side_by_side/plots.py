"""Draws what results.json says, in the peers' environment, which has matplotlib: python -m ...plots FOLDER."""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

# Of one measure: its picture, its title, and what its axes are.
PICTURES = {
    "turns": ("turns", "Turns a second, 16 at once", "messages in the session", "turns/s"),
    "memories": ("recall", "Recall, p95", "memories in the store", "ms"),
}
COLOURS = {"ours": "#c2410c", "floor": "#9ca3af"}
MANY = ", many users"
OTHERS = ("#1d4ed8", "#0f766e", "#7e22ce", "#4d7c0f", "#be185d", "#0369a1", "#a16207", "#475569")


def main() -> None:
    folder = Path(sys.argv[1])
    measures = json.loads((folder / "results.json").read_text())["measures"]
    for name, (file, *words) in PICTURES.items():
        if points := measures.get(name, {}).get("points"):
            draw(folder / f"{file}.png", points, *words)
    if shares := measures.get("parts", {}).get("points"):
        draw_bars(folder / "parts.png", shares)


def draw(path: Path, points: dict[str, Any], title: str, across: str, up: str) -> None:
    figure, axes = pyplot.subplots(figsize=(9, 4), dpi=130)
    others, colours = iter(OTHERS), dict(COLOURS)
    for name, some in points.items():
        if some:
            whose, is_many = name.removesuffix(MANY), name.endswith(MANY)
            colour = colours[whose] if whose in colours else colours.setdefault(whose, next(others))
            width = 2.5 if whose == "ours" else 1.5
            style, filling = ("--", "white") if is_many else ("-", colour)
            axes.plot(*zip(*some, strict=True), style, marker="o", label=name, color=colour, mfc=filling, lw=width)
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel=up, title=title)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))  # beside the lines
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


def draw_bars(path: Path, shares: dict[str, Any]) -> None:
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=130)
    names = sorted(shares, key=lambda name: shares[name][0][1])
    axes.barh(names, [shares[name][0][1] for name in names], color=COLOURS["ours"])
    axes.set(xlabel="ms of CPU in a turn, under the profiler", title="Where the server's time goes")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


if __name__ == "__main__":
    main()
