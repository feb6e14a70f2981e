"""Notes over HTTP: read, write with If-Match, versions, restore; and who may not."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from chatServer import errors
from chatServer.memory.notes import notebook
from chatServer.records import Author
from tests.conftest import ADA, owner_connection
from tests.tools.canary import CANARY
from tests.tools.problems import assert_problem
from tests.tools.turns import begin_turn, eventually
from tests.tools.waiting import waiting_for_locks

URL = "/api/agents/assistant/notes"

T = TypeVar("T")


async def put(client, headers, notes, if_match: str | None = '"0"', url: str = URL):
    extra = {} if if_match is None else {"If-Match": if_match}
    return await client.put(url, json={"notes": notes}, headers=headers | extra)


async def test_a_page_that_is_not_there_yet_is_empty_at_version_0(client, as_ada):
    answer = await client.get(URL, headers=as_ada)
    assert answer.status_code == 200
    assert answer.headers["etag"] == '"0"'
    assert answer.json() == {"agent_name": "assistant", "notes": "", "version": 0, "updated_at": None}


async def test_what_is_written_is_read(client, as_ada):
    written = await put(client, as_ada, f"# A\n\n{CANARY}")
    assert (written.status_code, written.headers["etag"]) == (200, '"1"')
    read = await client.get(URL, headers=as_ada)
    assert read.json() == written.json()
    assert read.json()["notes"] == f"# A\n\n{CANARY}"
    assert read.headers["etag"] == '"1"'
    assert (await put(client, as_ada, "new", read.headers["etag"])).json()["version"] == 2


async def test_every_agent_has_a_page_of_its_own(client, as_ada):
    await put(client, as_ada, "for the assistant")
    other = await client.get("/api/agents/coder/notes", headers=as_ada)
    assert other.json()["notes"] == ""


async def test_another_user_has_another_page(client, as_ada, as_eve):
    await put(client, as_ada, CANARY)
    for path in (URL, f"{URL}/versions"):
        assert CANARY not in (await client.get(path, headers=as_eve)).text
    assert (await client.get(URL, headers=as_eve)).json()["version"] == 0
    assert_problem(await client.get(f"{URL}/versions/1", headers=as_eve), 404, "not_found")
    restoring = await client.post(f"{URL}/versions/1/restore", headers=as_eve | {"If-Match": '"0"'})
    assert_problem(restoring, 404, "not_found")
    assert (await put(client, as_eve, "hers")).json()["version"] == 1
    assert (await client.get(URL, headers=as_ada)).json()["notes"] == CANARY


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("PUT", ""), ("GET", "/versions"), ("GET", "/versions/1"), ("POST", "/versions/1/restore")],
)
async def test_nobody_gets_a_401_and_an_unknown_agent_a_404(client, as_ada, method, path):
    assert_problem(await client.request(method, URL + path, json={}), 401, "unauthenticated")
    answer = await client.request(
        method, f"/api/agents/{CANARY}/notes{path}", json={"notes": ""}, headers=as_ada | {"If-Match": '"0"'}
    )
    assert_problem(answer, 404, "agent_not_found")
    assert answer.json()["known_agents"] == ["assistant", "coder"]


@pytest.mark.parametrize("if_match", [None, "*", "", " * "])
async def test_a_write_says_which_version_it_changes(client, as_ada, if_match):
    assert_problem(await put(client, as_ada, "x", if_match), 428, "precondition_required")
    assert (await client.get(URL, headers=as_ada)).json()["version"] == 0


@pytest.mark.parametrize("if_match", ['"0"', '"3"', "2", '"x"', '"1", "2"', '"99999999999999999999"', "١"])
async def test_a_stale_version_is_a_conflict_that_names_the_current_one(client, as_ada, if_match):
    await put(client, as_ada, "first")
    answer = await put(client, as_ada, "second", if_match.encode())
    assert_problem(answer, 412, "version_conflict")
    assert answer.json()["version"] == 1
    assert (await client.get(URL, headers=as_ada)).json()["notes"] == "first"


@pytest.mark.parametrize("if_match", ['"1"', "1", 'W/"1"', ' "1" '])
async def test_the_version_may_come_as_proxies_and_people_write_it(client, as_ada, if_match):
    await put(client, as_ada, "first")
    assert (await put(client, as_ada, "second", if_match)).status_code == 200


async def test_a_page_above_64_kb_is_refused_and_one_of_64_kb_is_not(client, as_ada):
    answer = await put(client, as_ada, "é" * 32_769)
    assert_problem(answer, 422, "invalid_request")
    assert "65,538 bytes" in answer.json()["detail"]
    assert (await put(client, as_ada, "é" * 32_768)).status_code == 200


@pytest.mark.parametrize("body", [b"{}", b'{"notes": null}', b'{"notes": 7}', b'{"notes": "", "x": 1}', b"[]", b"{"])
async def test_malformed_bodies(client, as_ada, body):
    headers = as_ada | {"If-Match": '"0"', "Content-Type": "application/json"}
    assert_problem(await client.put(URL, content=body, headers=headers), 422, "invalid_request")


async def test_text_that_postgres_refuses_is_cleaned(client, as_ada):
    headers = as_ada | {"If-Match": '"0"', "Content-Type": "application/json"}
    answer = await client.put(URL, content=b'{"notes": "a\\u0000b\\ud800c"}', headers=headers)
    assert answer.json()["notes"] == "a\ufffdb\ufffdc"


async def test_the_same_text_again_makes_no_version(client, as_ada):
    await put(client, as_ada, "same")
    assert (await put(client, as_ada, "same", '"1"')).json()["version"] == 1
    listed = (await client.get(f"{URL}/versions", headers=as_ada)).json()["versions"]
    assert [each["version"] for each in listed] == [1, 0]


async def test_versions_are_listed_newest_first_and_paged(client, as_ada):
    for number in range(5):
        await put(client, as_ada, f"text {number}" + "é" * number, f'"{number}"')
    first = (await client.get(f"{URL}/versions?limit=2", headers=as_ada)).json()
    assert [each["version"] for each in first["versions"]] == [5, 4]
    newest = first["versions"][0]
    assert newest.keys() == {
        "version", "operation", "actor", "reason", "turn_id", "untrusted_turn", "created_at", "size_bytes",
    }  # fmt: skip
    assert (newest["operation"], newest["actor"], newest["size_bytes"]) == ("overwrite", "user", 14)
    rest = (await client.get(f"{URL}/versions?limit=4&before={first['before']}", headers=as_ada)).json()
    assert [each["version"] for each in rest["versions"]] == [3, 2, 1, 0]
    assert rest["before"] is None
    whole = (await client.get(f"{URL}/versions/3", headers=as_ada)).json()
    assert whole["notes"] == "text 2éé"


async def test_restoring_makes_a_new_version_with_the_old_text(client, as_ada):
    await put(client, as_ada, "first")
    await put(client, as_ada, "second", '"1"')
    restore = f"{URL}/versions/1/restore"
    assert_problem(await client.post(restore, headers=as_ada), 428, "precondition_required")
    stale = await client.post(restore, headers=as_ada | {"If-Match": '"1"'})
    assert_problem(stale, 412, "version_conflict")
    answer = await client.post(restore, headers=as_ada | {"If-Match": '"2"'})
    assert (answer.json()["notes"], answer.json()["version"], answer.headers["etag"]) == ("first", 3, '"3"')
    told = (await client.get(f"{URL}/versions/3", headers=as_ada)).json()
    assert (told["operation"], told["actor"], told["reason"]) == ("restore", "user", "version 1")
    undone = await client.post(f"{URL}/versions/0/restore", headers=as_ada | {"If-Match": '"3"'})
    assert (undone.json()["notes"], undone.json()["version"]) == ("", 4), "the first change can be undone too"


@pytest.mark.parametrize("number", ["7", "2147483647"])
async def test_a_version_that_never_was(client, as_ada, number):
    assert_problem(await client.get(f"{URL}/versions/{number}", headers=as_ada), 404, "not_found")


@pytest.mark.parametrize("number", ["-1", "2147483648", "x", "1.5", "%00"])
async def test_malformed_versions(client, as_ada, number):
    assert_problem(await client.get(f"{URL}/versions/{number}", headers=as_ada), 422, "invalid_request")
    assert_problem(await client.get(f"{URL}/versions?before={number}", headers=as_ada), 422, "invalid_request")


async def test_of_two_people_who_write_at_once_one_is_told(client, as_ada):
    answers = await asyncio.gather(*(put(client, as_ada, f"writer {number}") for number in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 5]


async def gone_meanwhile(urls, writing: Coroutine[Any, Any, T], *, receipt: bool = False) -> T:
    """What comes of a write that waits for a page, which is then deleted, as an erasure does it."""
    with owner_connection(urls.owner) as owner, owner.transaction():
        owner.execute("select 1 from public.agent_long_term_memory for update")
        late = asyncio.create_task(writing)
        await eventually(lambda: waiting_for_locks(urls))
        owner.execute("delete from public.agent_long_term_memory")
        if receipt:
            owner.execute("insert into chat.erasures (user_id, counts) values (%s, '{}')", (ADA.user_id,))
    return await late


async def test_a_page_that_is_erased_while_somebody_waits_for_it_is_begun_anew(client, as_ada, urls):
    await put(client, as_ada, "first")
    late = await gone_meanwhile(urls, put(client, as_ada, "second", '"1"'))
    assert_problem(late, 412, "version_conflict")
    assert late.json()["version"] == 0
    await put(client, as_ada, "third")
    made = await gone_meanwhile(urls, put(client, as_ada, "fourth", '"0"'))
    assert (made.status_code, made.json()["version"]) == (200, 1)


async def test_whoever_waits_for_a_page_through_an_erasure_is_told_of_it(client, as_ada, database, urls):
    await put(client, as_ada, "first")
    late = await gone_meanwhile(urls, put(client, as_ada, "second"), receipt=True)
    assert_problem(late, 409, "erased")
    await put(client, as_ada, "third")
    tool = notebook.change(database, ADA, "assistant", "append", content="fourth", author=Author("user"))
    with pytest.raises(errors.Erased):
        await gone_meanwhile(urls, tool, receipt=True)
    assert (await client.get(URL, headers=as_ada)).json()["version"] == 0


async def test_what_an_agent_wrote_is_told_with_its_turn(client, as_ada, database):
    turn_id = await begin_turn(database, ADA)
    author = Author("agent", turn_id=turn_id, attempt=1, untrusted_turn=True)
    await notebook.change(database, ADA, "assistant", "append", content="a", author=author)
    [told, _] = (await client.get(f"{URL}/versions", headers=as_ada)).json()["versions"]
    assert told["turn_id"] == str(turn_id)
    assert (told["actor"], told["operation"], told["untrusted_turn"]) == ("agent", "append", True)
