"""compact(): a conversation's head as a few sentences, rolling: the summary that was, and what was said since.

The messages stay where they are; a summary is derived, and made anew when it is gone. `is_due` counts to five; the
marks of tokens are those of records/budget.py, and the turn's own occasions are in turn/fitting.py.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from chatServer.agent.let_go import Spoken, of_line, still_told
from chatServer.agent.purposes import NamedModel
from chatServer.agent.summary.by_model import told
from chatServer.agent.summary.gist import gist
from chatServer.agent.summary.word_for_word import parted, quoted, quotes_of
from chatServer.conversation.assemble import KEPT_MESSAGES
from chatServer.conversation.tokens import count_text
from chatServer.memory.guard import guard
from chatServer.messages import text_of
from chatServer.records import USUAL_COMPRESSION, Compression, StoredMessage, Summary, Usage
from chatServer.spans import span

EVERY = 5  # messages
TIMEOUT_S = 60.0

# Five more messages were said, a mark of the window was passed, tools said much, the window ended before the summary
# did, or somebody asked for it.
Reason = Literal["five", "mark", "step", "window", "asked"]


async def compact(
    summary: Summary | None,
    messages: Sequence[StoredMessage],
    model: NamedModel | None = None,
    *,
    how: Compression = USUAL_COMPRESSION,
    within_s: float = TIMEOUT_S,
    kept_from: int | None = None,
) -> Summary | None:
    """The summary of all but the last messages; the one that was, where nothing is to be added. A model that fails
    costs nothing but its own words: then they are taken from what was said. What is important is repeated."""
    head = head_of(messages, kept_from)
    if not head:
        return summary
    with span("compact", messages=len(head)):
        known, quotes = parted(summary.text if summary else "")
        spoken = [*map(of_line, quotes), *map(_spoken, messages)]
        known, left = await asyncio.to_thread(still_told, known, spoken)
        whole = [line for line, each, text in zip(quotes, spoken, left, strict=False) if text == each.text]
        heard = list(_heard(head, left[len(quotes) :]))
        end, tokens = quoted([*whole, *quotes_of(heard)], how.target_tokens)
        said = [each.message for each in heard if each.is_readable]
        text, took, name = "", Usage(), None
        if model and within_s > 0:
            text, took = await told(known, said, model, how, within_s=within_s, tokens=tokens)
            name = model[0] if text else None
        text = text or await asyncio.to_thread(gist, known, said, tokens)
    text = await guard(f"{text}\n\n{end}" if end else text) or ""
    count = (summary.messages if summary else 0) + len(head)
    return Summary(text, head[-1].id, count, count_text(text), name, took)


def _spoken(stored: StoredMessage) -> Spoken:
    message = stored.message
    is_error = (message.structured_data or {}).get("success") is False
    text = text_of(message) if stored.is_readable else ""
    return Spoken(message.role, text, message.name if message.role == "tool" else None, is_error)


def _heard(head: Sequence[StoredMessage], left: Sequence[str]) -> Iterator[StoredMessage]:
    """The messages as they may still be told."""
    for each, text in zip(head, left, strict=False):
        if text == _spoken(each).text:
            yield each
        elif text:
            yield replace(each, message=replace(each.message, content=text))


def head_of(messages: Sequence[StoredMessage], kept_from: int | None = None) -> Sequence[StoredMessage]:
    """All that stand before a place; without one, all but the last four, a call and its results on one side."""
    if kept_from is not None:
        return [each for each in messages if each.id < kept_from]
    end = max(len(messages) - KEPT_MESSAGES, 0)
    while 0 < end < len(messages) and messages[end].message.role == "tool":
        end -= 1
    return messages[:end]


def is_due(summary: Summary | None, count_after: int) -> bool:
    """Whether five more messages were said than when it was made last: every five, whoever says how many at once."""
    return is_time(summary.messages if summary else 0, count_after)


def is_time(summarised: int, count_after: int) -> bool:
    """The same of numbers: how many messages it holds, and how many came after."""
    return summarised + count_after >= _next(summarised)


def next_due(summary: Summary | None) -> int:
    """With how many messages in all the next one is made."""
    return _next(summary.messages if summary else 0)


def _next(summarised: int) -> int:
    return ((summarised + KEPT_MESSAGES) // EVERY + 1) * EVERY
