"""What a person tells in one session is known in the next, on another process, after a restart: real servers, no key,
no model but the built-in responder."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.tools.running import Running, server
from tests.tools.waiting import wait_until


def told(running: Running, message: str, session: str) -> dict[str, Any]:
    answer = running.request("POST", "/api/chat", json={"message": message, "session_id": session})
    assert answer.status_code == 200, answer.text
    return answer.json()


def known(running: Running, **filters: str) -> list[dict[str, Any]]:
    return running.request("GET", "/api/memories", params=filters).json()["memories"]


def wait_for(running: Running, is_known: Callable[[list[dict[str, Any]]], bool]) -> None:
    """After-work is done beside the turns, within a second or two."""
    wait_until(lambda: is_known(known(running)))


def texts(answer: dict[str, Any]) -> str:
    return "\n".join(item["text"] for item in answer["memory"]["items"])


def test_what_is_told_in_one_session_is_answered_in_another(data_dir):
    with server(data_dir) as first, server(data_dir) as second:
        told(first, "Hello there!", "monday")  # which gives the session a title that answers nothing
        told(first, "I live in Lisbon.", "monday")
        told(first, "My sister Anna is allergic to peanuts.", "monday")
        wait_for(first, lambda found: len(found) >= 2)

        answer = told(second, "Where do I live?", "tuesday")
        assert "Lisbon" in answer["response"]
        source = answer["memory"]["items"][0]["source"]
        shown = second.request("GET", f"/api/sessions/{source['session_id']}/messages").json()["messages"]
        assert source["message_id"] in {message["id"] for message in shown}
        assert answer["message"]["metadata"]["memories_used"][0]["source"] == source
        assert "peanuts" in told(second, "What is Anna allergic to?", "tuesday")["response"]

        told(second, "Actually, I live in Porto now.", "tuesday")
        wait_for(second, lambda found: any("Porto" in memory["text"] for memory in found))
        assert [memory["text"] for memory in known(first) if "Lisbon" in memory["text"]] == []
    with server(data_dir) as restarted:
        now = told(restarted, "Where do I live?", "wednesday")
        assert "Porto" in now["response"]
        assert "Lisbon" not in now["response"]
        before = told(restarted, "Where did I live before?", "thursday")
        assert "Lisbon" in before["response"]


def test_what_is_forgotten_is_gone_from_the_next_prompt(data_dir):
    with server(data_dir) as running:
        told(running, "My dog is called Rex.", "monday")  # which is the session's title, too
        told(running, "My bicycle is green.", "monday")
        wait_for(running, lambda found: any("Rex" in memory["text"] for memory in found))
        assert "Rex" in texts(told(running, "What is my dog called?", "tuesday"))
        [memory] = [memory for memory in known(running) if "Rex" in memory["text"]]
        assert running.request("DELETE", f"/api/memories/{memory['id']}").status_code == 204
        after = told(running, "What is my dog called?", "wednesday")
        assert "Rex" not in json.dumps(after)
        other = told(running, "What colour is my bicycle?", "wednesday")
        assert "green" in other["response"]
        assert "Rex" not in json.dumps(other)
        assert running.request("POST", f"/api/memories/{memory['id']}/undo").status_code == 200
        assert "Rex" in texts(told(running, "What is my dog called?", "thursday"))


@pytest.mark.parametrize("memory", ["on", "off"])
def test_a_session_without_memory_neither_gives_nor_takes(data_dir, memory):
    with server(data_dir) as running:
        told(running, "I live in Lisbon.", "open")
        wait_for(running, lambda found: len(found) >= 1)
        running.request("POST", "/api/sessions", json={"session_id": "closed", "memory": memory})
        heard = told(running, "Where do I live?", "closed")
        told(running, "I play the violin.", "closed")
        told(running, "I play the cello.", "open")
        wanted = {"violin", "cello"} if memory == "on" else {"cello"}
        wait_for(running, lambda found: all(any(one in each["text"] for each in found) for one in wanted))
        asked = told(running, "Which instrument do I play?", "another")
        is_on = memory == "on"
        assert ("Lisbon" in texts(heard), "violin" in texts(asked), "cello" in texts(asked)) == (is_on, is_on, True)
        assert any("violin" in each["text"] for each in known(running)) is is_on
