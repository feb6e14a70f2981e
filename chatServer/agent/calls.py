"""Calls of tools: checked, run with a time limit, and answered with a text in every case."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage
from pydantic import BaseModel, ValidationError

from chatServer.agent.room import room_for
from chatServer.agent.run import Run
from chatServer.agent.tools import Tool, ToolResult
from chatServer.conversation.budget import RESULT_SHARE, cut_new_result
from chatServer.messages import Message, clean_text, text_of
from chatServer.messages.deeds import DEEDS
from chatServer.messages.sources import SOURCES
from chatServer.records import Said, TurnEvent, new_id

logger = logging.getLogger(__name__)

MAX_ERROR_CHARACTERS = 500  # of what is kept beside a result; the result itself says all


@dataclass(frozen=True, slots=True)
class Call:
    """What the model asked for. `args` is None where its arguments are no JSON object."""

    id: str
    name: str
    arguments: str
    args: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A call with the tool and the input that it gets, or with the problem that it has."""

    call: Call
    tool: Tool | None = None
    input: BaseModel | None = None
    problem: str = ""
    told: tuple[TurnEvent, ...] = ()  # beside the problem: that a limit is reached


@dataclass(frozen=True, slots=True)
class Answered:
    """A call's end: for the followers, and for the model."""

    events: tuple[TurnEvent | Said, ...]
    reply: ToolMessage


def plan(calls: list[Call], run: Run, sent: Sequence[BaseMessage]) -> list[Planned]:
    """Check calls in their order, so that the limit falls on the last ones. `sent` is what led to them, themselves
    included."""
    loop = asyncio.get_running_loop()
    run.sent, run.answers = sent, {call.id: loop.create_future() for call in calls}
    return [_planned(call, run) for call in calls]


def _planned(call: Call, run: Run) -> Planned:
    if run.is_last_step:
        problem = "No tool can be called any more in this turn. Answer with what is known."
        return Planned(call, problem=problem, told=tuple(run.reached_last()))
    tool = run.tools.get(call.name)
    if tool is None:
        known = f"The tools are: {', '.join(run.tools)}." if run.tools else "There are no tools."
        return Planned(call, problem=f"There is no tool {call.name}. {known}")
    if call.args is None:
        return Planned(call, problem=f"The arguments of {call.name} are no valid JSON object. Call it again.")
    try:
        checked = tool.input.model_validate(call.args)
    except ValidationError as error:
        return Planned(call, problem=f"The arguments of {call.name} do not fit. {_problems(error)}")
    if not run.take_tool_run():
        limit = run.asked.agent.limits.tool_calls
        problem = f"All {limit} calls of tools that a turn may have were made. Answer with what is known."
        return Planned(call, problem=problem, told=tuple(run.reached("tool_calls")))
    if tool.fills_room:
        run.filling.add(call.id)
    return Planned(call, tool, checked)


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return " ".join(f"{'.'.join(map(str, one['loc'])) or 'input'}: {one['msg']}." for one in found[:10])


async def answer(planned: Planned, run: Run) -> Answered:
    """Run one call. Whatever goes wrong becomes a text for the model; only a cancellation passes through."""
    if planned.tool and planned.tool.fills_room:
        run.context.window_tokens = run.asked.window_tokens
        run.context.room_tokens = await room_for(planned.call, run)
    began = time.perf_counter()
    result = await _result(planned, run)
    duration_ms = round((time.perf_counter() - began) * 1000)
    answered = await _answered(planned, result, duration_ms, run.asked.window_tokens // RESULT_SHARE)
    run.answers[planned.call.id].set_result(answered.reply)
    return answered


async def _result(planned: Planned, run: Run) -> ToolResult:
    tool = planned.tool
    if tool is None:
        return ToolResult(planned.problem, is_error=True)
    try:
        async with asyncio.timeout(run.tool_timeout_s) as limit:
            result = await tool.run(run.context, planned.input)
    except Exception as error:  # noqa: BLE001  a tool that fails is something that the model can answer
        if limit.expired():
            logger.warning("the tool %s took longer than %g s", tool.name, run.tool_timeout_s)
            text = f"The tool {tool.name} took longer than {run.tool_timeout_s:g} seconds and was stopped."
        else:
            logger.warning("the tool %s failed: %s", tool.name, type(error).__name__)
            text = f"The tool {tool.name} failed. Answer without it."
        return ToolResult(text, is_error=True)
    if tool.is_untrusted:
        run.context.has_read_untrusted = True
    return result


async def _answered(planned: Planned, result: ToolResult, duration_ms: int, max_tokens: int) -> Answered:
    """Followers hear and the turn stores all of it; the model reads as much as leaves it room for more, unless the
    tool has kept to that room itself."""
    call, text = planned.call, clean_text(result.text)
    error = text[:MAX_ERROR_CHARACTERS] if result.is_error else None
    message = Message(
        role="tool",
        content=text,
        message_id=str(new_id()),
        name=call.name,
        tool_call_id=call.id,
        structured_data={"duration_ms": duration_ms, "success": not result.is_error, "error": error, **_kept(result)},
    )
    told = (
        TurnEvent("tool-error", id=call.id, name=call.name, text=text)
        if result.is_error
        else TurnEvent("tool-output", id=call.id, name=call.name, value=text)
    )
    status = "error" if result.is_error else "success"
    read = clean_text(result.read) if result.read else text_of(await cut_new_result(message, max_tokens))
    reply = ToolMessage(read, tool_call_id=call.id, name=call.name, status=status, id=message.message_id)
    events = (each._replace(id=message.message_id) if each.kind == "data" else each for each in result.events)
    return Answered((told, *events, *planned.told, Said(message)), reply)


def _kept(result: ToolResult) -> dict[str, Any]:
    """What followers hear beside the text, for those who read it later."""
    sources = [source.told() for source in result.sources]
    deeds = {each.name: each.value for each in result.events if each.kind == "data"}
    return {name: value for name, value in ((SOURCES, sources), (DEEDS, deeds)) if value}
