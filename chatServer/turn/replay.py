"""What a turn said, told again from the messages that it left, for when its log is gone."""

from collections.abc import Iterator, Sequence
from typing import Any

from chatServer import errors
from chatServer.messages import Message, cut_short, reasoning_of, sources, text_of, tool_result
from chatServer.messages.calls import json_object
from chatServer.messages.deeds import deeds_in
from chatServer.records import EventKind, Turn, TurnEvent
from chatServer.store.revisions import EVENT

TEXT: tuple[EventKind, EventKind, EventKind] = ("text-start", "text-delta", "text-end")
REASONING: tuple[EventKind, EventKind, EventKind] = ("reasoning-start", "reasoning-delta", "reasoning-end")


def events_of(turn: Turn, messages: Sequence[Message]) -> Iterator[TurnEvent]:
    """The events of a turn that has ended: the same content, in fewer and larger pieces."""
    metadata = {"turn_id": str(turn.turn_id), "session_id": turn.session_id, "model": turn.model or ""}
    yield TurnEvent("start", id=str(turn.reply_message_id or turn.turn_id), value=metadata)
    if turn.told_recall:
        yield TurnEvent("data", id=str(turn.turn_id), name="recall", value=turn.told_recall)
    known: set[str] = set()  # articles that were told
    steps = [i for i, message in enumerate(messages) if message.role == "assistant"]
    # Not strict: a turn that failed, or was stopped before its first word, has no steps and still an end.
    for number, (start, end) in enumerate(zip(steps, [*steps[1:], len(messages)], strict=False), 1):
        yield TurnEvent("step-start")
        yield from _step(number, messages[start], messages[start + 1 : end], known)
        yield TurnEvent("step-finish")
    if turn.state == "failed" and turn.partial_text:
        yield from _piece(TEXT, "text-1", turn.partial_text)
    if turn.told_revision:
        yield revision_event(turn)
    yield from ending_of(turn, messages)


def revision_event(turn: Turn) -> TurnEvent:
    """That memory is being made of a turn, or what came of it: one takes the other's place, under the turn's id."""
    value = turn.told_revision or {"status": "starting", "session_id": turn.session_id}
    return TurnEvent("data", id=str(turn.turn_id), name=EVENT, value=value)


def _step(number: int, said: Message, results: Sequence[Message], known: set[str]) -> Iterator[TurnEvent]:
    yield from _piece(REASONING, f"reasoning-{number}", reasoning_of(said))
    yield from _piece(TEXT, f"text-{number}", text_of(said))
    for call in said.tool_calls or []:
        arguments = json_object(call.arguments)
        value = call.arguments if arguments is None else arguments
        yield TurnEvent("tool-input", id=call.call_id, name=call.name, value=value)
    for result in results:
        call_id, output = tool_result(result)
        outcome = result.structured_data or {}
        if outcome.get("success") is False:
            yield TurnEvent("tool-error", id=call_id or "", text=str(outcome.get("error") or text_of(result)))
        else:
            yield TurnEvent("tool-output", id=call_id or "", value="" if output is None else output)
            for name, deed in deeds_in(result).items():
                yield TurnEvent("data", id=result.message_id, name=name, value=deed)
            for source in sources.sources_in(result):
                if source.article_id not in known:
                    yield TurnEvent("source", id=source.article_id, value=source.told())
                known.add(source.article_id)


def _piece(kinds: tuple[EventKind, EventKind, EventKind], piece_id: str, text: str) -> Iterator[TurnEvent]:
    if text:
        start, delta, end = kinds
        yield TurnEvent(start, id=piece_id)
        yield TurnEvent(delta, id=piece_id, text=text)
        yield TurnEvent(end, id=piece_id)


def ending_of(
    turn: Turn, messages: Sequence[Message], error: errors.ChatError | None = None, *, with_recalled: bool = True
) -> Iterator[TurnEvent]:
    """What is told last of a turn that has ended and left these messages."""
    metadata: dict[str, Any] = {"turn_id": str(turn.turn_id), "state": turn.state, "model": turn.model or ""}
    metadata |= {"usage": turn.usage or {}, **turn.told_larger}
    if with_recalled and turn.recalled and turn.recalled["items"]:
        metadata |= {"memories_used": turn.recalled["items"]}
    metadata |= sources.told(messages) | cut_short.told(messages)
    if turn.told_revision:
        metadata |= {"memory_revision": turn.told_revision}
    match turn.state:
        case "done":
            yield TurnEvent("finish", value=metadata)
        case "stopped":
            yield TurnEvent("metadata", value=metadata)
            yield TurnEvent("abort")
        case "failed":
            error = error or error_of(turn)
            yield TurnEvent("error", text=error.detail, name=error.code)


def error_of(turn: Turn) -> errors.ChatError:
    """Why a turn failed, as far as its row knows it."""
    match turn.error_code:
        case errors.ModelTimeout.code:
            return errors.ModelTimeout()
        case errors.ContextTooLarge.code:
            return errors.ContextTooLarge("The conversation did not fit into the model.")
        case errors.ModelNotConfigured.code:
            return errors.ModelNotConfigured("The model was not set up when this was asked.")
    return errors.ModelFailed()
