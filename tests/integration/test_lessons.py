"""How tools went is shown to an agent that has them; what was shown is counted, once a turn, and kept for good."""

import re
import uuid
from datetime import timedelta

import pytest

from chatServer.memory.maintain import Upkeep, maintain
from chatServer.messages import Message
from chatServer.records import Principal
from chatServer.store.recall import LESSON_MARKS, SQL
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.memory_rows import memory, read, write
from tests.tools.recalling import asked, recaller_of, remembered, said, texts
from tests.tools.remembering import kept, tell
from tests.tools.talking import talking
from tests.tools.turns import given_to_a_turn

FAILED, WORKED = "Failed tools: ", "Successfully used tools: "
NOTES = "manage_long_term_memory"


def used(name: str, success: bool = True) -> Message:
    data = {"duration_ms": 5, "success": success, "error": None}
    return Message(role="tool", content="...", name=name, tool_call_id="1", structured_data=data)


async def use(database, *names: str, success: bool = True, user: Principal = ADA, **options) -> None:
    await tell(database, "go", user=user, between=[used(name, success) for name in names], **options)


async def no_model(_: str) -> None:
    return None


async def test_the_last_failure_and_the_last_success_of_the_agents_tools_come_after_the_questions_own_lines(database):
    await said(database, ADA, "My dog is called Rex")
    await use(database, "search")
    await use(database, "clock", success=False)
    await use(database, "search", "clock")
    await use(database, "search", success=False)
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "What is my dog called?", tools=["clock", "search", "other"])
        own, *lessons = found.items
        assert (own.text, own.parts.get("tool")) == ("My dog is called Rex", None)
        assert [each.text for each in lessons] == [f"{FAILED}search", f"{WORKED}search, clock (total time: 10ms)"]
        assert [(each.parts, each.score, each.what) for each in lessons] == [({"tool": 1.0}, 0.0, "memory")] * 2
        assert found.total_found == 3
        await use(database, "clock", success=False)
        again = await asked(recaller, ADA, "What is my dog called?", tools=["clock", "search"])
        assert f"{FAILED}clock" in texts(again), "it failed again since, under a row that was there"


@pytest.mark.parametrize("tools", [(), ("clock",), ("other",)])
async def test_a_lesson_that_names_a_tool_which_the_agent_does_not_have_is_not_shown(database, tools):
    await use(database, "search", "clock")
    await use(database, "search", success=False)
    async with recaller_of(database) as recaller:
        assert texts(await asked(recaller, ADA, "anything new?", tools=tools)) == []


async def test_lessons_keep_to_their_user_shelf_session_and_time(database, urls):
    session_id = str(uuid.uuid4())
    await use(database, "clock", session_id=session_id)
    await use(database, "clock", success=False, scope="session")

    async with recaller_of(database) as recaller:

        async def shown(user=ADA, **options) -> list[str]:
            return texts(await asked(recaller, user, "anything new?", tools=["clock"], **options))

        worked = f"{WORKED}clock (total time: 5ms)"
        assert await shown() == [worked], "the failure is another session's own"
        assert await shown(agent_name="coder") == await shown(EVE) == []
        assert await shown(budget_tokens=80) == []
        with owner_connection(urls.owner) as connection:
            for change, back in (
                ("chat.sessions set memory = 'off'", "chat.sessions set memory = 'on'"),
                ("chat.memories set updated_at = now() - interval '31 days'", "chat.memories set updated_at = now()"),
                ("chat.memories set expires_at = now()", "chat.memories set expires_at = null"),
                ("chat.memories set origin = 'user'", "chat.memories set origin = 'tool'"),
            ):
                connection.execute(f"update {change}")
                assert await shown() == [], change
                connection.execute(f"update {back}")
        assert await shown() == [worked]


async def test_among_many_memories_the_index_leads_to_lessons(database, urls):
    await use(database, "clock")
    await remembered(database, ADA, "something")
    with owner_connection(urls.owner) as connection:
        columns = "user_id, shelf, agent_name, kind, category, text, importance, origin, trust, tsv, terms"
        connection.execute(
            f"insert into chat.memories (memory_id, seq, digest, fact_key, {columns}) "
            "select gen_random_uuid(), 1000 + n, n::text::bytea, case when n % 2 = 0 then 'user|fact:' || n end, "
            f"{columns} "
            "from chat.memories, generate_series(1, 10000) n where text = 'something'"
        )
        async with recaller_of(database) as recaller:
            found = await asked(recaller, ADA, "nothing?", tools=["clock"], limit=0)
            assert texts(found) == [f"{WORKED}clock (total time: 5ms)"]
        statement = SQL["read_live_memories"].decode()
        values = {"user_id": ADA.user_id, "shelves": ["*", "assistant", "x"], "tools": ["clock"], "among": 1_000}
        values |= {"marks": [*LESSON_MARKS, "clock"], "fresh_for": timedelta(days=30)}
        values |= {"ids": [], "after_seq": 100_000, "limit": 100}
        for before in ("select", "analyze chat.memories"):
            connection.execute(before)
            plan = "\n".join(row[0] for row in connection.execute(f"explain analyze {statement}", values).fetchall())
            assert "Scan using memories_by_key" in plan
            assert sum(map(int, re.findall(r"Rows Removed by Filter: (\d+)", plan))) < 100


async def test_a_failed_tool_is_in_the_prompt_of_the_next_turn_and_a_note_that_was_taken_is_not(
    database, settings, as_ada
):
    take = {"operation": "append", "content": "x"}
    miss = {"operation": "delete_section_by_header", "section_header": "Nowhere"}
    rules = [
        {"match": "^take", "tool_calls": [{"name": NOTES, "args": take}], "then": "Done."},
        {"match": "^miss", "tool_calls": [{"name": NOTES, "args": miss}], "then": "Sorry."},
        {"match": "^recite", "reply": "{messages}"},
    ]
    workshop = Workshop(database, no_model)
    async with talking(settings, as_ada, *rules) as client:

        async def ask(text: str) -> dict:
            answer = (await client.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
            await workshop.after_turn(str(ADA.user_id), answer["turn_id"])
            return answer

        await ask("take this")
        assert await kept(database) == []
        assert "tools" not in (await ask("recite"))["response"]
        await ask("miss this")
        told = await ask("recite")
        assert f") {FAILED}{NOTES}\n" in told["response"]
        assert "(how tools went, " in told["response"]
        assert told["memory"]["items"][-1]["parts"] == {"tool": 1.0}


# Counting ------------------------------------------------------------------------------------------------


async def test_a_memory_that_three_turns_were_given_is_kept_for_good(database, settings, as_ada, urls):
    workshop = Workshop(database, no_model)
    noted = memory("The spare key is under the third flower pot.", importance=0.5)
    await write(database, noted, memory("Something else entirely, about boats."))
    async with talking(settings, as_ada) as client:
        for number in range(1, 4):
            assert await maintain(database, ADA) == Upkeep()
            body = {"message": "Where is the spare key?", "session_id": str(uuid.uuid4())}
            turn_id = (await client.post("/api/chat", json=body)).json()["turn_id"]
            for _ in range(2):  # a job may run again
                await workshop.after_turn(str(ADA.user_id), turn_id)
            assert (await read(database, noted.memory_id)).recalls == number
    assert await maintain(database, ADA) == Upkeep(promoted=1)
    assert (await read(database, noted.memory_id)).tier == "long"
    with owner_connection(urls.owner) as connection:
        query = "select operation from chat.memory_changes where memory_id = %s order by seq"
        done = [row[0] for row in connection.execute(query, (noted.memory_id,)).fetchall()]
    assert done == ["created", "promoted"], "being recalled is no change"


async def test_a_use_is_counted_when_it_was_and_never_twice(database):
    noted = memory()
    await write(database, noted)
    workshop = Workshop(database, no_model)
    async with database.transaction(ADA) as connection:
        turns = [await given_to_a_turn(connection, noted.memory_id, minutes_ago=ago) for ago in (9, 6, 3)]
        nothing = await given_to_a_turn(connection)
        other = await given_to_a_turn(connection, uuid.uuid4())
    for turn_id in (*turns, *turns, nothing, other):
        await workshop.after_turn(str(ADA.user_id), str(turn_id))
    found = await read(database, noted.memory_id)
    assert found.recalls == 3
    async with database.transaction(ADA) as connection:
        answer = await connection.execute("select now() - max(recalled_at) from chat.memories")
        assert timedelta(minutes=3) < (await answer.fetchone())[0] < timedelta(minutes=5)
