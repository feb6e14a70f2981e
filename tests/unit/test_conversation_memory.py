"""The memory of one conversation, as its documentation promises."""

import uuid
from dataclasses import replace

import pytest

from chatServer.errors import MessageError
from chatServer.memory.conversation import BaseMemory, ConversationMemory
from chatServer.messages import Message, ToolCallMsg, data_uri, refuse_file_images

PNG = b"\x89PNG\r\n\x1a\n"
CALL = {"id": "c1", "type": "function", "function": {"name": "calculator", "arguments": '{"a": 1}'}}


def filled(n):
    memory = ConversationMemory()
    for number in range(n):
        memory.add(role="user" if number % 2 == 0 else "assistant", content=str(number))
    return memory


def contents(dicts):
    return [plain["content"] for plain in dicts]


def test_base_memory_is_a_contract_only():
    with pytest.raises(TypeError):
        BaseMemory()
    assert isinstance(ConversationMemory(), BaseMemory)


def test_add_returns_the_uuid_of_the_new_message():
    memory = ConversationMemory()
    message_id = memory.add(role="user", content="Hello")
    assert str(uuid.UUID(message_id)) == message_id
    assert memory.retrieve_all() == [{"role": "user", "content": "Hello"}]


def test_a_message_takes_precedence_over_fields():
    memory = ConversationMemory()
    message = Message(role="user", content="mine")
    assert memory.add(message, role="assistant", content="other") == message.message_id
    assert memory.messages == (message,)


@pytest.mark.parametrize("fields", [{}, {"content": "Hello"}, {"role": None, "content": "Hello"}])
def test_add_without_message_and_role_is_a_message_error(fields):
    with pytest.raises(MessageError):
        ConversationMemory().add(**fields)


def test_add_of_an_invalid_message_leaves_the_memory_as_it_was():
    memory = filled(1)
    for fields in ({"role": "robot"}, {"role": "user", "mood": "good"}):
        with pytest.raises(MessageError):
            memory.add(**fields)
    assert contents(memory.retrieve_all()) == ["0"]


def test_the_same_message_cannot_be_added_twice():
    memory = filled(1)
    with pytest.raises(MessageError):
        memory.add(memory.messages[0])


def test_the_description_is_the_first_system_message():
    memory = ConversationMemory(description="You are a helpful assistant")
    memory.add(role="user", content="Hello")
    assert memory.retrieve_all()[0] == {"role": "system", "content": "You are a helpful assistant"}


def test_update_changes_the_named_fields_and_keeps_place_and_id():
    memory = filled(3)
    message_id = memory.messages[1].message_id
    memory.update(message_id=message_id, content="Updated content", name="Writer")
    assert memory.retrieve_all()[1] == {"role": "assistant", "content": "Updated content", "name": "Writer"}
    assert memory.messages[1].message_id == message_id


def test_update_of_unknown_id_is_a_message_error():
    with pytest.raises(MessageError):
        filled(2).update(message_id="unknown_id", content="New")


@pytest.mark.parametrize(
    "fields", [{"role": "robot"}, {"tool_calls": ["x"]}, {"mood": "good"}, {"content": "new", "images": "x"}]
)
def test_a_wrong_update_leaves_the_message_as_it_was(fields):
    memory = filled(1)
    before = replace(memory.messages[0])
    with pytest.raises(MessageError):
        memory.update(before.message_id, **fields)
    assert memory.messages == (before,)


def test_an_update_with_content_blocks_brings_its_own_images():
    memory = ConversationMemory()
    message_id = memory.add(role="user", content="old", images=["image:1"])
    image = {"type": "image_url", "image_url": {"url": "image:2"}}
    memory.update(message_id, content=[{"type": "text", "text": "new"}, image])
    assert (memory.messages[0].content, memory.messages[0].images) == ("new", ["image:2"])


def test_retrieve_recent_is_the_end_of_the_conversation_in_order():
    memory = filled(5)
    assert contents(memory.retrieve_recent()) == ["4"]
    assert contents(memory.retrieve_recent(2)) == ["3", "4"]
    assert contents(memory.retrieve_recent(99)) == ["0", "1", "2", "3", "4"]
    assert memory.retrieve_recent(0) == memory.retrieve_recent(-1) == []


def test_retrieve_by_role_finds_all_or_the_last_of_a_role():
    memory = filled(5)
    assert contents(memory.retrieve_by_role("user")) == ["0", "2", "4"]
    assert contents(memory.retrieve_by_role("user", 2)) == ["2", "4"]
    assert memory.retrieve_by_role("tool") == []


def test_retrieve_and_remove_by_id():
    memory = filled(3)
    message_id = memory.messages[1].message_id
    assert memory.retrieve_by_id(message_id) == {"role": "assistant", "content": "1"}
    assert memory.remove_by_id(message_id)
    assert not memory.remove_by_id(message_id)
    assert memory.retrieve_by_id(message_id) is None
    assert contents(memory.retrieve_all()) == ["0", "2"]


def test_reset_keeps_the_system_message_only():
    memory = ConversationMemory("You are a helpful assistant")
    memory.add(role="user", content="Hello")
    memory.reset_memory()
    assert memory.retrieve_all() == [{"role": "system", "content": "You are a helpful assistant"}]
    assert memory.new_messages() == ()


def test_images_are_stored_as_paths_and_encoded_on_retrieval(tmp_path):
    path = tmp_path / "image1.png"
    path.write_bytes(PNG)
    memory = ConversationMemory()
    memory.add(role="user", content="What's in these images?", images=[str(path)])
    assert memory.messages[0].images == [str(path)]
    assert memory.retrieve_recent(1)[0]["content"] == [
        {"type": "text", "text": "What's in these images?"},
        {"type": "image_url", "image_url": {"url": data_uri("image/png", PNG)}},
    ]


def test_a_server_memory_never_reads_a_path(tmp_path):
    path = tmp_path / "image1.png"
    path.write_bytes(PNG)
    memory = ConversationMemory(encode_image=refuse_file_images)
    memory.add(role="user", images=[str(path)])
    with pytest.raises(MessageError):
        memory.retrieve_all()


def test_the_call_id_of_a_tool_result_is_extracted():
    memory = ConversationMemory()
    content = '{"tool_call_id": "call_123", "output": "Result data"}'
    tool_msg_id = memory.add(role="tool", content=content, name="calculator")
    assert memory.retrieve_by_id(tool_msg_id) == {
        "role": "tool",
        "content": "Result data",
        "name": "calculator",
        "tool_call_id": "call_123",
    }


def test_a_model_response_is_stored_with_its_tool_calls():
    response = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    memory = ConversationMemory()
    memory.add(role=response["role"], content=response["content"], tool_calls=response.get("tool_calls"))
    assert memory.retrieve_all() == [response]
    assert memory.messages[0].tool_calls == [ToolCallMsg("c1", "c1", "function", "calculator", '{"a": 1}')]


def test_retrieved_dicts_of_every_kind_make_messages_again():
    memory = ConversationMemory("Be brief.")
    memory.add(role="user", content="Look", images=["data:image/png;base64,AA=="])
    memory.add(role="user", images=["data:image/png;base64,AA=="])
    memory.add(role="assistant", tool_calls=[CALL], name="Writer")
    memory.add(role="tool", content='{"tool_call_id": "c1", "output": "4"}', name="calculator")
    memory.add(role="tool", content="5", tool_call_id="c2")
    memory.add(role="assistant", agent_calls=[{"agent_name": "Reader", "request": {"q": 1}}])
    memory.add(role="assistant", content={"answer": 4})
    retrieved = memory.retrieve_all()
    again = ConversationMemory()
    for plain in retrieved:
        again.add(message=Message(**plain))
    assert again.retrieve_all() == retrieved
    assert again.messages[1].images == ["data:image/png;base64,AA=="]
    assert again.messages[4].tool_call_id == "c1"


def test_periodic_cleanup_keeps_the_last_messages():
    memory = ConversationMemory("Be brief.")
    for number in range(120):
        memory.add(role="user", content=str(number))
    recent_messages = memory.retrieve_recent(100)
    memory.reset_memory()
    for plain in recent_messages[-50:]:
        memory.add(message=Message(**plain))
    assert contents(memory.retrieve_all()) == ["Be brief.", *(str(number) for number in range(70, 120))]


def test_new_messages_are_those_added_after_loading():
    memory = ConversationMemory("Be brief.")
    stored = [Message(role="user", content="old"), Message(role="assistant", content="reply")]
    memory.load(stored)
    assert memory.new_messages() == ()
    message_id = memory.add(role="user", content="new")
    memory.update(message_id, content="newer")
    assert [message.content for message in memory.new_messages()] == ["newer"]
    assert contents(memory.retrieve_all()) == ["Be brief.", "old", "reply", "newer"]


def test_nothing_is_new_after_storing():
    memory = filled(2)
    memory.mark_stored()
    assert memory.new_messages() == ()
    assert len(memory.messages) == 2


def test_messages_is_a_snapshot():
    memory = filled(1)
    before = memory.messages
    memory.add(role="user", content="later")
    assert len(before) == 1
