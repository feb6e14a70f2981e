"""Listening to a model: what the timer does to whom."""

import asyncio
import subprocess
import sys

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk

from chatServer import errors
from chatServer.agent.listen import Deadline, listen


async def ready(_):
    yield AIMessageChunk(content="a")
    yield AIMessageChunk(content="b")


async def test_time_that_the_reader_takes_cancels_nobody():
    heard = []
    with pytest.raises(errors.ModelTimeout):
        async for chunk in listen(ready, [], 0.02):
            heard.append(chunk.content)
            await asyncio.sleep(0.05)  # the reader is busy when the time ends
    assert heard == ["a"]
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
    deadline.cancel()


async def test_a_model_that_turns_the_cancellation_into_its_own_error_has_still_timed_out():
    async def stubborn(_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("closed") from None
        yield AIMessageChunk(content="never")

    with pytest.raises(errors.ModelTimeout):
        await anext(listen(stubborn, [], 0.02))
    assert asyncio.current_task().cancelling() == 0


async def test_a_model_that_cannot_stream_is_heard_too():
    async def whole(_):
        yield AIMessage("All at once.", tool_calls=[{"name": "f", "args": {"n": 1}, "id": "c"}])

    (chunk,) = [one async for one in listen(whole, [], 5)]
    assert chunk.content == "All at once."
    assert [(one["id"], one["args"]) for one in chunk.tool_call_chunks] == [("c", '{"n": 1}')]


async def test_a_reader_that_leaves_stops_the_timer_and_the_model():
    closed = asyncio.Event()

    async def talks(_):
        try:
            while True:
                yield AIMessageChunk(content="on and ")
        finally:
            closed.set()

    stream = listen(talks, [], 0.01)
    await anext(stream)
    await stream.aclose()
    assert closed.is_set()
    await asyncio.sleep(0.03)
    assert asyncio.current_task().cancelling() == 0


def test_what_takes_long_to_import_waits_until_an_agent_needs_it():
    code = (
        "import sys, chatServer.agent.answer; print([m for m in ('langchain.agents', 'langgraph') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
