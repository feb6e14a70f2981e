"""explain(): a prompt part by part, in the order in which the model reads it: what each takes, and why it is so."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from chatServer.agent.prompts import PLACEHOLDER, noted
from chatServer.agent.tools import Tool, parameters_of
from chatServer.conversation.budget import is_cut
from chatServer.conversation.tokens import count_message, count_text
from chatServer.messages import Message, text_of
from chatServer.records import ModelInput, RecallResult, StoredMessage
from chatServer.turn.before import Begun
from chatServer.turn.prompt import LEAST_RECALL_TOKENS, has_memory

PartName = Literal["system", "notes", "tools", "summary", "history", "recalled", "question", "reserve", "room"]
State = Literal["in", "shortened", "out"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the history, and what it takes."""

    message: Message = field(hash=False)
    tokens: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Part:
    """`text` is what the model reads; of history, its messages."""

    name: PartName
    tokens: int
    state: State
    reason: str  # for a person
    text: str | None = field(default=None, repr=False)
    messages: tuple[Shown, ...] = field(default=(), hash=False, repr=False)


def explain(begun: Begun, notes: str, asked: ModelInput, found: RecallResult | None) -> tuple[Part, ...]:
    """The parts of what is asked, which is `begun` with what was found for it; together they are the window, unless
    the question does not fit into it."""
    has_summary = begun.budget.summary_tokens > 0
    summary, said = begun.asked.messages[:has_summary], begun.asked.messages[has_summary:-1]
    recalled = asked.messages[len(begun.asked.messages) - 1 : -1]
    parts = [
        *_system(begun, notes),
        _tools(begun),
        _summary(begun, summary),
        _history(begun, said),
        _recalled(begun, recalled, found),
        _question(begun),
        _reserve(begun),
    ]
    left = max(begun.budget.window_tokens - sum(part.tokens for part in parts), 0)
    return (*parts, Part("room", left, "in", "What is left, for the results of tools and for articles."))


def _system(begun: Begun, notes: str) -> Iterator[Part]:
    """The agent's prompt, and the notes in it."""
    agent, text = begun.agent, noted(notes)
    tokens = agent.prompt.count(PLACEHOLDER) * count_text(text)
    reason = "The agent's own instructions, always first."
    yield Part("system", begun.budget.system_tokens - tokens, "in", reason, agent.prompt)
    if PLACEHOLDER not in agent.prompt:
        yield Part("notes", 0, "out", "This agent's prompt has no place for notes.")
    elif notes.strip():
        yield Part("notes", tokens, "in", f"What is noted of you; it stands where the prompt has {PLACEHOLDER}.", text)
    else:
        reason = "Nothing is noted yet." if has_memory(agent, begun.session) else _no_memory(begun)
        yield Part("notes", tokens, "out", reason, text)


def _tools(begun: Begun) -> Part:
    tools, tokens = begun.tools, begun.budget.tools_tokens
    if not tools:
        return Part("tools", 0, "out", "This agent has no tools here.")
    reason = f"What the agent may use: {', '.join(tool.name for tool in tools)}."
    return Part("tools", tokens, "in", reason, "\n".join(map(_described, tools)))


def _described(tool: Tool) -> str:
    told = {"name": tool.name, "description": tool.description, "parameters": parameters_of(tool)}
    return json.dumps(told, ensure_ascii=False)


def _summary(begun: Begun, messages: Sequence[Message]) -> Part:
    if messages:
        reason = "It stands for what was said before the messages that follow."
        return Part("summary", begun.budget.summary_tokens, "in", reason, text_of(messages[0]))
    if begun.window.is_whole and not begun.budget.dropped_messages:
        return Part("summary", 0, "out", "All that was said is in the prompt itself.")
    return Part("summary", 0, "out", "There is none yet of what was said before.")


def _history(begun: Begun, messages: Sequence[Message]) -> Part:
    stored = {each.message.message_id: each for each in begun.window.stored}
    shown = tuple(_shown(message, stored.get(message.message_id)) for message in messages)
    dropped, cut = begun.budget.dropped_messages, sum(each.is_cut for each in shown)
    reasons = []
    if dropped:
        reasons.append(f"The {dropped} oldest of {dropped + len(shown)} messages do not fit.")
    if cut:
        reasons.append(f"{cut} long results of tools are cut.")
    if not begun.window.is_whole:
        reasons.append(f"The agent is shown the last {begun.window.k} messages, by whole exchanges.")
    elif not reasons:
        reasons.append("All that was said in this session." if shown else "Nothing was said in this session yet.")
    state: State = "shortened" if dropped or cut else "in" if shown else "out"
    return Part("history", begun.budget.history_tokens, state, " ".join(reasons), messages=shown)


def _shown(message: Message, stored: StoredMessage | None) -> Shown:
    """With the count that its row has, if that is what is sent."""
    known = stored.tokens if stored and stored.message is message else None
    return Shown(message, known or count_message(message), message.role == "tool" and is_cut(text_of(message)))


def _recalled(begun: Begun, messages: Sequence[Message], found: RecallResult | None) -> Part:
    tokens = sum(map(count_message, messages))
    text = "".join(map(text_of, messages)) or None
    if found is None:
        no_room = f"There is room for less than {LEAST_RECALL_TOKENS} tokens of what is remembered."
        reason = no_room if has_memory(begun.agent, begun.session) else _no_memory(begun)
        return Part("recalled", 0, "out", reason)
    shown = len(found.items)
    reason = f"{shown} of {found.total_found} lines that bear on the message." if shown else "Nothing found for it."
    if found.degraded:
        return Part("recalled", tokens, "shortened", f"{reason} Not all could be looked up: {found.degraded}.", text)
    return Part("recalled", tokens, "in" if shown else "out", reason, text)


def _question(begun: Begun) -> Part:
    question, images = begun.asked.messages[-1], len(begun.asked.messages[-1].images or ())
    reason = f"Your message, with {images} images." if images else "Your message."
    return Part("question", begun.budget.question_tokens, "in", reason, text_of(question))


def _reserve(begun: Begun) -> Part:
    return Part("reserve", begun.budget.reserve_tokens, "in", "Kept for the answer: limits.output_tokens of the agent.")


def _no_memory(begun: Begun) -> str:
    return "Memory is off in this session." if begun.session.memory == "off" else "This agent has no memory."
