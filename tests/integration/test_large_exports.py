"""A page of an export ends at a size, whatever its rows are, and no document brings what no turn holds."""

import io
import json
import uuid

import pytest

from chatServer.account.bring_in import bring_in
from chatServer.account.export import export
from chatServer.errors import InvalidRequest
from chatServer.memory.embed import NoEmbedder
from chatServer.messages import Message
from chatServer.store import export as exports
from chatServer.store.export import SECTIONS, read_page
from tests.conftest import ADA, EVE
from tests.tools.transcripts import store_turn


async def pages_of(database, name: str) -> list[int]:
    """How many rows each page of a section has."""
    [section] = [each for each in SECTIONS if each.name == name]
    sizes, after = [], section.start
    async with database.transaction(ADA) as connection:
        for _ in range(20):
            rows = await read_page(connection, ADA.user_id, section, after)
            if not rows:
                return sizes
            sizes.append(len(rows))
            after = tuple(rows[-1][column] for column in section.key)
    raise AssertionError("the pages do not end")


async def test_a_page_of_long_turns_has_fewer_of_them(database, session_id):
    for _ in range(5):
        left = {"state": "interrupted", "partial_text": "y" * 600_000}
        await store_turn(database, session_id, [Message(role="user", content="question")], **left)
    assert await pages_of(database, "turns") == [2, 2, 1]


async def test_a_page_of_changes_that_hid_much_has_fewer_of_them(database):
    async with database.transaction(ADA) as connection:
        for seq in range(1, 6):
            await connection.execute(
                "insert into chat.memory_changes (seq, memory_id, operation, actor, hidden)"
                " values (%s, %s, 'deleted', 'user', array(select gen_random_uuid() from generate_series(1, 20000)))",
                (seq, uuid.uuid4()),
            )
    assert await pages_of(database, "memory_changes") == [2, 2, 1]


async def test_a_document_with_more_beside_a_turn_than_any_turn_has_is_refused(database, session_id):
    await store_turn(database, session_id, [Message(role="user", content="question")])
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["turns"][0]["usage"] = {"models": ["x" * 100] * 2_000}
    with pytest.raises(InvalidRequest, match="turns, row 1, usage: 200,000 characters at most"):
        await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(json.dumps(document)))


@pytest.mark.parametrize("letter", ["\x01", '"', "x"])
async def test_what_a_page_of_messages_does_not_hold_is_not_unpacked(database, session_id, monkeypatch, letter):
    """To spell what JSON escapes takes seconds, where there are many; and all of it was measured for each page."""
    monkeypatch.setattr(exports, "PAGE_BYTES", 100_000)
    said = [Message(role="user", content=f"{number} {letter * 200_000}") for number in range(16)]
    for each in said:
        await store_turn(database, session_id, [each])
    [section] = [each for each in SECTIONS if each.name == "messages"]
    async with database.transaction(ADA) as connection:
        rows = await read_page(connection, ADA.user_id, section, section.start)
        answer = await connection.execute(
            "select sum(s.idx_tup_fetch)::integer, (select min(ceil(pg_column_size(message) / 1996.0))"
            " from public.chat_message_history)::integer from pg_stat_xact_all_tables s"
            " join pg_class c on c.reltoastrelid = s.relid where c.relname = 'chat_message_history'"
        )
        [pieces, of_one] = await answer.fetchone()
    assert rows[0]["message"]["data"]["content"] == said[0].content
    assert 0 < pieces < 8 * of_one, "two are measured, one is told"
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    assert [each["message"]["data"]["content"] for each in document["messages"]] == [each.content for each in said]
