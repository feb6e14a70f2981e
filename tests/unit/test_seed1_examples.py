"""The code of the memory module's documentation, example by example; import paths and the model are ours."""

import json
import uuid

import pytest

from chatServer import memory as memories
from chatServer.errors import MessageError
from chatServer.memory import ConversationMemory, KGMemory, MemoryManager
from chatServer.messages import AgentCallMsg, Message, MessageContent, ToolCallMsg, extract_action_from_message

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
FACTS = [{"subject": "Paris", "predicate": "is capital of", "object": "France"}]
CALL = {"id": "c1", "type": "function", "function": {"name": "calculator", "arguments": "{}"}}


class Model:
    """A script in the place of a model."""

    def run(self, messages):
        return {"role": "assistant", "content": f"I read {len(messages)} messages", "tool_calls": [CALL]}


class AsyncModel:
    async def run(self, messages):
        return {"role": "assistant", "content": json.dumps(FACTS)}


@pytest.fixture
def memory():
    return ConversationMemory(description="You are a helpful assistant")


@pytest.fixture
def pictures(tmp_path):
    paths = [tmp_path / "image1.png", tmp_path / "image2.jpg"]
    for path, first_bytes in zip(paths, (PNG, JPEG), strict=True):
        path.write_bytes(first_bytes)
    return [str(path) for path in paths]


def test_the_names_are_where_others_look_for_them():
    assert memories.__all__ == ["BaseMemory", "ConversationMemory", "KGMemory", "MemoryManager"]
    assert all(issubclass(getattr(memories, name), memories.BaseMemory) for name in memories.__all__)


def test_message_creation_and_storage():
    manager = MemoryManager(memory_type="conversation_history")
    manager.add(role="user", content="Hello")
    assert manager.retrieve_all() == [{"role": "user", "content": "Hello"}]
    manager.add(role="assistant", content="Hi", name="optional_name", tool_calls=[CALL])
    assert manager.retrieve_all()[1].keys() == {"role", "content", "name", "tool_calls"}


async def test_knowledge_graph_flow():
    memory = KGMemory(model=AsyncModel(), description="Initial system context")
    message_id = memory.add(role="user", content="Paris is the capital of France")
    assert str(uuid.UUID(message_id)) == message_id
    await memory.extract_pending()
    assert memory.retrieve_recent(1) == [{"role": "user", "content": "Paris is capital of France"}]
    assert {plain["role"] for plain in memory.retrieve_all()} == {"system", "user"}
    assert await memory.extract_and_update_from_text("Paris is the capital of France", "user")
    assert len(memory.retrieve_by_role("user")) == 2


def test_structures():
    assert ToolCallMsg(id="1", call_id="1", type="function", name="f", arguments="{}").arguments == "{}"
    assert AgentCallMsg(agent_name="Reader", request={"q": 1}).request == {"q": 1}
    assert MessageContent(thought="t", next_action="final_response", action_input={}).thought == "t"
    message = Message(role="assistant", tool_calls=[CALL], structured_data={"a": 1}, images=None)
    assert isinstance(message.tool_calls[0], ToolCallMsg)
    assert not hasattr(message, "metadata")


def test_configuration_of_the_manager():
    manager = MemoryManager(memory_type="conversation_history", description="System prompt")
    assert manager.retrieve_all() == [{"role": "system", "content": "System prompt"}]
    manager = MemoryManager(memory_type="kg", model=AsyncModel(), description="System context")
    assert manager.retrieve_all() == [{"role": "system", "content": "System context"}]


@pytest.mark.parametrize("kind", ["conversation_history", "kg"])
def test_add_of_every_memory(kind):
    manager = MemoryManager(memory_type=kind, model=AsyncModel())
    message = Message(role="user", content="mine")
    assert manager.add(message, role="assistant") == message.message_id
    manager.add(role="assistant", agent_calls=[{"agent_name": "Reader", "request": "q"}], name="Writer")
    with pytest.raises(MessageError):
        manager.add(content="nobody said this")
    assert [plain["role"] for plain in manager.retrieve_all()] == ["user", "assistant"]


def test_multimodal_support(memory, pictures):
    msg_id = memory.add(role="user", content="What's in these images?", images=pictures)
    assert uuid.UUID(msg_id)
    text, first, second = memory.retrieve_recent(1)[0]["content"]
    assert text == {"type": "text", "text": "What's in these images?"}
    assert first["image_url"]["url"].startswith("data:image/png;base64,")
    assert second["image_url"]["url"].startswith("data:image/jpeg;base64,")


def test_message_updates(memory):
    msg_id = memory.add(role="user", content="Original content")
    memory.update(message_id=msg_id, content="Updated content")
    assert memory.retrieve_recent() == [{"role": "user", "content": "Updated content"}]


def test_tool_result_handling(memory):
    tool_msg_id = memory.add(
        role="tool", content='{"tool_call_id": "call_123", "output": "Result data"}', name="calculator"
    )
    assert memory.retrieve_by_id(tool_msg_id)["tool_call_id"] == "call_123"


def test_models_module_integration(memory):
    model = Model()
    messages = memory.retrieve_all()
    response = model.run(messages)
    memory.add(role=response["role"], content=response["content"], tool_calls=response.get("tool_calls"))
    assert memory.retrieve_recent(1) == [response]


async def test_agent_integration():
    class MyAgent:
        def __init__(self):
            self.model = AsyncModel()
            self.memory = MemoryManager(memory_type="conversation_history", description="Agent system prompt")

        async def process_request(self, request):
            request_id = self.memory.add(role="user", content=request)
            messages = self.memory.retrieve_all()
            response = await self.model.run(messages)
            response_id = self.memory.add(role="assistant", content=response["content"])
            return request_id, response_id

    agent = MyAgent()
    request_id, response_id = await agent.process_request("Hello")
    assert request_id != response_id
    assert [plain["role"] for plain in agent.memory.retrieve_all()] == ["system", "user", "assistant"]


def test_validation_module_integration():
    action = extract_action_from_message(Message(role="assistant", tool_calls=[CALL]))
    assert action["next_action"] == "call_tool"
    assert action["action_input"]["tool_calls"][0]["function"]["name"] == "calculator"


def test_message_id_management(memory):
    msg_id = memory.add(role="user", content="Hello")
    memory.update(message_id=msg_id, content="Updated content")
    assert memory.retrieve_by_id(msg_id)["content"] == "Updated content"


def test_image_handling(memory, pictures):
    memory.add(role="user", content="Analyze this", images=pictures[:1])
    messages = memory.retrieve_all()
    assert messages[-1]["content"][1]["image_url"]["url"].startswith("data:image/png")


def test_error_handling(memory):
    with pytest.raises(MessageError):
        memory.update(message_id="unknown_id", content="New")


@pytest.mark.parametrize("kind", ["conversation_history", "kg"])
def test_memory_persistence(kind):
    memory = MemoryManager(memory_type=kind, description="Be brief.")
    for number in range(120):
        memory.add(role="user", content=str(number))
    recent_messages = memory.retrieve_recent(100)
    memory.reset_memory()
    for msg in recent_messages[-50:]:
        memory.add(message=Message(**msg))
    assert [plain["content"] for plain in memory.retrieve_all()][1:] == [str(number) for number in range(70, 120)]


def test_message_conversions_of_the_data_classes(pictures):
    message = Message.from_response_dict({"role": "assistant", "content": "Hi", "id": "ignored"}, name="Writer")
    assert (message.content, message.name) == ("Hi", "Writer")
    assert Message._encode_image_to_base64(pictures[0]).startswith("data:image/png;base64,")
    with pytest.raises(MessageError):
        Message(role="robot")
