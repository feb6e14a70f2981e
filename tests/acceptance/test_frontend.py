"""The page of docs/frontend.md: checked by TypeScript, and run in React with useChat against a real server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.tools.node import node_with, told_by
from tests.tools.running import Running, server

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
    options += " --exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax --erasableSyntaxOnly"
    told_by(
        node,
        "node_modules/typescript/bin/tsc",
        *options.split(),
        *("--target", "es2020", "--lib", "es2020,dom", "frontend.tsx"),
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


def test_what_happens_between_two_requests_of_the_page_is_shown(node, running):
    told = json.loads(told_by(node, "between.mjs", given=json.dumps({"server": running.address, "user": "kay"})))
    assert told["opened"] == ["slowly", SLOW], "which was being written when the page was opened"
    assert told["toldMeanwhile"] == ["slowly, please", SLOW], "whose end was told while its question was read"
    assert told["brokenOff"] == ["slowly", SLOW]
    assert told["saidAtOnce"] == ["Good morning.", "I have nothing to say."], "before anything was known"


def test_whatever_comes_first_all_is_shown_as_it_was_said(node, running):
    told = json.loads(told_by(node, "orders.mjs", given=json.dumps({"server": running.address, "user": "ida"})))
    both = ["tell me a story", STORY, "slowly", SLOW]
    assert told["askedWhileRead"] == both, "what others said, and what was asked here before it was read"
    assert told["toldWhileAnswered"] == told["helloWhileAnswered"] == both
    assert told["refusedWhileRead"] == "Wait.", "it stays for the button"
    assert told["sentWhileResumed"] == ["slowly", SLOW, "tell me a story", STORY]
    assert told["editedWhileResumed"] == [False, "slowly", SLOW], "refused: nothing has changed"
    assert told["askedWhileStopped"] == ["slowly", SLOW], "who stopped what went before did not stop it"
    assert told["askedWhenCutOff"] == ["slowly", SLOW, "tell me a story", STORY]


@pytest.fixture(scope="module")
def in_trouble(node, running) -> dict[str, Any]:
    return json.loads(told_by(node, "trouble.mjs", given=json.dumps({"server": running.address, "user": "eve"})))


def test_a_picture_is_sent_once(in_trouble):
    sizes = in_trouble["sizes"]
    assert sizes["picture"] > 300_000
    assert max(sizes["next"], sizes["edit"], sizes["anew"]) < 1_000, "the server has what was said before"
    assert in_trouble["texts"] == ["tell me a story", STORY] * 2, "edited and answered anew all the same"
    assert in_trouble["isAnother"]
    assert in_trouble["pictures"] == 1, "the history has it"


def test_a_server_that_was_down_is_asked_again_for_a_token_and_an_old_one_is_renewed(in_trouble):
    assert in_trouble["down"] == {"code": "unreachable", "detail": "The server cannot be reached."}
    assert in_trouble["forbidden"] == {"code": "forbidden", "detail": "Not from there."}
    assert (in_trouble["up"], in_trouble["kept"]) == ("open", 0), "one token serves many requests"
    assert (in_trouble["nextDay"], in_trouble["renewed"]) == ("open", 1)


def test_where_nothing_is_being_answered_there_is_no_error(in_trouble):
    assert in_trouble["begins"] == "ready"


def test_what_a_proxy_says_is_not_shown(in_trouble):
    statuses = {"page": 502, "pageAsSuccess": 200, "json": 500, "nothing": 503, "text": 503}
    for name, status in statuses.items():
        problem = {"code": "not_ours", "detail": f"The server cannot answer now ({status}). Try again later."}
        assert in_trouble["others"][name] == [problem, problem], name


def test_a_stop_right_after_sending_stops(in_trouble):
    stopped = in_trouble["stopped"]
    assert stopped["tries"] > 1, "nothing ran yet"
    assert len(stopped["text"]) < len(SLOW)


def test_what_is_said_in_another_tab_is_shown(in_trouble):
    assert in_trouble["elsewhere"] == ["tell me a story", STORY]


def test_an_answer_that_ends_before_its_end_is_no_whole_one_and_goes_on(in_trouble):
    assert in_trouble["rest"] == ["slowly", SLOW], "without anybody's help, and nothing twice"


def test_what_was_refused_is_not_lost(in_trouble):
    assert (in_trouble["meanwhile"]["code"], in_trouble["meanwhile"]["shown"]) == ("turn_in_progress", "me too")
    assert in_trouble["meToo"] == ["slowly", SLOW, "me too", "I have nothing to say."], "with what was said elsewhere"
    refusal = {"code": "rate_limited", "detail": "Wait 12 s.", "shown": "tell me a story", "stays": True}
    assert in_trouble["refused"] == refusal, "also right after something was said elsewhere"
    assert in_trouble["taken"] == ["tell me a story", STORY]


def test_an_edit_or_an_answer_anew_that_is_refused_changes_nothing(in_trouble):
    for told in in_trouble["unchanged"].values():
        assert (told["code"], told["wasTaken"], told["stays"]) == ("rate_limited", False, True)
        assert told["afterwards"] == ["ready", True]
    assert in_trouble["changed"]
    assert in_trouble["afterTheEdit"] == [["tell me a story of two", STORY], 1], "with its picture"


def test_files_and_headers_can_be_sent(in_trouble):
    assert in_trouble["uploaded"] == "pump.txt"
    assert in_trouble["notes"] == ["Likes tea.", "version_conflict"]
