"""Memories over HTTP: list, filter, search, create, edit, forget, undo, graph, audit; and who may not."""

import threading
import uuid
from datetime import UTC, datetime, timedelta

from chatServer.memory import alike, shelve
from chatServer.memory.alike import Signature, signature
from chatServer.records import EVERY_AGENT, Triple, new_id
from chatServer.store import memories as store
from tests.conftest import ADA, owner_connection
from tests.tools.canary import CANARY
from tests.tools.memory_rows import NOW, memory, write
from tests.tools.problems import assert_problem

URL = "/api/memories"
HOUR = timedelta(hours=1)


async def make(client, headers, text=f"The cat is called {CANARY}.", **fields) -> dict:
    answer = await client.post(URL, json={"text": text, **fields}, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def listed(client, headers, **filters) -> list[str]:
    answer = await client.get(URL, params=filters, headers=headers)
    assert answer.status_code == 200, answer.text
    return [each["text"] for each in answer.json()["memories"]]


async def test_what_is_made_is_listed_and_read_with_its_history(client, as_ada):
    triple = {"subject": "Mary", "predicate": "lives in", "object": "Porto"}
    later = "2999-01-01T00:00:00Z"
    made = await make(
        client, as_ada, "Mary lives in Porto.", kind="fact", category="knowledge", importance=0.8, tags=["family"],
        agent_name="coder", triple=triple, expires_at=later,
    )  # fmt: skip
    assert made | {"id": "", "created_at": "", "updated_at": "", "valid_from": ""} == {
        "id": "", "text": "Mary lives in Porto.", "kind": "fact", "category": "knowledge", "importance": 0.8,
        "tags": ["family"], "tier": "long", "triple": triple, "is_negated": False, "fact_key": None,
        "agent_name": "coder", "valid_from": "", "valid_to": None, "superseded_by": None, "origin": "user",
        "trust": "user", "source": {"session_id": None, "turn_id": None, "message_ids": []},
        "recalls": 0, "recalled_at": None, "expires_at": later,
        "created_at": "", "updated_at": "",
    }  # fmt: skip
    assert (await client.get(URL, headers=as_ada)).json() == {"memories": [made], "before": None}
    [change] = (read := (await client.get(f"{URL}/{made['id']}", headers=as_ada)).json()).pop("changes")
    assert (read.pop("replaced"), read) == ([], made)
    assert (change["operation"], change["actor"], change["undone"]) == ("created", "user", False)


async def test_what_was_replaced_can_be_made_to_hold_again_and_nothing_has_its_place_then(client, as_ada):
    berlin, oslo = await make(client, as_ada, "I live in Berlin."), await make(client, as_ada, "I live in Oslo.")
    assert (await client.get(f"{URL}/{berlin['id']}", headers=as_ada)).json()["superseded_by"] == oslo["id"]
    refused = await client.patch(f"{URL}/{berlin['id']}", json={"valid_to": None}, headers=as_ada)
    assert refused.status_code == 422, "of one key one thing holds"
    await client.delete(f"{URL}/{oslo['id']}", headers=as_ada)
    again = (await client.patch(f"{URL}/{berlin['id']}", json={"valid_to": None}, headers=as_ada)).json()
    assert (again["valid_to"], again["superseded_by"]) == (None, None)


async def test_another_object_leaves_a_fact_its_key_and_another_statement_takes_it(client, as_ada):
    made = await make(client, as_ada, "I live in Berlin.")
    keys = []
    for change in ({"object": "Oslo"}, {"predicate": "works at"}):
        triple = made["triple"] | change
        edited = await client.patch(f"{URL}/{made['id']}", json={"triple": triple}, headers=as_ada)
        keys.append(edited.json()["fact_key"])
    assert keys == [made["fact_key"], None]
    assert made["fact_key"] is not None


async def test_a_triple_that_the_text_denies_is_marked(client, as_ada):
    triple = {"subject": "user", "predicate": "eats", "object": "fish"}
    assert (await make(client, as_ada, "The user does not eat fish.", triple=triple))["is_negated"]


async def test_an_importance_may_be_as_small_as_a_number_can(client, as_ada):
    assert (await make(client, as_ada, "Hardly anything.", importance=5e-324))["importance"] == 0


async def test_what_is_known_already_is_answered_as_it_is(client, as_ada):
    first = await make(client, as_ada)
    for text in (first["text"], f"  the CAT is called {CANARY}"):
        again = await client.post(URL, json={"text": text}, headers=as_ada)
        assert (again.status_code, again.json()) == (200, first)
    assert first["agent_name"] == EVERY_AGENT
    other = await client.post(URL, json={"text": first["text"], "agent_name": "coder"}, headers=as_ada)
    assert other.status_code == 201, "another shelf"


async def test_a_working_memory_lives_for_a_day_and_comes_back_when_it_is_said_again(client, as_ada, urls):
    made = await make(client, as_ada, "The build is red at the moment.", kind="working")
    assert timedelta(hours=23) < datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC) < timedelta(hours=25)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.memories set expires_at = now() - interval '1 s'")
    assert await listed(client, as_ada) == []
    again = await client.post(URL, json={"text": made["text"], "kind": "working"}, headers=as_ada)
    assert (again.status_code, again.json()["id"]) == (200, made["id"])
    assert await listed(client, as_ada) == [made["text"]]


async def test_what_is_said_again_without_an_end_lasts(client, as_ada):
    soon = (datetime.now(UTC) + HOUR).isoformat()
    made = await make(client, as_ada, "The cat is called Tom.", expires_at=soon)
    again = await client.post(URL, json={"text": made["text"]}, headers=as_ada)
    assert (again.status_code, again.json()["id"], again.json()["expires_at"]) == (200, made["id"], None)
    once_more = await client.post(URL, json={"text": made["text"], "expires_at": soon}, headers=as_ada)
    assert once_more.json()["expires_at"] is None, "an end takes nothing away"


async def test_filters_choose_and_pages_go_on(client, as_ada, database):
    now = datetime.now(UTC)
    old = memory("Lives in Rome.", valid_from=now - 9 * HOUR, valid_to=now - HOUR, tags=("home",))
    made = [
        old,
        memory("Prefers tea.", category="user_preference", tier="long", shelf=EVERY_AGENT, valid_from=now - 2 * HOUR),
        memory("Runs the tests with make.", kind="procedure", agent_name="coder", shelf="coder", trust="untrusted"),
    ]
    await write(database, *made)
    tea, make_ = made[1].text, made[2].text
    for wanted, texts in [
        ({}, [make_, tea]), ({"superseded": True}, [make_, tea, old.text]), ({"kind": "procedure"}, [make_]),
        ({"category": "user_preference"}, [tea]), ({"tier": "long"}, [tea]), ({"trust": "untrusted"}, [make_]),
        ({"tag": "home"}, [make_, tea]), ({"tag": "work"}, []), ({"agent_name": "coder"}, [make_]),
        ({"agent_name": "*"}, [tea]), ({"q": "PREF tea"}, [tea]), ({"q": "with mak"}, [make_]), ({"q": "rome"}, []),
        ({"as_of": (now - 5 * HOUR).isoformat()}, [make_, old.text]), ({"as_of": "2001-01-01"}, []),
    ]:  # fmt: skip
        assert await listed(client, as_ada, **wanted) == texts, wanted
    page = (await client.get(URL, params={"limit": 1}, headers=as_ada)).json()
    assert await listed(client, as_ada, limit=1, before=page["before"]) == [tea]


async def test_a_search_finds_what_bears_on_a_question_whatever_its_words(client, as_ada, as_eve, database):
    others = [memory(f"Note {n} about the quarterly report and its tables.") for n in range(30)]
    await write(database, *others, memory("The user lives in Lisbon."), memory("The user lived in Rome.", valid_to=NOW))
    assert (await listed(client, as_ada, q="where do I live?"))[0] == "The user lives in Lisbon."
    assert "The user lived in Rome." in await listed(client, as_ada, q="where did I live?", superseded=True)
    assert await listed(client, as_ada, q="where do I live?", kind="procedure") == []
    assert await listed(client, as_eve, q="where do I live?") == []
    await write(database, memory("The user lives in Oslo in summer."))
    assert "The user lives in Oslo in summer." in await listed(client, as_ada, q="where do I live in summer?")
    assert len(await listed(client, as_ada, q="note about", limit=7)) == 7


async def test_a_search_for_a_kind_finds_what_is_of_it(client, as_ada, database):
    cat, job = "The user has a cat.", "The user works as a yoga teacher."
    await write(database, *map(memory, (cat, job, "The user was born in Bergen.")))
    for asked, found in [("pet", cat), ("my pets", cat), ("job", job), ("my job", job)]:
        assert await listed(client, as_ada, q=asked) == [found], asked


async def test_a_session_is_named_by_either_of_its_ids(client, as_ada, database):
    session = (await client.post("/api/sessions", json={"session_id": "my-thread"}, headers=as_ada)).json()
    await write(database, memory("Said there.", session_id=session["session_id"]), memory("Said elsewhere."))
    for name in ("my-thread", session["session_id"]):
        assert await listed(client, as_ada, session_id=name) == ["Said there."]
    unknown = await client.get(URL, params={"session_id": "unknown"}, headers=as_ada)
    assert_problem(unknown, 404, "session_not_found")


async def test_an_edit_is_the_users_word_and_can_be_undone(client, as_ada, database):
    told = memory(f"Lives in {CANARY}.", trust="untrusted", triple=Triple("user", "lives in", CANARY))
    await write(database, told)
    place = f"{URL}/{told.memory_id}"
    edited = (await client.patch(place, json={"text": "Lives in Rome.", "importance": 0.9}, headers=as_ada)).json()
    assert (edited["text"], edited["importance"], edited["trust"], edited["origin"]) == (
        "Lives in Rome.", 0.9, "user", "user",
    )  # fmt: skip
    assert edited["triple"]["object"] == "Rome"
    assert (await client.patch(place, json={"triple": None}, headers=as_ada)).json()["triple"] is None
    for expected in ("Rome", CANARY):
        undone = await client.post(f"{place}/undo", headers=as_ada)
        assert (undone.status_code, undone.json()["triple"]["object"]) == (200, expected)
    assert undone.json()["text"] == told.text
    assert (await client.post(f"{place}/undo", headers=as_ada)).status_code == 204, "that it was made"
    assert_problem(await client.get(place, headers=as_ada), 404, "memory_not_found")


async def test_what_an_edit_takes_out_of_a_text_is_no_tag_of_it_either(client, as_ada):
    body = {"text": "Has trouble with migraine.", "tags": ["mine"]}
    by_rules = (await client.post(URL, json={"text": "Takes tablets against migraine."}, headers=as_ada)).json()
    of_user = (await client.post(URL, json=body, headers=as_ada)).json()
    assert await listed(client, as_ada, tag="migraine") == [by_rules["text"]]
    for each in (by_rules, of_user):
        await client.patch(f"{URL}/{each['id']}", json={"text": f"Sleeps badly in {each['id'][-4:]}."}, headers=as_ada)
    assert await listed(client, as_ada, tag="migraine") == []
    assert len(await listed(client, as_ada, tag="sleeps")) == 2
    assert len(await listed(client, as_ada, tag="mine")) == 1
    await client.post(f"{URL}/{by_rules['id']}/undo", headers=as_ada)
    assert await listed(client, as_ada, tag="migraine") == [by_rules["text"]]


async def test_what_is_forgotten_is_gone_until_that_is_undone(client, as_ada):
    made = await make(client, as_ada)
    place = f"{URL}/{made['id']}"
    assert (await client.delete(place, headers=as_ada)).status_code == 204
    for method in ("GET", "DELETE", "PATCH"):
        answer = await client.request(method, place, json={"tier": "short"}, headers=as_ada)
        assert_problem(answer, 404, "memory_not_found")
    assert await listed(client, as_ada) == []
    assert (await client.post(f"{place}/undo", headers=as_ada)).json()["text"] == made["text"]
    assert await listed(client, as_ada) == [made["text"]]


async def test_two_memories_never_say_the_same(client, as_ada):
    await make(client, as_ada, "Drinks tea in the morning.")
    other = await make(client, as_ada, "Plays the violin in a quartet.")
    answer = await client.patch(f"{URL}/{other['id']}", json={"text": "drinks tea in the morning"}, headers=as_ada)
    assert_problem(answer, 422, "invalid_request")


async def test_every_change_is_told_to_the_users_other_tabs(client, as_ada, urls):
    made = await make(client, as_ada)
    place = f"{URL}/{made['id']}"
    await client.patch(place, json={"importance": 0.1}, headers=as_ada)
    await client.delete(place, headers=as_ada)
    await client.post(f"{place}/undo", headers=as_ada)
    with owner_connection(urls.owner) as connection:
        told = connection.execute("select kind, data from chat.user_events order by seq").fetchall()
    assert [(kind, data["what"], [name for name in data if name != "what"]) for kind, data in told] == [
        ("memory", "memories", [change]) for change in ("created", "changed", "deleted", "changed")
    ]
    assert all(CANARY not in str(data) and made["id"] in str(data) for _, data in told)


async def fill_graph(database) -> None:
    now = datetime.now(UTC)
    ends = {"valid_to": now - HOUR, "valid_from": now - 9 * HOUR}
    facts = [("Mary", "lives in", "Porto"), ("Porto", "is in", "Portugal"), ("Portugal", "is in", "Europe")]
    facts += [("Europe", "has", "bees"), ("mary", "works at", "the port")]
    before = memory("Mary lived in Rome.", triple=Triple("Mary", "lives in", "Rome"), **ends)
    over = memory("Mary has a cold.", triple=Triple("Mary", "has", "a cold"), expires_at=now - HOUR)
    await write(database, before, over, *(memory(" ".join(fact), triple=Triple(*fact)) for fact in facts))


async def test_the_graph_is_walked_a_few_hops_far_as_it_holds_or_held(client, as_ada, as_eve, database):
    await fill_graph(database)

    async def names(headers=as_ada, **wanted) -> dict[str, int]:
        found = (await client.get(f"{URL}/graph", params=wanted, headers=headers)).json()
        ids = {node["id"] for node in found["nodes"]}
        assert {end for edge in found["edges"] for end in (edge["source"], edge["target"])} == ids
        return {node["name"]: node["hops"] for node in found["nodes"]}

    near = {"mary": 0, "the port": 1, "Porto": 1}
    assert await names(entity=" MARY ") == near
    assert await names(entity="mary", depth=2) == near | {"Portugal": 2}
    assert await names(entity="mary", depth=3) == near | {"Portugal": 2, "Europe": 3}
    past = (datetime.now(UTC) - 5 * HOUR).isoformat()
    assert "Rome" in await names(entity="mary", as_of=past)
    assert set(await names()) >= {"mary", "bees", "Europe"}
    assert "Rome" not in await names()
    assert await names(entity="mary", superseded=True) == near | {"Rome": 1}, "also what no longer holds"
    both = await client.get(f"{URL}/graph", params={"superseded": True, "as_of": past}, headers=as_ada)
    assert_problem(both, 422, "invalid_request")
    assert await names(entity="nobody") == await names(as_eve, entity="mary") == {}


async def test_the_graph_is_bounded(client, as_ada, database):
    await write(database, *(memory(f"Ada knows {i}", triple=Triple("Ada", "knows", f"P{i}")) for i in range(510)))
    found = (await client.get(f"{URL}/graph", params={"entity": "ada", "depth": 3}, headers=as_ada)).json()
    assert (len(found["edges"]), len(found["nodes"]), found["truncated"]) == (500, 501, True)


async def test_the_audit_finds_what_deserves_a_look(client, as_ada, as_eve, database):
    old = {"created_at": datetime.now(UTC) - timedelta(days=40)}
    live = Triple("user", "lives in", "Berlin"), Triple("User", "lives in", "Rome"), Triple("user", "likes", "tea")
    now = datetime.now(UTC)
    await write(
        database,
        memory("Nobody asked.", **old),
        memory("Somebody asked.", recalls=2, **old),
        memory("A page said so.", trust="untrusted"),
        memory("Lives in Berlin.", triple=live[0], fact_key="user|home"),
        memory("Lives in Rome.", triple=live[1], shelf="coder", origin="model"),
        memory("Likes tea.", triple=live[2], fact_key="user|likes:tea"),
        memory("Likes cake.", triple=Triple("user", "likes", "cake"), fact_key="user|likes:cake"),
        *(memory(f"Has a brother {name}.", triple=Triple("user", "has brother", name)) for name in ("Tom", "Max")),
        memory("Lived in Oslo.", triple=Triple("user", "lives in", "Oslo"), valid_to=now),
        memory("Runs five miles every single morning."),
        memory("Runs five miles every single morning now."),
    )
    hidden = new_id()
    session = (await client.post("/api/sessions", json={}, headers=as_ada)).json()["session_id"]
    async with database.transaction(ADA) as connection:
        await connection.execute(
            "insert into chat.message_index (message_id, session_id, agent_name, tsv, place, is_hidden)"
            " values (%s, %s, 'assistant', '', 1, true)",
            (hidden, session),
        )
    found = (await client.get(f"{URL}/audit", headers=as_ada)).json()

    def texts(name):
        assert all(entry["suggestion"] for entry in found[name])
        return [sorted(each["text"] for each in entry["memories"]) for entry in found[name]]

    assert texts("duplicates") == [
        ["Runs five miles every single morning now.", "Runs five miles every single morning."]
    ]
    assert texts("never_recalled") == [["Nobody asked."]]
    assert texts("untrusted") == [["A page said so."]]
    assert texts("contradicted") == [["Lives in Berlin.", "Lives in Rome."]]
    assert [entry["message_id"] for entry in found["hidden_messages"]] == [str(hidden)]
    assert found["counts"] == {
        "memories": 11, "duplicates": 1, "never_recalled": 1, "untrusted": 1, "contradicted": 1, "hidden_messages": 1,
    }  # fmt: skip
    assert set((await client.get(f"{URL}/audit", headers=as_eve)).json()["counts"].values()) == {0}


async def test_the_audit_looks_from_an_agents_shelf_to_that_of_every_agent(client, as_ada, database):
    tea = {"triple": Triple("user", "likes", "tea"), "fact_key": "user|likes:tea"}
    await write(
        database,
        memory("The user likes tea.", shelf="*", **tea),
        memory("The user dislikes tea.", shelf="coder", **tea),
        memory("Runs five miles every single morning.", shelf="*"),
        memory("Runs five miles every single morning now.", shelf="coder"),
        memory("Sleeps in a tent all year round.", shelf="assistant"),
        memory("Sleeps in a tent all year round now.", shelf="coder"),
    )
    found = (await client.get(f"{URL}/audit", headers=as_ada)).json()
    told = {name: [{each["text"] for each in entry["memories"]} for entry in found[name]] for name in found["counts"]
            if name in ("duplicates", "contradicted")}  # fmt: skip
    assert told == {
        "duplicates": [{"Runs five miles every single morning.", "Runs five miles every single morning now."}],
        "contradicted": [{"The user likes tea.", "The user dislikes tea."}],
    }


ROUTES = [
    ("GET", ""), ("POST", ""), ("GET", "/graph"), ("GET", "/audit"), ("GET", "/{id}"), ("PATCH", "/{id}"),
    ("DELETE", "/{id}"), ("POST", "/{id}/undo"),
]  # fmt: skip


async def test_nobody_gets_a_401_and_a_foreign_id_is_as_unknown_as_one_that_is_nobodys(client, as_ada, as_eve):
    made = await make(client, as_ada)
    for method, path in ROUTES:
        own = URL + path.replace("{id}", made["id"])
        assert_problem(await client.request(method, own, json={"text": "mine now"}), 401, "unauthenticated")
        if "{id}" not in path:
            continue
        other = URL + path.replace("{id}", str(uuid.uuid4()))
        foreign, unknown = [
            await client.request(method, place, json={"text": "mine now"}, headers=as_eve) for place in (own, other)
        ]
        assert_problem(foreign, 404, "memory_not_found")
        assert foreign.json() | {"request_id": ""} == unknown.json() | {"request_id": ""}
    left = (await client.get(f"{URL}/{made['id']}", headers=as_ada)).json()
    assert {name: left[name] for name in made} == made


BAD_BODIES = [
    {}, {"text": " "}, {"text": "a" * 8_193}, {"text": "é" * 4_097}, {"text": CANARY, "kind": CANARY},
    {"text": "a", "importance": 1.1}, {"text": "a", "tags": ["t"] * 17}, {"text": "a", "tags": [""]},
    {"text": "a", "triple": {"subject": CANARY}}, {"text": "a", "expires_at": "2020-01-01T00:00:00Z"},
    {"text": "a", "expires_at": "9999-12-31T23:59:59-12:00"}, {"text": "a", CANARY: 1}, {"text": "a", "tier": "long"},
]  # fmt: skip


async def test_bad_bodies_are_refused_without_an_echo(client, as_ada):
    for body in BAD_BODIES:
        answer = await client.post(URL, json=body, headers=as_ada)
        assert_problem(answer, 422, "invalid_request")
        assert CANARY not in answer.text
    assert await listed(client, as_ada) == []


async def test_bad_questions_and_changes_are_refused(client, as_ada):
    made = await make(client, as_ada)
    for query in (
        "kind=idea", "limit=201", "limit=0", "as_of=soon", "before=-1", "session_id=a%20b", "q=" + "a" * 501,
        "as_of=2026-01-01&superseded=true", "before=9223372036854775808",
    ):  # fmt: skip
        assert_problem(await client.get(f"{URL}?{query}", headers=as_ada), 422, "invalid_request")
    for query in ("depth=4", "depth=0", "entity=%20", "entity=" + "a" * 501, "as_of=0001-01-01T00:00:00Z"):
        assert_problem(await client.get(f"{URL}/graph?{query}", headers=as_ada), 422, "invalid_request")
    for body in ({}, {"text": None}, {"kind": None}, {"expires_at": "2020-01-01T00:00:00Z"}, {"agent_name": "coder"}):
        assert_problem(await client.patch(f"{URL}/{made['id']}", json=body, headers=as_ada), 422, "invalid_request")
    answer = await client.post(URL, json={"text": "a memory", "agent_name": CANARY}, headers=as_ada)
    assert_problem(answer, 404, "agent_not_found")
    assert_problem(await client.get(f"{URL}/{CANARY}", headers=as_ada), 422, "invalid_request")


async def test_a_hundred_kilobytes_of_junk_are_searched_and_refused_at_once(client, as_ada, database):
    junk = "(((a|b)*)' & !:* \\ " * 400
    await write(database, memory(junk[: store.MAX_TEXT]))
    assert_problem(await client.post(URL, json={"text": "a '" * 33_000}, headers=as_ada), 422, "invalid_request")
    assert await listed(client, as_ada, q=junk[:500].strip()) == [junk[: store.MAX_TEXT]]


async def test_the_audit_lists_what_was_forgotten_until_it_is_had_back(client, as_ada, as_eve):
    async def forgotten(headers) -> list[dict]:
        return (await client.get("/api/memories/audit", headers=headers)).json()["forgotten"]

    made = (await client.post("/api/memories", json={"text": "Lunch is at noon."}, headers=as_ada)).json()
    assert await forgotten(as_ada) == []
    await client.delete(f"/api/memories/{made['id']}", headers=as_ada)
    [entry] = await forgotten(as_ada)
    assert (entry["memory"]["id"], entry["memory"]["text"]) == (made["id"], "Lunch is at noon.")
    assert await forgotten(as_eve) == []
    for _ in range(2):
        back = await client.post(f"/api/memories/{made['id']}/undo?of=deletion", headers=as_ada)
        assert (back.status_code, back.json()["text"]) == (200, "Lunch is at noon.")
    assert await forgotten(as_ada) == []


async def test_long_memories_are_compared_once_each_and_beside_others_work(client, as_ada, database, monkeypatch):
    """To read 32 of them took a third of a second, the new one 32 times, in which nobody was answered."""
    read: dict[str, list[threading.Thread]] = {}

    def noted(text: str) -> Signature:
        read.setdefault(text, []).append(threading.current_thread())
        return signature(text)

    monkeypatch.setattr(shelve, "signature", noted)
    monkeypatch.setattr(alike, "signature", noted)
    texts = [f"{place} is nice. " + "We liked the river there. " * 150 for place in ("Rome", "Oslo", "Bonn", "Lima")]
    await write(database, *map(memory, texts))
    assert await make(client, as_ada, "Kyiv" + texts[0].removeprefix("Rome"), agent_name="assistant")
    assert [len(read[text]) for text in texts] == [1] * 4
    assert threading.main_thread() not in {thread for text in texts for thread in read[text]}
    again = await client.post(URL, json={"text": f"Honestly {texts[1]}", "agent_name": "assistant"}, headers=as_ada)
    assert again.json()["text"] == texts[1], "what is known already"
