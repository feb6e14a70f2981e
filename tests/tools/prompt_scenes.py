"""Turns that are read from a few bytes each: an agent with tools, notes and maybe a larger model, what was said before,
what is recalled, what a summary would say, and what tools answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from chatServer import errors
from chatServer.agent.models import Models
from chatServer.agent.prompts import PLACEHOLDER
from chatServer.agent.summary.compact import head_of
from chatServer.agent.summary.session_summary import Occasion, Summarised
from chatServer.agent.tools import Tool, tokens_of
from chatServer.config import Settings
from chatServer.conversation.assemble import Parts
from chatServer.conversation.tokens import count_message
from chatServer.conversation.window import WindowMemory
from chatServer.messages import Message, ToolCallMsg
from chatServer.records import (
    Agent,
    Compression,
    Limits,
    Principal,
    Recalled,
    RecallResult,
    Session,
    Source,
    StoredMessage,
    Summary,
    Turn,
)
from chatServer.store.context import Context
from chatServer.turn.prompt import parts_of, tools_for
from tests.tools.asking import DOUBLE

NOW = datetime(2026, 11, 15, tzinfo=UTC)
LENGTHS = (1, 3, 20, 90)
SIZES = (22, 23, 23, 24, 25)  # bytes: with no, one, two or three steps
TOOLS = ((), ("manage_long_term_memory",), ("forget_memories", "retrieve_context"))
ASKING = Principal(UUID(int=1))
TURN = Turn(UUID(int=2), "s", "a", None, None, "running", 1, UUID(int=3), UUID(int=4), model="usual")


def words(byte: int) -> str:
    return "ha " * LENGTHS[byte % 4]


@cache
def remembered(number: int, byte: int) -> Recalled:
    source = Source(None, None, None)
    return Recalled(
        UUID(int=number), words(byte), "memory", "user", None, "fact", None, 0.5, {}, NOW, None, source, "user"
    )


@cache
def exchange(number: int, byte: int) -> list[Message]:
    """A question and its answer; every other time by way of a tool."""
    said = Message("assistant", words(byte // 4), f"a{number}")
    asked = Message("user", words(byte), f"q{number}")
    if byte % 2:
        return [asked, said]
    call = ToolCallMsg(f"c{number}", f"c{number}", "function", "t", "{}")
    result = Message("tool", words(byte // 8), f"t{number}", name="t", tool_call_id=f"c{number}")
    return [asked, Message("assistant", None, f"b{number}", tool_calls=[call]), result, said]


@cache
def stored(place: int, number: int, byte: int, *, is_counted: bool) -> StoredMessage:
    message = exchange(number, byte)[place]
    return StoredMessage(
        10 * number + place + 1, None, NOW, message, tokens=count_message(message) if is_counted else None
    )


@cache
def step(number: int, byte: int) -> list[BaseMessage]:
    """What the tools of this turn add to it."""
    ids = [f"s{number}-{call}" for call in range(1 + byte % 3)]
    calls = [{"name": "t", "args": {"n": words(byte // 64)}, "id": each} for each in ids]
    results = [ToolMessage(words(byte // 4) * (1 + byte // 16 % 3), tool_call_id=each, name="t") for each in ids]
    return [AIMessage("", id=f"s{number}", tool_calls=calls), *results]


class Windows(Models):
    """Two models that can be used; how much they take is up to the scene."""

    def __init__(self) -> None:
        super().__init__(Settings(_env_file=None), {})
        self.tokens: dict[str, int] = {}

    def context_tokens(self, name: str) -> int:
        return self.tokens[name]

    def problem(self, name: str) -> None:
        return None


WINDOWS = Windows()


@dataclass(slots=True)
class Scene:
    """One turn, before its prompt is put together."""

    window: WindowMemory
    parts: Parts
    agent: Agent
    session: Session
    tools: tuple[Tool, ...]
    described: tuple[Tool, ...]  # the same as their servers tell of them
    recalled: RecallResult
    steps: list[list[BaseMessage]]
    filling: set[str]  # calls whose results fill the room
    summaries: list[int] = field(repr=False)  # what summarising comes to, one after the other
    has_waited: bool = False  # for another's summary, in vain
    waits_again: bool = False

    def summarised(self, occasion: Occasion) -> Summarised:
        """What is stored when somebody has a summary made: one of any length, another's, none, or no answer; or another
        is at it."""
        self.waits_again |= self.has_waited and occasion.wait_s > 0
        byte = self.summaries.pop(0) if self.summaries else 0
        if byte % 8 == 1:
            raise errors.DatabaseUnavailable
        if byte % 8 == 0 and byte:
            self.has_waited = True
            return Summarised(False, None, is_awaited=True)
        head = [each.id for each in self.window.stored if each.id < (occasion.kept_from or 0)]
        if byte % 8 == 2 or not head:
            return Summarised(False, None)
        made = Summary(words(byte // 8), head[-1] if byte % 8 > 3 else head[0], len(head), LENGTHS[byte // 8 % 4])
        return Summarised(True, made, {"reason": occasion.reason})


def scene_of(data: bytes) -> Scene:
    agent = Agent(
        "a",
        "d",
        words(data[4]) + (PLACEHOLDER if data[9] % 4 else ""),
        larger_model="larger" if data[10] % 4 == 0 else None,
        tools=TOOLS[data[8] % 3],
        limits=Limits(output_tokens=1 + data[2] % 64),
    )
    session = Session("s", "a", None, None, "on" if data[8] % 16 else "off", NOW, NOW, None)
    notes = words(data[9] // 4) if data[9] >= 128 else None
    summary = words(data[5]) if data[5] >= 64 else None
    context = Context(notes, summary, data[6] % 45 if summary else None, has_articles=data[11] % 4 > 0)
    tools = tools_for(agent, session, has_articles=context.has_articles)
    usual = 60 + 3 * data[3] + tokens_of(tools)
    WINDOWS.tokens = {"usual": usual, "larger": usual - 30 + data[10]}
    window = WindowMemory()
    window.is_whole = data[0] % 2 == 0
    window.stored = [
        stored(place, number, byte, is_counted=(data[0] + place) % 5 > 0)
        for number, byte in enumerate(data[12:16])
        for place in range(len(exchange(number, byte)))
    ]
    question = Message("user", words(data[1]), "question")
    parts = parts_of(
        agent,
        session,
        context,
        question=question,
        tokens=count_message(question),
        model="usual",
        models=WINDOWS,
        compression=Compression(usual, threshold_pct=50 + data[7] % 46, target_tokens=20 + data[7] // 8),
    )
    steps = [step(number, byte) for number, byte in enumerate(data[22:])]
    calls = [each.tool_call_id for new in steps for each in new if isinstance(each, ToolMessage)]
    return Scene(
        window,
        parts,
        agent,
        session,
        tools,
        described=(*tools, DOUBLE) if data[11] >= 192 else tools,
        recalled=RecallResult(
            tuple(remembered(number, byte) for number, byte in enumerate(data[16:18])),
            degraded="timeout" if data[18] % 8 == 0 else None,
        ),
        steps=steps,
        filling={each for place, each in enumerate(calls) if (data[18] >> place) % 4 == 3},
        summaries=list(data[19:22]),
    )


def ids_of(messages: Sequence[BaseMessage]) -> list[str]:
    return [each.tool_call_id if isinstance(each, ToolMessage) else each.id or "" for each in messages]


async def summarize_session(scene: Scene, *_: Any, occasion: Occasion, **__: Any) -> Summarised:
    """In the place of the one that asks a database: the scene stands where that is handed in."""
    return scene.summarised(occasion)


async def compact(
    known: Summary | None, messages: Sequence[StoredMessage], *, kept_from: int, **_: Any
) -> Summary | None:
    """In the place of the one that uses a thread for it: by rules, of any length."""
    head = head_of(messages, kept_from)
    return Summary(words(len(head)), head[-1].id, len(head), LENGTHS[len(head) % 4]) if head else known
