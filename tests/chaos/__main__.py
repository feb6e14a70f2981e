"""make chaos: every fault with its full number, then every planted bug, which must be noticed."""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.scene import Result, play
from tests.chaos.stage import Stage, opened_stage


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="as a run before printed it")
    parser.add_argument("--rounds", type=int, default=None, help="of each fault, instead of its own number")
    parser.add_argument("--fault", action="append", choices=[*FAULTS], help="only this one")
    parser.add_argument("--bug", action="append", help="only this planted bug")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        Path(folder).chmod(0o755)  # the embedded server may run as another user
        with opened_stage(Path(folder)) as stage:
            is_well = asyncio.run(run(stage, given, seed))
    sys.exit(0 if is_well else 1)


async def run(stage: Stage, given: argparse.Namespace, seed: int) -> bool:
    began_at = time.monotonic()
    results: dict[str, Result] = {}
    for name in given.fault or FAULTS:
        fault = FAULTS[name]
        print(f"{fault.title} ...", flush=True)
        results[name] = await play(stage, name, fault, given.rounds or fault.rounds, seed)
        show(results[name])
    print(f"{time.monotonic() - began_at:.0f} s")
    return not any(result.is_red for result in results.values())


def show(result: Result) -> None:
    zeros = ", ".join(f"{kind} {len(found)}" for kind, found in result.findings.items())
    print(f"  {result.did}; {result.asked} asked, {result.answered} answered, {result.refused} refused; "
          f"{result.seconds:.0f} s", flush=True)
    print(f"  {zeros}", flush=True)
    for kind, found in result.findings.items():
        for each in found[:5]:
            print(f"    {kind}: {each}", flush=True)


if __name__ == "__main__":
    main()
