"""What a model is given of a message: the quick way says what the whole conversion says."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from chatServer.agent.given import LEFT_OUT, QuotedMessage, for_model, in_turns
from chatServer.messages import Message, Quoted, ToolCallMsg, from_langchain, to_langchain


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


INLINE = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
LOOK = {"type": "text", "text": "See https://there.example"}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": "http://169.254.169.254/latest"}},
        {"type": "image_url", "image_url": "file:///etc/passwd"},
        {"type": "image_url", "image_url": {"url": "image:01a1e3f2-1032-76cf-8c2b-1ada7b6e877f"}},
        {"type": "image", "source_type": "url", "url": "http://there.example"},
        {"type": "image", "source": {"type": "url", "url": "http://there.example"}},
        {"type": "input_image", "image_url": "/etc/passwd"},
        {"type": "file", "file": {"file_data": "http://there.example"}},
        {"type": "file", "file": {"file_id": "file-of-another"}},
        {"type": "file", "source_type": "id", "id": "file-of-another"},
        {"type": "media", "file_uri": "gs://bucket/there"},
        {"image": {"source": {"s3Location": {"uri": "s3://bucket/there"}}}},
    ],
)
def test_a_provider_is_told_of_no_address_to_fetch_from(block):
    given = for_model(from_langchain(HumanMessage([LOOK, block])))
    assert given.content == [LOOK, LEFT_OUT]
    if "type" in block:
        assert for_model(from_langchain(AIMessage([LOOK, block]))).content == [LOOK, LEFT_OUT]


def test_nor_by_what_is_called_the_result_of_a_tool():
    block = {"type": "tool_result", "content": [{"type": "image", "source": {"type": "url", "url": "http://there"}}]}
    given = for_model(from_langchain(ToolMessage([LOOK, block], tool_call_id="1")))
    assert given.content == [LOOK, LEFT_OUT]


def test_an_address_among_the_images_of_a_row_is_left_out_and_a_picture_stays():
    given = for_model(Message("user", "Look", images=["/etc/passwd", INLINE]))
    assert given.content == [
        {"type": "text", "text": "Look"},
        LEFT_OUT,
        {"type": "image_url", "image_url": {"url": INLINE}},
    ]


def test_what_a_model_has_cited_and_called_stays():
    cited = {
        "type": "text",
        "text": "There.",
        "annotations": [{"type": "url_citation", "url": "https://there.example"}],
    }
    searched = {"type": "web_search_tool_result", "content": [{"url": "https://there.example"}]}
    assert for_model(from_langchain(AIMessage([cited, searched]))).content == [cited, searched]


def test_what_the_server_quotes_is_told_from_what_the_same_words_say():
    assert type(for_model(Quoted("user", "Hi."))) is QuotedMessage
    assert type(for_model(from_langchain(to_langchain(Quoted("user", "Hi."))))) is HumanMessage


def test_what_a_user_says_in_a_row_is_one_message_and_nothing_else_is():
    call = AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": "1"}])
    results = [ToolMessage("x", tool_call_id="1"), ToolMessage("y", tool_call_id="2")]
    picture = {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lGODlhAQABAAAAACw="}}
    given = [
        QuotedMessage("known"),
        HumanMessage("one", id="h"),
        call,
        *results,
        HumanMessage("two"),
        HumanMessage([picture]),
    ]
    first, *same, last = in_turns(given)
    assert (first.content, first.id, type(first)) == ("known\n\none", "h", HumanMessage)
    assert same == [call, *results]
    assert last.content == [{"type": "text", "text": "two"}, picture]
    named = [HumanMessage("a", name="ada"), HumanMessage("b", name="eve")]
    assert in_turns(named) == named
    assert in_turns([]) == []
