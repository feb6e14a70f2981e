"""Conversations with questions and the messages that answer them, for what measures and trains recall.

A file is a list of {sample_id, messages: [{id, speaker, role, session, time, text}], qa: [{question, category,
evidence: [message ids]}]}. None lies in the repository: their licences do not allow it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid5

DEVELOPMENT = Path(__file__).parents[2] / "shared" / "benchmarks"
NAMESPACE = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
APART = "adversarial"  # its questions have no answer in the conversation
WHAT_TO_DO = """There are no conversations in {}.
Name a file: make bench-recall DATA=FILE, or make bench DATA=FILE. benchmarks/conversations.py says what is in it;
LoCoMo (github.com/snap-research/LoCoMo) and BEAM (github.com/mohammadtavakoli78/BEAM) can be brought into that form."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message."""

    message_id: UUID
    speaker: str | None
    role: str
    session: str
    time: float
    text: str


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, and the messages that answer it."""

    text: str
    category: str
    evidence: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that one user has said and heard."""

    name: str
    set_name: str
    messages: tuple[Spoken, ...]
    questions: tuple[Asking, ...]


def read_sets(named: Sequence[str]) -> list[Conversation]:
    """The files that were named, else the development sets; ends with a sentence where there are none."""
    paths = files_of(named)
    if not paths:
        raise SystemExit(WHAT_TO_DO.format(DEVELOPMENT))
    return [read_one(path.stem, each) for path in paths for each in json.loads(path.read_text())]


def files_of(named: Sequence[str]) -> list[Path]:
    return [Path(each) for each in named] or sorted(DEVELOPMENT.glob("*_dev.json"))


def read_one(set_name: str, sample: dict) -> Conversation:
    """A message without a time has that of the one before."""
    messages, moment, ids = [], 0.0, {}
    for given in sample["messages"]:
        moment = seconds(given["time"]) or moment
        ids[given["id"]] = uuid5(NAMESPACE, f"{sample['sample_id']}/{given['id']}")
        speaker = None if given["speaker"] in ("user", "assistant") else given["speaker"]
        session = str(uuid5(NAMESPACE, f"{sample['sample_id']}//{given['session']}"))
        messages.append(Spoken(ids[given["id"]], speaker, given["role"], session, moment, given["text"]))
    questions = []
    for asked in sample["qa"]:
        evidence = frozenset(ids[each] for each in asked["evidence"] if each in ids)
        if evidence:
            questions.append(Asking(asked["question"], asked["category"], evidence))
    return Conversation(sample["sample_id"], set_name, tuple(messages), tuple(questions))


def seconds(time: str) -> float | None:
    """Since 1970, of '1:56 pm on 8 May, 2023' and 'March-15-2024'."""
    for pattern, form in ((r"\d{1,2} \w+, \d{4}", "%d %B, %Y"), (r"\w+-\d{1,2}-\d{4}", "%B-%d-%Y")):
        if found := re.search(pattern, time):
            return datetime.strptime(found[0], form).replace(tzinfo=UTC).timestamp()
    return None
