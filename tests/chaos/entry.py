"""The server as the harness runs it. What differs from `chatserver serve` is planted here, from outside: a shorter
lease, so that rounds are quick; a wrong clock; one of the bugs of broken.py."""

import os
from collections.abc import Mapping
from pathlib import Path

from chatServer import cli
from chatServer.conversation.tokens import count_text
from chatServer.store import turns
from tests.chaos import broken, clock

count_text("")  # reads the vocabulary: once, for all that are forked from here


def serve(environment: Mapping[str, str], log: Path) -> None:
    """A new process becomes a server; what it says goes to its log."""
    with log.open("ab") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    os.chdir(log.parent)  # where no .env is
    os.environ.update(environment)
    skew_s = float(os.environ["CHAOS_SKEW_S"])
    if skew_s:
        clock.shift(skew_s)
    turns.LEASE_S = float(os.environ["CHAOS_LEASE_S"])
    turns.RENEW_AFTER_S = turns.LEASE_S / 3
    if bug := os.environ["CHAOS_BUG"]:
        broken.plant(bug, skew_s)
    cli.main(["serve"])
