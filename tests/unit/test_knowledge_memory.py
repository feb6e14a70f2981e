"""A memory of facts: texts are queued, a model finds the facts, a store can flush what is new."""

import json
import time
from datetime import UTC, datetime

import pytest
from langchain_core.language_models import FakeListChatModel

from chatServer.errors import MessageError
from chatServer.memory import KGMemory, MemoryManager
from chatServer.memory.triples import triples_in
from chatServer.messages import Message
from chatServer.records import Triple

PARIS = {"subject": "Paris", "predicate": "is capital of", "object": "France"}
PARIS_TRIPLE = Triple("Paris", "is capital of", "France")


class Model:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def run(self, messages):
        self.asked.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class AsyncModel(Model):
    async def run(self, messages):
        return {"role": "assistant", "content": super().run(messages)}


def contents(memory):
    return [plain["content"] for plain in memory.retrieve_all()]


async def test_added_text_is_queued_and_read_by_the_model_when_asked():
    model = Model(json.dumps([PARIS]))
    memory = KGMemory(model=model)
    message_id = memory.add(role="user", content="Paris is the capital of France")
    assert contents(memory) == ["Paris is the capital of France"]
    assert model.asked == []
    (fact_id,) = await memory.extract_pending()
    assert memory.retrieve_by_id(fact_id) == {"role": "user", "content": "Paris is capital of France"}
    assert memory.retrieve_by_id(message_id) == {"role": "user", "content": "Paris is the capital of France"}
    assert model.asked[0][-1] == {"role": "user", "content": "Paris is the capital of France"}
    assert await memory.extract_pending() == []


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps([PARIS]),
        f"Here are the facts:\n```json\n{json.dumps([PARIS], indent=2)}\n```\nAnything else?",
        json.dumps({"facts": [PARIS]}),
        json.dumps(PARIS) + "\n" + json.dumps(PARIS),
        "As [1] says: " + json.dumps([PARIS, {"subject": "x"}, "y", None, {**PARIS, "object": ["France"]}]),
        json.dumps([{**PARIS, "object": "  France \n"}]),
    ],
)
def test_the_answer_is_read_whatever_stands_around_it(answer):
    assert triples_in(answer) == [PARIS_TRIPLE]


@pytest.mark.parametrize("answer", ["", "No facts.", "[]", "{", "[[[[", '{"subject": 1', '[{"subject": "", "a": "b"}]'])
def test_an_answer_without_facts_has_none(answer):
    assert triples_in(answer) == []


def test_a_hostile_answer_is_read_quickly():
    began = time.process_time()
    for junk in ("[" * 100_000, "{" * 100_000, '{"a":' * 20_000, "[1]" * 33_000, json.dumps([PARIS] * 1_500)):
        triples_in(junk)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "model",
    [
        Model(json.dumps([PARIS])),
        Model({"role": "assistant", "content": json.dumps([PARIS])}),
        AsyncModel(json.dumps([PARIS])),
        FakeListChatModel(responses=[json.dumps([PARIS])]),
    ],
    ids=["text", "dict", "async", "langchain"],
)
async def test_any_kind_of_model_can_be_asked(model):
    memory = KGMemory(model)
    await memory.extract_and_update_from_text("Paris is the capital of France", role="assistant")
    assert memory.triples() == (PARIS_TRIPLE,)
    assert memory.retrieve_by_role("assistant") == [{"role": "assistant", "content": "Paris is capital of France"}]
    assert memory.retrieve_by_role("user") == []


async def test_a_text_on_which_the_model_fails_stays_queued_in_its_place():
    memory = KGMemory(Model(RuntimeError("away"), "[]", json.dumps([PARIS])))
    memory.add(role="user", content="Hello")
    memory.add(role="user", content="Paris is the capital of France")
    with pytest.raises(RuntimeError):
        await memory.extract_pending()
    await memory.extract_pending()
    assert [asked[-1]["content"] for asked in memory._model.asked] == [
        "Hello",
        "Hello",
        "Paris is the capital of France",
    ]
    assert memory.triples() == (PARIS_TRIPLE,)


async def test_without_a_model_facts_can_only_be_added():
    memory = KGMemory()
    memory.add(role="user", content="Paris is the capital of France")
    with pytest.raises(MessageError):
        await memory.extract_pending()
    with pytest.raises(MessageError):
        await KGMemory(model=object()).extract_and_update_from_text("Paris")
    assert memory.add_fact("user", "Paris", "is capital of", "France")


@pytest.mark.parametrize("fields", [{}, {"content": "Hello"}])
def test_add_without_message_and_role_is_a_message_error(fields):
    with pytest.raises(MessageError):
        KGMemory().add(**fields)


def test_a_message_takes_precedence_over_fields():
    memory = KGMemory()
    message = Message(role="user", content="mine")
    assert memory.add(message, role="assistant", content="other") == message.message_id
    assert memory.retrieve_all() == [{"role": "user", "content": "mine"}]


def test_the_same_fact_of_the_same_role_is_there_once():
    memory = KGMemory()
    first = memory.add_fact("user", "Paris", "is capital of", "France")
    assert memory.add_fact("user", " paris", "Is capital of", "France") == first
    assert memory.add_fact("assistant", "Paris", "is capital of", "France") != first
    assert len(memory.retrieve_all()) == 2


@pytest.mark.parametrize("fact", [("robot", "a", "b", "c"), ("user", "", "b", "c"), ("user", "a", " ", "c")])
def test_a_fact_without_a_part_is_refused(fact):
    with pytest.raises(MessageError):
        KGMemory().add_fact(*fact)


def test_a_fact_can_be_changed_and_removed():
    memory = KGMemory()
    fact_id = memory.add_fact("user", "Paris", "is capital of", "Spain")
    memory.update(fact_id, obj="France")
    assert memory.triples() == (PARIS_TRIPLE,)
    assert memory.add_fact("user", "Paris", "is capital of", "France") == fact_id
    assert memory.add_fact("user", "Paris", "is capital of", "Spain") != fact_id
    for fields in ({"content": "x"}, {"obj": ""}, {"role": "robot"}):
        with pytest.raises(MessageError):
            memory.update(fact_id, **fields)
    assert memory.remove_by_id(fact_id)
    assert not memory.remove_by_id(fact_id)
    assert memory.retrieve_by_id(fact_id) is None
    with pytest.raises(MessageError):
        memory.update(fact_id, obj="France")


async def test_an_updated_text_is_read_again_and_its_old_facts_go():
    memory = KGMemory(Model(json.dumps([{**PARIS, "object": "Spain"}]), json.dumps([PARIS])))
    message_id = memory.add(role="user", content="Paris is the capital of Spain")
    await memory.extract_pending()
    memory.update(message_id, content="Paris is the capital of France")
    assert contents(memory) == ["Paris is the capital of France"]
    await memory.extract_pending()
    assert memory.triples() == (PARIS_TRIPLE,)
    with pytest.raises(MessageError):
        memory.update(message_id, subject="Paris")


def test_what_is_loaded_is_not_new():
    memory = KGMemory()
    old = Triple("Rome", "is capital of", "Italy", valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    memory.load([old])
    memory.add_fact("user", "Rome", "is capital of", "Italy")
    memory.add_fact("user", "Paris", "is capital of", "France")
    assert memory.triples() == (PARIS_TRIPLE,)
    assert contents(memory) == ["Rome is capital of Italy", "Paris is capital of France"]
    memory.mark_stored()
    assert memory.triples() == ()


def test_recent_facts_are_the_last_ones_in_order():
    memory = KGMemory(description="Geography")
    for country in ("Italy", "Spain", "France"):
        memory.add_fact("user", country, "is in", "Europe")
    assert [plain["content"] for plain in memory.retrieve_recent(2)] == ["Spain is in Europe", "France is in Europe"]
    assert memory.retrieve_recent(0) == []
    assert memory.retrieve_by_role("user", 1) == memory.retrieve_recent()
    assert memory.retrieve_by_role("system") == [{"role": "system", "content": "Geography"}]


async def test_reset_keeps_the_system_text_only():
    memory = KGMemory(Model(), "Geography")
    memory.add(role="user", content="Hello")
    memory.add_fact("user", "Paris", "is capital of", "France")
    memory.reset_memory()
    assert contents(memory) == ["Geography"]
    assert await memory.extract_pending() == []


def test_many_facts_are_added_in_time_that_grows_with_their_number():
    memory, began = KGMemory(), time.process_time()
    for number in range(5_000):
        memory.add_fact("user", str(number), "is", "a number")
    assert time.process_time() - began < 2


def test_a_manager_makes_the_memory_that_is_asked_for():
    assert isinstance(MemoryManager(memory_type="kg").memory, KGMemory)
    manager = MemoryManager(memory_type="conversation_history", description="System prompt")
    message_id = manager.add(role="user", content="Hello")
    manager.update(message_id, content="Good morning")
    assert manager.retrieve_by_id(message_id) == {"role": "user", "content": "Good morning"}
    assert manager.retrieve_by_role("user") == manager.retrieve_recent(1)
    assert manager.remove_by_id(message_id)
    manager.reset_memory()
    assert manager.retrieve_all() == [{"role": "system", "content": "System prompt"}]
    with pytest.raises(ValueError, match="type of a memory"):
        MemoryManager(memory_type="tape")
