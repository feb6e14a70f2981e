"""Messages that are made without LangChain's checks: they are what its classes would have made."""

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage

from chatServer.agent.unchecked import ANSWER, QUESTION, WORD, made_like


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


def test_what_one_is_told_later_no_other_knows():
    first, second = made_like(ANSWER, content="a"), made_like(ANSWER, content="b")
    first.additional_kwargs["told"] = first.response_metadata["told"] = True
    assert (second.additional_kwargs, second.response_metadata) == ({}, {})
    assert (ANSWER.additional_kwargs, ANSWER.response_metadata) == ({}, {})


def test_words_add_up_as_those_of_the_class_do():
    whole = made_like(WORD, content="One. ") + made_like(WORD, content="Two.")
    assert whole == AIMessageChunk(content="One. ") + AIMessageChunk(content="Two.")
