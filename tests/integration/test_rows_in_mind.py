"""Rows that are kept in mind between turns: they are handed to whoever reads them, and nobody changes them."""

from uuid import UUID

from chatServer.messages import rows as kept
from tests.conftest import rows
from tests.tools.talking import talking, user_message

NOTES = {
    "match": "note (.+)",
    "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "- {1}"}}],
    "then": "Noted.",
}


async def test_what_is_kept_in_mind_is_what_the_rows_say_whatever_was_done_with_it(settings, urls, as_ada):
    async with talking(settings, as_ada, NOTES) as client:
        for text in ("hello", "note this", "and now?", "note that"):
            answer = await client.post("/api/chat", json={"message": text, "session_id": "thread"})
            assert answer.status_code == 200
        again = {"id": "thread", "messages": [user_message("and then?")], "trigger": "regenerate-message"}
        assert (await client.post("/api/chat", json=again)).status_code == 200
        preview = await client.post("/api/context/preview", json={"message": "well?", "session_id": "thread"})
        assert preview.status_code == 200
        assert (await client.get("/api/sessions/thread/messages")).status_code == 200
    found = rows(urls, "select message::text, message_id from public.chat_message_history order by id")
    before = kept._kept_in_mind.cache_info()
    in_mind = [kept.read_row(row, UUID(str(message_id))) for row, message_id in found]
    assert kept._kept_in_mind.cache_info().hits - before.hits > len(found) / 2, "it is what turns were given"
    assert in_mind == [kept._read(row, UUID(str(message_id))) for row, message_id in found]
