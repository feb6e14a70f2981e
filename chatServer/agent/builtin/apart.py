"""A prompt as `builtin` reads it: taken apart into the question and the texts that were given beside it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from chatServer.agent.builtin.extract import Source
from chatServer.agent.given import QuotedMessage
from chatServer.agent.let_go import Spoken, still_told
from chatServer.agent.prompts import NOTHING_YET
from chatServer.agent.speech import said_in
from chatServer.conversation.quote import NOT_ALL
from chatServer.messages.fence import all_unfenced, unfenced

NOTES_TOOL = "manage_long_term_memory"
ARTICLES_TOOL = "retrieve_context"
BLOCKS = ("memories", "summary")
MAX_EARLIER = 50


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt, taken apart."""

    question: str
    question_id: str | None
    notes: str | None  # None: they are not in the prompt
    blocks: tuple[Source, ...]
    is_all: bool  # what is remembered could be looked up
    earlier: tuple[str, ...]  # what the user said before and has not had forgotten, the newest first
    calls: tuple[dict[str, Any], ...]  # arguments of our own calls since the question, but for those of articles
    results: tuple[ToolMessage, ...]
    tools: frozenset[str]
    has_looked: bool = False  # into the articles
    articles: tuple[str, ...] = ()  # where that was, or could be
    look_failed: str = ""  # what the last look into them said instead
    has_picture: bool = False  # what the user said last
    is_picture: bool = False  # and nothing else

    @property
    def can_note(self) -> bool:
        """Which also says that this session is remembered."""
        return NOTES_TOOL in self.tools


def take_apart(messages: list[BaseMessage], tools: frozenset[str]) -> Prompt:
    """Find the question: the last that the user has said in words."""
    said = [(place, text) for place, m in enumerate(messages) if _is_user(m) and (text := said_in(m).strip())]
    place, question = said[-1] if said else (len(messages), "")
    quoted = [said_in(m) for m in messages if isinstance(m, QuotedMessage)]
    blocks, told = _still_told(list(_blocks(quoted)), messages)
    before = [text for at, _ in said[:-1] if (text := told[at].strip())]
    since = messages[place + 1 :]
    results = [m for m in since if isinstance(m, ToolMessage)]
    read = [m for m in results if m.name == ARTICLES_TOOL]
    has_picture, has_words = _last_said(messages)
    return Prompt(
        question=question,
        question_id=messages[place].id if said else None,
        notes=_notes_in(messages),
        blocks=(*blocks, *_passages(read)),
        is_all=not any(text.endswith(NOT_ALL) for text in quoted),
        earlier=tuple(reversed(before[-MAX_EARLIER:])),
        calls=tuple(call["args"] for call in _calls_in(since) if call["name"] != ARTICLES_TOOL),
        results=tuple(m for m in results if m.name != ARTICLES_TOOL),
        tools=tools,
        has_looked=bool(read),
        articles=tuple(_named(read)),
        look_failed=said_in(read[-1]) if read and read[-1].status == "error" else "",
        has_picture=has_picture,
        is_picture=has_picture and not has_words,
    )


def _notes_in(messages: Iterable[BaseMessage]) -> str | None:
    """The page of notes in the system prompt; None: it has no place for one."""
    system = "\n".join(said_in(m) for m in messages if isinstance(m, SystemMessage))
    notes = unfenced("notes", system)
    return "" if notes is None and NOTHING_YET in system else notes


def _calls_in(messages: Iterable[BaseMessage]) -> Iterator[ToolCall]:
    return chain.from_iterable(m.tool_calls for m in messages if isinstance(m, AIMessage))


def _last_said(messages: Sequence[BaseMessage]) -> tuple[bool, bool]:
    """Whether what the user sent last has a picture, and whether it has words."""
    last = next((m for m in reversed(messages) if _is_user(m)), None)
    return (_has_picture(last), bool(said_in(last).strip())) if last else (False, False)


def _is_user(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and not isinstance(message, QuotedMessage)


def _has_picture(message: BaseMessage) -> bool:
    blocks = message.content if isinstance(message.content, list) else []
    return any(isinstance(block, dict) and str(block.get("type")).startswith("image") for block in blocks)


def _still_told(blocks: list[Source], messages: Sequence[BaseMessage]) -> tuple[list[Source], list[str]]:
    """The summary without what was let go, and of each message what may be told."""
    spoken = list(map(_spoken, messages))
    summary = next((block for block in blocks if block.kind == "summary"), Source("summary", ""))
    text, told = still_told(summary.text, spoken)
    return [replace(block, text=text) if block is summary else block for block in blocks], told


def _spoken(message: BaseMessage) -> Spoken:
    if isinstance(message, ToolMessage):
        return Spoken("tool", said_in(message), message.name, message.status == "error")
    if isinstance(message, AIMessage):
        return Spoken("assistant", said_in(message))
    return Spoken("user", said_in(message)) if _is_user(message) else Spoken("", "")


def _blocks(quoted: Iterable[str]) -> Iterator[Source]:
    """Each has one block; what looks like another one is within it."""
    for text in quoted:
        kind = min(BLOCKS, key=lambda each: (f"<{each}>\n" not in text, text.find(f"<{each}>\n")))
        if (inside := unfenced(kind, text)) is not None:
            yield from _lines(inside) if kind == "memories" else [Source(kind, inside)]


def _passages(read: Iterable[ToolMessage]) -> Iterator[Source]:
    """Each by itself; its first line says where it is from."""
    for message in read:
        for block in all_unfenced("articles", said_in(message)):
            label, _, text = block.partition("\n")
            yield Source("articles", text, label)


def _named(read: Iterable[ToolMessage]) -> Iterator[str]:
    """The articles that the tool names, where it shows nothing of them."""
    for message in read:
        for line in (unfenced("sources", said_in(message)) or "").splitlines():
            yield line.removeprefix("- ")


def _lines(memories: str) -> Iterator[Source]:
    """Each line by itself, with where it is from."""
    for line in memories.splitlines():
        label, ends, text = line.removeprefix("- (").partition(") ")
        yield Source("memories", text, label) if ends else Source("memories", line)
