"""account(): what a turn took and what its prompt was made of, for whoever operates the server. Numbers, ids and names;
never a word that somebody said."""

import logging
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from chatServer import errors, metrics
from chatServer.records import Budget, Turn, Usage

PARTS = ("system", "notes", "tools", "summary", "history", "recalled", "articles", "question")

logger = logging.getLogger(__name__)
_seconds = cache(metrics.turn_seconds.labels)
_sizes = {part: metrics.prompt_tokens.labels(part) for part in PARTS}
_taken = {direction: metrics.turn_tokens.labels(direction) for direction in ("input", "output")}


def described(turn: Turn) -> dict[str, str | int]:
    """Which turn it is."""
    ids = {"turn_id": str(turn.turn_id), "session_id": turn.session_id}
    return {**ids, "agent": turn.agent_name, "model": turn.model or "", "attempt": turn.attempt}


def account(
    about: Mapping[str, str | int],
    *,
    state: str,
    error: errors.ChatError | None,
    seconds: float,
    usage: Usage,
    budget: Budget,
    **more: Any,
) -> None:
    """One line about a turn as `described`, and the numbers of /metrics."""
    _seconds(state).observe(seconds)
    if error:
        metrics.turns_failed.labels(error.code).inc()
    _taken["input"].inc(usage.input_tokens)
    _taken["output"].inc(usage.output_tokens)
    parts = tokens_of(budget)
    for part, tokens in parts.items():
        _sizes[part].observe(tokens)
    if not logger.isEnabledFor(logging.INFO):
        return
    fields = {
        **about,
        "state": state,
        "error_code": error.code if error else None,
        "duration_ms": round(seconds * 1_000, 1),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "window_tokens": budget.window_tokens,
        "prompt_tokens": budget.prompt_tokens,
        "room_tokens": budget.room_tokens,
        **{f"{part}_tokens": tokens for part, tokens in parts.items()},
        "dropped_messages": budget.dropped_messages,
        "forgotten_messages": budget.forgotten_messages,
        **more,
    }
    logger.info("turn ended", extra={"fields": fields})


def compactions(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Those of one turn, in one word and one number."""
    return {
        "compaction": ",".join(each["reason"] for each in told) or None,
        "tokens_saved": sum(each["tokens_saved"] for each in told),
    }


def tokens_of(budget: Budget) -> dict[str, int]:
    """By the names of PARTS."""
    return {
        "system": budget.system_tokens,
        "notes": budget.notes_tokens,
        "tools": budget.tools_tokens,
        "summary": budget.summary_tokens,
        "history": budget.history_tokens,
        "recalled": budget.recall_tokens,
        "articles": budget.articles_tokens,
        "question": budget.question_tokens,
    }
