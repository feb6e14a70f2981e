"""The official clients of MCP, in Python and in TypeScript, against a real server; and the lines of docs/mcp.md."""

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator

import httpx
import pytest

from chatServer.config import ROOT
from tests.tools.mcp_client import ALL, STORE, connected
from tests.tools.node import node_with, told_by
from tests.tools.running import Running, server, shell_blocks

DOCUMENT = (ROOT / "docs" / "mcp.md").read_text()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("mcp")) as started:
        yield started


def personal_token(running: Running, user: str, *scopes: str) -> str:
    signed = httpx.post(f"{running.address}/api/dev/token", json={"user": user}).json()
    body = {"name": "a client", "scopes": scopes}
    headers = {"Authorization": f"Bearer {signed['access_token']}"}
    return httpx.post(f"{running.address}/api/account/tokens", json=body, headers=headers).json()["token"]


def first_calls(boat: str, session_id: str) -> list[tuple[str, dict]]:
    """Every tool once, with something of one's own."""
    keep = {"content": f"The boat is called {boat}, with a red sail.", "session_id": session_id}
    return [
        ("store_session_message", {"session_id": session_id, "role": "user", "content": f"My boat is {boat}."}),
        *((f"store_{kind}", keep | {"content": f"{kind}: {keep['content']}"}) for kind in STORE),
        ("store_fact", {"content": f"{boat} has a red sail.", "subject": boat, "predicate": "has", "object": "a sail"}),
        ("manage_long_term_memory", {"operation": "append", "content": f"The boat: {boat}"}),
        ("read_notes", {}),
        ("memory_graph", {}),
        ("search_memories", {"query": "Which boat has a red sail?"}),
        ("summarize_session", {"session_id": session_id}),
    ]


def check(boat: str, results: list[dict], others: tuple[str, ...]) -> None:
    """`results` as they came over the wire."""
    assert not [each for each in results if each.get("isError") or "error" in each]
    *found, summary = [each["structuredContent"] for each in results]
    assert not summary["updated"], "one message is too few"
    assert [each["outcome"] for each in found if "outcome" in each][:3] == ["created"] * 3
    page, graph, search = found[-3:]
    assert boat in page["notes"]
    assert [edge["source"] for edge in graph["edges"]] == [boat.lower()]
    assert any(boat in item["text"] for item in search["items"])
    said = json.dumps(results)
    assert not [each for each in others if each in said]


async def in_python(running: Running, token: str, calls: list[tuple[str, dict]], mode: str) -> list[dict]:
    async with connected({"Authorization": f"Bearer {token}"}, address=running.address, mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == ALL
        return [(await client.call_tool(name, given)).model_dump(mode="json", by_alias=True) for name, given in calls]


async def test_the_python_client_uses_every_tool_and_meets_nobody_elses_rows(running):
    session_id = str(uuid.uuid4())  # the same name for both: ids are per user
    boats = {"ada": ("Argo", "auto"), "eve": ("Fram", "legacy")}
    tokens = {user: personal_token(running, user, "memory") for user in boats}
    for user, (boat, mode) in boats.items():
        results = await in_python(running, tokens[user], first_calls(boat, session_id), mode)
        check(boat, results, tuple(other for other, _ in boats.values() if other != boat))


def test_the_typescript_client_uses_every_tool_and_meets_nobody_elses_rows(running):
    node = node_with("@modelcontextprotocol/sdk")
    session_id = str(uuid.uuid4())
    boats = {"tom": "Kontiki", "uma": "Beagle"}
    for user, boat in boats.items():
        token = personal_token(running, user, "memory")
        asked = {"address": running.address, "token": token, "calls": first_calls(boat, session_id)}
        told = json.loads(told_by(node, "mcp.mjs", given=json.dumps(asked)))
        assert told["refused"] is None
        assert {tool["name"] for tool in told["tools"]} == ALL
        check(boat, told["results"], tuple(other for other in boats.values() if other != boat))


def test_the_typescript_client_is_told_when_its_token_is_none(running):
    node = node_with("@modelcontextprotocol/sdk")
    for token, code in (("nonsense", 401), (personal_token(running, "ada", "chat"), 403)):
        asked = {"address": running.address, "token": token, "calls": []}
        told = json.loads(told_by(node, "mcp.mjs", given=json.dumps(asked)))
        assert (told["refused"]["code"], told["tools"]) == (code, [])


def test_the_lines_of_the_document_work_as_they_stand(running):
    [script] = shell_blocks(DOCUMENT)
    [program] = re.findall(r"```python\n(.+?)```", DOCUMENT, re.DOTALL)
    ours = ("http://127.0.0.1:8000", running.address)
    script = script.replace(*ours).replace("curl -s", "curl --fail-with-body -s")
    script = f'set -eu\n{script}\necho\nCST="$CST" "$PYTHON" -c "$PROGRAM"\n'
    values = {**os.environ, "PYTHON": sys.executable, "PROGRAM": program.replace(*ours)}
    done = subprocess.run(["bash", "-c", script], env=values, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"outcome":"created"' in done.stdout
    assert done.stdout.splitlines()[-1] == "The boat of the user is called Argo."
