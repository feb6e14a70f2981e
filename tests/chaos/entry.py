"""The server as the harness starts it: `python -m tests.chaos.entry`. What differs from `chatserver serve` is planted
here, from outside: a shorter lease, so that rounds are quick; a wrong clock; one of the bugs of broken.py."""

import os

from chatServer import cli
from chatServer.store import turns
from tests.chaos import broken, clock


def main() -> None:
    skew_s = float(os.environ.get("CHAOS_SKEW_S", "0"))
    if skew_s:
        clock.shift(skew_s)
    if lease_s := float(os.environ.get("CHAOS_LEASE_S", "0")):
        turns.LEASE_S, turns.RENEW_AFTER_S = lease_s, lease_s / 3
    if bug := os.environ.get("CHAOS_BUG"):
        broken.plant(bug, skew_s)
    cli.main(["serve"])


if __name__ == "__main__":
    main()
