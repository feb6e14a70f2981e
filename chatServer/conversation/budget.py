"""What fits into one prompt. Pure: the parts that must be there are taken off the model's window first, and the
newest whole exchanges share what they leave."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from chatServer.conversation.tokens import count_message, count_text, shortened
from chatServer.errors import ContextTooLarge
from chatServer.messages import Message, text_of, tool_result
from chatServer.messages.text import LANGCHAIN
from chatServer.records import Budget, StoredMessage
from chatServer.records.budget import LONG_CHARS, MAX_TOKENS_A_CHARACTER, SEAM_TOKENS

RESULT_SHARE = 4  # a tool result may take a quarter of the window
AROUND = 100  # tokens of a result beside its text: its role and the name of the tool, of at most 64 characters
MARK = "\n[Cut here: the first {shown:,} of {total:,} characters. The whole result is stored.]"


def fit(
    window: Sequence[StoredMessage],
    *,
    window_tokens: int,
    reserve_tokens: int,
    system_tokens: int,
    question_tokens: int,
    notes_tokens: int = 0,
    summary_tokens: int = 0,
    tools_tokens: int = 0,
    mark_tokens: int = 0,
    covers_to: int = 0,
) -> tuple[Budget, list[StoredMessage]]:
    """The budget of a prompt, and the messages of the window that stay in it, each with its count.

    `window` is whole exchanges, as a history's `window` gives them: what stays is the longest end of it that begins
    with a user's message and fits. The question is not in it. What the summary covers is not forgotten though dropped.
    """
    budget_with = partial(
        Budget,
        window_tokens=window_tokens,
        reserve_tokens=reserve_tokens,
        system_tokens=system_tokens,
        notes_tokens=notes_tokens,
        tools_tokens=tools_tokens,
        summary_tokens=summary_tokens,
        question_tokens=question_tokens,
        mark_tokens=mark_tokens,
    )
    everything = budget_with(history_tokens=0)
    if everything.room_tokens < 0:
        raise _too_large(everything)
    kept, history_tokens = _newest(window, everything.room_tokens, max_result=window_tokens // RESULT_SHARE)
    dropped = window[: len(window) - len(kept)]
    forgotten = sum(each.id > covers_to for each in dropped)
    counted = budget_with(history_tokens=history_tokens, dropped_messages=len(dropped), forgotten_messages=forgotten)
    return counted, kept


def last_exchanges(
    window: Sequence[StoredMessage], *, messages: int, room: int, max_result: int
) -> tuple[int, list[StoredMessage]]:
    """The tokens and the messages of the newest whole exchanges: so many that they are this number of messages, or as
    many as there is room for."""
    kept, tokens = _newest(window, room, max_result=max_result, enough=messages)
    return tokens, kept


def _newest(
    window: Sequence[StoredMessage], room: int, *, max_result: int, enough: int | None = None
) -> tuple[list[StoredMessage], int]:
    """From the newest message back, exchange by exchange; what is beyond the room is not even counted."""
    kept: list[StoredMessage] = []
    exchange: list[StoredMessage] = []
    kept_tokens = tokens = 0
    for stored in reversed(window):
        counted = stored if stored.tokens is not None and stored.tokens <= max_result else _counted(stored, max_result)
        exchange.append(counted)
        tokens += counted.tokens or 0
        if tokens > room:
            break
        if stored.message.role == "user":
            kept += exchange
            exchange, kept_tokens = [], tokens
            if enough is not None and len(kept) >= enough:
                break
    return kept[::-1], kept_tokens


def _counted(stored: StoredMessage, max_result: int) -> StoredMessage:
    if stored.tokens is None:
        stored = replace(stored, tokens=count_message(stored.message))
    if stored.message.role != "tool" or (stored.tokens or 0) <= max_result:
        return stored
    message = cut_result(stored.message, max_result)
    return replace(stored, message=message, tokens=count_message(message))


def cut_result(message: Message, max_tokens: int) -> Message:
    """A tool's result that takes no more than so many tokens, with a mark where it was cut; else as it is.

    Of a very small `max_tokens` only the mark remains, and images stay: they cannot be cut.
    """
    tokens = count_message(message)
    if tokens <= max_tokens:
        return message
    text = text_of(message)
    around = tokens - count_text(text) + count_text(MARK.format(shown=len(text), total=len(text))) + SEAM_TOKENS
    shown = shortened(text, max_tokens - around)
    rest = {name: value for name, value in (message.structured_data or {}).items() if name != LANGCHAIN}
    return replace(
        message,
        content=shown + MARK.format(shown=len(shown), total=len(text)),
        structured_data=rest or None,  # LangChain's own form of it would bring back the whole
        tool_call_id=tool_result(message)[0],
    )


async def cut_new_result(message: Message, max_tokens: int) -> Message:
    """A tool's result as the model that asked for it may read it; a long one is counted beside everybody's work."""
    text = text_of(message)
    if len(text) * MAX_TOKENS_A_CHARACTER + AROUND <= max_tokens:
        return message
    if len(text) < LONG_CHARS:
        return cut_result(message, max_tokens)
    return await asyncio.to_thread(cut_result, message, max_tokens)


def is_cut(result: str) -> bool:
    """Whether a result says of itself that it is not all."""
    return result.endswith(MARK.rpartition("}")[2])


def _too_large(budget: Budget) -> ContextTooLarge:
    needed = budget.prompt_tokens + budget.reserve_tokens
    return ContextTooLarge(
        f"The message does not fit. The model takes {budget.window_tokens:,} tokens in all; this would be {needed:,}: "
        f"the message {budget.question_tokens:,}, the instructions {budget.system_tokens:,}, "
        f"the notes {budget.notes_tokens:,}, the tools {budget.tools_tokens:,}, the summary "
        f"{budget.summary_tokens:,} and {budget.reserve_tokens:,} kept for the answer.",
        window_tokens=budget.window_tokens,
        needed_tokens=needed,
    )
