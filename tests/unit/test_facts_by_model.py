"""A model reads facts beside the rules."""

import json
from datetime import UTC, datetime

import pytest

from chatServer.memory.facts import RuleExtractor
from chatServer.memory.facts.by_model import ModelExtractor

NOW = datetime(2026, 11, 15, tzinfo=UTC)
TEXT = "I live in Lisbon. Ich spiele seit Jahren Oboe."


class Script:
    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def run(self, messages):
        self.asked.append(messages)
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"role": "assistant", "content": self.answer}


def triples(*parts):
    return json.dumps([dict(zip(("subject", "predicate", "object"), each, strict=True)) for each in parts])


async def test_what_rules_cannot_read_is_the_models():
    script = Script("Here they are: " + triples(("The user", "plays", "oboe"), ("The user", "lives in", "Lisbon")))
    found = await ModelExtractor(script).facts(TEXT, NOW)
    assert [(fact.text, fact.key) for fact in found] == [
        ("The user lives in Lisbon.", "user|home"),
        ("The user plays oboe.", None),
    ]
    assert TEXT in script.asked[0][-1]["content"]


@pytest.mark.parametrize("answer", [TimeoutError(), ValueError("no"), "I cannot.", "[]", "[{}]", "{" * 5_000])
async def test_a_model_that_fails_costs_its_own_facts_only(answer):
    assert await ModelExtractor(Script(answer)).facts(TEXT, NOW) == await RuleExtractor().facts(TEXT, NOW)
