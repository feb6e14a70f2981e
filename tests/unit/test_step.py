"""What a model has thought and said, put together from its chunks: as LangChain would do it, in less time."""

import pytest
from langchain_core.messages import AIMessageChunk

from chatServer.agent.run import Hear, Run
from chatServer.agent.step import Step
from chatServer.agent.thoughts import KEPT_AS
from chatServer.messages import reasoning_of, text_of
from chatServer.records import Agent, ModelInput, Said, TurnEvent
from tests.tools.asking import DOUBLE, a_context
from tests.tools.spoken import block, call, usage

SIGNED = AIMessageChunk("", additional_kwargs={KEPT_AS: "Sure.", "signature": "abc"})
ENDED = AIMessageChunk("", response_metadata={"finish_reason": "stop"})


def thought(text: str | None) -> AIMessageChunk:
    return AIMessageChunk("", additional_kwargs={KEPT_AS: text})


def a_step(hear: Hear) -> Step:
    asked = ModelInput(Agent("a", "d", "p"), "spoken", "Be brief.", ())
    return Step(Run(asked, {"double": DOUBLE}, a_context(), model_timeout_s=1, tool_timeout_s=1), hear)


async def finished(chunks: list[AIMessageChunk]) -> tuple[Step, Said]:
    heard: list[TurnEvent | Said] = []
    step = a_step(heard.append)
    for chunk in chunks:
        step.take(chunk)
    await step.finish([])
    said = heard[-1]
    assert isinstance(said, Said)
    return step, said


async def test_a_thought_in_fifty_thousand_pieces_is_kept_whole():
    pieces = [f"{number} " for number in range(50_000)]
    _, said = await finished([*map(thought, pieces), AIMessageChunk("Done."), usage(7, 7)])
    assert reasoning_of(said.message) == "".join(pieces)
    assert text_of(said.message) == "Done."
    assert said.usage.output_tokens == 7


@pytest.mark.parametrize(
    "chunks",
    [
        [thought("Let me "), thought("think."), AIMessageChunk("Yes."), ENDED, usage(1, 1)],
        [thought("Let me "), AIMessageChunk("Well, "), thought("think."), AIMessageChunk("yes.")],
        [thought(None), thought("Let me "), thought(""), thought(None), SIGNED, AIMessageChunk("Yes.")],
        [thought(None), AIMessageChunk("Yes.")],
        [thought(""), AIMessageChunk("Yes.")],
        [thought("Twice "), thought("21."), call("double", '{"n": ', "c"), call(None, "21}")],
        [thought("Let me "), block(type="text", text="Ye", index=0), thought("think."), block(text="s.", index=0)],
        [AIMessageChunk("Yes.", additional_kwargs={KEPT_AS: "Hm."})],
        [AIMessageChunk("Yes.")],
    ],
)
async def test_what_is_kept_beside_a_text_is_what_langchain_makes_of_it(chunks):
    whole = chunks[0] + chunks[1:] if len(chunks) > 1 else chunks[0]
    step, _ = await finished([chunk.model_copy() for chunk in chunks])
    assert step.reply.additional_kwargs == whole.additional_kwargs
    assert step.reply.content == whole.content
    assert step.reply.response_metadata == whole.response_metadata
    assert [each["args"] for each in step.reply.tool_calls] == [each["args"] for each in whole.tool_calls]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["Hi \ud83d", "\ude00!"], "Hi 😀!"),
        (["\ud83d", "\ude00", "\ud83d", "\ude01"], "😀😁"),
        (["\ud83d", "no"], "\ufffdno"),
        (["no\ud83d"], "no\ufffd"),
        (["\ude00no"], "\ufffdno"),
    ],
)
async def test_a_character_that_was_cut_in_two_is_whole_again(pieces, whole):
    step, said = await finished([AIMessageChunk(piece) for piece in pieces])
    assert text_of(said.message) == whole
    assert step.reply.content == whole


async def test_half_a_character_is_told_before_what_follows_it():
    told: list[TurnEvent | Said] = []
    step = a_step(told.append)
    for chunk in (AIMessageChunk("a\ud83d"), thought("Hm."), AIMessageChunk("\ude00")):
        step.take(chunk)
    assert [event.text for event in told if event.kind.endswith("-delta")] == ["a", "\ufffd", "Hm.", "\ufffd"]
