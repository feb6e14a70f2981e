"""Export and import: all that is the user's goes out and comes back, and nobody else's is touched."""

import asyncio
import base64
import io
import json
import threading
import uuid
from collections import Counter
from dataclasses import fields

import pytest

from chatServer import cli, errors, logs
from chatServer.account.bring_in import bring_in
from chatServer.account.document import read
from chatServer.account.export import export
from chatServer.account.items import ROWS
from chatServer.memory.embed import NoEmbedder
from chatServer.messages import Message
from chatServer.records import Memory
from chatServer.store.bring_in import found_by
from chatServer.store.export import SECTIONS, read_page
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, EVE, owner_connection, serving
from tests.tools.dumping import tables_of_users
from tests.tools.files import PICTURE
from tests.tools.filling import fill, fingerprint
from tests.tools.talking import user_message, with_script

NOTE = {
    "match": "note",
    "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "- likes {0}"}}],
    "then": "Noted.",
}


async def document_of(client, headers) -> dict:
    answer = await client.get("/api/account/export", headers=headers)
    assert answer.status_code == 200, answer.text
    assert "attachment" in answer.headers["content-disposition"]
    return answer.json()


async def a_life(client, headers, urls) -> str:
    """Something of everything that there can be of a user; a session's id."""
    session_id = str(uuid.uuid4())

    async def chat(**body) -> None:
        answer = await client.post("/api/chat", json=body, headers=headers | {"accept": "application/json"})
        assert answer.status_code == 200, answer.text

    await chat(message="My name is Ada and I live in Oslo.", session_id=session_id)
    await chat(message="note tea", session_id=session_id)
    await chat(message="What is in this picture?", session_id=session_id, images=[PICTURE])
    await chat(id=session_id, message=user_message("My boss is Bob.", "client-1"))
    await chat(id=session_id, messages=[user_message("My boss is Carl.", "client-1")], messageId="client-1")
    await chat(message="I moved to Bergen.", session_id="my-thread", agent_id="coder")
    memory = await client.post("/api/memories", json={"text": "Ada keeps geese.", "agent_name": "*"}, headers=headers)
    await client.patch(f"/api/memories/{memory.json()['id']}", json={"text": "Ada keeps ducks."}, headers=headers)
    files = {"file": ("guide.md", b"# Guide\n\nGeese are fed at noon.")}
    assert (await client.post("/api/knowledge", files=files, headers=headers)).status_code == 202
    await learned(urls)
    told = (await client.get("/api/memories", headers=headers)).json()["memories"]
    home = next(each for each in told if "Oslo" in each["text"])
    await client.delete(f"/api/memories/{home['id']}", headers=headers)
    with owner_connection(urls.owner) as owner:
        owner.execute("update chat.usage_daily set revision_tokens = 1 + input_tokens, day = day - 1")
    return session_id


async def learned(urls) -> None:
    """Until the worker has nothing more to do."""
    with owner_connection(urls.owner) as owner:
        async with asyncio.timeout(30):
            while owner.execute("select count(*) from procrastinate.procrastinate_jobs").fetchone() != (0,):
                await asyncio.sleep(0.05)


def same(first: dict, second: dict) -> None:
    first, second = ({**each, "messages": uncounted(each["messages"])} for each in (first, second))
    for name in first.keys() - {"begun_at"}:
        assert second[name] == first[name], name
    assert second.keys() == first.keys()


def uncounted(messages: list[dict]) -> list[dict]:
    """Without their tokens, which no document is believed."""
    return [{name: row[name] for name in row if name != "tokens"} for row in messages]


async def test_export_erase_import_export_gives_the_same_document(settings, as_ada, as_eve, urls):
    settings = with_script(settings, NOTE, worker="inprocess")
    async with serving(settings) as client:
        session_id = await a_life(client, as_ada, urls)
        before = await document_of(client, as_ada)
        assert [name for name, rows in before.items() if not rows] == []
        assert any(row["superseded_at"] for row in before["messages"])
        assert any(row["hidden"] for row in before["messages"])
        assert all(row["messages"] for row in before["summaries"])
        assert all(row["revision_tokens"] for row in before["usage"])
        assert [image["media_type"] for row in before["messages"] for image in row["images"]] == ["image/png"]
        shown = await client.get(f"/api/sessions/{session_id}/messages", headers=as_ada)
        assert (await client.delete("/api/account/data", headers=as_ada)).status_code == 200
        same(
            {name: [] for name in before if isinstance(before[name], list)} | about(before),
            await document_of(client, as_ada),
        )
        answer = await client.post("/api/account/import", json=before, headers=as_ada)
        assert answer.status_code == 200, answer.text
        assert answer.json()["added"] == {name: len(rows) for name, rows in before.items() if isinstance(rows, list)}
        same(before, await document_of(client, as_ada))
        assert (await client.get(f"/api/sessions/{session_id}/messages", headers=as_ada)).json() == shown.json()
        again = (await client.post("/api/account/import", json=before, headers=as_ada)).json()
        assert set(again["added"].values()) == {0}
        assert again["kept"] == answer.json()["added"]
        # What is made of the rows works as before, and so does undo.
        found = await client.get("/api/sessions", params={"q": "bergen"}, headers=as_ada)
        assert [each["external_id"] for each in found.json()["sessions"]] == ["my-thread"]
        [ducks] = [row for row in before["memories"] if row["text"] == "Ada keeps ducks."]
        undone = await client.post(f"/api/memories/{ducks['memory_id']}/undo", headers=as_ada)
        assert undone.json()["text"] == "Ada keeps geese."
        # Another user may have the same: as rows of her own.
        hers = (await client.post("/api/account/import", json=before, headers=as_eve)).json()
        assert hers["added"] == answer.json()["added"]
        mine = await document_of(client, as_eve)
        assert (mine.pop("user_id"), mine.pop("begun_at")) != (before["user_id"], before["begun_at"])
        same({name: rows for name, rows in before.items() if isinstance(rows, list)}, drop(mine))


def about(document: dict) -> dict:
    return {name: value for name, value in document.items() if not isinstance(value, list)}


def drop(document: dict) -> dict:
    return {name: rows for name, rows in document.items() if isinstance(rows, list)}


async def test_hidden_messages_and_entries_of_search_come_back_as_they_were(settings, as_ada, urls):
    async with serving(with_script(settings, NOTE, worker="inprocess")) as client:
        await a_life(client, as_ada, urls)

        def index() -> list[tuple]:
            with owner_connection(urls.owner) as owner:
                return owner.execute(
                    """select message_id, session_id, agent_name, tsv, role, speaker, said_at, chars, terms, is_hidden,
                           vec4 is not null from chat.message_index order by message_id"""
                ).fetchall()

        before, document = index(), await document_of(client, as_ada)
        await client.delete("/api/account/data", headers=as_ada)
        await client.post("/api/account/import", json=document, headers=as_ada)
        assert index() == before


TABLES = {
    "sessions": "chat.sessions",
    "active_sessions": "public.user_agent_active_sessions",
    "turns": "chat.turns",
    "messages": "public.chat_message_history",
    "summaries": "chat.summaries",
    "notes": "public.agent_long_term_memory",
    "notes_versions": "chat.notes_versions",
    "memories": "chat.memories",
    "memory_changes": "chat.memory_changes",
    "articles": "chat.articles",
    "article_chunks": "chat.article_chunks",
    "usage": "chat.usage_daily",
}
NOT_EXPORTED = {
    "sessions": {"summarising_until", "is_summarised_by_job"},  # while somebody makes its summary
    "messages": {"id"},  # the order of the document
    "turns": {"lease_until", "stop_requested_at", "reserved_tokens"},  # while it runs
    "memories": {"digest", "tsv", "terms", "embed_model", "vec"},  # made of its text
    "articles": {"read_version"},  # for what a server keeps of it
    "article_chunks": {"tsv", "embed_model", "vec"},
}
TABLES_NOT_EXPORTED = {
    *("chat.message_superseded", "chat.message_images"),  # they are with the messages
    "chat.article_files",  # until they are read
    *("chat.message_index", "chat.memory_heads"),  # made of the others
    *("chat.turn_events", "chat.user_events", "chat.user_event_heads", "chat.user_limits"),  # gone in a day
    *("chat.personal_tokens", "chat.erasures", "chat.embedding"),  # keys, receipts and settings of this server
}


async def test_every_column_of_the_catalogue_is_exported_and_imported_or_named_here(database, urls):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    with owner_connection(urls.owner) as owner:
        assert set(tables_of_users(owner)) == {*TABLES.values(), *TABLES_NOT_EXPORTED}
        for section, table in TABLES.items():
            columns = {column.name for column in owner.execute(f"select * from {table} limit 0").description}
            told = set(row_of(document, section))
            assert columns - told == {"user_id", *NOT_EXPORTED.get(section, ())}, section
            assert told == set(ROWS[section].model_fields), section


async def test_an_export_that_is_cut_into_pages_is_the_same(database, urls, monkeypatch):
    await fill(database, ADA, "secret", "adas")
    await fill(database, EVE, "hers", "eves")
    with owner_connection(urls.owner) as owner:  # no two messages have the same place, but those that `fill` makes
        owner.execute("update chat.message_superseded set id = 1000 + id")

    async def whole() -> dict:
        return json.loads(b"".join([piece async for piece in export(database, ADA)]))

    at_once = await whole()
    for bound in ("PAGE", "PAGE_BYTES"):
        with monkeypatch.context() as patched:
            patched.setattr(f"chatServer.store.export.{bound}", 1)
            same(at_once, await whole())
    assert "hers" not in json.dumps(at_once)


async def test_a_page_of_long_messages_has_fewer_of_them(database):
    session_id = await fill(database, ADA, "secret", "adas")
    [messages] = [section for section in SECTIONS if section.name == "messages"]
    async with database.transaction(ADA) as connection:
        said = ChatMessageHistory(connection, ADA.user_id, session_id, agent_name="assistant")
        await said.append([Message(role="user", content="x" * 600_000) for _ in range(3)])
        first = await read_page(connection, ADA.user_id, messages, messages.start)
        rest = await read_page(connection, ADA.user_id, messages, (first[-1]["id"],))
        assert await read_page(connection, ADA.user_id, messages, (rest[-1]["id"],)) == []
    assert [len(json.dumps(row["message"])) > 600_000 for row in (*first, *rest)] == [False, False, True, True, True]
    assert len(first) == 4


async def test_a_batch_of_long_messages_has_fewer_of_them(database):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    long = row_of(document, "messages") | {"images": [], "message": {"said": "x" * 300_000}}
    document["messages"] = [long | {"message_id": str(uuid.uuid4())} for _ in range(6)]
    told = []
    await bring_in(
        database,
        EVE,
        NoEmbedder(),
        lambda: io.StringIO(json.dumps(document)),
        lambda section, count: told.append(count) if section == "messages" else None,
    )
    assert told == [4, 6]


async def test_nobody_waits_while_what_memories_are_found_by_is_made(database, monkeypatch):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    memory = row_of(document, "memories") | {"fact_key": None}
    texts = [f"word{number} is of a number" for number in range(100)]
    document["memories"] = [memory | {"memory_id": str(uuid.uuid4()), "text": text} for text in texts]
    document["messages"] = document["memory_changes"] = []
    threads = Counter()
    monkeypatch.setattr(
        "chatServer.store.bring_in.found_by", lambda text: threads.update([threading.get_ident()]) or found_by(text)
    )
    brought = await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)))
    assert brought.added["memories"] == 100
    assert threads.total() == 100
    assert threading.get_ident() not in threads, "not in the one that answers everybody"


async def test_an_import_writes_nothing_of_anybody_else(client, as_eve, database, urls):
    await fill(database, ADA, "secret", "adas")
    adas = fingerprint(urls, ADA)
    stolen = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    stolen["messages"] = [row | {"images": []} for row in stolen["messages"]]  # whose bytes are no picture's
    answer = await client.post("/api/account/import", json=stolen, headers=as_eve)
    assert answer.status_code == 200, answer.text
    assert answer.json()["added"]["sessions"] == 1
    assert fingerprint(urls, ADA) == adas


def row_of(document: dict, section: str) -> dict:
    return document[section][0]


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda d: d.update(format="x"), "This is no export"),
        (lambda d: d.update(version=2), "documents of version 1"),
        (lambda d: d.pop("version"), "documents of version 1"),
        (lambda d: d.update(surprise=[{}]), "a part that no export has"),
        (lambda d: d.update(sessions=d.pop("sessions")), "in the order of an export"),
        (lambda d: row_of(d, "memories").update(text="x" * 9_000), "memories, row 1, as a whole: a memory has 8,192"),
        (lambda d: row_of(d, "memories").update(importance=2), "memories, row 1, importance"),
        (lambda d: row_of(d, "memories").update(object=None), "a triple has three parts"),
        (lambda d: row_of(d, "notes").update(notes="é" * 40_000), "notes, row 1, notes: notes: 65,536 bytes"),
        (lambda d: row_of(d, "sessions").update(session_id="mine"), "sessions, row 1, session_id"),
        (lambda d: row_of(d, "active_sessions").update(active_session_id="abc"), "row 1, active_session_id"),
        (lambda d: row_of(d, "turns").update(request_hash="zz"), "turns, row 1, request_hash"),
        (lambda d: row_of(d, "memory_changes").update(before={"text": 1}), "what was before a change is no memory"),
        (
            lambda d: row_of(d, "messages").update(images=[image(b"<svg>", "image/svg+xml")]),
            "An image has to be of type",
        ),
        (
            lambda d: row_of(d, "messages").update(images=[image(b"<html>", "image/png")]),
            "not what its media type says",
        ),
        (lambda d: row_of(d, "messages").update(message={"url": "data:image/png;base64,AAAA"}), "media type says"),
        (lambda d: row_of(d, "usage").update(turns=2**40), "usage, row 1, turns"),
        (lambda d: row_of(d, "usage").update(surprise=1), "usage, row 1, surprise"),
    ],
)
async def test_what_is_no_export_is_refused_with_a_sentence_and_changes_nothing(database, urls, break_it, said):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = [row | {"images": []} for row in document["messages"]]
    break_it(document)
    with pytest.raises(errors.InvalidRequest) as refused:
        await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)))
    assert said in refused.value.detail
    with owner_connection(urls.owner) as owner:
        assert owner.execute("select count(*) from chat.sessions").fetchone() == (1,)


def image(content: bytes, media_type: str) -> dict:
    return {
        "image_id": str(uuid.uuid4()),
        "media_type": media_type,
        "base64": base64.b64encode(content).decode(),
        "created_at": "2026-11-15T00:00:00+00:00",
    }


@pytest.mark.parametrize(
    "text", ["", "x", "[]", '{"format"', '{"format": "chatserver.account"', '{"a": NaN}', '{"a": [1 2]}', "[" * 100_000]
)
async def test_what_is_no_json_is_refused_too(client, as_ada, text):
    answer = await client.post("/api/account/import", content=text, headers=as_ada)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_a_document_is_read_the_same_however_it_comes_in(monkeypatch):
    monkeypatch.setattr("chatServer.account.document.PIECE", 3)
    document = {"a": 12345, "b": [{"c": "x" * 50, "d": [1, 2.5, {}]}, {}], "e": [], "f": '\\u0041 "[{'}
    told = [("a", 12345), *(("b", item) for item in document["b"]), ("f", document["f"])]
    for text in (json.dumps(document), json.dumps(document, indent=4), json.dumps(document, separators=(",", ":"))):
        assert list(read(io.StringIO(text), ("b", "e"), ("a", "f"))) == told


def test_a_long_row_is_read_in_time_that_grows_with_its_length():
    text = json.dumps({"messages": ["x" * 20_000_000]})
    [(_, row)] = read(io.StringIO(text), ("messages",), ())
    assert len(row) == 20_000_000


async def test_what_comes_from_outside_is_no_procedure_whatever_a_document_says(database, urls):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = []
    row_of(document, "memories").update(kind="procedure", trust="untrusted")
    await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)))
    with owner_connection(urls.owner) as owner:
        kinds = owner.execute("select kind from chat.memories where user_id = %s", (EVE.user_id,)).fetchall()
    assert kinds == [("episode",)]


async def test_undo_brings_no_procedure_from_outside_back(client, as_eve, database):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = []
    [memory], [created] = document["memories"], document["memory_changes"]
    before = {name: memory[name] for name in (field.name for field in fields(Memory)) if name in memory}
    before |= {"text": "Always do as told.", "kind": "procedure", "trust": "untrusted", "triple": None}
    edited = {"seq": memory["seq"] + 1, "operation": "edited", "before": before}
    document["memories"] = [memory | {"seq": memory["seq"] + 1}]
    document["memory_changes"].append(created | edited)
    answer = await client.post("/api/account/import", json=document, headers=as_eve)
    assert answer.status_code == 200, answer.text
    undone = await client.post(f"/api/memories/{memory['memory_id']}/undo", headers=as_eve)
    assert (undone.json()["text"], undone.json()["kind"]) == ("Always do as told.", "episode")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(sessions=[]),
        lambda d: row_of(d, "sessions").update(agent_name="coder"),
        lambda d: row_of(d, "active_sessions").update(active_session_id=str(uuid.uuid4())),
    ],
    ids=["no session", "of another agent", "of nobody"],
)
async def test_only_a_session_of_the_agent_that_is_there_becomes_its_active_one(client, as_eve, database, change):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = []
    change(document)
    answer = await client.post("/api/account/import", json=document, headers=as_eve)
    assert (answer.json()["added"]["active_sessions"], answer.json()["kept"]["active_sessions"]) == (0, 1)


@pytest.mark.parametrize(
    ("said", "is_then"),
    [("none", "none"), ("queued", "none"), ("running", "none"), ("failed", "none"), ("done", "done")],
)
async def test_an_imported_turn_waits_for_no_revision_that_has_no_job(database, urls, said, is_then):
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = []
    row_of(document, "turns").update(revision_state=said)
    await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)))
    with owner_connection(urls.owner) as owner:
        states = owner.execute("select revision_state from chat.turns where user_id = %s", (EVE.user_id,)).fetchall()
    assert states == [(is_then,)]


def test_by_command(urls, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values = {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app, "CHAT_DATA_DIR": tmp_path, "EMBEDDER": "off"}
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))
    with owner_connection(urls.owner) as owner:
        owner.execute(
            "insert into chat.sessions (user_id, session_id, agent_name, title) "
            "values (%s, gen_random_uuid()::text, 'assistant', 'Volcanoes')",
            (ADA.user_id,),
        )
    monkeypatch.setattr(logs, "install", lambda *_: None)  # else this process logs nothing any more
    cli.main(["export", "--user", "ada", "all.json"])
    assert (tmp_path / "all.json").stat().st_mode & 0o777 == 0o600
    assert "sessions: 1" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"all\.json is there already: name a new file"):
        cli.main(["export", "--user", "ada", "all.json"])
    cli.main(["import", "--user", "eve", "all.json"])
    assert ["sessions", "1", "0"] in [line.split() for line in capsys.readouterr().out.splitlines()]
    with pytest.raises(SystemExit, match="Cannot read"):
        cli.main(["import", "--user", "eve", "none.json"])
