"""What a model is given in each step of a turn: the prompt, and what came of its calls. When that becomes too much, in
this order: the conversation before the question is summarised, then left out (turn/fitting.py); results are shown by
their beginning, the oldest first; earlier steps are left out, each call with its results. Where not even the last one
fits, the turn ends with an answer all the same: the tools are told of no more, and if that is not enough, of what they
were asked and said no more stays than that it did not fit.

What was said and stored stays as it is: only what the model reads again becomes less.
"""

import asyncio
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from chatServer.agent.counted import count_given
from chatServer.agent.given import for_model
from chatServer.agent.run import Run
from chatServer.agent.speech import said_in
from chatServer.agent.tools import tokens_of
from chatServer.conversation.budget import cut_result
from chatServer.messages import from_langchain, text_of
from chatServer.records import TurnEvent
from chatServer.records.budget import LONG_CHARS

LEAST_RESULT_TOKENS = 100  # its beginning, and that it was cut
DID_NOT_FIT = "What was asked here did not fit into the conversation. Answer with what is known."


class Tight:
    """Of one run. `head` is the prompt; `redact` is what its messages pass when it is made anew."""

    def __init__(
        self, run: Run, head: Sequence[BaseMessage], redact: Callable[[BaseMessage], BaseMessage] = lambda each: each
    ) -> None:
        self._run = run
        self._head = list(head)
        self._redact = redact
        self._counts: dict[int, tuple[BaseMessage, int]] = {}  # by what they are, which keeps them from being replaced
        self._cut: dict[str, ToolMessage] = {}  # by their calls
        self._left_out = 0  # of what was added
        self.told: tuple[TurnEvent, ...] = ()  # by the last `given`

    async def given(self, added: Sequence[BaseMessage]) -> list[BaseMessage]:
        """All of it, as much as the model takes beside its answer."""
        self.told = ()
        if not added:
            return list(self._head)
        tail = self._shown(added)
        if await self._is_too_much(tail):
            await self._tighten(await self._tokens(tail))
            tail = await self._shortened(added)
        self._run.context.articles_tokens = await self._tokens([each for each in tail if self._fills(each)])
        return [*self._head, *tail]

    async def _tighten(self, tail_tokens: int) -> None:
        if self._run.tighten is None:
            return
        made = await self._run.tighten(tail_tokens)
        system = [each for each in self._head[:1] if each.type == "system"]
        self._head = [*system, *(self._redact(for_model(message)) for message in made.messages)]
        self.told = made.told

    async def _shortened(self, added: Sequence[BaseMessage]) -> list[BaseMessage]:
        tail = self._shown(added)
        for place in [i for i, each in enumerate(tail) if isinstance(each, ToolMessage)]:
            over = await self._over(tail)
            if over <= 0:
                return tail
            result = tail[place]
            assert isinstance(result, ToolMessage)  # nosec B101 # narrows a type
            tokens = await self._tokens([result])
            self._cut[result.tool_call_id] = tail[place] = _cut(result, max(tokens - over, LEAST_RESULT_TOKENS))
        while await self._over(tail) > 0:
            rest = _without_first_step(tail)
            if not rest:
                return await self._last(tail)
            self._left_out += len(tail) - len(rest)
            tail = rest
        return tail

    async def _last(self, step: Sequence[BaseMessage]) -> list[BaseMessage]:
        """As much of the only step as fits, now that the model calls nothing more: tokens were spent, and whoever paid
        them gets an answer."""
        self._run.is_full = True
        for shown in (step, _bare(step)):
            if await self._over(shown) <= 0:
                return list(shown)
        return []

    def _shown(self, added: Sequence[BaseMessage]) -> list[BaseMessage]:
        later = added[self._left_out :]
        return [self._cut.get(each.tool_call_id, each) if isinstance(each, ToolMessage) else each for each in later]

    async def _is_too_much(self, tail: Sequence[BaseMessage]) -> bool:
        """For the window, or for the mark: which is not for results that keep to the room that is left themselves."""
        mark, others = self._run.asked.mark_tokens, [each for each in tail if not self._fills(each)]
        return await self._over(tail) > 0 or 0 < mark < await self._tokens([*self._head, *others])

    def _fills(self, each: BaseMessage) -> bool:
        return isinstance(each, ToolMessage) and each.tool_call_id in self._run.filling

    async def _over(self, tail: Sequence[BaseMessage]) -> int:
        """By how many tokens it is too much for the window."""
        run = self._run
        tools_tokens = 0 if run.is_full else tokens_of(tuple(run.tools.values()))
        room = run.asked.window_tokens - run.asked.agent.limits.output_tokens - tools_tokens
        return await self._tokens([*self._head, *tail]) - room

    async def _tokens(self, messages: Sequence[BaseMessage]) -> int:
        new = [each for each in messages if id(each) not in self._counts]
        if sum(len(said_in(each)) for each in new) < LONG_CHARS:
            counts = [count_given(each) for each in new]
        else:
            counts = await asyncio.to_thread(lambda: [count_given(each) for each in new])
        self._counts |= {id(each): (each, count) for each, count in zip(new, counts, strict=True)}
        return sum(self._counts[id(each)][1] for each in messages)


def _cut(result: ToolMessage, max_tokens: int) -> ToolMessage:
    return result.model_copy(update={"content": text_of(cut_result(from_langchain(result), max_tokens))})


def _bare(step: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Of a step's first call that it was made, and why nothing came of it; nothing where none was answered."""
    result = next((each for each in step if isinstance(each, ToolMessage)), None)
    if result is None:
        return []
    call = tool_call(name=result.name or "", args={}, id=result.tool_call_id)
    return [AIMessage("", id=step[0].id, tool_calls=[call]), result.model_copy(update={"content": DID_NOT_FIT})]


def _without_first_step(tail: Sequence[BaseMessage]) -> list[BaseMessage]:
    """From the second call on; nothing where there is but one."""
    places = [i for i, each in enumerate(tail) if isinstance(each, AIMessage)]
    return list(tail[places[1] :]) if len(places) > 1 else []
