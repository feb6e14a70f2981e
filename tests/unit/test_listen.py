"""Listening to a model: what the timer does to whom."""

import asyncio
import contextlib
import subprocess
import sys

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk

from chatServer import errors
from chatServer.agent.listen import Deadline, listen


async def test_a_model_that_talks_until_its_time_is_over_has_timed_out():
    async def talks(_):
        while True:
            await asyncio.sleep(0.005)
            yield AIMessageChunk(content="on and ")

    heard = []
    with pytest.raises(errors.ModelTimeout):
        await listen(talks, [], 0.05, heard.append)
    assert heard
    assert asyncio.current_task().cancelling() == 0


async def test_a_model_that_swallows_the_cancellation_is_left_all_the_same():
    async def deaf(_):
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.02)
            yield AIMessageChunk(content="on and ")

    heard = []
    with pytest.raises(errors.ModelTimeout):
        await listen(deaf, [], 0.01, heard.append)
    assert len(heard) <= 1
    assert asyncio.current_task().cancelling() == 0


async def test_a_stop_that_comes_with_the_end_of_the_time_is_a_stop():
    deadline = Deadline(60)

    async def wait():
        with deadline:
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    deadline._end()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_model_that_turns_the_cancellation_into_its_own_error_has_still_timed_out():
    async def stubborn(_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("closed") from None
        yield AIMessageChunk(content="never")

    with pytest.raises(errors.ModelTimeout):
        await listen(stubborn, [], 0.02, print)
    assert asyncio.current_task().cancelling() == 0


async def test_a_model_that_cannot_stream_is_heard_too():
    async def whole(_):
        yield AIMessage("All at once.", tool_calls=[{"name": "f", "args": {"n": 1}, "id": "c"}])

    heard = []
    await listen(whole, [], 5, heard.append)
    (chunk,) = heard
    assert chunk.content == "All at once."
    assert [(one["id"], one["args"]) for one in chunk.tool_call_chunks] == [("c", '{"n": 1}')]


async def test_a_listener_that_has_heard_enough_stops_the_timer_and_the_model():
    closed = asyncio.Event()

    async def talks(_):
        try:
            while True:
                yield AIMessageChunk(content="on and ")
        finally:
            closed.set()

    def enough(_):
        raise errors.ModelFailed("enough")

    with pytest.raises(errors.ModelFailed, match="enough"):
        await listen(talks, [], 0.01, enough)
    assert closed.is_set()
    await asyncio.sleep(0.03)
    assert asyncio.current_task().cancelling() == 0


def test_what_takes_long_to_import_waits_until_an_agent_needs_it():
    code = (
        "import sys, chatServer.agent.answer; print([m for m in ('langchain.agents', 'langgraph') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
