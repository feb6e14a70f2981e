"""What a document of anybody's may not do to whoever imports it, or to the server."""

import asyncio
import base64
import copy
import io
import json
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import fields

import pytest

from chatServer import errors
from chatServer.account import bring_in as bringing
from chatServer.account.bring_in import ENDLESS, Brought, Room, bring_in
from chatServer.account.document import read
from chatServer.account.export import export
from chatServer.account.few import admitted
from chatServer.account.items import ROWS
from chatServer.config import Settings
from chatServer.conversation.tokens import count_text, shortened
from chatServer.memory.embed import NoEmbedder
from chatServer.messages import data_uri
from chatServer.records import NOBODY, Memory, Principal
from chatServer.store import articles, limits
from chatServer.store.articles import Unread
from tests.conftest import ADA, EVE, owner_connection, serving
from tests.tools.files import PICTURE
from tests.tools.filling import fill
from tests.tools.remembering import tell
from tests.tools.shelved import delete_article, put_article, retriever_of
from tests.tools.turns import eventually
from tests.tools.waiting import waiting_for_locks

TARGET = "memory_compression_target_tokens"


async def adas(database) -> dict:
    """A document with a row of everything."""
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = [row | {"images": []} for row in document["messages"]]  # whose bytes are no picture's
    return document


async def imported(database, document: dict | str, room: Room = ENDLESS) -> Brought:
    text = document if isinstance(document, str) else json.dumps(document)
    return await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(text), room=room)


async def refuses(database, document: dict, changes: Sequence[Callable[[dict], object]], said: str) -> None:
    """Each of these changes to the document, one at a time."""
    for number, change in enumerate(changes):
        changed = copy.deepcopy(document)
        change(changed)
        with pytest.raises(errors.InvalidRequest) as refused:
            await imported(database, changed)
        assert said in refused.value.detail, number


def of_eve(urls, query: str) -> list[tuple]:
    with owner_connection(urls.owner) as owner:
        return owner.execute(f"{query} where user_id = %s", (EVE.user_id,)).fetchall()


async def test_tokens_are_counted_here_whatever_the_document_says(database, urls):
    document = await adas(database)
    [said] = [row for row in document["messages"] if not row["superseded_at"]]
    document["messages"] = [row | {"tokens": 2_000_000} for row in document["messages"]]
    summary = {"session_id": said["session_id"], "covers_to": said["message_id"], "summary": "much was said " * 100}
    document["summaries"] = [summary | {"messages": 1, "tokens": 0, "model": None, "updated_at": said["created_at"]}]
    await imported(database, document)
    assert of_eve(urls, "select tokens from public.chat_message_history") == [(None,)]
    assert of_eve(urls, "select tokens from chat.message_superseded") == [(None,)]
    assert of_eve(urls, "select tokens from chat.summaries") == [(count_text("much was said " * 100),)]


T = "2026-11-10T00:00:00+00:00"


def unfinished(*, question: str | None, reply: str | None, has_reply: bool = False) -> dict:
    """A document of one turn that was running when the export read it."""
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    unknown = ("external_id", "title", "archived_at", "request_hash", "supersedes_turn_id", "partial_text")
    unknown += ("error_code", "model", "usage", "recalled", "revision", "tokens", "superseded_at", "superseded_by")
    given = dict.fromkeys(unknown) | {"session_id": session_id, "turn_id": turn_id, "agent_name": "assistant"}
    given |= dict.fromkeys(("created_at", "last_active_at", "started_at", "finished_at"), T)
    given |= {"memory": "on", "trigger": "submit", "state": "running", "attempt": 1, "revision_state": "none"}
    given |= {"turn_key": "submit:x", "client_message_id": "x", "user_message_id": question, "reply_message_id": reply}
    given |= {"importance": 0.5, "hidden": False, "quote": False, "images": []}
    said = [(question, "human", "hello")] * bool(question) + [(reply, "ai", "fine")] * has_reply
    messages = [
        {"message_id": message_id, "message": {"type": kind, "data": {"type": kind, "content": text}}}
        for message_id, kind, text in said
    ]
    return {
        "format": "chatserver.account",
        "version": 1,
        "begun_at": T,
        "user_id": session_id,
        "sessions": [{name: given[name] for name in ROWS["sessions"].model_fields}],
        "turns": [{name: given[name] for name in ROWS["turns"].model_fields}],
        "messages": [each | {name: given[name] for name in ROWS["messages"].model_fields.keys() - each.keys()}
                     for each in messages],
    }  # fmt: skip


async def test_a_turn_that_an_export_saw_running_is_done_when_its_answer_came_along(client, as_eve, urls):
    client.headers.update(as_eve)
    document = unfinished(question=str(uuid.uuid4()), reply=str(uuid.uuid4()), has_reply=True)
    assert (await client.post("/api/account/import", json=document)).status_code == 200
    assert of_eve(urls, "select state from chat.turns") == [("done",)]
    message = {"id": "x", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    ask = {"json": {"id": document["user_id"], "message": message}, "headers": {"Accept": "application/json"}}
    assert (await client.post("/api/chat", **ask)).json()["response"] == "fine"
    with owner_connection(urls.owner) as owner:
        owner.execute("update chat.turns set state = 'interrupted'")
    again = await client.post("/api/chat", **ask)
    assert (again.status_code, again.json()["code"]) == (502, "model_failed"), "it is not answered twice"


async def test_a_turn_that_came_without_its_question_is_not_begun_anew(client, as_eve):
    client.headers.update(as_eve)
    document = unfinished(question=None, reply=None)
    assert (await client.post("/api/account/import", json=document)).status_code == 200
    message = {"id": "x", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    ask = {"json": {"id": document["user_id"], "message": message}, "headers": {"Accept": "application/json"}}
    again = await client.post("/api/chat", **ask)
    assert (again.status_code, again.json()["code"]) == (502, "model_failed")


@pytest.mark.parametrize(("attempt", "status"), [(1_000, 200), (10**9, 422)])
async def test_a_turn_that_comes_unanswered_can_be_answered_whatever_its_attempt(client, as_eve, urls, attempt, status):
    """An attempt counts its events beyond those of all before it, in an integer."""
    client.headers.update(as_eve)
    document = unfinished(question=str(uuid.uuid4()), reply=str(uuid.uuid4()))
    document["turns"][0]["attempt"] = attempt
    assert (await client.post("/api/account/import", json=document)).status_code == status
    message = {"id": "x", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    ask = {"json": {"id": document["user_id"], "message": message}, "headers": {"Accept": "application/json"}}
    assert (await client.post("/api/chat", **ask)).status_code == 200
    assert of_eve(urls, "select state, attempt from chat.turns") == [("done", 1_001 if status == 200 else 1)]


async def test_no_time_lies_at_the_ends_of_the_calendar(database):
    document = await adas(database)
    [memory], [change] = document["memories"], document["memory_changes"]
    before = {name: memory[name] for name in (field.name for field in fields(Memory)) if name in memory}
    change["before"] = before | {"triple": None}
    first, last = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"
    times = [
        (section, name)
        for section, rows in document.items()
        if isinstance(rows, list)
        for name in rows[0]
        if name.endswith("_at") or name.startswith("valid_")
    ]
    assert len(times) >= 20
    changes = [
        lambda d, section=section, name=name, time=time: d[section][0].update({name: time})
        for section, name in times
        for time in (first, last)
    ]
    changes.append(lambda d: d["memory_changes"][0]["before"].update(valid_from=first))
    changes.append(lambda d: d["usage"][0].update(day="9999-12-31"))
    await refuses(database, document, changes, "the year is between 1000 and 9099")
    # Pydantic reads seconds here, and what undo puts back would be a day.
    odd = [lambda d: d["memory_changes"][0]["before"].update(valid_from="99991231")]
    await refuses(database, document, odd, "a time before a change is not written as an export writes it")
    assert (await imported(database, document)).added["memory_changes"] == 1


async def test_whatever_time_was_told_or_entered_comes_back(client, as_ada, as_eve, database):
    """A day of one zone may be in another year of UTC; and who moves says that he lived elsewhere the day before."""
    await tell(database, "I have lived in Rome for 999 years.", "I have worked at Acme for 200 years.")
    for day in ("1900-01-01T00:00:00+14:00", "8999-12-31T23:00:00-12:00"):
        made = await client.post("/api/memories", json={"text": f"It was so until {day[:4]}."}, headers=as_ada)
        path = f"/api/memories/{made.json()['id']}"
        assert (await client.patch(path, json={"valid_to": day}, headers=as_ada)).status_code == 200
    document = (await client.get("/api/account/export", headers=as_ada)).json()
    years = sorted(memory["valid_from"][:4] for memory in document["memories"])
    assert years[:2] < ["1100", "1900"]
    answer = await client.post("/api/account/import", json=document, headers=as_eve)
    assert (answer.status_code, answer.json()["added"]["memories"]) == (200, 4), answer.text
    again = (await client.get("/api/account/export", headers=as_eve)).json()
    assert again["memories"] == document["memories"]


async def test_no_number_is_so_large_that_counting_on_fails(database):
    document = await adas(database)
    document["memory_changes"][0]["attempt"] = 1
    counters = {
        ("turns", "attempt"): 1_000,
        ("notes", "version"): 10**9,
        ("notes_versions", "version"): 10**9,
        ("memories", "recalls"): 10**9,
        ("memories", "seq"): 10**15,
        ("memory_changes", "seq"): 10**15,
        ("memory_changes", "attempt"): 10**9,
        ("usage", "turns"): 10**9,
        ("usage", "input_tokens"): 10**12,
        ("usage", "output_tokens"): 10**12,
        ("usage", "revision_tokens"): 10**12,
    }
    changes = [
        lambda d, section=section, name=name, most=most: d[section][0].update({name: most + 1})
        for (section, name), most in counters.items()
    ]
    await refuses(database, document, changes, "should be less than or equal to")


async def test_a_message_is_an_object(database):
    document = await adas(database)
    changes = [lambda d, given=given: d["messages"][0].update(message=given) for given in (None, 5, "hello", [1, 2])]
    await refuses(database, document, changes, "messages, row 1, message")


async def test_no_turn_has_begun_later_than_now(database, urls):
    document = await adas(database)
    document["turns"][0]["started_at"] = "2999-01-01T00:00:00+00:00"
    await imported(database, document)
    assert of_eve(urls, "select started_at <= now() from chat.turns") == [(True,)]


async def test_what_was_recalled_for_a_turn_can_be_read_again(database):
    document = await adas(database)
    odd = [{}, {"x": 1}, {"items": None}, {"items": 5}, {"items": [5]}, {"items": ["no line"]}, {"sessions": []}]
    odd += [{"items": [], "sessions": sessions} for sessions in (None, 5, "s", [5])] + [{"items": 5, "sessions": []}]
    changes = [lambda d, given=given: d["turns"][0].update(recalled=given) for given in odd]
    await refuses(database, document, changes, "turns, row 1, recalled: what was recalled")
    learned = [lambda d: d["turns"][0].update(revision={"remembered": [1]})]  # asked of when the next turn is revised
    await refuses(database, document, learned, "what was remembered of a turn is an object")
    good = [None, {"items": []}, {"items": [{"id": "1"}], "total_found": 1}, {"items": ["A" * 36], "sessions": ["s"]}]
    for number, given in enumerate(good):
        turn_id = str(uuid.uuid4())
        turn = document["turns"][0] | {"recalled": given, "turn_id": turn_id, "turn_key": str(number)}
        assert (await imported(database, document | {"turns": [turn]})).added["turns"] == 1
    told = (await exported(database, EVE))["turns"]
    assert [turn["recalled"] for turn in told if turn["recalled"] == good[2]] == [good[2]]


async def test_an_old_document_hides_nothing_that_is_there(database, urls):
    document = await adas(database)
    [said] = [row for row in document["messages"] if not row["superseded_at"]]
    message_id, title_id = said["message_id"], said["session_id"]
    [change] = document["memory_changes"]
    old = copy.deepcopy(document)
    old["memory_changes"] = [change | {"hidden": [message_id, title_id]}]
    query = "select message_id::text, is_hidden from chat.message_index"
    await imported(database, document)
    await imported(database, old)
    assert dict(of_eve(urls, query)) == {message_id: False, title_id: False}, "that change was here"
    new = {"seq": change["seq"] + 1, "operation": "deleted"}
    old["memory_changes"] = [old["memory_changes"][0] | new]
    await imported(database, old)
    assert dict(of_eve(urls, query)) == {message_id: False, title_id: True}, "messages bring marks of their own"


async def test_a_summary_comes_back_however_long_the_settings_let_it_be(database, urls):
    [most] = [each.le for each in Settings.model_fields[TARGET].metadata if hasattr(each, "le")]
    text = shortened("the responsibilities of " * most, most)
    document = await adas(database)
    [said] = [row for row in document["messages"] if not row["superseded_at"]]
    summary = {"session_id": said["session_id"], "covers_to": said["message_id"], "summary": text}
    document["summaries"] = [summary | {"messages": 1, "tokens": 0, "model": None, "updated_at": said["created_at"]}]
    await imported(database, document)
    assert of_eve(urls, "select summary from chat.summaries") == [(text,)]


async def test_messages_and_summaries_are_no_longer_than_a_chat_makes_them(database):
    document = await adas(database)

    def said(content: object, **more: object) -> Callable[[dict], None]:
        message = {"type": "human", "data": {"type": "human", "content": content, **more}}
        return lambda d: d["messages"][0].update(message=message)

    part = {"type": "text", "text": "a"}
    await refuses(database, document, [said([part] * 101), said(["a"] * 101), said([{}] * 101)], "100 parts at most")
    long = [said("x" * 1_000_001), said(["x" * 600_000, {"type": "text", "text": "x" * 600_000}])]
    await refuses(database, document, long, "1,000,000 characters at most")
    await refuses(database, document, [said("x", more="x" * 4_000_001)], "4,000,000 characters at most")
    said([{"type": "image_url", "image_url": {"url": PICTURE}}] * 101 + [part] * 100, more="x" * 2_000_000)(document)
    assert (await imported(database, document)).added["messages"] == 2
    summary = {"session_id": document["sessions"][0]["session_id"], "summary": "x" * 2_000_001, "covers_to": None}
    summary |= {"messages": 1, "tokens": 0, "model": None, "updated_at": document["begun_at"]}
    await refuses(database, document, [lambda d: d.update(summaries=[summary])], "2000000 characters")


async def exported(database, principal: Principal) -> dict:
    return json.loads(b"".join([piece async for piece in export(database, principal)]))


PNG = "data:image/png;base64"


def picture(number: int) -> str:
    return data_uri("image/png", bytes.fromhex("89504e470d0a1a0a") + bytes([number]) * 1_000)


async def test_pictures_within_a_message_are_kept_beside_it_as_those_of_a_chat(database, urls):
    document = await adas(database)
    [said] = [row for row in document["messages"] if not row["superseded_at"]]
    bare = {"type": "image", "mime_type": "image/png", "base64": picture(2).partition(",")[2]}
    blocks = [{"type": "image_url", "image_url": {"url": picture(n)}} for n in (0, 1, 0)]
    said["message"] = {"type": "human", "data": {"type": "human", "content": [*blocks, bare]}}
    await imported(database, document)
    [(stored,)] = of_eve(urls, "select message::text from public.chat_message_history")
    assert "base64" not in stored
    assert len(stored) < 1_000
    assert len(of_eve(urls, "select image_id from chat.message_images")) == 3
    before = await exported(database, EVE)
    other = Principal(uuid.uuid4())
    await bring_in(database, other, NoEmbedder(), lambda: io.StringIO(json.dumps(before)))
    assert (await exported(database, other))["messages"] == before["messages"]
    kept = {
        data_uri("image/png", base64.b64decode(each["base64"])) for row in before["messages"] for each in row["images"]
    }
    assert kept == {picture(0), picture(1), picture(2)}


async def test_a_message_has_a_hundred_pictures_at_most_and_of_known_kinds(database):
    document = await adas(database)
    content = [{"type": "image_url", "image_url": {"url": picture(n)}} for n in range(101)]
    message = {"type": "ai", "data": {"type": "ai", "content": content}}
    changes = [lambda d: d["messages"][0].update(message=message)]
    await refuses(database, document, changes, "a message has 100 pictures at most")
    svg = {"type": "image", "mime_type": "image/svg+xml", "base64": "AAAA"}
    page, broken = ({"type": "image_url", "image_url": {"url": f"{start},!"}} for start in ("DATA:text/html", PNG))
    for block, told in ((svg, "An image has to be of type"), (page, "image"), (broken, "image")):
        message = {"type": "human", "data": {"content": [block]}}
        await refuses(database, document, [lambda d, said=message: d["messages"][0].update(message=said)], told)


@pytest.mark.parametrize(("content", "said"), [("IyEvYmluL3No", "not what its media type says"), ("!", "is broken")])
async def test_what_comes_as_a_picture_beside_a_message_is_one(database, content, said):
    document = await adas(database)
    image = {"image_id": str(uuid.uuid4()), "media_type": "image/png", "created_at": "2026-11-17T00:00:00Z"}
    changes = [lambda d: d["messages"][0].update(images=[image | {"base64": content}])]
    await refuses(database, document, changes, said)


ABOUT = '{"format": "chatserver.account", "version": 1'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ABOUT + ', "version": 1}', "twice"),
        (ABOUT + ', "usage": [], "usage": []}', "twice"),
        (ABOUT + ', "surprise": []}', "a part that no export has"),
        (ABOUT + ', "surprise": ' + "[" * 100_000, "a part that no export has"),
        (ABOUT + ', "begun_at": [' + "1," * 100_000, "no text and no number"),
        (ABOUT + ', "begun_at": {"a": 1}}', "no text and no number"),
        (ABOUT + ', "begun_at": "' + "x" * 2_000 + '"}', "more than 1,000 characters"),
        (ABOUT + ', "begun_at": ' + "1" * 100_000, "not JSON"),
        (ABOUT + ', "' + "x" * 100_000, "not JSON"),
        (ABOUT + ', "messages": {"a": 1}}', "not JSON of the shape"),
        (ABOUT + ', "usage": [["' + "x" * 4_000_000 + '"]]}', "more than 4,000,000 characters"),
    ],
)
def test_what_no_export_has_is_refused_as_soon_as_it_is_met(text, said):
    source = io.StringIO(text + " " * 20_000_000)
    with pytest.raises(errors.InvalidRequest) as refused:
        list(read(source, ROWS, bringing.ABOUT))
    assert said in refused.value.detail
    assert source.tell() < 10_000_000


@pytest.mark.parametrize("many", ["[],", "{},", '"",', "0,", '"\\\\",', '{"a":0},', "[[[[0]]]],"])
def test_a_row_of_very_many_values_is_refused_before_they_are_made(monkeypatch, many):
    decoded = []
    decode = json.JSONDecoder.raw_decode
    monkeypatch.setattr(
        json.JSONDecoder, "raw_decode", lambda self, *of: decoded.append(len(of[0])) or decode(self, *of)
    )
    picture = json.dumps({"picture": "x" * 1_000_000})
    source = io.StringIO(ABOUT + f', "messages": [{picture}, {{"x": [{many * 1_000_000}0]}}]}}')
    with pytest.raises(errors.InvalidRequest, match="a row of more than 100,000 values"):
        list(read(source, ROWS, bringing.ABOUT))
    assert sum(decoded) < 3_500_000


def test_what_stands_in_texts_or_in_other_rows_does_not_count_as_values_of_a_row():
    long = {"text": '[{"a", \\"b\\\\"}],' * 150_000, "picture": "x" * 2_000_000}
    short = [{"tags": ["a", "b"], "number": number} for number in range(100_000)]
    rows = [short[0], long, *short, long]
    text = ABOUT + f', "messages": {json.dumps(rows)}}}'
    assert [row for name, row in read(io.StringIO(text), ROWS, bringing.ABOUT) if name == "messages"] == rows


async def test_few_are_imported_at_once_and_one_of_each_user(client, as_ada, as_eve):
    async def status(headers) -> tuple[int, str]:
        answer = await client.post("/api/account/import", content="{}", headers=headers)
        return answer.status_code, answer.json()["detail"].partition(".")[0]

    with admitted(ADA.user_id):
        assert await status(as_ada) == (429, "An import of yours is not done yet")
        assert (await status(as_eve))[0] == 422
        with admitted(uuid.uuid4()):
            assert await status(as_eve) == (503, "Others are importing just now")
    assert ((await status(as_ada))[0], (await status(as_eve))[0]) == (422, 422)


async def test_an_import_takes_no_thread_of_those_that_answer(database):
    document, done, loop = await adas(database), threading.Event(), asyncio.get_running_loop()
    waiting = [loop.run_in_executor(None, done.wait, 30) for _ in range(100)]  # more than there are threads
    try:
        async with asyncio.timeout(15):
            assert (await imported(database, document)).added["sessions"] == 1
    finally:
        done.set()
        await asyncio.gather(*waiting)


def with_articles(document: dict, *names: str) -> dict:
    """With other articles in the place of the document's own, each with the text of that."""
    document = copy.deepcopy(document)
    (article,), chunks = document["articles"], document["article_chunks"]
    ids = {name: str(uuid.uuid4()) for name in names}
    document["articles"] = [article | {"article_id": ids[name], "name": name} for name in names]
    document["article_chunks"] = [chunk | {"article_id": ids[name]} for name in names for chunk in chunks]
    return document


async def test_no_document_brings_more_articles_or_chunks_than_may_be_uploaded(database, urls):
    document = await adas(database)
    three = with_articles(document, "a.md", "b.md", "c.md")
    chunks = len(document["article_chunks"])
    for room in (Room(articles=2), Room(chunks=3 * chunks - 1)):
        with pytest.raises(errors.TooManyArticles) as refused:
            await imported(database, three, room)
        assert f"You may have {room.articles or room.chunks} " in refused.value.detail
        assert "nothing of it was imported" in refused.value.detail
    assert of_eve(urls, "select 1 from chat.sessions") == []
    room = Room(articles=3, chunks=3 * chunks)
    await imported(database, three, room)
    again = await imported(database, three, Room(articles=1))
    assert (again.added["articles"], again.kept["articles"]) == (0, 3), "what brings nothing new needs no room"
    await imported(database, three, room)  # what is there is not counted twice
    for full in (Room(articles=3), Room(chunks=3 * chunks)):
        with pytest.raises(errors.TooManyArticles, match="nothing of it was imported"):
            await imported(database, with_articles(document, "d.md"), full)
    assert len(of_eve(urls, "select 1 from chat.article_chunks")) == 3 * chunks
    await imported(database, with_articles(document, "a.md"), room)  # another stays under its name


async def test_what_came_before_somebody_filled_the_room_is_told_of_and_found(database, urls):
    document = with_articles(await adas(database), "b.md")
    article = "insert into chat.articles (user_id, article_id, name, title, media_type, size_bytes, content_hash)"

    def upload(section: str, _: int) -> None:
        if section == "memories":
            with owner_connection(urls.owner) as owner:
                values = (EVE.user_id, uuid.uuid4())
                owner.execute(f"{article} values (%s, %s, 'a.md', 'A', 'text/plain', 1, 'x')", values)

    text, room = json.dumps(document), Room(articles=1)
    with pytest.raises(errors.TooManyArticles, match="send the file again"):
        await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(text), upload, room=room)
    assert of_eve(urls, "select data ->> 'change' from chat.user_events") == [("imported",)]
    found = {str(message_id) for (message_id,) in of_eve(urls, "select message_id from chat.message_index")}
    assert {row["message_id"] for row in document["messages"] if not row["superseded_at"]} <= found


async def test_an_import_counts_what_is_being_uploaded_at_the_same_time(database, urls):
    document = with_articles(await adas(database), "b.md")
    file = Unread("a.md", "text/plain", 1, "x")
    async with database.transaction(EVE) as uploading:
        await articles.put_article(uploading, EVE.user_id, uuid.uuid4(), file)
        await limits.hold_limits(uploading, EVE.user_id)
        await uploading.flush()
        importing = asyncio.create_task(imported(database, document, Room(articles=1)))
        await eventually(lambda: importing.done() or waiting_for_locks(urls))
    with pytest.raises(errors.TooManyArticles):
        await importing
    assert of_eve(urls, "select name from chat.articles") == [("a.md",)]


async def test_what_came_before_a_mistake_of_ours_is_found_and_the_mistake_told(database, urls, monkeypatch):
    document, add_rows = await adas(database), bringing.store.add_rows

    async def breaks(connection, user_id, section, rows):
        if section == "memories":
            raise ZeroDivisionError
        return await add_rows(connection, user_id, section, rows)

    monkeypatch.setattr(bringing.store, "add_rows", breaks)
    with pytest.raises(ZeroDivisionError):
        await imported(database, document)
    assert of_eve(urls, "select data ->> 'change' from chat.user_events") == [("imported",)]
    found = {str(message_id) for (message_id,) in of_eve(urls, "select message_id from chat.message_index")}
    assert {row["message_id"] for row in document["messages"] if not row["superseded_at"]} <= found


@pytest.mark.parametrize(
    ("section", "after", "parents"),
    [
        ("turns", "active_sessions", "chat.sessions"),
        ("summaries", "messages", "chat.sessions"),
        ("notes_versions", "notes", "public.agent_long_term_memory"),
    ],
)
async def test_what_belongs_to_something_that_is_deleted_meanwhile_does_not_come(
    database, urls, section, after, parents
):
    document = await adas(database)
    with owner_connection(urls.owner) as owner:

        def delete(done: str, _: int) -> None:
            if done == after:
                owner.execute("begin")
                owner.execute(f"delete from {parents} where user_id = %s", (EVE.user_id,))

        text = json.dumps(document)
        importing = asyncio.create_task(bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(text), delete))
        await eventually(lambda: waiting_for_locks(urls))
        owner.execute("commit")
    brought = await importing
    assert (brought.added[section], brought.kept[section]) == (0, len(document[section]))
    assert document[section]


async def test_the_settings_hold_for_imports_over_http(settings, database, as_eve):
    document = with_articles(await adas(database), "a.md", "b.md")
    async with serving(settings.model_copy(update={"limit_articles": 1})) as client:
        answer = await client.post("/api/account/import", json=document, headers=as_eve)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_articles")


async def test_names_of_imported_articles_are_cleaned_as_those_of_uploads(database, urls):
    await imported(database, with_articles(await adas(database), "..\u202e/fdp.\u200beli\n\x1b[2J", "\u200b"))
    names = {name for (name,) in of_eve(urls, "select name from chat.articles")}
    assert names == {".. /fdp. eli [2J", "untitled"}


@pytest.mark.parametrize("state", ["waiting", "reading", "ready"])
async def test_of_an_article_counts_what_text_has_come(database, urls, state):
    document = with_articles(await adas(database), "with.md", "without.md")
    first, second = document["articles"]
    document["articles"] = [each | {"state": state, "chunks": 1} for each in (first, second)]
    document["article_chunks"] = [
        each if each["article_id"] == first["article_id"] else each | {"content_hash": "another"}
        for each in document["article_chunks"]
    ]
    await imported(database, document)
    found = of_eve(urls, "select name, state, error_code, chunks > 0 from chat.articles")
    is_read = ("ready", None) if state == "ready" else ("failed", "not_read")  # of the last upload; its text answers
    assert sorted(found) == [("with.md", *is_read, True), ("without.md", "failed", "not_read", False)]


class Killed(BaseException):
    """As a process is: nothing is tidied up."""


@pytest.mark.parametrize("section", ["articles", "article_chunks"])
async def test_an_article_is_read_once_all_of_its_text_has_come(database, urls, monkeypatch, section):
    monkeypatch.setattr(bringing, "BATCH", 2)
    document = with_articles(await adas(database), "a.md", "b.md")
    document["articles"] = [article | {"state": "ready"} for article in document["articles"]]
    text = [chunk | {"position": place} for chunk in document["article_chunks"] for place in range(3)]
    document["article_chunks"] = sorted(text, key=lambda chunk: (chunk["article_id"], chunk["position"]))

    def kill(done: str, _: int) -> None:
        if done == section:
            raise Killed

    with pytest.raises(Killed):
        await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)), kill)
    states = "select state, error_code, error like '%%Import the document again%%' from chat.articles"
    assert of_eve(urls, states) == [("failed", "not_read", True)] * 2
    await imported(database, document)
    assert of_eve(urls, "select state, error_code, error, chunks from chat.articles") == [("ready", None, None, 3)] * 2


async def test_an_import_cannot_take_the_id_of_a_shared_article(database, urls):
    shared = await put_article(urls.owner, NOBODY.user_id, "all.txt", ["Everybody's walrus."])
    document = with_articles(await adas(database), "mine.md", "more.md")
    taken = document["articles"][0]["article_id"]
    brought = await imported(database, json.dumps(document).replace(taken, str(shared)))
    assert of_eve(urls, "select name from chat.articles") == [("more.md",)]
    assert (brought.added["articles"], brought.kept["articles"]) == (1, 1)


async def test_an_article_that_comes_again_is_looked_through_anew(database, urls):
    document, retriever = with_articles(await adas(database), "a.md"), retriever_of(database)

    async def found(word: str) -> list[str]:
        return [each.text for each in await retriever.retrieve(EVE, word, 5, 0, window_tokens=4_000)]

    for word in ("walrus", "otter", "pelican"):
        chunks = [each | {"text": f"The {word} swims."} for each in document["article_chunks"]]
        await imported(database, document | {"article_chunks": chunks})
        assert "".join(await found(word)).count(word) == len(chunks)
        delete_article(urls.owner, uuid.UUID(document["articles"][0]["article_id"]))
