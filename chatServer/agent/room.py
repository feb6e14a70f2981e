"""How much of the model's window is left for the result of a call, when everything else of its step is known."""

import asyncio
from typing import Protocol

from chatServer.agent.counted import count_prompt
from chatServer.agent.run import Run
from chatServer.agent.tools import tokens_of
from chatServer.conversation.tokens import PER_MESSAGE, PER_NAME, PER_ROLE, count_text

NEXT_CALL = 256  # kept free, so that the model may call one more tool, or hear why it may not


class Called(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


async def room_for(call: Called, run: Run) -> int:
    """Tokens for the text of its result: what the prompt so far, the other results, the tools and the answer leave.

    It waits for the other calls of its step; of those that fill the room, for the ones before it.
    """
    others = [future for other, future in run.answers.items() if other != call.id and not _waits(other, call, run)]
    results = await asyncio.gather(*map(asyncio.shield, others))
    taken = await count_prompt([*run.sent, *results]) + tokens_of(tuple(run.tools.values()))
    around = PER_MESSAGE + PER_ROLE + PER_NAME + count_text(call.name)
    return run.asked.window_tokens - run.asked.agent.limits.output_tokens - taken - around - NEXT_CALL


def _waits(call_id: str, call: Called, run: Run) -> bool:
    """Whether another call waits for this one."""
    order = list(run.answers)
    return call_id in run.filling and order.index(call_id) > order.index(call.id)
