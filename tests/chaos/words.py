"""What is asked in a run and what the scripted model answers: every text carries the nonce of its question."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

REPLY = "{1} says a reply of some words that takes its time so that faults land in its middle and ends with {1}"
DELAY_MS = 12  # before each word: about a quarter of a second for a reply


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a user wants answered, once."""

    nonce: str
    user: str
    session: str
    takes_note: bool

    @property
    def key(self) -> str:
        return f"key-{self.nonce}"

    @property
    def text(self) -> str:
        return f"{'note' if self.takes_note else 'ask'} {self.nonce}"


def user_id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))


def expected_reply(nonce: str) -> str:
    return REPLY.replace("{1}", nonce)


def note_of(nonce: str) -> str:
    return f"- {nonce}"


def write_script(folder: Path) -> Path:
    """The model of the run."""
    note = {"name": "manage_long_term_memory", "args": {"operation": "append", "content": note_of("{1}")}}
    rules = [
        {"match": r"^ask (\S+)$", "reply": REPLY, "delay_ms": DELAY_MS},
        {"match": r"^note (\S+)$", "tool_calls": [note], "then": REPLY, "delay_ms": DELAY_MS},
    ]
    file = folder / "script.json"
    file.write_text(json.dumps({"rules": rules, "default": "I was not asked by the harness."}))
    return file


class Nonces:
    """Names that nobody else uses: the run's seed and a number."""

    def __init__(self, rng: random.Random) -> None:
        self._prefix = f"q{rng.getrandbits(24):06x}"
        self._count = 0

    def next(self) -> str:
        self._count += 1
        return f"{self._prefix}n{self._count}z"
