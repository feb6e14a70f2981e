"""Bad input gets a problem with a code and a sentence, and nothing is lost or echoed."""

import uuid

import pytest

from tests.tools.canary import CANARY
from tests.tools.problems import assert_problem

SESSION = str(uuid.uuid4())
BAD_IDS = ["a b", "a/b%00", "%00", "ü", "x" * 129, "a'b", "<script>", "..%2f..%2fetc", "a%0ab"]


@pytest.mark.parametrize("bad_id", BAD_IDS)
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_malformed_session_ids_in_the_path(client, as_ada, bad_id, method):
    answer = await client.request(method, f"/api/sessions/{bad_id}", json={"title": "x"}, headers=as_ada)
    if answer.status_code == 404:  # an encoded slash or newline is another address
        assert_problem(answer, 404, "not_found")
    else:
        assert_problem(answer, 422, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"hint": 7}',
        b'{"hint": "a b"}',
        b'{"hint": ""}',
        b'{"hint": ["CANARY7f3a"]}',
        b'{"hint": "\\u0000"}',
        b'{"hint": "\\ud800"}',
        b'{"agent_name": {"a": "CANARY7f3a"}}',
        b'{"CANARY7f3a": 1}',
        b'{"agent_name": "CANARY7f3a", "hint": 7}',
        b"CANARY7f3a",
        b'{"\\ud800": 1}',
        b'{"hint": NaN}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
    ],
)
async def test_malformed_bodies(client, as_ada, body):
    headers = as_ada | {"Content-Type": "application/json"}
    assert_problem(await client.post("/api/sessions/resolve", content=body, headers=headers), 422, "invalid_request")
    assert (await client.get("/api/sessions", headers=as_ada)).json()["sessions"] == [], "nothing was made"


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=9999999999999999999999",
        "before=x",
        "before=AAAA",
        "before=%ff",
        "before=MjAyNg==",
        "archived=maybe",
        "q=" + "x" * 501,
        "limit=CANARY7f3a",
        "archived=CANARY7f3a",
        "before=CANARY7f3a",
        "q=" + "CANARY7f3a" * 51,
    ],
)
async def test_malformed_queries(client, as_ada, query):
    assert_problem(await client.get(f"/api/sessions?{query}", headers=as_ada), 422, "invalid_request")


@pytest.mark.parametrize("q", ["%00", "%ed%a0%80", "'", "\\", "!!!", "a'b:*&|!()<->", "%", "_", " ", "😀", "'':*"])
async def test_odd_search_phrases_are_just_phrases(client, as_ada, q):
    answer = await client.get("/api/sessions", params=f"q={q}", headers=as_ada)
    assert answer.status_code == 200, answer.text


async def test_titles_survive_what_postgres_refuses(client, as_ada):
    body = b'{"title": "a\\u0000b\\ud800c \\ud83d\\ude00"}'
    answer = await client.post("/api/sessions", content=body, headers=as_ada | {"Content-Type": "application/json"})
    assert answer.status_code == 201
    assert answer.json()["title"] == "a\ufffdb\ufffdc 😀"


async def test_a_title_that_is_too_long_is_refused_and_the_old_one_stays(client, as_ada):
    made = (await client.post("/api/sessions", json={"title": "short"}, headers=as_ada)).json()
    url = f"/api/sessions/{made['session_id']}"
    assert_problem(await client.patch(url, json={"title": "x" * 201}, headers=as_ada), 422, "invalid_request")
    assert (await client.get(url, headers=as_ada)).json()["title"] == "short"


async def test_an_unknown_agent_is_not_repeated(client, as_ada):
    answer = await client.post("/api/sessions", json={"agent_name": CANARY}, headers=as_ada)
    assert_problem(answer, 404, "agent_not_found")


async def test_unknown_addresses_and_methods(client, as_ada):
    assert_problem(await client.get("/nowhere", headers=as_ada), 404, "not_found")
    answer = await client.put("/api/sessions", headers=as_ada)
    assert_problem(answer, 405, "method_not_allowed")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/sessions", "GET, POST"),
        ("PUT", f"/api/memories/{uuid.UUID(int=1)}", "GET, PATCH, DELETE"),
        ("POST", "/api/agents/assistant/notes", "GET, PUT"),
        ("GET", "/mcp", "POST"),
        ("BREW", "/healthz", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_is_told_all_that_the_address_has(client, as_ada, method, path, allowed):
    answer = await client.request(method, path, headers=as_ada)
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers.get_list("allow") == [allowed]


async def test_a_request_id_is_kept_when_harmless_and_replaced_otherwise(client):
    assert (await client.get("/healthz", headers={"X-Request-Id": "abc-1"})).headers["x-request-id"] == "abc-1"
    made = (await client.get("/healthz", headers={"X-Request-Id": "a b\t<"})).headers["x-request-id"]
    assert uuid.UUID(made)


@pytest.mark.parametrize("before", ["-1", "x", "7", "%00"])
async def test_malformed_message_cursors(client, as_ada, before):
    answer = await client.get(f"/api/sessions/{SESSION}/messages?before={before}", headers=as_ada)
    assert_problem(answer, 422, "invalid_request")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        *(("application/json", body) for body in (
            b"", b"null", b"[]", b'"text"', b"7", b"{", b"{}", b"\xff\xfe\x00", b'\xff\xfe{\x00}\x00', b"[" * 100_000,
            b"1" * 5_000, b'{"id": "\\ud800"}', b'{"message": 7}', b'{"CANARY7f3a": 1, "message": "hi"}',
            b'{"message": "hi", "images": [1, 2]}', b'{"messages": {"CANARY7f3a": 1}}', b'{"message": NaN}',
            b'{"message": "hi", "trigger": "CANARY7f3a"}', b'{"message": "hi", "session_id": "a b"}',
            b'{"id": ["CANARY7f3a"]}', b'{"message": "", "message": "a"', b"\xef\xbb\xbf{}",
            b'{"message": "hi", "images": [%s]}' % b", ".join([b'"data:image/png;base64,CANARY7f3a"'] * 11),
            b'{"message": "hi", "agent_id": "%s"}' % (b"CANARY7f3a" * 50), b'{"message": [["CANARY7f3a"]]}',
        )),
        *((content_type, b'{"message": "hi", "other": 1}') for content_type in (
            None, "", "text/plain", "APPLICATION/JSON", " application/json ; charset=utf-8", "application/merge+json",
            "application/+json", "application/a/b+json", "application/jsonx", "application/x-json", "json", "\xe4/json",
            "application/json;", "application/json, text/plain", "text/application/json", "multipart/form-data",
        )),
    ],
)  # fmt: skip
async def test_the_bodies_that_chat_reads_itself_are_refused_as_where_the_framework_reads_them(
    client, as_ada, content_type, body
):
    """The preview of a turn has the same body, and is a route like all others."""
    headers = as_ada | ({} if content_type is None else {"Content-Type": content_type.encode("latin-1")})
    answers = [await client.post(path, content=body, headers=headers) for path in ("/api/chat", "/api/context/preview")]
    for answer in answers:
        assert_problem(answer, 422, "invalid_request")
    ours, theirs = ({**answer.json(), "request_id": ""} for answer in answers)
    assert ours == theirs


@pytest.mark.parametrize("path", ["/api/chat", "/api/sessions", "/api/sessions/resolve", "/api/memories"])
async def test_a_body_of_very_many_fields_is_refused_as_a_whole(client, as_ada, path):
    """To find out what is wrong with each of 60,000 takes half a second, in which nobody is answered."""
    answer = await client.post(path, json=dict.fromkeys(map(str, range(101)), 1), headers=as_ada)
    assert_problem(answer, 422, "invalid_request")
    assert answer.json()["detail"] == "A body may have 100 fields at most."


async def test_a_crowd_of_values_is_not_even_read(client, as_ada):
    """8 MB of empty lists took two seconds, in which nobody was answered."""
    headers, crowd = as_ada | {"Content-Type": "application/json"}, b", ".join([b"[]"] * 300_000)
    answer = await client.post("/api/chat", content=b'{"message": "hi", "images": [%s]}' % crowd, headers=headers)
    assert_problem(answer, 422, "invalid_request")
    assert answer.json()["detail"] == "A body may have 500,000 values at most."
    said = await client.post("/api/chat", json={"message": "[" * 600_000 + '\\"', "images": ["x"]}, headers=as_ada)
    assert said.json()["detail"] != answer.json()["detail"], "what is in a text counts as one"


@pytest.mark.parametrize("path", ["/api/chat", "/api/memories", "/api/context/preview"])
async def test_where_there_is_no_body_it_is_said_what_has_to_be_there(client, as_ada, path):
    answer = await client.post(path, headers=as_ada | {"Content-Type": "application/json"})
    assert_problem(answer, 422, "invalid_request")
    assert answer.json()["detail"] == "The body has to be a JSON object, sent with Content-Type: application/json."


@pytest.mark.parametrize("path", ["/api/sessions", "/api/memories"])
async def test_a_text_that_is_too_long_is_measured_in_characters(client, as_ada, path):
    answer = await client.get(path, params={"q": "a" * 501}, headers=as_ada)
    assert_problem(answer, 422, "invalid_request")
    assert answer.json()["detail"] == "q: String should have at most 500 characters."
