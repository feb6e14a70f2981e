"""Listening to a model until its time is over, and hanging up in every case."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from types import TracebackType
from typing import NamedTuple, Self

from langchain_core.messages import AIMessageChunk, BaseMessage

from chatServer import errors, metrics
from chatServer.agent.model_errors import pause_before_retry, translated
from chatServer.agent.run import Run

# A model, with its tools or without; what our own say in plain words comes as it is.
Streams = Callable[[list[BaseMessage]], AsyncGenerator[BaseMessage | str, None]]

HEARD = (AIMessageChunk, str)


class ModelStreams(NamedTuple):
    """One model in three ways: for the first step, which a tool may have to begin, for the others, and for the last."""

    first: Streams
    with_tools: Streams
    without_tools: Streams

    def for_step(self, run: Run) -> Streams:
        if run.is_last_step:
            return self.without_tools
        return self.first if run.steps == 1 else self.with_tools


class Deadline:
    """The time that a call may take. Unlike `asyncio.timeout` it also ends one whose model swallows the cancellation,
    or makes an error of its own of it."""

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._seconds = seconds

    def look(self) -> None:
        if self.is_over:
            raise errors.ModelTimeout

    def _end(self) -> None:
        self.is_over = True
        if self._task is not None:
            self._task.cancel()

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task else 0
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._end)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._timer.cancel()
        # Somebody else may have cancelled the task as well, and that has to be heard.
        if self.is_over and self._task is not None and self._task.uncancel() <= self._cancelling:
            raise errors.ModelTimeout from error


async def listen(
    model: Streams, messages: list[BaseMessage], timeout_s: float, take: Callable[[AIMessageChunk | str], None]
) -> None:
    """Hand on what the model streams, each chunk as it comes; ModelTimeout when the whole call takes too long, our own
    errors for its errors.

    A provider that refuses before it has said anything, though not because of us, is asked once more.
    """
    stream = model(messages)
    may_ask_again = True
    try:
        with Deadline(timeout_s) as deadline:
            while not deadline.is_over:
                try:
                    chunk = await anext(stream)
                except StopAsyncIteration:
                    return
                except errors.ChatError:
                    raise
                except Exception as error:
                    deadline.look()
                    pause_s = pause_before_retry(error) if may_ask_again else None
                    if pause_s is None:
                        raise translated(error) from error
                    await asyncio.sleep(pause_s)
                    await stream.aclose()
                    stream = model(messages)
                    metrics.model_retries.inc()
                else:
                    take(chunk if isinstance(chunk, HEARD) else _as_chunk(chunk))
                may_ask_again = False
            raise errors.ModelTimeout
    finally:
        await stream.aclose()


def _as_chunk(message: BaseMessage) -> AIMessageChunk:
    """Models that cannot stream give one whole message."""
    return AIMessageChunk(**message.model_dump(exclude={"type"}))
