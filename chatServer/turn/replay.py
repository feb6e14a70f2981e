"""What a turn said, told again from the messages that it left, for when its log is gone."""

from collections.abc import Iterator, Sequence

from chatServer.messages import Message, reasoning_of, text_of, tool_result
from chatServer.messages.calls import json_object
from chatServer.records import Turn, TurnEvent


def events_of(turn: Turn, messages: Sequence[Message]) -> Iterator[TurnEvent]:
    """The events of a turn that has ended: the same content, in fewer and larger pieces."""
    metadata = {"turn_id": str(turn.turn_id), "session_id": turn.session_id, "model": turn.model or ""}
    yield TurnEvent("start", id=str(turn.reply_message_id or turn.turn_id), value=metadata)
    steps = [i for i, message in enumerate(messages) if message.role == "assistant"]
    for number, (start, end) in enumerate(zip(steps, [*steps[1:], len(messages)], strict=True), 1):
        yield TurnEvent("step-start")
        yield from _step(number, messages[start], messages[start + 1 : end])
        yield TurnEvent("step-finish")
    if turn.state == "failed" and turn.partial_text:
        yield from _piece("text", "text-1", turn.partial_text)
    yield from _ending(turn)


def _step(number: int, said: Message, results: Sequence[Message]) -> Iterator[TurnEvent]:
    yield from _piece("reasoning", f"reasoning-{number}", reasoning_of(said))
    yield from _piece("text", f"text-{number}", text_of(said))
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


def _piece(kind: str, piece_id: str, text: str) -> Iterator[TurnEvent]:
    if text and kind == "text":
        yield TurnEvent("text-start", id=piece_id)
        yield TurnEvent("text-delta", id=piece_id, text=text)
        yield TurnEvent("text-end", id=piece_id)
    elif text:
        yield TurnEvent("reasoning-start", id=piece_id)
        yield TurnEvent("reasoning-delta", id=piece_id, text=text)
        yield TurnEvent("reasoning-end", id=piece_id)


def _ending(turn: Turn) -> Iterator[TurnEvent]:
    metadata = {"turn_id": str(turn.turn_id), "state": turn.state, "model": turn.model or "", "usage": turn.usage or {}}
    match turn.state:
        case "done":
            yield TurnEvent("finish", value=metadata)
        case "stopped":
            yield TurnEvent("metadata", value=metadata)
            yield TurnEvent("abort")
        case "failed":
            sentence = "This answer failed before it was finished. Send the message again to try once more."
            yield TurnEvent("error", text=sentence, name=turn.error_code or "model_failed")
