"""Messages keep everything on their way to LangChain, to providers and to the UI, and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from chatServer.errors import MessageError
from chatServer.messages import (
    AgentCallMsg,
    Message,
    ToolCallMsg,
    clean_json,
    from_langchain,
    from_provider_dict,
    from_ui_message,
    reasoning_of,
    text_of,
    to_langchain,
    to_provider_dict,
    to_ui_parts,
)
from chatServer.messages.plain import plain_row, read_plain, without_unsaid

IMAGE = "data:image/png;base64,AA=="
CALL = ToolCallMsg(id="c1", call_id="c1", type="function", name="add", arguments='{"a": 1}')

texts = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, json_values, max_size=3)
ids = texts | st.sampled_from(["c1", "c2"])
arguments = texts | objects.map(json.dumps) | st.sampled_from(["{}", "[]", "NaN", '{"a": NaN}', '{"a":1}', "[" * 9999])
tool_calls = st.builds(
    ToolCallMsg, id=ids, call_id=ids, type=st.just("function") | texts, name=texts, arguments=arguments
) | st.builds(lambda i, n, a: ToolCallMsg(i, i, "function", n, json.dumps(a, ensure_ascii=False)), ids, texts, objects)
blocks = st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url", "reasoning"])}, optional={"text": texts})
kept = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(blocks | texts, max_size=3) | json_values,
        "additional_kwargs": objects | json_values,
        "response_metadata": objects | json_values,
        "usage_metadata": json_values,
        "invalid_tool_calls": json_values
        | st.lists(st.fixed_dictionaries({k: ids | st.none() for k in ("name", "args", "id", "error")}), max_size=2),
        "artifact": json_values,
    },
)
outcomes = st.fixed_dictionaries(
    {},
    optional={
        "duration_ms": st.integers(0, 9),
        "success": st.booleans(),
        "error": texts,
        "langchain": kept | texts,
    },
)
wrapped = st.fixed_dictionaries({"tool_call_id": ids, "output": json_values})
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    content=st.none() | texts | objects | wrapped | wrapped.map(json.dumps),
    message_id=st.text(min_size=1, max_size=20),
    name=st.none() | texts,
    tool_calls=st.none() | st.lists(tool_calls, max_size=3),
    agent_calls=st.none() | st.lists(st.builds(AgentCallMsg, st.text(min_size=1), json_values), max_size=2),
    structured_data=st.none() | objects | outcomes,
    images=st.none() | st.lists(st.text(min_size=1, max_size=9) | st.just(IMAGE), max_size=2),
    tool_call_id=st.none() | ids,
)


def through_json(base):
    return messages_from_dict([json.loads(json.dumps(message_to_dict(base)))])[0]


def there_and_back(base):
    return through_json(to_langchain(from_langchain(through_json(base))))


@given(messages)
def test_every_message_comes_back_from_langchain_as_it_was(message):
    base = to_langchain(message)
    assert from_langchain(base) == message
    assert from_langchain(through_json(base)) == message


@given(messages)
def test_what_the_model_is_given_says_what_the_message_says(message):
    base = to_langchain(message)
    assert base.text == text_of(message)
    assert base.id == message.message_id


@given(messages)
def test_a_langchain_message_of_ours_comes_back_as_it_was(message):
    base = through_json(to_langchain(message))
    assert there_and_back(base) == base


REASONING = [
    {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "s"}},
    {"type": "text", "text": "Four", "annotations": [{"type": "citation", "url": "u"}]},
    {"type": "text", "text": "."},
]


@pytest.mark.parametrize(
    "base",
    [
        HumanMessage("hi", id="1", name="Ann"),
        HumanMessage([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": IMAGE}}], id="1"),
        HumanMessage([{"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}}], id="1"),
        HumanMessage([{"type": "file", "base64": "AA==", "mime_type": "application/pdf"}, "and this"], id="1"),
        SystemMessage("be brief", id="1"),
        AIMessage("", id="1", tool_calls=[{"name": "add", "args": {"a": [1, None]}, "id": "c1"}]),
        AIMessage("", id="1", invalid_tool_calls=[{"name": "add", "args": '{"a": ', "id": "c1", "error": "bad"}]),
        AIMessage("", id="1", invalid_tool_calls=[{"name": None, "args": None, "id": None, "error": None}]),
        AIMessage(
            "",
            id="1",
            invalid_tool_calls=[{"name": "add", "args": "{}", "id": "c1", "error": "no such tool"}],
        ),
        AIMessage(
            "both",
            id="1",
            tool_calls=[{"name": "add", "args": {}, "id": "c1"}],
            invalid_tool_calls=[{"name": "sub", "args": "", "id": "c2", "error": None}],
        ),
        AIMessage(REASONING, id="1", response_metadata={"model_name": "m"}),
        AIMessage([], id="1"),
        AIMessage(
            "4",
            id="1",
            additional_kwargs={"reasoning_content": "hm"},
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        ),
        ToolMessage("4", id="1", tool_call_id="c1", name="add"),
        ToolMessage("no", id="1", tool_call_id="c1", status="error", artifact={"trace": [1]}),
        ToolMessage([{"type": "text", "text": "4"}, {"type": "json", "json": {}}], id="1", tool_call_id="c1"),
    ],
)
def test_every_langchain_message_comes_back_as_it_was(base):
    assert there_and_back(base) == base


USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
PLAIN_ROW = message_to_dict(AIMessage("4", id="1", usage_metadata=USAGE, response_metadata={"model_name": "m"}))
ODD = [None, "", "x", 0, 1.5, True, [], {}, ["x"], {"x": 1}, {"output_version": "v1"}, {**USAGE, "input_tokens": 1.0}]


@given(messages)
def test_a_row_that_is_read_at_a_glance_says_what_langchain_reads(message):
    row = json.loads(json.dumps(message_to_dict(to_langchain(message))))
    assert read_plain(row) in (None, message)


@given(messages)
def test_a_row_without_what_goes_without_saying_is_the_same_message(message):
    row = json.loads(json.dumps(message_to_dict(to_langchain(message))))
    lean = without_unsaid(row)
    assert messages_from_dict([lean]) == messages_from_dict([row])
    assert read_plain(lean) == read_plain(row)


@given(messages)
def test_a_row_that_is_made_at_a_glance_is_the_one_that_langchain_leads_to(message):
    assert plain_row(message) in (None, without_unsaid(clean_json(message_to_dict(to_langchain(message)))))


@pytest.mark.parametrize("base", [AIMessage("4", id="1", usage_metadata=USAGE), HumanMessage("hi", id="1", name="Ann")])
def test_plain_words_become_a_row_at_a_glance(base):
    assert plain_row(from_langchain(base)) == without_unsaid(message_to_dict(base))


def test_a_row_says_only_what_langchain_would_not_say_anyway():
    said = without_unsaid(message_to_dict(HumanMessage("hi", id="1")))
    assert said == {"type": "human", "data": {"content": "hi", "id": "1"}}
    failed = ToolMessage("no", id="1", tool_call_id="c1", status="error")
    assert without_unsaid(message_to_dict(failed))["data"] == {
        **{"content": "no", "id": "1"},
        **{"tool_call_id": "c1", "status": "error"},
    }


@pytest.mark.parametrize("name", [*PLAIN_ROW["data"], "unknown"])
def test_a_row_that_is_odd_in_one_place_is_read_as_langchain_reads_it_or_not_at_a_glance(name):
    for row in ({**PLAIN_ROW, "data": {**PLAIN_ROW["data"], name: odd}} for odd in ODD):
        glanced = read_plain(row)
        if glanced is not None and row["data"]["id"]:
            assert glanced == from_langchain(messages_from_dict([row])[0])


@pytest.mark.parametrize("row", [PLAIN_ROW, message_to_dict(HumanMessage("hi", id="1", name="Ann"))])
def test_plain_words_are_read_at_a_glance(row):
    assert read_plain(row) == from_langchain(messages_from_dict([row])[0])


@pytest.mark.parametrize("row", [None, [], "x", {}, {"type": [], "data": {}}, {"type": "human", "data": None}])
def test_what_is_no_row_is_not_read_at_a_glance(row):
    assert read_plain(row) is None


def test_a_missing_id_is_minted_once():
    message = from_langchain(HumanMessage("hi"))
    assert to_langchain(message).id == message.message_id != ""


def test_a_tool_call_without_id_gets_the_same_id_at_every_reading():
    base = AIMessage("", id="1", tool_calls=[{"name": "add", "args": {}, "id": None}])
    assert from_langchain(base).tool_calls == from_langchain(base).tool_calls
    assert from_langchain(base).tool_calls[0].call_id == "1:0"


def test_nan_in_the_arguments_of_a_call_becomes_null_and_the_call_stays_valid():
    base = AIMessage("", id="1", tool_calls=[{"name": "add", "args": {"a": float("nan")}, "id": "c1"}])
    assert to_langchain(from_langchain(base)).tool_calls[0]["args"] == {"a": None}


def test_a_streamed_chunk_becomes_a_whole_message():
    chunk = AIMessageChunk("Hel", id="1") + AIMessageChunk("lo", id="1")
    assert to_langchain(from_langchain(chunk)) == AIMessage("Hello", id="1")


def test_a_chat_message_is_read_by_its_role_and_others_have_no_place():
    assert from_langchain(ChatMessage("hi", role="user")).role == "user"
    for base in (ChatMessage("hi", role="critic"), RemoveMessage(id="1")):
        with pytest.raises(MessageError):
            from_langchain(base)


def test_a_failed_tool_is_an_error_for_langchain():
    outcome = {"duration_ms": 3, "success": False, "error": "timeout"}
    base = to_langchain(Message(role="tool", content="late", tool_call_id="c1", structured_data=outcome))
    assert (base.status, base.content, base.tool_call_id) == ("error", "late", "c1")
    assert from_langchain(base).structured_data == outcome
    assert from_langchain(ToolMessage("x", tool_call_id="c1", status="error")).structured_data == {"success": False}


def test_a_wrapped_tool_result_reaches_the_model_unwrapped():
    base = to_langchain(Message(role="tool", content='{"tool_call_id": "c1", "output": "4"}'))
    assert (base.content, base.tool_call_id) == ("4", "c1")


def test_edited_text_replaces_the_blocks_that_the_model_sent():
    message = from_langchain(AIMessage(REASONING, id="1"))
    message.content = "Five."
    assert to_langchain(message).content == "Five."


def test_a_call_that_is_taken_out_of_a_message_is_not_left_in_its_blocks():
    raw = [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "c1", "name": "add", "input": {}}]
    calls = [{"name": "add", "args": {}, "id": "c1"}]
    message = from_langchain(AIMessage(blocks, tool_calls=calls, additional_kwargs={"tool_calls": raw}))
    assert to_langchain(message).content == blocks
    message.tool_calls = None
    assert to_langchain(message).content == blocks[:1]
    assert to_langchain(message).tool_calls == []
    assert from_langchain(through_json(to_langchain(message))) == message


def test_common_messages_need_no_extra_luggage():
    for message in (
        Message(role="user", content="hi", images=[IMAGE]),
        Message(role="assistant", tool_calls=[CALL]),
        Message(role="tool", content="4", tool_call_id="c1", name="add"),
    ):
        assert to_langchain(message).additional_kwargs == {}


@pytest.mark.parametrize(
    "base",
    [
        AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}]),
        AIMessage([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "4"}]),
        AIMessage([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}]),
        AIMessage([{"type": "reasoning_content", "reasoning_content": {"text": "hm"}}]),
        AIMessage("4", additional_kwargs={"reasoning_content": "hm"}),
    ],
)
def test_reasoning_is_found_in_every_spelling(base):
    assert reasoning_of(from_langchain(base)) == "hm"


def unchanged(image):
    return image


@given(messages)
def test_provider_dicts_are_json_and_make_messages_of_the_same_dict(message):
    plain = to_provider_dict(message, unchanged)
    assert json.loads(json.dumps(plain)) == plain
    again = Message(**plain)
    assert text_of(again) == text_of(message)
    assert to_provider_dict(again, unchanged) == to_provider_dict(from_provider_dict(plain), unchanged) == plain


def test_a_provider_dict_has_the_id_that_the_result_answers_to():
    call = ToolCallMsg(id="fc_1", call_id="call_1", type="function", name="add", arguments="{}")
    (plain,) = to_provider_dict(Message(role="assistant", tool_calls=[call]), unchanged)["tool_calls"]
    assert plain == {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}


def test_images_are_encoded_for_the_provider():
    plain = to_provider_dict(Message(role="user", content="see", images=["image:1"]), lambda image: IMAGE)
    assert plain["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": IMAGE}},
    ]


def test_a_chat_dict_is_read_with_developer_as_system_and_without_foreign_fields():
    assert from_provider_dict({"role": "developer", "content": "x", "refusal": None}).role == "system"
    for wrong in ({"content": "x"}, "x", {"role": "function", "content": "x"}):
        with pytest.raises(MessageError):
            from_provider_dict(wrong)


def test_a_user_ui_message_becomes_text_and_images():
    parts = [
        {"type": "text", "text": "What is"},
        {"type": "file", "mediaType": "image/png", "url": IMAGE},
        {"type": "text", "text": "this?"},
    ]
    message = from_ui_message({"id": "m1", "role": "user", "parts": parts})
    assert message == Message(role="user", content="What is\nthis?", message_id="m1", images=[IMAGE])
    assert to_ui_parts([message]) == [
        {"type": "text", "text": "What is\nthis?"},
        {"type": "file", "mediaType": "image/png", "url": IMAGE},
    ]


def test_what_a_picture_was_called_is_kept_also_through_langchain():
    named = {"type": "file", "mediaType": "image/png", "url": IMAGE, "filename": "At the sea.png"}
    plain = {"type": "file", "mediaType": "image/png", "url": IMAGE}
    sent = [{**named, "filename": " At the\nsea.png"}, plain, {**plain, "filename": 7}]
    message = from_langchain(to_langchain(from_ui_message({"id": "m1", "role": "user", "parts": sent})))
    assert to_ui_parts([message]) == [named, plain, plain]


@pytest.mark.parametrize(
    "ui",
    [
        None,
        "hi",
        {},
        {"role": "assistant", "parts": [{"type": "text", "text": "x"}]},
        {"role": "user"},
        {"role": "user", "parts": {"type": "text", "text": "x"}},
        {"role": "user", "parts": []},
        {"role": "user", "parts": ["x"]},
        {"role": "user", "parts": [{"type": "text", "text": " \n"}]},
        {"role": "user", "parts": [{"type": "text"}]},
        {"role": "user", "parts": [{"type": "text", "text": "x"}, {"type": "step-start"}]},
        {"role": "user", "parts": [{"type": "file", "mediaType": "image/png"}]},
        {
            "role": "user",
            "parts": [{"type": "file", "mediaType": "image/png", "url": "https://example.com/a.png"}],
        },
        {"role": "user", "parts": [{"type": "file", "mediaType": "image/png", "url": "/etc/passwd"}]},
        {
            "role": "user",
            "parts": [{"type": "file", "mediaType": "image/png", "url": "data:text/html;base64,AA=="}],
        },
        {
            "role": "user",
            "parts": [{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,"}],
        },
        {"role": "user", "id": 7, "parts": [{"type": "text", "text": "x"}]},
    ],
)
def test_what_is_no_user_message_is_a_message_error_with_a_sentence(ui):
    with pytest.raises(MessageError, match=r"^[A-Z].+\.$"):
        from_ui_message(ui)


def tool(call_id, **fields):
    return Message(role="tool", name="add", tool_call_id=call_id, **fields)


def test_a_turn_becomes_the_parts_of_one_ui_message_in_order():
    thinking = from_langchain(AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Wait"}]))
    thinking.tool_calls = [
        CALL,
        ToolCallMsg("c2", "c2", "function", "sub", "{"),
        ToolCallMsg("c3", "c3", "", "x", "{}"),
    ]
    turn = [
        thinking,
        tool("c1", content="2"),
        tool("c2", content="", structured_data={"success": False, "error": "broken arguments"}),
        Message(role="assistant", content="Two."),
    ]
    add = {"type": "dynamic-tool", "toolName": "add", "toolCallId": "c1", "input": {"a": 1}}
    sub = {"type": "dynamic-tool", "toolName": "sub", "toolCallId": "c2", "input": "{"}
    assert to_ui_parts(turn) == [
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm", "state": "done"},
        {"type": "text", "text": "Wait", "state": "done"},
        {**add, "state": "output-available", "output": "2"},
        {**sub, "state": "output-error", "errorText": "broken arguments"},
        {
            "type": "dynamic-tool",
            "toolName": "x",
            "toolCallId": "c3",
            "input": {},
            "state": "input-available",
        },
        {"type": "step-start"},
        {"type": "text", "text": "Two.", "state": "done"},
    ]


def test_a_call_id_that_is_used_again_in_the_next_step_gets_its_own_result():
    turn = []
    for output in ("first", "second"):
        turn += [Message(role="assistant", tool_calls=[CALL]), tool("c1", content=output)]
    assert [part["output"] for part in to_ui_parts(turn) if "output" in part] == ["first", "second"]


def test_a_result_without_its_call_is_still_shown():
    (part,) = to_ui_parts([tool("c9", content={"n": 4})])
    assert (part["toolName"], part["toolCallId"], part["output"]) == ("add", "c9", {"n": 4})


@given(st.lists(messages, max_size=4))
def test_ui_parts_are_json_without_null_fields(turn):
    parts = to_ui_parts(turn)
    assert json.loads(json.dumps(parts)) == parts
    assert all(value is not None for part in parts for value in part.values())
