"""make chaos: every fault with its full number, then every planted bug, which must be noticed."""

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.faults import FAULTS, PLANTED, SHORT_FORM
from tests.chaos.scene import Result, play
from tests.chaos.stage import Stage, opened_stage

CHOICES = {**FAULTS, "short": SHORT_FORM}
MOST = 5  # findings of one kind that are shown; of a planted bug one will do


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, help="as an earlier run printed it")
    parser.add_argument("--rounds", type=int, help="of each fault, instead of its own number")
    parser.add_argument("--fault", action="append", choices=[*CHOICES], help="only this one, and no planted bugs")
    parser.add_argument("--bug", action="append", choices=[*PLANTED], help="only this planted bug, and no faults")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as by Ctrl-C: what it has started ends with it
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    faults = given.fault or ([] if given.bug else [*FAULTS])
    bugs = given.bug or ([] if given.fault else [*PLANTED])
    print(f"make chaos SEED={seed}: {len(faults)} faults, {len(bugs)} planted bugs", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.chmod(0o755)  # the embedded server may run as another user
    where = f"The journals of the clients and the logs of the servers are in {folder}"
    try:
        with opened_stage(folder) as stage:
            is_well = asyncio.run(run(stage, faults, bugs, rounds=given.rounds, seed=seed))
    except KeyboardInterrupt:
        sys.exit(f"Interrupted. {where}")
    if not is_well:
        sys.exit(where)
    shutil.rmtree(folder)


async def run(stage: Stage, faults: list[str], bugs: list[str], *, rounds: int | None, seed: int) -> bool:
    began_at = time.monotonic()
    table: list[tuple[str, str, bool]] = []
    for name in faults:
        fault = CHOICES[name]
        say(f"\n{fault.title} ({name})")
        result = await play(stage, name, fault, rounds or fault.rounds, seed, tell=say)
        show(result)
        table.append((f"{fault.title}: {result.did}", "red" if result.is_red else "zeros", not result.is_red))
    for bug in bugs:
        name, few = PLANTED[bug]
        say(f"\nplanted: {bug}, under {name}")
        result = await play(stage, name, FAULTS[name], few, seed, bug=bug, tell=say)
        show(result, most=1)
        kinds = ", ".join(f"{len(found)} {kind}" for kind, found in result.findings.items() if found)
        table.append((f"planted {bug}", f"caught: {kinds}" if kinds else "NOT NOTICED", bool(kinds)))
    say(f"\nSEED={seed}, {time.monotonic() - began_at:.0f} s")
    for what, how, is_well in table:
        say(f"{'ok ' if is_well else 'BAD'} {what}: {how}")
    return all(is_well for _, _, is_well in table)


def show(result: Result, most: int = MOST) -> None:
    say(f"  {result.did}")
    say(f"  {result.asked} asked, {result.answered} answers heard, {result.refused} refused, {result.seconds:.0f} s")
    say("  " + ", ".join(f"{kind} {len(found)}" for kind, found in result.findings.items()))
    for kind, found in result.findings.items():
        for each in found[:most]:
            say(f"    {kind}: {each}")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
