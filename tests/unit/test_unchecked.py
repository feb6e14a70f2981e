"""Messages that are made without LangChain's checks: they are what its classes would have made."""

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from pydantic import BaseModel

from chatServer.agent.unchecked import ANSWER, QUESTION, SYSTEM, WORD, made_like


@pytest.mark.parametrize(("pattern", "kind"), [(WORD, AIMessageChunk), (QUESTION, HumanMessage), (ANSWER, AIMessage)])
def test_a_message_is_what_its_class_would_have_made(pattern, kind):
    made, known = made_like(pattern, content="Hi.", id="m", name="Ada"), kind(content="Hi.", id="m", name="Ada")
    assert made == known
    assert made.model_dump() == known.model_dump()
    assert made.__dict__.keys() == known.__dict__.keys()
    assert made.model_fields_set == known.model_fields_set
    assert made.text == known.text
    made.content = "Ho."
    assert (made.content, pattern.content) == ("Ho.", "")


@pytest.mark.parametrize("pattern", [WORD, QUESTION, ANSWER, SYSTEM], ids=lambda pattern: pattern.type)
def test_what_one_is_told_later_no_other_knows(pattern):
    made = made_like(pattern, content="a")
    shared = [name for name, value in vars(pattern).items() if value is vars(made)[name]]
    assert not [name for name in shared if isinstance(vars(pattern)[name], list | dict | set)]
    assert made.model_fields_set is not pattern.model_fields_set


def test_a_model_of_pydantic_holds_nothing_that_would_not_be_made():
    made = made_like(WORD, content="a")
    assert {name for name in BaseModel.__slots__ if hasattr(made, name)} == {*BaseModel.__slots__}


def test_words_add_up_as_those_of_the_class_do():
    whole = made_like(WORD, content="One. ") + made_like(WORD, content="Two.")
    assert whole == AIMessageChunk(content="One. ") + AIMessageChunk(content="Two.")
