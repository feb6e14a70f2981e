"""/openapi.json tells the truth: whatever is sent, the answer is one that it documents, and never a server error."""

import ast
import warnings
from pathlib import Path
from typing import Literal, get_args

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

import chatServer
from chatServer.api import problems
from chatServer.api.scopes import scopes_of
from chatServer.config import Settings
from chatServer.main import create_app
from chatServer.records import Scope
from tests.conftest import ADA, EVE, bearer
from tests.tools.fuzz import examine
from tests.tools.listening import listening


@pytest.fixture(autouse=True)
def _foreign_warnings_are_theirs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def everything_of(address: str, headers: dict[str, str]) -> list[dict]:
    """All that a user can see."""
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        notes = client.get("/api/agents/assistant/notes").json()
        memories = client.get("/api/memories", params={"superseded": True}).json()
        pages = [client.get("/api/sessions", params={"archived": archived}).json() for archived in (False, True)]
        found = [session for page in pages for session in page["sessions"]]
        said = [{**each, "said": client.get(f"/api/sessions/{each['session_id']}/messages").json()} for each in found]
        return [*said, notes, memories]


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("examples", [6, pytest.param(100, marks=pytest.mark.long)])
def test_every_answer_is_documented_and_the_other_user_notices_nothing(settings, examples):
    ada, eve = bearer(settings, ADA.user_id), bearer(settings, EVE.user_id)
    memory_ids: list[str] = []  # ada's, eve's
    with listening(create_app(settings)) as address:
        for headers in (ada, eve):
            for body in ({"session_id": "thread", "title": "mine"}, {"agent_name": "coder"}, {"memory": "off"}):
                assert httpx.post(f"{address}/api/sessions", json=body, headers=headers, timeout=30).status_code == 201
            page = {"headers": headers | {"If-Match": '"0"'}, "json": {"notes": "mine"}, "timeout": 30}
            assert httpx.put(f"{address}/api/agents/assistant/notes", **page).status_code == 200
            made = httpx.post(f"{address}/api/memories", json={"text": "mine"}, headers=headers, timeout=30)
            assert made.status_code == 201
            memory_ids.append(made.json()["id"])
        before = everything_of(address, eve)
        fixed = {"session_id": "thread", "name": "assistant", "memory_id": memory_ids[0]}
        found = examine(address, ada, examples=examples, fixed=fixed)
        nobody = examine(address, {}, examples=3)
        assert everything_of(address, eve) == before
    print(f"{found.requests} requests as ada, {nobody.requests} as nobody: {found.statuses}, {nobody.statuses}")
    assert found.wrong | nobody.wrong == set()
    assert found.requests > 200
    assert {200, 201, 204, 404, 422} <= found.statuses.keys()
    assert len(before) == 3 + 1 + 1


def test_the_examination_finds_planted_bugs():
    app = FastAPI()

    @app.get("/fails")
    def fails(number: int = 0) -> int:
        raise RuntimeError

    @app.get("/undocumented")
    def undocumented(word: str = "") -> PlainTextResponse:
        return PlainTextResponse("tea", 418)

    @app.get("/lies")
    def lies(word: Literal["a", "b"] = "a") -> int:
        return PlainTextResponse('"text"', media_type="application/json")

    @app.get("/plain", responses=problems.documented(404))
    def plain() -> int:
        return PlainTextResponse("not there", 404)

    with listening(app) as address:
        wrong = examine(address, {}, examples=3).wrong
    for path, check in {
        "/fails 500": "not_a_server_error",
        "/undocumented 418": "status_code_conformance",
        "/lies 200": "response_schema_conformance",
        "/plain 404": "content_type_conformance",
    }.items():
        assert any(path in line and check in line for line in wrong), (path, check, wrong)


def operations() -> list[tuple[str, dict]]:
    paths = create_app(Settings(_env_file=None)).openapi()["paths"]
    return [(f"{method} {path}", told) for path, methods in paths.items() for method, told in methods.items()]


@pytest.mark.parametrize(("name", "told"), operations(), ids=lambda value: value if isinstance(value, str) else "")
def test_routes_document_what_their_kind_can_answer(name, told):
    statuses = {int(status) for status in told["responses"]}
    if told.get("security"):
        assert {401, 503} <= statuses
        path = name.partition(" ")[2]
        assert (403 in statuses) is not (set(scopes_of(path)) == set(get_args(Scope))), "of a token of another scope"
    if "requestBody" in told:
        assert {408, 413, 422} <= statuses
    if told.get("parameters"):
        assert 422 in statuses
    if "{memory_id}" in name:
        assert 404 in statuses
    if "{session_id}" in name:  # to whom nothing is being answered, hears that: not even whether it is there
        assert (204 if "/api/chat/" in name else 404) in statuses
    for status, answer in told["responses"].items():
        if int(status) >= 400 and (name, status) != ("get /readyz", "503"):  # that one tells its checks
            assert list(answer["content"]) == [problems.MEDIA_TYPE]


def test_the_schema_of_a_problem_is_in_the_description():
    schemas = create_app(Settings(_env_file=None)).openapi()["components"]["schemas"]
    assert schemas["Problem"]["properties"].keys() >= {"code", "detail", "request_id"}
    assert "HTTPValidationError" not in schemas, "FastAPI's own error is never answered"


def test_what_problems_tell_beside_their_sentence_is_described():
    """Wherever the code raises one with a field of its own, or adds one afterwards."""
    raised = {
        keyword.arg
        for path in Path(chatServer.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and _raises(call, is_own=path.name == "errors.py")
        for keyword in call.keywords
        if keyword.arg
    }
    schema = create_app(Settings(_env_file=None)).openapi()["components"]["schemas"]["Problem"]
    told = raised - {"retry_after_s", "told", "what", "then", "seconds"}
    assert {"limit", "limit_bytes", "known_agents", "file", "version", "turn_id"} <= told, "the search finds them"
    assert told == schema["properties"].keys() - {*schema["required"]}


def _raises(call: ast.Call, *, is_own: bool) -> bool:
    """errors.Something(...), or, within errors.py, what it says of itself."""
    called = call.func
    if not isinstance(called, ast.Attribute):
        return False
    if is_own:
        return called.attr == "__init__"
    return isinstance(called.value, ast.Name) and called.value.id == "errors"
