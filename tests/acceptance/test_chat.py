"""Turns of real server processes, from outside: what was said is there again, wherever one comes back."""

import contextlib
import json
import signal
import threading
from pathlib import Path

import httpx
import pytest

from tests.conftest import owner_connection, rows
from tests.tools.running import Running, say, server, wait_for_turn
from tests.tools.waiting import wait_until

ECHO = {
    "rules": [
        {"match": "^slowly", "reply": " ".join(f"word{i}" for i in range(100)), "delay_ms": 50},
        {"match": "what did I say", "reply": "{messages}"},
    ],
    "default": "You said: {0}",
}


@pytest.fixture
def model(tmp_path: Path) -> dict[str, str]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({**ECHO, "rules": [*ECHO["rules"], {"match": ".+", "reply": "You said: {0}"}]}))
    return {"MODEL": f"script:{script}"}


def test_a_conversation_goes_on_after_a_restart_and_on_another_device(data_dir, model):
    with server(data_dir, **model) as running:
        first = say(running, "I like volcanoes")
        assert (first["state"], first["response"]) == ("done", "You said: I like volcanoes")
        assert first["usage"]["total_tokens"] > 0
    with server(data_dir, **model) as running:
        second = say(running, "what did I say?")
        assert second["session_id"] == first["session_id"]
        assert "user: I like volcanoes" in second["response"]
        assert "assistant: You said: I like volcanoes" in second["response"]


def test_different_agents_have_different_threads(data_dir, model):
    with server(data_dir, **model) as running:
        one = say(running, "for the assistant", agent_id="assistant")
        other = say(running, "for the coder", agent_id="coder")
        assert one["session_id"] != other["session_id"]
        told = say(running, "what did I say?", agent_id="coder")
        assert "for the coder" in told["response"]
        assert "for the assistant" not in told["response"]
        refused = running.request(
            "POST", "/api/chat", json={"message": "hi", "session_id": one["session_id"], "agent_id": "coder"}
        )
        assert (refused.status_code, refused.json()["code"]) == (409, "session_agent_mismatch")


def test_two_processes_on_one_database_share_a_conversation_and_its_running_turn(data_dir, model):
    with server(data_dir, **model) as one, server(data_dir, **model) as two:
        session = say(one, "hello")["session_id"]
        assert "user: hello" in say(two, "what did I say?", session_id=session)["response"]
        thread = threading.Thread(target=say, args=(one, "slowly"), kwargs={"session_id": session})
        thread.start()
        wait_for_turn(two, session)
        busy = two.request("POST", "/api/chat", json={"message": "me too", "session_id": session})
        assert (busy.status_code, busy.json()["code"]) == (409, "turn_in_progress")
        followed = two.request("GET", f"/api/chat/{session}/stream")
        thread.join(30)
    assert text_of(followed.text) == ECHO["rules"][0]["reply"]
    assert followed.text.endswith("data: [DONE]\n\n")


def test_a_stop_in_one_process_ends_the_turn_of_another(data_dir, model):
    with server(data_dir, **model) as one, server(data_dir, **model) as two:
        answers: list[dict] = []
        thread = threading.Thread(target=lambda: answers.append(say(one, "slowly", session_id="s")))
        thread.start()
        wait_for_turn(two, "s")
        assert two.request("POST", "/api/chat/s/stop").status_code == 202
        thread.join(5)
        assert answers
        assert answers[0]["state"] == "stopped"
        assert 0 < len(answers[0]["response"]) < len(ECHO["rules"][0]["reply"])
        assert two.request("POST", "/api/chat/s/stop").status_code == 204


def test_a_killed_turn_is_taken_over_by_the_same_key_once_its_lease_is_over(data_dir, model, urls):
    """The lease is 30 s: the test moves its end instead of waiting."""
    where = {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app}
    body = {"message": "slowly", "session_id": "s"}
    with server(data_dir, **model, **where) as doomed:
        sending = threading.Thread(target=lost, args=(doomed, body))
        sending.start()
        wait_for_turn(doomed, "s")
        wait_until(lambda: rows(urls, "select 1 from chat.turn_events where events::text like '%text-delta%'"))
        doomed.process.kill()
        sending.join(10)
    with server(data_dir, **model, **where) as running:
        waiting = running.request("POST", "/api/chat", json=body, key="other")
        assert waiting.status_code == 409
        assert "broke off" in waiting.json()["detail"]
        assert "30 seconds at most" in waiting.json()["detail"]
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.turns set lease_until = now() - interval '1 s'")
        shown = running.request("GET", "/api/sessions/s/messages").json()["messages"]
        assert [message["role"] for message in shown] == ["user", "assistant"], "which was interrupted"
        again = running.request("POST", "/api/chat", json=body, key="k")
        assert again.json()["response"] == ECHO["rules"][0]["reply"]
    assert rows(urls, "select state, attempt from chat.turns") == [("done", 2)]
    assert rows(urls, "select count(*) from chat_message_history") == [(2,)]


def lost(running: Running, body: dict) -> None:
    try:
        running.request("POST", "/api/chat", json=body, key="k")
    except httpx.HTTPError:
        return
    pytest.fail("the killed server answered")


def test_a_turn_outlives_the_grace_as_interrupted_and_the_next_process_takes_it_over(data_dir, model):
    body = {"message": "slowly", "session_id": "s"}
    with server(data_dir, **model, SHUTDOWN_GRACE_S="0.5") as running:
        sending = threading.Thread(target=swallowing, args=(running, body))
        sending.start()
        wait_for_turn(running, "s")
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(20)
        sending.join(10)
    with server(data_dir, **model) as running:
        again = running.request("POST", "/api/chat", json=body, key="k")
        assert (again.status_code, again.json()["response"]) == (200, ECHO["rules"][0]["reply"])


def swallowing(running: Running, body: dict) -> None:
    with contextlib.suppress(httpx.HTTPError):
        running.request("POST", "/api/chat", json=body, key="k")


def text_of(stream: str) -> str:
    chunks = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta")
