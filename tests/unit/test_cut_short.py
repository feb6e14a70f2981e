"""How providers say that an answer ended before all of it was said, in LangChain's response_metadata."""

import pytest

from chatServer.messages import Message
from chatServer.messages.cut_short import told, why_cut


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"finish_reason": "stop", "model_provider": "openai"}, None),
        ({"finish_reason": "length", "model_provider": "openai"}, "length"),
        ({"finish_reason": "content_filter", "model_provider": "openai"}, "content_filter"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "completed", "incomplete_details": None, "model_provider": "openai"}, None),
        ({"stop_reason": "end_turn", "model_provider": "anthropic"}, None),
        ({"stop_reason": "max_tokens", "model_provider": "anthropic"}, "length"),
        ({"stop_reason": "refusal"}, "content_filter"),
        ({"finish_reason": "MAX_TOKENS", "model_provider": "google_genai"}, "length"),
        ({"finish_reason": "SAFETY"}, "content_filter"),
        ({"done_reason": "length", "done": True}, "length"),
        ({"model_provider": "openai"}, "unknown"),
        ({"model_provider": "somebody"}, None),
        ({"finish_reason": "lengthlength"}, "length"),
        ({"finish_reason": ["length"]}, None),
        ({}, None),
    ],
)
def test_each_says_it_in_a_way_of_its_own(response, reason):
    assert why_cut(response) == reason


def test_only_the_last_word_of_an_answer_says_how_it_ended():
    def said(role: str, reason: str) -> Message:
        return Message(role, "…", structured_data={"langchain": {"response_metadata": {"finish_reason": reason}}})

    assert told([said("assistant", "stop"), said("assistant", "length")]) == {"cut_short": "length"}
    assert told([said("assistant", "length"), said("assistant", "stop")]) == {}
    assert told([said("tool", "length")]) == told([Message("assistant", "…")]) == {}
    assert told([Message("assistant", "…", structured_data={"langchain": "mine"})]) == {}
    assert told([]) == {}
