"""A user never sees another user's byte: every route, every kind of id, with and without our own filters."""

from collections.abc import AsyncIterator

import httpx
import pytest

from chatServer.api.schemas import _cursor_text
from chatServer.config import Settings
from chatServer.records import Cursor
from chatServer.store import (
    articles,
    audit,
    context,
    events,
    history,
    images,
    limits,
    memories,
    memory_changes,
    notes,
    personal_tokens,
    sessions,
    superseded,
    titles,
    turns,
    upkeep,
    usage,
    user_events,
)
from chatServer.store.pool import Database
from tests.conftest import ADA, EVE, NO_LIMITS, Urls, brief_bearer, owner_connection
from tests.tools.filling import OWN_FILTER, PICTURE, SECRET, TABLES, fill, fingerprint
from tests.tools.routes import ENDLESS, PUBLIC, all_routes
from tests.tools.talking import user_message

KEPT_WITHOUT_THE_SESSION = {
    "public.agent_long_term_memory",
    "chat.notes_versions",
    "chat.user_events",
    "chat.user_event_heads",
    "chat.usage_daily",
    "chat.user_limits",
    "chat.memory_heads",
    "chat.memories",
    "chat.memory_changes",
    "chat.personal_tokens",
    "chat.erasures",
    "chat.articles",
    "chat.article_files",
    "chat.article_chunks",
}
FILTERED = (
    articles, audit, context, events, history, images, limits, memories, memory_changes, notes, sessions, superseded,
    personal_tokens, titles, turns, upkeep, usage, user_events,
)  # fmt: skip


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With limits that nobody reaches, so that they are asked about."""
    return settings.model_copy(update=dict.fromkeys(NO_LIMITS, 1_000_000))


def ids_of(urls: Urls) -> dict[str, str]:
    """Every other id of the victim's: of messages, turns, pictures, events, notes, and the user's own."""
    with owner_connection(urls.owner) as connection:
        [row] = connection.execute(
            """select m.message_id, m.id, m.turn_id, i.image_id, e.seq, n.id, m.user_id, r.memory_id, p.token_id,
                      a.article_id
               from public.chat_message_history m, chat.message_images i, chat.user_events e,
                    public.agent_long_term_memory n, chat.memories r, chat.personal_tokens p, chat.articles a
               where e.seq = 1"""
        ).fetchall()
    names = ("message", "place", "turn", "picture", "event", "notes", "user", "memory", "token", "article")
    return {name: str(each) for name, each in zip(names, row, strict=True)}


def cursors_of(urls: Urls) -> list[str]:
    """The places in lists at which the victim's rows stand."""
    with owner_connection(urls.owner) as connection:
        [(time, session_id)] = connection.execute("select last_active_at, session_id from chat.sessions").fetchall()
        [(message_id,)] = connection.execute("select message_id from public.chat_message_history").fetchall()
    return [_cursor_text(Cursor(time, session_id)), str(message_id)]


@pytest.fixture
def without_our_filters(monkeypatch: pytest.MonkeyPatch) -> int:
    """Strip `user_id = ...` from every statement: what is left is row level security alone."""
    stripped = 0
    for module in FILTERED:
        for name, statement in module.SQL.items():
            bare, count = OWN_FILTER.subn(b"true", statement)
            monkeypatch.setitem(module.SQL, name, bare)
            stripped += count
    assert stripped > 50, "the shim found the filters"
    return stripped


def switch_off_row_level_security(urls: Urls, tables: list[str]) -> None:
    with owner_connection(urls.owner) as connection:
        for table in tables:
            connection.execute(f"alter table {table} no force row level security, disable row level security")


def rewriting(session_id: str, message_id: str) -> list[dict]:
    """The victim's message edited, and answered anew, by its id and as whatever was asked last; for an attacker who has
    an empty session of the same id."""
    edit = {"messages": [user_message("Which secret of ada?", message_id)], "messageId": message_id}
    anew = {"trigger": "regenerate-message"}
    return [{"id": session_id} | each for each in (edit, anew | {"messageId": message_id}, anew)]


async def attack(
    client: httpx.AsyncClient, as_eve: dict[str, str], keys: list[str], cursors: list[str], ids: dict[str, str]
) -> AsyncIterator[httpx.Response]:
    """Every route with every id of the victim's, in the path, in the body and in the query."""
    bodies = {
        "/api/chat": [
            *rewriting(keys[0], ids["message"]),
            {"message": "Which secret of ada?", "session_id": keys[0]},
        ],
        "/api/context/preview": [{"message": "Which secret of ada?", "session_id": key} for key in keys],
        "/api/sessions/resolve": [{"hint": key} for key in keys],
        "/api/sessions": [{"session_id": key} for key in keys],
        "/api/sessions/{session_id}": [{"title": "mine now"}, {"archived": True}, {"memory": "off"}],
        "/api/agents/{name}/notes": [{"notes": "mine now"}],
        "/api/memories": [{"text": "mine now", "agent_name": "*"}],
        "/api/memories/{memory_id}": [{"text": "mine now"}],
        "/api/account/tokens": [{"name": "mine now", "scopes": ["chat", "memory"]}],
    }
    queries = ["", f"?q={SECRET}", "?archived=true", "?limit=200", f"?before={2**63 - 1}", f"?agent_name={keys[0]}"]
    queries += [f"?before={cursor}" for cursor in cursors]
    queries += [f"?entity={SECRET}&depth=3", f"?session_id={keys[0]}&superseded=true", f"?tag={SECRET}"]
    # Routes that destroy or create come last: creating gives the attacker the same ids as his own. Then he asks there.
    order = {"GET": 0, "PATCH": 1, "DELETE": 2, "PUT": 3, "POST": 4}
    own = [each for each in all_routes() if each[1] not in PUBLIC | ENDLESS]  # pages for everybody hold nobody's rows
    for method, path in sorted(own, key=lambda each: (order[each[0]], each[1] == "/api/chat")):
        for key in keys if "{session_id}" in path else keys[:1]:
            for body in bodies.get(path, [{}]):
                for query in queries if method == "GET" else [""]:
                    url = path.replace("{session_id}", key).replace("{memory_id}", ids["memory"])
                    url = url.replace("{token_id}", ids["token"]).replace("{article_id}", ids["article"]) + query
                    for version in ("0", "1"):  # the victim's page is at 1
                        page = url.replace("{name}", "assistant").replace("{version}", version)
                        headers = as_eve | {"If-Match": f'"{version}"'}
                        yield await client.request(
                            method, page, json=None if method == "GET" else body, headers=headers
                        )
                        if "{name}" not in path:
                            break
    yield await client.get(f"/api/chat/{keys[0]}/stream", headers=as_eve | {"Last-Event-ID": f"{ids['turn']}:0"})


async def nothing_is_heard(client: httpx.AsyncClient, settings: Settings) -> None:
    """Streams without end, but for a token that ends. The attacker has no rows yet: with events of his own, numbers
    would not fit, and he would be told to begin anew whatever he can see."""
    for place in ENDLESS:
        headers = brief_bearer(settings, EVE.user_id, 2) | {"Last-Event-ID": "0"}
        answer = await client.get(place, headers=headers)
        assert answer.status_code == 200
        assert SECRET not in answer.text


async def everything_held(client, as_eve, database: Database, urls: Urls, settings: Settings) -> int:
    session_id = await fill(database, ADA, SECRET, "adas-thread")
    before = fingerprint(urls, ADA)
    ids = ids_of(urls)
    keys = [session_id, session_id.upper(), session_id.replace("-", ""), "adas-thread", *ids.values()]
    await nothing_is_heard(client, settings)
    requests = 0
    async for answer in attack(client, as_eve, keys, cursors_of(urls), ids):
        requests += 1
        assert answer.status_code < 500, answer.text
        assert SECRET not in answer.text.replace(f"?q={SECRET}", "")
        if str(ADA.user_id) in answer.text:  # as the attacker's own name for a session of his own it may come back
            assert answer.json()["session_id"] == str(ADA.user_id)
        assert PICTURE[22:60] not in answer.text
    assert fingerprint(urls, ADA) == before, "nothing of the victim's changed"
    return requests


async def test_no_route_shows_or_touches_another_users_rows(client, as_eve, database, urls, settings):
    requests = await everything_held(client, as_eve, database, urls, settings)
    print(f"{requests} requests, 0 foreign rows")
    assert requests > 50


async def test_row_level_security_alone_holds_when_our_filters_are_gone(
    client, as_eve, database, urls, settings, without_our_filters
):
    requests = await everything_held(client, as_eve, database, urls, settings)
    print(f"{requests} requests with {without_our_filters} filters stripped, 0 foreign rows")


@pytest.mark.usefixtures("without_our_filters")
async def test_the_check_is_red_when_row_level_security_is_gone_too(client, as_eve, database, urls, settings):
    switch_off_row_level_security(urls, TABLES)
    with pytest.raises(AssertionError):
        await everything_held(client, as_eve, database, urls, settings)


@pytest.mark.usefixtures("without_our_filters")
async def test_the_check_of_streams_without_end_is_red_then(client, database, urls, settings):
    switch_off_row_level_security(urls, TABLES)
    await fill(database, ADA, SECRET, "adas-thread")
    with pytest.raises(AssertionError, match=SECRET):
        await nothing_is_heard(client, settings)


@pytest.mark.usefixtures("without_our_filters")
@pytest.mark.parametrize("place", [0, 1, 2], ids=["edit", "regenerate", "regenerate the last"])
async def test_the_check_of_edits_is_red_when_messages_have_no_row_level_security(
    client, as_eve, database, urls, place
):
    session_id = await fill(database, ADA, SECRET, "adas-thread")
    body, before = rewriting(session_id, ids_of(urls)["message"])[place], fingerprint(urls, ADA)
    await client.post("/api/sessions", json={"session_id": session_id}, headers=as_eve)
    assert (await client.post("/api/chat", json=body, headers=as_eve)).json()["code"] == "message_not_found"
    assert fingerprint(urls, ADA) == before
    switch_off_row_level_security(urls, ["public.chat_message_history", "chat.message_superseded"])
    again = await client.post("/api/chat", json=body, headers=as_eve)
    assert again.status_code >= 500 or fingerprint(urls, ADA) != before, "what everything_held looks at"


async def test_the_victims_own_view_is_whole(client, as_ada, database, urls):
    session_id = await fill(database, ADA, SECRET, "adas-thread")
    await fill(database, EVE, "not hers", "eves-thread")
    listed = (await client.get("/api/sessions", headers=as_ada)).json()["sessions"]
    assert [session["session_id"] for session in listed] == [session_id]
    shown = (await client.get(f"/api/sessions/{session_id}/messages", headers=as_ada)).json()["messages"]
    assert shown[0]["parts"] == [
        {"type": "text", "text": SECRET},
        {"type": "file", "mediaType": "image/png", "url": PICTURE},
    ]


async def test_deleting_a_session_leaves_no_row_of_it_in_any_table(client, as_ada, database, urls, settings: Settings):
    session_id = await fill(database, ADA, SECRET, "adas-thread")
    assert (await client.delete("/api/sessions/adas-thread", headers=as_ada)).status_code == 204
    with owner_connection(urls.owner) as connection:
        for table in set(TABLES) - KEPT_WITHOUT_THE_SESSION:
            assert connection.execute(f"select count(*) from {table}").fetchone() == (0,), table
    assert (await client.get(f"/api/sessions/{session_id}", headers=as_ada)).status_code == 404
