"""make bench: measures, writes benchmarks/RESULTS.md, results.json and the plots, and ends with 1 when a limit is not
kept. ONLY=turns,startup chooses measures; QUICK=1 takes small numbers and generous limits, and writes to
benchmarks/quick; ALONE=1 does it beside the floor only, without installing the others; DATA=FILE is for recall."""

import argparse
import compileall
import logging
import re
import signal
import sys
import time

from benchmarks.side_by_side import report
from benchmarks.side_by_side.measures import MEASURES
from benchmarks.side_by_side.world import ROOT, open_world

TOLD_BY = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help=", ".join(each.name for each in MEASURES))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--alone", action="store_true", help="of the peers only the floor; for quick runs")
    parser.add_argument("--data", nargs="*", default=[], help="conversations for recall: benchmarks/conversations.py")
    asked = parser.parse_args()
    if asked.alone and not asked.quick:
        sys.exit("ALONE=1 goes with QUICK=1: RESULTS.md has all of them.")
    wanted = set(filter(None, asked.only.split(","))) or {each.name for each in MEASURES}
    if unknown := wanted - {each.name for each in MEASURES}:
        sys.exit(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(each.name for each in MEASURES)}.")
    end_when_told()
    logging.disable(logging.INFO)  # of the databases that are made, and of every request
    # Also where PYTHONDONTWRITEBYTECODE is set: else each of all these starts compiles all of it.
    for folder in ("chatServer", "benchmarks"):
        compileall.compile_dir(ROOT / folder, quiet=1, rx=re.compile(r"\.venv"))
    results = report.Results.read(is_quick=asked.quick)
    for each in MEASURES:
        if each.name in wanted:
            began = time.monotonic()
            print(f"{each.letter} {each.name}: {each.says}", flush=True)
            with open_world(is_quick=asked.quick, is_alone=asked.alone, conversations=asked.data) as world:
                results.take(each, each.run(world), took_s=time.monotonic() - began)
            results.write()
    for line in results.durations(wanted):
        print(line)
    sys.exit(0 if results.are_kept(wanted) else 1)


def end_when_told() -> None:
    """Ctrl-C, SIGTERM and a closed terminal leave every block, which ends all that was started in it; also where SIGINT
    was ignored, as it is in what a shell starts in the background. The first is enough."""

    def leave(number: int, _: object) -> None:
        for each in TOLD_BY:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for each in TOLD_BY:
        if each != signal.SIGHUP or signal.getsignal(each) != signal.SIG_IGN:  # nohup wants it ignored
            signal.signal(each, leave)


if __name__ == "__main__":
    main()
