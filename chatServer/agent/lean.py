"""The answer without middleware: a loop over the model and its tools, and nothing in between."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from langchain_core.messages import BaseMessage

from chatServer import errors
from chatServer.agent.calls import Planned, answer, plan
from chatServer.agent.given import system, window
from chatServer.agent.listen import ModelStreams, listen
from chatServer.agent.run import Run
from chatServer.agent.step import Step
from chatServer.agent.tight import Tight
from chatServer.records import Said, TurnEvent


class Lean:
    """One agent with one model, ready for any number of turns."""

    def __init__(self, streams: ModelStreams) -> None:
        self._streams = streams

    async def answer(self, run: Run) -> AsyncGenerator[TurnEvent | Said, None]:
        tight = Tight(run, [*system(run), *window(run)])
        added: list[BaseMessage] = []
        while True:
            messages = await tight.given(added)
            for event in (*tight.told, *run.begin_step()):
                yield event
            step = Step(run)
            async with aclosing(listen(self._streams.for_step(run), messages, run.model_timeout_s)) as chunks:
                async for chunk in chunks:
                    for event in step.take(chunk):
                        yield event
            for said in await step.finish(messages):
                yield said
            if step.calls:
                added.append(step.reply)
                planned = plan(step.calls, run, [*messages, step.reply])
                async with aclosing(_run_tools(planned, run, added)) as results:
                    async for result in results:
                        yield result
            yield TurnEvent("step-finish")
            if not step.calls:
                return
            if run.is_last_step:
                ended(step)
                return


def ended(step: Step) -> None:
    """The last step may call nothing; a model that does it all the same has to have said something, too."""
    if not step.has_text:
        raise errors.ModelFailed("The model asked for tools until it had no call left, and gave no answer.")


async def _run_tools(
    planned: list[Planned], run: Run, added: list[BaseMessage]
) -> AsyncGenerator[TurnEvent | Said, None]:
    """Run all at once; tell the results in the order of the calls."""
    tasks = [asyncio.create_task(answer(one, run)) for one in planned]
    try:
        for task in tasks:
            answered = await task
            added.append(answered.reply)
            for event in answered.events:
                yield event
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
