"""The whole way, with the model that needs no key: documents are uploaded, asked about, and deleted."""

import uuid

import httpx

from tests.tools.running import Running, server, upload
from tests.tools.waiting import wait_until

PUMP = b"# Zephyr manual\n\nThe pump moves forty litres a minute.\n\nIts warranty lasts three years.\n"
BARN = b"The roof of the barn is made of slate. It was laid in 1911.\n"
WARRANTY = "How long does the warranty last?"


def ask(running: Running, message: str, session: str) -> dict:
    answer: httpx.Response = running.request("POST", "/api/chat", json={"message": message, "session_id": session})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_sentence_comes_with_its_source_and_is_gone_with_its_article(tmp_path):
    session = str(uuid.uuid4())
    with server(tmp_path) as running:
        pump = upload(running, "pump.md", PUMP)
        upload(running, "barn.txt", BARN)
        told = ask(running, WARRANTY, session)
        assert "“Its warranty lasts three years.”" in told["response"]
        assert "pump.md" in told["response"]
        sources = told["message"]["metadata"]["sources"]
        assert "pump.md" in [source["name"] for source in sources]
        assert (
            "“The roof of the barn is made of slate.”" in ask(running, "What is the roof made of?", session)["response"]
        )
        assert running.request("DELETE", pump).status_code == 204
        for where in (session, str(uuid.uuid4())):
            again = ask(running, WARRANTY, where)
            assert "three years" not in again["response"]
            assert "pump.md" not in [source["name"] for source in again["message"]["metadata"].get("sources", [])]
        assert "slate" in ask(running, "What is the roof made of?", session)["response"]
        wait_until(lambda: "0 waiting" in httpx.get(f"{running.address}/readyz", timeout=30).text)
        assert "retrieve_context" not in running.request("GET", "/api/memories").text, "that it worked is no news"
