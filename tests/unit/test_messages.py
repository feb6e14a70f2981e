"""Messages are valid from the moment they exist."""

import base64
import json
import uuid

import pytest

from chatServer.errors import MessageError
from chatServer.messages import (
    AgentCallMsg,
    Message,
    MessageContent,
    ToolCallMsg,
    data_uri,
    encode_image_file,
    extract_action_from_message,
    parse_data_uri,
    refuse_file_images,
    text_of,
)

PNG = b"\x89PNG\r\n\x1a\n"
CALL = ToolCallMsg(id="c1", call_id="c1", type="function", name="add", arguments='{"a": 1}')


def test_a_message_gets_a_uuid_of_its_own():
    first, second = Message(role="user", content="Hello"), Message(role="user", content="Hello")
    assert uuid.UUID(first.message_id) != uuid.UUID(second.message_id)


def test_everything_but_the_role_is_optional():
    message = Message("system")
    assert (message.content, message.name, message.tool_calls, message.agent_calls) == (None,) * 4
    assert (message.structured_data, message.images, message.tool_call_id) == (None,) * 3


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}},
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}},
        {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"},
        {"id": "c1", "call_id": "c1", "type": "function", "name": "add", "arguments": '{"a": 1}'},
        CALL,
    ],
)
def test_tool_calls_are_read_from_every_spelling(call):
    assert Message(role="assistant", tool_calls=[call]).tool_calls == [CALL]


def test_a_tool_call_without_id_or_arguments_gets_them():
    (call,) = Message(role="assistant", tool_calls=[{"function": {"name": "now"}}]).tool_calls
    assert call.id == call.call_id
    assert call.id.startswith("call_")
    assert call.arguments == "{}"


def test_broken_arguments_are_kept_as_the_model_wrote_them():
    call = {"id": "c1", "function": {"name": "add", "arguments": '{"a": '}}
    assert Message(role="assistant", tool_calls=[call]).tool_calls[0].arguments == '{"a": '


def test_agent_calls_are_read_from_dicts():
    message = Message(role="assistant", agent_calls=[{"agent_name": "Researcher", "request": {"q": 1}}])
    assert message.agent_calls == [AgentCallMsg("Researcher", {"q": 1})]


def test_empty_lists_are_the_same_as_nothing():
    message = Message(role="assistant", content="x", tool_calls=[], agent_calls=[], images=[])
    assert (message.tool_calls, message.agent_calls, message.images) == (None, None, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "robot"},
        {"role": None},
        {"role": ["user"]},
        {"role": "user", "content": 5},
        {"role": "user", "content": [{"type": "video"}]},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {}}]},
        {"role": "user", "message_id": ""},
        {"role": "user", "message_id": 7},
        {"role": "user", "name": 7},
        {"role": "user", "images": "path.png"},
        {"role": "user", "images": [1]},
        {"role": "user", "structured_data": []},
        {"role": "tool", "tool_call_id": 1},
        {"role": "assistant", "tool_calls": {"name": "x"}},
        {"role": "assistant", "tool_calls": ["x"]},
        {"role": "assistant", "tool_calls": [{"id": "c1"}]},
        {"role": "assistant", "tool_calls": [{"id": 1, "name": "x", "args": {}}]},
        {"role": "assistant", "agent_calls": [{"request": "x"}]},
        {"role": "assistant", "agent_calls": ["x"]},
    ],
)
def test_what_is_no_message_is_a_message_error_with_a_sentence(fields):
    with pytest.raises(MessageError, match=r"^[A-Z].+\.$"):
        Message(**fields)


def test_content_blocks_become_text_and_images():
    blocks = [
        {"type": "text", "text": "What's in"},
        {"type": "text", "text": "these?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "image_url", "image_url": "image:7"},
    ]
    message = Message(role="user", content=blocks)
    assert message.content == "What's in\nthese?"
    assert message.images == ["data:image/png;base64,AA==", "image:7"]


def test_message_content_is_the_older_form_of_a_dict():
    content = MessageContent(thought="hm", next_action="final_response", action_input={"response": "4"})
    message = Message(role="assistant", content=content)
    assert message.content == {
        "thought": "hm",
        "next_action": "final_response",
        "action_input": {"response": "4"},
    }


@pytest.mark.parametrize("fields", [{"next_action": "fly"}, {"action_input": "x"}])
def test_message_content_names_a_known_action_with_a_dict(fields):
    with pytest.raises(MessageError):
        MessageContent(**fields)


def test_to_dict_holds_what_is_set_and_makes_an_equal_message():
    message = Message(
        role="assistant",
        content={"a": None},
        name="Writer",
        tool_calls=[CALL, ToolCallMsg("fc_1", "call_1", "custom", "x", "")],
        agent_calls=[AgentCallMsg("Reader", None)],
        structured_data={"b": [1]},
        images=["image:1"],
    )
    assert Message(**message.to_dict()) == message
    assert Message(role="user", content="hi", message_id="m").to_dict() == {
        "role": "user",
        "content": "hi",
        "message_id": "m",
    }


def test_from_response_dict_reads_a_model_response_and_leaves_foreign_fields_out():
    response = {
        "content": None,
        "refusal": None,
        "annotations": [],
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}],
    }
    message = Message.from_response_dict(response, name="Writer")
    assert (message.role, message.content, message.name, message.tool_calls) == (
        "assistant",
        None,
        "Writer",
        [CALL],
    )


def test_from_response_dict_refuses_what_is_no_dict():
    with pytest.raises(MessageError):
        Message.from_response_dict("hello")


def test_tool_calls_are_the_action_call_tool():
    action = extract_action_from_message(Message(role="assistant", content="let me see", tool_calls=[CALL]))
    assert action == {
        "next_action": "call_tool",
        "action_input": {
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}]
        },
    }


def test_agent_calls_are_the_action_invoke_agent():
    message = Message(role="assistant", agent_calls=[AgentCallMsg("Reader", "read")])
    assert extract_action_from_message(message) == {
        "next_action": "invoke_agent",
        "action_input": {"agent_calls": [{"agent_name": "Reader", "request": "read"}]},
    }


def test_a_dict_that_names_an_action_is_that_action():
    content = {"thought": "hm", "next_action": "call_tool", "action_input": {"tool_calls": []}}
    assert extract_action_from_message(Message(role="assistant", content=content)) == {
        "next_action": "call_tool",
        "action_input": {"tool_calls": []},
    }


@pytest.mark.parametrize("content", ["It is 4.", {"answer": 4}])
def test_other_content_is_the_final_response(content):
    assert extract_action_from_message(Message(role="assistant", content=content)) == {
        "next_action": "final_response",
        "action_input": {"response": content},
    }


@pytest.mark.parametrize(
    "message",
    [Message("assistant"), Message("assistant", ""), Message("user", {"next_action": "call_tool"})],
)
def test_nothing_to_do_is_no_action(message):
    assert extract_action_from_message(message) is None


def test_text_of_a_message_is_its_text_without_images():
    assert text_of(Message(role="user", content="hi", images=["data:image/png;base64,AAAA"])) == "hi"
    assert text_of(Message(role="user", images=["data:image/png;base64,AAAA"])) == ""
    assert text_of(Message(role="assistant", content={"é": 1})) == '{"é": 1}'


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"tool_call_id": "c1", "output": "Result data"}', "Result data"),
        ({"tool_call_id": "c1", "output": {"n": 4}}, '{"n": 4}'),
        ('{"tool_call_id": "c1"}', '{"tool_call_id": "c1"}'),
        ('{"n": 4}', '{"n": 4}'),
        ("plain", "plain"),
    ],
)
def test_text_of_a_tool_message_is_the_output(content, text):
    assert text_of(Message(role="tool", content=content)) == text


def test_a_tool_message_with_its_field_set_is_taken_literally():
    content = '{"tool_call_id": "c1", "output": "x"}'
    assert text_of(Message(role="tool", content=content, tool_call_id="c0")) == content


def test_a_data_uri_gives_its_bytes_back():
    uri = data_uri("image/png", PNG)
    assert uri == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert parse_data_uri(uri) == ("image/png", PNG)
    assert parse_data_uri("DATA:Image/PNG;charset=x;BASE64,AA==") == ("image/png", b"\0")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "hello",
        "https://example.com/a.png",
        "data:image/png;base64",
        "data:,hello",
        "data:image/png,AAAA",
        "data:image/png;base64,A",
        "data:image/png;base64,AA A",
        "data:image/png;base64,AA==AA==",
        "data:image/png;base64,é",
        "data:im age/png;base64,AAAA",
    ],
)
def test_a_broken_data_uri_is_a_message_error(uri):
    with pytest.raises(MessageError, match=r"^[A-Z].+\.$"):
        parse_data_uri(uri)


def test_an_image_file_becomes_a_data_uri(tmp_path):
    path = tmp_path / "image.png"
    path.write_bytes(PNG)
    assert encode_image_file(str(path)) == data_uri("image/png", PNG)
    assert Message._encode_image_to_base64(str(path)) == data_uri("image/png", PNG)


@pytest.mark.parametrize("address", ["data:image/png;base64,AA==", "image:7", "https://example.com/a.png"])
def test_an_address_that_is_no_path_is_not_read(address):
    assert encode_image_file(address) == address


@pytest.mark.parametrize("path", ["missing.png", "notes.txt", "noending", "a\0b.png"])
def test_an_image_that_cannot_be_read_is_a_message_error(path):
    with pytest.raises(MessageError):
        encode_image_file(path)


def test_the_server_takes_data_uris_and_references():
    for image in ("data:image/png;base64,AA==", "image:0b8a"):
        assert refuse_file_images(image) == image


@pytest.mark.parametrize("image", ["/etc/passwd", "a.png", "http://x/a.png", "file:///a.png", "", "\\\\host\\a.png"])
def test_the_server_reads_no_path_and_no_url(image):
    with pytest.raises(MessageError):
        refuse_file_images(image)


def test_json_in_tool_call_dicts_is_spelled_in_one_way():
    (call,) = Message(role="assistant", tool_calls=[{"name": "x", "args": {"é": [1, None]}, "id": "1"}]).tool_calls
    assert call.arguments == '{"é": [1, null]}'
    assert json.loads(call.arguments) == {"é": [1, None]}
