"""explain(): a prompt part by part, in the order in which the model reads it: what each takes, and why it is so."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from chatServer.agent.prompts import PLACEHOLDER, noted
from chatServer.agent.tools import Tool, parameters_of
from chatServer.conversation.budget import is_cut
from chatServer.conversation.tokens import count_message
from chatServer.messages import Message, text_of
from chatServer.records import Budget, RecallResult, StoredMessage
from chatServer.turn.begun import Begun
from chatServer.turn.fitting import Fitting
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


def explain(begun: Begun, prompt: Fitting, notes: str, found: RecallResult | None) -> tuple[Part, ...]:
    """The parts of a prompt that has what was found in it; together they are the window, unless the question does not
    fit into that."""
    budget, messages = prompt.budget, prompt.asked.messages
    first, last = int(budget.summary_tokens > 0), len(messages) - 1 - (budget.recall_tokens > 0)
    left = max(budget.room_tokens, 0)
    return (
        *_system(begun, budget, notes),
        _tools(prompt),
        _summary(begun, budget, messages[:first]),
        _history(begun, budget, messages[first:last]),
        _recalled(begun, budget, messages[last:-1], found),
        _question(budget, messages[-1]),
        Part("reserve", budget.reserve_tokens, "in", "Kept for the answer: limits.output_tokens of the agent."),
        Part("room", left, "in", "What is left, for the results of tools and for documents."),
    )


def _system(begun: Begun, budget: Budget, notes: str) -> Iterator[Part]:
    """The agent's prompt, and what the notes add to it."""
    agent, text, tokens = begun.agent, noted(notes), budget.notes_tokens
    yield Part("system", budget.system_tokens, "in", "The agent's own instructions, always first.", agent.prompt)
    if PLACEHOLDER not in agent.prompt:
        yield Part("notes", tokens, "out", "This agent's prompt has no place for notes.")
    elif notes.strip():
        yield Part("notes", tokens, "in", f"What is noted of you; it stands where the prompt has {PLACEHOLDER}.", text)
    else:
        reason = "Nothing is noted yet." if has_memory(agent, begun.session) else _no_memory(begun)
        yield Part("notes", tokens, "out", reason, text)


def _tools(prompt: Fitting) -> Part:
    if not prompt.tools:
        return Part("tools", 0, "out", "This agent has no tools here.")
    reason = f"What the agent may use: {', '.join(tool.name for tool in prompt.tools)}."
    return Part("tools", prompt.budget.tools_tokens, "in", reason, "\n".join(map(_described, prompt.tools)))


def _described(tool: Tool) -> str:
    told = {"name": tool.name, "description": tool.description, "parameters": parameters_of(tool)}
    return json.dumps(told, ensure_ascii=False)


def _summary(begun: Begun, budget: Budget, messages: Sequence[Message]) -> Part:
    known = begun.parts.summary or ""
    if messages:
        text, reason = text_of(messages[0]), "It stands for what was said before the messages that follow."
        state: State = "in" if len(text) >= len(known) else "shortened"
        return Part("summary", budget.summary_tokens, state, reason, text)
    if known and budget.dropped_messages:
        return Part("summary", 0, "out", "There is no room for it.")
    if begun.window.is_whole and not budget.dropped_messages:
        return Part("summary", 0, "out", "All that was said is in the prompt itself.")
    return Part("summary", 0, "out", "There is none yet of what was said before.")


def _history(begun: Begun, budget: Budget, messages: Sequence[Message]) -> Part:
    stored = {each.message.message_id: each for each in begun.window.stored}
    shown = tuple(_shown(message, stored.get(message.message_id)) for message in messages)
    cut = sum(each.is_cut for each in shown)
    reasons = list(_reasons(begun, budget, len(shown)))
    if cut:
        reasons.append(f"{cut} long results of tools are cut.")
    state: State = "shortened" if budget.dropped_messages or cut else "in" if shown else "out"
    return Part("history", budget.history_tokens, state, " ".join(reasons), messages=shown)


def _reasons(begun: Begun, budget: Budget, shown: int) -> Iterator[str]:
    forgotten, dropped = budget.forgotten_messages, budget.dropped_messages
    if summarised := dropped - forgotten:
        yield f"The summary stands for the {summarised} oldest of {dropped + shown} messages, to make room."
    if forgotten:
        yield f"{forgotten} of {dropped + shown} messages do not fit."
    if not begun.window.is_whole:
        yield f"The agent is shown the last {begun.window.k} messages, by whole exchanges."
    elif not dropped:
        yield "All that was said in this session." if shown else "Nothing was said in this session yet."


def _shown(message: Message, stored: StoredMessage | None) -> Shown:
    """With the count that its row has, if that is what is sent."""
    known = stored.tokens if stored and stored.message is message else None
    return Shown(message, known or count_message(message), message.role == "tool" and is_cut(text_of(message)))


def _recalled(begun: Begun, budget: Budget, messages: Sequence[Message], found: RecallResult | None) -> Part:
    if found is None:
        no_room = f"There is room for less than {LEAST_RECALL_TOKENS} tokens of what is remembered."
        reason = no_room if has_memory(begun.agent, begun.session) else _no_memory(begun)
        return Part("recalled", 0, "out", reason)
    text, shown = "".join(map(text_of, messages)) or None, len(found.items)
    reason = f"{shown} of {found.total_found} lines that bear on the message." if shown else "Nothing found for it."
    if found.degraded:
        reason += f" Not all could be looked up: {found.degraded}."
    state: State = "shortened" if found.degraded else "in" if shown else "out"
    return Part("recalled", budget.recall_tokens, state, reason, text)


def _question(budget: Budget, question: Message) -> Part:
    images = len(question.images or ())
    reason = f"Your message, with {images} images." if images else "Your message."
    return Part("question", budget.question_tokens, "in", reason, text_of(question))


def _no_memory(begun: Begun) -> str:
    return "Memory is off in this session." if begun.session.memory == "off" else "This agent has no memory."
