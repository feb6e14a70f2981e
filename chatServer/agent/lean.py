"""The answer without middleware: a loop over the model and its tools, and nothing in between."""

import asyncio

from langchain_core.messages import BaseMessage

from chatServer import errors
from chatServer.agent.calls import Planned, answer, plan
from chatServer.agent.given import system, window
from chatServer.agent.listen import ModelStreams, listen
from chatServer.agent.run import Hear, Run
from chatServer.agent.step import Step
from chatServer.agent.tight import Tight
from chatServer.records import TurnEvent


class Lean:
    """One agent with one model, ready for any number of turns."""

    def __init__(self, streams: ModelStreams) -> None:
        self._streams = streams

    async def answer(self, run: Run, hear: Hear) -> None:
        tight = Tight(run, [*system(run), *window(run)])
        added: list[BaseMessage] = []
        while True:
            messages = await tight.given(added)
            for event in (*tight.told, *run.begin_step()):
                hear(event)
            step = Step(run, hear)
            await listen(self._streams.for_step(run), messages, run.model_timeout_s, step.take)
            await step.finish(messages)
            if step.calls:
                added.append(step.reply)
                await _run_tools(plan(step.calls, run, [*messages, step.reply]), run, added, hear)
            hear(TurnEvent("step-finish"))
            if not step.calls:
                return
            if run.is_last_step:
                ended(step)
                return


def ended(step: Step) -> None:
    """The last step may call nothing; a model that does it all the same has to have said something, too."""
    if not step.has_text:
        raise errors.ModelFailed("The model asked for tools until it had no call left, and gave no answer.")


async def _run_tools(planned: list[Planned], run: Run, added: list[BaseMessage], hear: Hear) -> None:
    """Run all at once; tell the results in the order of the calls."""
    tasks = [asyncio.create_task(answer(one, run)) for one in planned]
    try:
        for task in tasks:
            answered = await task
            added.append(answered.reply)
            for event in answered.events:
                hear(event)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
