"""What a model is given of a message: the quick way says what the whole conversion says."""

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from chatServer.agent.given import for_model
from chatServer.messages import Message, ToolCallMsg, from_langchain, to_langchain


def a_call(call_id="c", name="double", arguments='{"n": 1}') -> ToolCallMsg:
    return ToolCallMsg(call_id, call_id, "function", name, arguments)


HOW = {"duration_ms": 3, "success": True, "error": None}
USED = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
THOUGHT = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Yes."}]


@pytest.mark.parametrize(
    "message",
    [
        Message("user", "Hi."),
        Message("user", "Hi.", name="ada"),
        Message("user", ""),
        Message("user", "See.", images=["data:image/gif;base64,R0lGODlhAQABAAAAACw="]),
        Message("user", {"thought": "a dict"}),
        Message("system", "Be brief."),
        Message("assistant", "Hello."),
        Message("assistant", None, tool_calls=[a_call()]),
        Message("assistant", "Wait.", tool_calls=[a_call("a"), a_call("b", arguments="{}")]),
        from_langchain(AIMessage("Yes.", usage_metadata=USED, response_metadata={"model_name": "m"})),
        from_langchain(AIMessage(THOUGHT, usage_metadata=USED)),
        from_langchain(AIMessage("Yes.", additional_kwargs={"reasoning_content": "Hm."})),
        Message("tool", "2", tool_call_id="c", name="double", structured_data=HOW),
        Message("tool", "no", tool_call_id="c", name="double", structured_data={**HOW, "success": False}),
        Message("tool", '{"tool_call_id": "c", "output": "2"}'),
    ],
)
def test_the_model_reads_what_the_whole_conversion_says(message):
    quick, whole = for_model(message), to_langchain(message)
    assert type(quick) is type(whole)
    assert (quick.content, quick.id, quick.name) == (whole.content, whole.id, whole.name)
    if isinstance(whole, AIMessage):
        assert quick.tool_calls == whole.tool_calls
        assert quick.additional_kwargs.get("reasoning_content") == whole.additional_kwargs.get("reasoning_content")
    if isinstance(whole, ToolMessage):
        assert (quick.tool_call_id, quick.status) == (whole.tool_call_id, whole.status)


@pytest.mark.parametrize("kept", [None, {"langchain": {"content": [{"type": "text", "text": "Wait."}]}}])
def test_a_broken_call_stays_in_its_place_without_arguments(kept):
    calls = [a_call("a"), a_call("b", arguments='{"n": 1')]
    given = for_model(Message("assistant", "Wait.", tool_calls=calls, structured_data=kept))
    assert [(one["id"], one["args"]) for one in given.tool_calls] == [("a", {"n": 1}), ("b", {})]
    assert given.invalid_tool_calls == []
