"""What one user should find, kept in plain Python: the model that the state machine holds the server against."""

import re
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

DEFAULT_AGENT = "assistant"
WINDOWS = {"assistant": 6, "coder": 30}  # messages
STOPPED_MARK = "\n[The user stopped this answer here.]"
tick = count(1).__next__


@dataclass(frozen=True)
class Refused(Exception):
    status: int
    code: str

    def is_what(self, answer: Any) -> None:
        same(answer.status_code, self.status)
        same(answer.json()["code"], self.code)


@dataclass(frozen=True)
class Row:
    """A message as the model is given it."""

    line: str
    is_question: bool = False


@dataclass
class Turn:
    """What is None was not seen yet: the server mints it, and from then on it stays."""

    question: str
    own_body: tuple[str, str | None] | None
    state: str = "done"
    rows: list[Row] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # of the assistant, as they are shown
    call: dict[str, Any] | None = None
    call_state: str | None = None
    words: str = ""  # what the answer is found by
    turn_id: str | None = None
    question_id: str | None = None
    reply_id: str | None = None
    client_id: str | None = None  # what the client calls the question
    asked_at: int = 0  # both are the order of the rows
    answered_at: int = 0
    regenerated: "Turn | None" = None  # what took the place of its answer
    recallable: frozenset[str] | None = None  # what its prompt may quote, until it is known what it did
    summarisable: frozenset[str] = frozenset()  # the words that a summary in it may have
    chunks: list[dict[str, Any]] | None = None

    @property
    def response(self) -> str:
        return "\n\n".join(text for text in self.texts if text)

    @property
    def has_answer(self) -> bool:
        return bool(self.texts or self.call or self.state == "failed")


@dataclass
class Thread:
    session_id: str | None
    agent: str
    external_id: str | None = None
    title: str | None = None
    memory: str = "on"
    is_archived: bool = False
    used_at: int = 0
    turns: list[Turn] = field(default_factory=list)
    keys: dict[str, Turn] = field(default_factory=dict)
    edits: dict[tuple[str, str], Turn] = field(default_factory=dict)  # the last one of a message to a text
    regenerated: list[Turn] = field(default_factory=list)  # whose answers were replaced
    replaced: list[tuple[int, str, list[str]]] = field(default_factory=list)  # place, role and texts

    def supersede(self, turn: Turn, *, with_question: bool) -> None:
        """A turn and all that followed it make room; of a failed one, whose question stays, nothing is left."""
        start = self.turns.index(turn)
        for old in self.turns[start:]:
            is_moved = old is not turn or with_question
            if is_moved:
                self.replaced.append((old.asked_at, "user", [old.question]))
            if old.has_answer and (is_moved or old.state != "failed"):
                place = old.asked_at if old.state == "failed" else old.answered_at
                self.replaced.append((place, "assistant", old.texts))
        self.replaced.sort(key=lambda each: each[0])
        self.turns = self.turns[:start]

    def called(self, name: str | None, *, also_by_answer: bool) -> Turn | None:
        """The turn whose question has this name, or whose answer has; without a name, the last one."""
        if name is None:
            return self.turns[-1] if self.turns else None
        for turn in reversed(self.turns):
            if name in (turn.question_id, turn.client_id) or (also_by_answer and name == turn.reply_id):
                return turn
        return None

    @property
    def rows(self) -> list[Row]:
        """What a model may see."""
        return [row for turn in self.turns if turn.state in ("done", "stopped") for row in turn.rows]

    def summarisable(self) -> frozenset[str]:
        """The words of what was said, where that is more than the window holds."""
        if len(self.rows) < WINDOWS[self.agent]:
            return frozenset()
        return frozenset(word for row in self.rows for word in row.line.split())

    def window(self) -> list[str]:
        rows = self.rows[-WINDOWS[self.agent] :]
        while rows and not rows[0].is_question:
            rows.pop(0)
        return [row.line for row in rows]

    def is_found_by(self, phrase: str) -> bool:
        said = " ".join([self.title or "", *(f"{turn.question} {turn.words}" for turn in self.turns)])
        known = re.findall(r"\w+", said.lower())
        in_title = phrase.lower() in (self.title or "").lower()
        return in_title or all(any(w.startswith(word) for w in known) for word in re.findall(r"\w+", phrase.lower()))


@dataclass(frozen=True)
class Version:
    number: int
    blocks: tuple[str, ...]
    operation: str
    actor: str

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


class Page:
    """Notes as blocks between blank lines; a block that begins with a number sign is a header of the first level."""

    def __init__(self) -> None:
        self.versions: list[Version] = []

    @property
    def blocks(self) -> tuple[str, ...]:
        return self.versions[-1].blocks if self.versions else ()

    @property
    def number(self) -> int:
        return self.versions[-1].number if self.versions else 0

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)

    @property
    def last_section(self) -> tuple[str, ...]:
        headers = [place for place, block in enumerate(self.blocks) if block.startswith("# ")]
        return self.blocks[headers[-1] + 1 :] if headers else self.blocks

    def write(self, blocks: tuple[str, ...], operation: str, actor: str) -> None:
        if blocks == self.blocks:
            return
        if not self.versions:
            self.versions.append(Version(0, (), "found", "system"))
        self.versions.append(Version(self.number + 1, blocks, operation, actor))

    def apply(self, operation: str, content: str = "", section_header: str = "") -> bool:
        """Whether the tool could do it."""
        new = (content,)
        match operation:
            case "append":
                is_noted = content in self.last_section
                self.write(self.blocks if is_noted else self.blocks + new, operation, "agent")
            case "prepend":
                self.write(new + self.blocks, operation, "agent")
            case "overwrite":
                self.write(new, operation, "agent")
            case "delete_all_notes":
                self.write((), operation, "agent")
            case "replace_section_by_header" | "delete_section_by_header":
                header = f"# {section_header}"
                if header not in self.blocks:
                    return False
                start = self.blocks.index(header)
                rest = self.blocks[start + 1 :]
                end = next((i for i, block in enumerate(rest) if block.startswith("# ")), len(rest))
                kept = (header, *new) if operation.startswith("replace") else ()
                self.write((*self.blocks[:start], *kept, *rest[end:]), operation, "agent")
        return True


class World:
    """Everything of one user."""

    def __init__(self) -> None:
        self.threads: list[Thread] = []
        self.active: dict[str, Thread] = {}
        self.notes = {agent: Page() for agent in WINDOWS}
        self.deleted: list[str] = []  # names by which threads were known
        self.asked: list[tuple[Any, Thread]] = []  # requests with a key as they were sent, and where they went

    def find(self, name: str) -> Thread | None:
        return next((t for t in self.threads if canonical(name) in (t.session_id, t.external_id)), None)

    def recallable(self, thread: Thread) -> frozenset[str]:
        """What a prompt of a thread may quote: what was said in any with the same agent, where memory is on."""
        if thread.memory == "off":
            return frozenset()
        told = [each for each in self.threads if each.agent == thread.agent and each.memory == "on"]
        return frozenset(text for each in told for turn in each.turns for text in (turn.question, *turn.texts))

    def listed(self, *, archived: bool, agent: str | None = None, phrase: str | None = None) -> list[Thread]:
        found = [t for t in self.threads if t.is_archived == archived and agent in (None, t.agent)]
        found = [t for t in found if phrase is None or t.is_found_by(phrase)]
        return sorted(found, key=lambda thread: -thread.used_at)

    def enter(self, name: str | None, agent: str | None, key: str | None = None, body: Any = None) -> Thread:
        """The thread of a request, made or found, in use and active; or Refused, and then nothing has changed."""
        if name is None:
            found = self.active.get(agent or DEFAULT_AGENT)
        else:
            found = self.find(name)
            if found and agent not in (None, found.agent):
                raise Refused(409, "session_agent_mismatch")
        known = found.keys.get(key) if found and key else None
        if known and body is not None and known.own_body != body:
            raise Refused(422, "idempotency_mismatch")
        return self.use(found or self.add(name, agent))

    def add(self, name: str | None, agent: str | None, title: str | None = None, memory: str = "on") -> Thread:
        is_ours = name is None or not is_uuid(name)
        thread = Thread(None if is_ours else canonical(name), agent or DEFAULT_AGENT, title=title, memory=memory)
        thread.external_id = name if is_ours else None
        self.threads.append(thread)
        return thread

    def use(self, thread: Thread) -> Thread:
        thread.used_at, thread.is_archived = tick(), False
        self.active[thread.agent] = thread
        return thread

    def leave(self, thread: Thread) -> None:
        self.active = {agent: active for agent, active in self.active.items() if active is not thread}

    def delete(self, thread: Thread) -> None:
        self.leave(thread)
        self.threads.remove(thread)
        self.deleted += [name for name in (thread.session_id, thread.external_id) if name]


def is_uuid(name: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", name, re.I) is not None


def canonical(name: str) -> str:
    return str(UUID(name)) if is_uuid(name) else name


def same(found: object, expected: object) -> None:
    """Says what was found instead: pytest explains the asserts of test files only."""
    if found != expected:
        raise AssertionError(f"\n   found {found!r}\nexpected {expected!r}")
