"""Odd texts through the whole server: never our fault, nothing lost, and every stream can be read."""

import itertools
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chatServer.agent.script import SEARCHED_CHARACTERS
from chatServer.messages import clean_text
from tests.tools.odd_texts import Odd, odd_texts, told_in
from tests.tools.served import Server, served

HEARD = 8  # texts of one session: the window has the odd texts before too
SENDS = ["plain", "plain-stream", "ui", "ui-json"]
ACCEPT = {"plain": "*/*", "plain-stream": "text/event-stream", "ui": "*/*", "ui-json": "application/json"}


@pytest.fixture
def server(settings, urls) -> Iterator[Server]:
    with served(settings, urls, rules=[]) as opened:
        yield opened


def run(server: Server, examples: int) -> None:
    talk = Talk(server)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(odd=odd_texts, shape=st.sampled_from(SENDS))
    def each(odd: Odd, shape: str) -> None:
        talk.say(odd.text, shape)

    each()
    print(f"{talk.answered} answered, {talk.refused} refused as empty")
    assert talk.answered > examples * 3 // 4


class Talk:
    """One user, one long conversation after the other."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.headers = server.headers_of(uuid.uuid4()) | {"Content-Type": "application/json"}
        self.numbers = itertools.count()
        self.answered = self.refused = 0

    def ask(self, method: str, path: str, **options: Any):
        return self.server.wait(self.server.ask(method, path, self.headers, **options))

    def say(self, text: str, shape: str) -> None:
        session = f"s{next(self.numbers) // HEARD}"

        ui = {"id": session, "messages": [{"role": "user", "parts": [{"type": "text", "text": text}]}]}
        body = ui if shape.startswith("ui") else {"session_id": session, "message": text}
        answer = self.ask("POST", "/api/chat", content=json.dumps(body), headers={"Accept": ACCEPT[shape]})
        clean = clean_text(text)
        if not clean.strip():
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
            self.refused += 1
            return
        assert answer.status_code == 200, answer.text
        expected = f"You said: {clean[:SEARCHED_CHARACTERS]}"
        if shape in ("plain-stream", "ui"):
            told = told_in(answer.content)
            assert "".join(each["delta"] for each in told if each["type"] == "text-delta") == expected
            assert told[-1]["type"] == "finish"
        else:
            assert answer.json()["response"] == expected
        shown = self.ask("GET", f"/api/sessions/{session}/messages", params={"limit": 2}).json()["messages"]
        said = [[part["text"] for part in each["parts"] if part["type"] == "text"] for each in shown]
        assert said == [[clean], [expected]]
        self.answered += 1


def test_no_text_is_too_odd_to_be_answered(server):
    run(server, 300)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_no_text_is_too_odd_to_be_answered_3_000_times(server):
    run(server, 3_000)
