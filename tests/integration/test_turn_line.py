"""One line in the log for each turn: what its prompt was made of and what became of it, and nobody's words."""

import pytest

from tests.conftest import ADA
from tests.tools.canary import CANARY
from tests.tools.contexts import agent_in, given
from tests.tools.counted import counted
from tests.tools.log_lines import lines_of
from tests.tools.previewing import NOTES, look, part_of, say, with_agents
from tests.tools.recalling import remembered
from tests.tools.shelved import put_article
from tests.tools.talking import talking, user_message

PARTS = ("system", "notes", "tools", "summary", "history", "recalled", "articles", "question")
FAILS = {"match": "^fail", "reply": "a b", "fail_after_words": 1}


@pytest.fixture
async def chat(settings, as_ada):
    settings = with_agents(settings, messages=20, tokens=4_000)
    async with talking(settings, as_ada, NOTES, FAILS) as client:
        yield client


async def test_the_line_has_the_numbers_of_the_prompt_and_no_words(chat, database):
    await remembered(database, ADA, f"The user lives in {CANARY}.")
    await say(chat, f"note {CANARY} likes short answers.")
    seen = await look(chat, f"Where do I live, {CANARY}?")
    before = {part: counted("chat_prompt_tokens_sum", part=part) for part in PARTS}
    with lines_of("chatServer.turn.ledger") as lines:
        answer = await say(chat, f"Where do I live, {CANARY}?")
    [line] = lines
    assert (line["message"], line["state"], line["error_code"]) == ("turn ended", "done", None)
    assert (line["turn_id"], line["session_id"]) == (answer["turn_id"], answer["session_id"])
    assert (line["agent"], line["attempt"], line["larger_model"]) == ("assistant", 1, False)
    assert line["duration_ms"] > 0
    assert (line["compaction"], line["tokens_saved"], line["recall_degraded"]) == (None, 0, None)
    assert line["recalled_lines"] == len(part_of(seen, "recalled")["lines"]) > 0
    parts = {part: line[f"{part}_tokens"] for part in PARTS}
    shown = {each["name"]: each["tokens"] for each in seen["parts"]}
    assert parts == {part: shown.get(part, 0) for part in PARTS}
    assert sum(parts.values()) == line["prompt_tokens"] == seen["prompt_tokens"]
    assert (line["window_tokens"], line["room_tokens"]) == (4_000, seen["room_tokens"])
    usage = answer["usage"]
    assert (line["input_tokens"], line["output_tokens"]) == (usage["input_tokens"], usage["output_tokens"])
    assert {part: counted("chat_prompt_tokens_sum", part=part) - before[part] for part in PARTS} == parts
    assert CANARY not in str(line)


async def test_what_was_summarised_for_a_turn_is_in_its_line(chat):
    for number in range(2):
        await say(chat, f"{number} " + "word " * 700)
    with lines_of("chatServer.turn.ledger") as lines:
        stream = await chat.post("/api/chat", json={"id": "thread", "message": user_message("word " * 700)})
    assert "data-compaction" in stream.text
    [line] = lines
    assert line["compaction"] == "mark"
    assert line["tokens_saved"] > 0
    assert line["summary_tokens"] > 0
    assert line["dropped_messages"] > 0
    assert line["forgotten_messages"] == 0


LOOK = {"name": "retrieve_context", "args": {"query": "warranty"}}
READ = {"name": "manage_long_term_memory", "args": {"operation": "read"}}
READS = {"match": "^read", "steps": [{"tool_calls": [LOOK]}, *[{"tool_calls": [READ]}] * 5, {"reply": "Done."}]}


async def test_articles_have_their_number_and_what_other_tools_said_is_in_none(settings, as_ada, urls):
    tools = ["retrieve_context", "manage_long_term_memory"]
    window = {"messages": 4, "tokens": 6_000}
    agent = agent_in(settings, tools=tools, memory={"scope": "agent"}, window=window, limits={"output_tokens": 500})
    await put_article(urls.owner, ADA.user_id, "pump.txt", ["Its warranty lasts three years."])
    before = counted("chat_prompt_tokens_sum", part="articles")
    async with talking(settings, as_ada, READS, log=True, **agent) as client:
        notes = "- likes tea and rye bread\n" * 140  # 1,000 tokens
        await client.put("/api/agents/assistant/notes", json={"notes": notes}, headers={"If-Match": '"0"'})
        with lines_of("chatServer.turn.ledger") as lines:
            await say(client, "read")
    [line] = lines
    first, second, *_, last = given(settings)
    question, [looked] = first[-1]["tokens"], [each["tokens"] for each in second if each["role"] == "tool"]
    reads = [each["tokens"] for each in last if each["role"] == "tool"][1:]
    assert min(reads) < max(reads), "they were more than fits"
    assert (line["articles_tokens"], line["question_tokens"]) == (looked, question)
    assert counted("chat_prompt_tokens_sum", part="articles") - before == looked
    assert sum(line[f"{part}_tokens"] for part in PARTS) == line["prompt_tokens"]


async def test_a_turn_that_fails_and_one_for_a_larger_model_have_their_line_too(chat):
    with lines_of("chatServer.turn.ledger") as lines:
        await chat.post("/api/chat", json={"message": f"fail {CANARY}"})
        await say(chat, "word " * 5_000, agent_id="grand")
    failed, large = lines
    assert (failed["state"], failed["error_code"]) == ("failed", "model_failed")
    assert (large["larger_model"], large["model"], large["window_tokens"]) == (True, "builtin", 128_000)
