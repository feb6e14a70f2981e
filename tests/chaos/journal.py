"""What clients write down before they send, and after they have heard: the truth that the database is held against."""

import json
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.words import Question


class Journal:
    """One file of JSON lines. What is about to be sent is on the disk before it is sent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a", encoding="utf-8")
        self.counts: Counter[str] = Counter()

    def asked(self, question: Question) -> None:
        fields = {"user": question.user, "session": question.session, "key": question.key, "text": question.text}
        self._write("asked", question.nonce, **fields)
        os.fsync(self._file.fileno())

    def announced(self, question: Question, turn_id: str) -> None:
        """The server has begun to answer: from here on the question must be there, whatever happens."""
        self._write("announced", question.nonce, turn_id=turn_id)

    def acknowledged(self, question: Question, turn_id: str, text: str, *, noted: bool | None) -> None:
        """The answer was heard to its end; `noted`: whether the tool said so, None where that was not heard."""
        self._write("acknowledged", question.nonce, turn_id=turn_id, text=text, noted=noted)
        self._file.flush()

    def refused(self, question: Question, code: str) -> None:
        """A documented refusal, for good."""
        self._write("refused", question.nonce, code=code)

    def odd(self, question: Question, what: str) -> None:
        """Something that no client should ever meet."""
        self._write("odd", question.nonce, what=what)

    def close(self) -> None:
        self._file.close()

    def _write(self, kind: str, nonce: str, **fields: Any) -> None:
        self.counts[kind] += 1
        line = {"kind": kind, "nonce": nonce, "at": time.monotonic(), **fields}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


@dataclass(slots=True)
class Story:
    """All that is known of one question, from the client's side."""

    nonce: str
    user: str
    session: str
    key: str
    text: str
    asked_at: float
    turn_ids: set[str] = field(default_factory=set)
    replies: list[str] = field(default_factory=list)
    noted: bool | None = None
    acknowledged_at: float | None = None
    refusals: list[str] = field(default_factory=list)
    oddities: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.acknowledged_at is not None or bool(self.refusals)


def read_stories(path: Path) -> dict[str, Story]:
    """The journal, by question."""
    stories: dict[str, Story] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["kind"] == "asked":
            fields = {name: entry[name] for name in ("nonce", "user", "session", "key", "text")}
            stories[entry["nonce"]] = Story(**fields, asked_at=entry["at"])
            continue
        story = stories[entry["nonce"]]
        match entry["kind"]:
            case "announced":
                story.turn_ids.add(entry["turn_id"])
            case "acknowledged":
                story.turn_ids.add(entry["turn_id"])
                story.replies.append(entry["text"])
                story.noted = entry["noted"] if entry["noted"] is not None else story.noted
                story.acknowledged_at = story.acknowledged_at or entry["at"]
            case "refused":
                story.refusals.append(entry["code"])
            case "odd":
                story.oddities.append(entry["what"])
    return stories
