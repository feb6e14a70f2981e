"""Sessions over HTTP, line by line as the contract has them."""

import asyncio
import uuid

import httpx
import pytest

from chatServer.store import sessions as store
from tests.conftest import ADA, Urls, owner_connection, rows, serving

Headers = dict[str, str]


async def resolve(client: httpx.AsyncClient, headers: Headers, **body) -> dict:
    answer = await client.post("/api/sessions/resolve", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def create(client: httpx.AsyncClient, headers: Headers, **body) -> dict:
    answer = await client.post("/api/sessions", json=body, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def test_resolve_without_hint_gives_a_new_session_and_then_the_same_one(client, as_ada):
    first = await resolve(client, as_ada)
    again = await resolve(client, as_ada)
    assert first["session_id"] == again["session_id"] == str(uuid.UUID(first["session_id"]))
    assert first["agent_name"] == "assistant"
    assert first["external_id"] is None
    assert first["memory"] == "on"


async def test_twenty_first_calls_at_once_yield_one_session(client, as_ada):
    answers = await asyncio.gather(*(resolve(client, as_ada) for _ in range(20)))
    assert len({answer["session_id"] for answer in answers}) == 1
    listed = await client.get("/api/sessions", headers=as_ada)
    assert len(listed.json()["sessions"]) == 1


async def test_resolve_with_an_own_hint_of_the_same_agent_enters_it(client, as_ada):
    old = await resolve(client, as_ada)
    new = await create(client, as_ada)
    assert new["session_id"] != old["session_id"]
    assert (await resolve(client, as_ada, hint=old["session_id"]))["session_id"] == old["session_id"]
    assert (await resolve(client, as_ada))["session_id"] == old["session_id"], "it became the active one"


async def test_resolve_ignores_a_hint_of_another_agent(client, as_ada):
    coder = await create(client, as_ada, agent_name="coder")
    found = await resolve(client, as_ada, agent_name="assistant", hint=coder["session_id"])
    assert found["session_id"] != coder["session_id"]
    assert found["agent_name"] == "assistant"


async def test_resolve_without_agent_takes_that_of_the_hinted_session(client, as_ada):
    coder = await create(client, as_ada, agent_name="coder")
    await create(client, as_ada, agent_name="assistant")
    assert (await resolve(client, as_ada, hint=coder["session_id"]))["session_id"] == coder["session_id"]


@pytest.mark.parametrize("hint", ["a039a88a-7dd1-4b2b-a75c-9b933d64ee60", "my-own-name"])
async def test_resolve_ignores_a_hint_that_nobody_has(client, as_ada, hint):
    active = await resolve(client, as_ada)
    assert (await resolve(client, as_ada, hint=hint))["session_id"] == active["session_id"]


async def test_resolve_treats_another_users_session_as_an_unknown_one(client, as_ada, as_eve):
    hers = await resolve(client, as_ada)
    found = await resolve(client, as_eve, hint=hers["session_id"])
    assert found["session_id"] != hers["session_id"]
    assert (await resolve(client, as_ada))["session_id"] == hers["session_id"]


async def test_different_agents_have_different_threads(client, as_ada):
    one, other = (
        await resolve(client, as_ada, agent_name="assistant"),
        await resolve(client, as_ada, agent_name="coder"),
    )
    assert one["session_id"] != other["session_id"]


async def test_an_unknown_agent_is_404_and_names_the_known_ones(client, as_ada):
    for path in ("/api/sessions/resolve", "/api/sessions"):
        answer = await client.post(path, json={"agent_name": "nobody"}, headers=as_ada)
        assert answer.status_code == 404
        assert answer.json()["code"] == "agent_not_found"
        assert answer.json()["known_agents"] == ["assistant", "coder"]


async def test_a_created_session_becomes_the_active_one(client, as_ada):
    await resolve(client, as_ada)
    made = await create(client, as_ada, title="Plans", memory="off")
    assert (made["title"], made["memory"]) == ("Plans", "off")
    assert (await resolve(client, as_ada))["session_id"] == made["session_id"]


@pytest.mark.parametrize(
    "given",
    ["chat_7f3Kq", "a", "x" * 128, "Thread:2024.01-7", "0123456789abcdef0123456789abcde_"],
)
async def test_a_clients_own_name_is_an_external_id_of_a_uuid_that_we_mint(client, as_ada, given):
    made = await create(client, as_ada, session_id=given)
    assert made["external_id"] == given
    assert made["session_id"] == str(uuid.UUID(made["session_id"]))
    for key in (given, made["session_id"], made["session_id"].upper()):
        assert (await client.get(f"/api/sessions/{key}", headers=as_ada)).json() == made


async def test_every_spelling_of_a_uuid_is_one_session(client, as_ada):
    given = uuid.uuid4()
    made = await create(client, as_ada, session_id=str(given).upper())
    assert made["session_id"] == str(given)
    assert made["external_id"] is None
    for spelling in (str(given), given.hex, given.hex.upper()):
        assert (await create(client, as_ada, session_id=spelling))["session_id"] == str(given)
    assert len((await client.get("/api/sessions", headers=as_ada)).json()["sessions"]) == 1


async def test_the_same_id_again_is_the_same_session_and_another_agent_is_a_conflict(client, as_ada):
    first = await client.post("/api/sessions", json={"session_id": "mine"}, headers=as_ada)
    again = await client.post("/api/sessions", json={"session_id": "mine"}, headers=as_ada)
    other = await client.post("/api/sessions", json={"session_id": "mine", "agent_name": "coder"}, headers=as_ada)
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert first.json()["session_id"] == again.json()["session_id"]
    assert other.json()["code"] == "session_agent_mismatch"


async def test_two_users_may_use_the_same_id_and_never_meet(client, as_ada, as_eve):
    for key in ("shared-name", str(uuid.uuid4())):
        await create(client, as_ada, session_id=key, title="ada's")
        await create(client, as_eve, session_id=key, title="eve's")
        assert (await client.get(f"/api/sessions/{key}", headers=as_ada)).json()["title"] == "ada's"
        assert (await client.get(f"/api/sessions/{key}", headers=as_eve)).json()["title"] == "eve's"


async def test_unknown_and_foreign_sessions_answer_alike(client, as_ada, as_eve):
    hers = (await create(client, as_ada, session_id="hers"))["session_id"]
    for method, suffix, body in [
        ("GET", "", None),
        ("PATCH", "", {"title": "x"}),
        ("DELETE", "", None),
        ("GET", "/messages", None),
    ]:
        bodies = []
        for key in (hers, "hers", str(uuid.uuid4()), "nobodys"):
            answer = await client.request(
                method, f"/api/sessions/{key}{suffix}", json=body, headers=as_eve | {"X-Request-Id": "same"}
            )
            bodies.append((answer.status_code, answer.content))
        assert len(set(bodies)) == 1, (method, suffix)
        assert bodies[0][0] == 404
        assert b"session_not_found" in bodies[0][1]
    assert (await client.get(f"/api/sessions/{hers}", headers=as_ada)).status_code == 200


async def test_rename_archive_and_memory_change_only_what_was_given(client, as_ada):
    made = await create(client, as_ada, title="Old")
    url = f"/api/sessions/{made['session_id']}"
    assert (await client.patch(url, json={"title": "New"}, headers=as_ada)).json()["title"] == "New"
    off = (await client.patch(url, json={"memory": "off"}, headers=as_ada)).json()
    assert (off["title"], off["memory"], off["archived_at"]) == ("New", "off", None)
    archived = (await client.patch(url, json={"archived": True}, headers=as_ada)).json()
    assert archived["archived_at"] is not None
    again = (await client.patch(url, json={"archived": True}, headers=as_ada)).json()
    assert again["archived_at"] == archived["archived_at"], "archiving twice keeps the first time"
    back = (await client.patch(url, json={"archived": False, "title": None}, headers=as_ada)).json()
    assert (back["archived_at"], back["title"], back["memory"]) == (None, None, "off")
    nothing = await client.patch(url, json={}, headers=as_ada)
    assert nothing.status_code == 422


async def test_an_archived_session_leaves_the_list_and_is_no_longer_active(client, as_ada):
    made = await resolve(client, as_ada)
    await client.patch(f"/api/sessions/{made['session_id']}", json={"archived": True}, headers=as_ada)
    assert (await client.get("/api/sessions", headers=as_ada)).json()["sessions"] == []
    archived = (await client.get("/api/sessions?archived=true", headers=as_ada)).json()["sessions"]
    assert [session["session_id"] for session in archived] == [made["session_id"]]
    assert (await resolve(client, as_ada))["session_id"] != made["session_id"]


async def test_a_deleted_session_is_gone_and_the_next_resolve_starts_anew(client, as_ada, urls: Urls):
    made = await resolve(client, as_ada)
    url = f"/api/sessions/{made['session_id']}"
    assert (await client.patch(url, headers=as_ada, json={"title": "Walrus"})).status_code == 200
    assert len(rows(urls, "select 1 from chat.message_index")) == 1
    assert (await client.delete(url, headers=as_ada)).status_code == 204
    assert rows(urls, "select 1 from chat.message_index") == [], "search keeps no word of its title"
    assert (await client.get(url, headers=as_ada)).status_code == 404
    assert (await client.delete(url, headers=as_ada)).status_code == 404
    assert (await resolve(client, as_ada))["session_id"] != made["session_id"]


async def test_the_list_is_paged_newest_first_without_gap_or_repetition(client, as_ada):
    made = [(await create(client, as_ada, title=f"number {n}"))["session_id"] for n in range(7)]
    seen: list[str] = []
    before = None
    for _ in range(10):
        query = {"limit": 3} | ({"before": before} if before else {})
        page = (await client.get("/api/sessions", params=query, headers=as_ada)).json()
        seen += [session["session_id"] for session in page["sessions"]]
        before = page["before"]
        if before is None:
            break
    assert seen == made[::-1]


async def test_the_list_can_be_of_one_agent(client, as_ada):
    await create(client, as_ada)
    coder = await create(client, as_ada, agent_name="coder")
    found = (await client.get("/api/sessions?agent_name=coder", headers=as_ada)).json()["sessions"]
    assert [session["session_id"] for session in found] == [coder["session_id"]]


async def test_using_a_session_moves_it_to_the_top(client, as_ada):
    old = await create(client, as_ada)
    await create(client, as_ada)
    await resolve(client, as_ada, hint=old["session_id"])
    listed = (await client.get("/api/sessions", headers=as_ada)).json()["sessions"]
    assert listed[0]["session_id"] == old["session_id"]


async def test_the_active_row_has_the_seeds_shape(client, as_ada, urls: Urls):
    made = await resolve(client, as_ada)
    with owner_connection(urls.owner) as connection:
        rows = connection.execute(
            "select user_id, agent_name, active_session_id from public.user_agent_active_sessions"
        ).fetchall()
    assert rows == [(ADA.user_id, "assistant", made["session_id"])]


async def test_create_without_agent_takes_that_of_the_session(client, as_ada):
    await create(client, as_ada, session_id="mine", agent_name="coder")
    assert (await create(client, as_ada, session_id="mine"))["agent_name"] == "coder"


async def test_an_archived_session_is_not_resolved_and_comes_back_when_it_is_created_again(client, as_ada):
    await create(client, as_ada, session_id="mine")
    await client.patch("/api/sessions/mine", json={"archived": True}, headers=as_ada)
    assert (await resolve(client, as_ada, hint="mine"))["external_id"] is None
    back = await create(client, as_ada, session_id="mine")
    assert back["archived_at"] is None
    assert (await resolve(client, as_ada))["external_id"] == "mine"


async def test_who_enters_a_session_that_was_archived_in_this_very_moment_has_it_back(database):
    """The active one is never archived: whoever enters has read that it is not."""
    session_id = str(uuid.uuid4())
    async with database.transaction(ADA) as connection:
        await store.insert_session(connection, ADA.user_id, session_id, "assistant")
        change = {"title": None, "set_title": False, "memory": None, "archived": True}
        archived = await store.update_session(connection, ADA.user_id, session_id, **change)
        assert archived.archived_at is not None
        assert (await store.touch_session(connection, ADA.user_id, session_id)).archived_at is None


async def test_deleting_and_archiving_while_others_enter_never_fails(settings, as_ada):
    """Both sides want the same two rows: in one order only, or they would wait for each other."""
    patient = settings.model_copy(update={"database_pool_wait_ms": 30_000})  # they queue longer on a busy machine
    async with serving(patient) as client:
        for _ in range(15):
            made = await create(client, as_ada, session_id="contested")
            url = f"/api/sessions/{made['session_id']}"
            answers = await asyncio.gather(
                *(client.post("/api/sessions/resolve", json={"hint": "contested"}, headers=as_ada) for _ in range(6)),
                client.delete(url, headers=as_ada),
                client.patch(url, json={"archived": True}, headers=as_ada),
                *(client.post("/api/sessions/resolve", json={}, headers=as_ada) for _ in range(3)),
                *(client.post("/api/sessions", json={"session_id": "contested"}, headers=as_ada) for _ in range(3)),
            )
            statuses = [answer.status_code for answer in answers]
            assert statuses[:6] == [200] * 6
            assert statuses[6] in (204, 404)
            assert statuses[7] in (200, 404)
            assert statuses[8:11] == [200] * 3
            assert set(statuses[11:]) <= {200, 201}
