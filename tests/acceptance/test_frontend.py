"""The page of docs/frontend.md: checked by TypeScript, and run in React with useChat against a real server."""

import json
from collections.abc import Iterator

import pytest

from tests.acceptance.test_serve import Running, server
from tests.tools.node import node_with, told_by

SLOW = " ".join(f"word{i}" for i in range(40))
STORY = "Once upon a time there was a volcano."
SCRIPT = {
    "rules": [
        {"match": "^tell me a story", "reply": STORY},
        {"match": "^slowly", "reply": SLOW, "delay_ms": 50},
        {"match": "^break", "reply": "one two three four five", "fail_after_words": 3},
    ],
    "default": "I have nothing to say.",
}


@pytest.fixture(scope="module")
def node() -> str:
    return node_with("@ai-sdk/react")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data_dir = tmp_path_factory.mktemp("frontend")
    script = data_dir / "script.json"
    script.write_text(json.dumps(SCRIPT))
    with server(data_dir, MODEL=f"script:{script}") as started:
        yield started


def test_its_types_fit(node):
    options = "--noEmit --strict --skipLibCheck --jsx react-jsx --module esnext --moduleResolution bundler"
    told_by(
        node,
        "node_modules/typescript/bin/tsc",
        *options.split(),
        *("--target", "es2022", "--lib", "es2023,dom", "frontend.tsx"),
        given="",
    )


def test_it_does_what_the_guide_says(node, running):
    told = json.loads(told_by(node, "page.mjs", given=json.dumps({"server": running.address, "user": "ada"})))
    assert told["first"] == ["I live in Lisbon.", "I have nothing to say."]
    assert [each["text"] for each in told["learned"]] == ["The user lives in Lisbon."]
    assert "Remembered: The user lives in Lisbon." in told["used"], "in another session"
    assert told["usedAfterwards"] == [], "what was forgotten meanwhile is forgotten"
    assert told["resumed"] == ["slowly", SLOW], "after a reload in the middle of it"
    assert SLOW.startswith(told["stopped"].strip())
    assert len(told["stopped"]) < len(SLOW)
    assert told["typed"] == "and another thing", "it waits for the answer"
    assert told["unreachable"] == ["The server cannot be reached."]
    assert told["refused"] == "The message is empty."
    assert (told["cutOff"]["status"], told["cutOff"]["code"]) == ("error", "unreachable")
    assert told["reconnected"] == ["slowly", SLOW], "nothing twice"
    assert told["broken"]["code"] == "model_failed"
    assert told["broken"]["detail"].endswith("Try again.")
    assert told["edited"] == ["tell me a story", STORY]
    assert told["anew"] == {"texts": ["tell me a story", STORY], "isAnother": True}
