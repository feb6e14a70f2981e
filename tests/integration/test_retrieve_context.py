"""The tool retrieve_context, in both loops: what the model reads, what is kept, and that the window is never too
small."""

import json
from dataclasses import replace

import pytest
from langchain_core.messages import ToolMessage

from chatServer.agent.counted import count_prompt
from chatServer.agent.tools import ToolResult, tokens_of
from chatServer.agent.tools import retrieve_context as tool_file
from chatServer.agent.tools.retrieve_context import retrieve_context
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.conversation.tokens import count_text
from chatServer.messages import Message, text_of
from chatServer.messages.fence import all_unfenced, unfenced
from chatServer.records import Limits
from tests.conftest import ADA
from tests.tools.asking import DOUBLE, Asking, a_context, events, said, text, tool
from tests.tools.shelved import put_article, retriever_of
from tests.tools.spoken import SpokenModel, call

WINDOW = 6_000
ANSWER = 500
BOOK = [f"Page {number} of the book tells of the vault and of many other things. " * 3 for number in range(200)]


@pytest.fixture(params=["lean", "create_agent"])
def kind(request) -> str:
    return request.param


def looking(kind, database, *rounds, window_tokens=WINDOW, **options) -> Asking:
    limits = Limits(output_tokens=ANSWER)
    asking = Asking(kind, SpokenModel(rounds=list(rounds)), limits=limits, window_tokens=window_tokens, **options)
    asking.context = replace(a_context(ADA.user_id), database=database, retriever=retriever_of(database))
    return asking


def look(query: str = "the vault", index: int = 0, **more) -> object:
    return call("retrieve_context", json.dumps({"query": query, **more}), f"look{index}", index)


async def prompts_fit(asking: Asking, tools) -> list[int]:
    """How much of the window each step leaves, beside the answer."""
    left = []
    for given in asking.models.model.asked:
        taken = await count_prompt(given) + tokens_of(tuple(tools))
        left.append(asking.window_tokens - ANSWER - taken)
    assert all(each >= 0 for each in left), left
    return left


async def test_the_model_reads_what_is_kept_by_name_only(kind, database, urls):
    article = await put_article(
        urls.owner, ADA.user_id, "safe.pdf", ["The vault is ", "in Lisbon."], title="Safes", pages=[4, 5]
    )
    asking = looking(kind, database, [look()], ["In Lisbon."])
    heard = await asking.hear("Where is the vault?", [retrieve_context])
    read = [m for m in asking.models.model.asked[-1] if isinstance(m, ToolMessage)]
    assert list(all_unfenced("articles", read[0].content)) == ["Safes, safe.pdf\n\nThe vault is in Lisbon."]
    (kept,) = said(heard, "tool")
    assert "Lisbon" not in text_of(kept)
    assert unfenced("sources", text_of(kept)) == "- Safes, safe.pdf"
    source = {"article_id": str(article), "title": "Safes", "name": "safe.pdf", "media_type": "text/plain"}
    source |= {"tokens": 7, "is_whole": True}
    assert kept.structured_data["sources"] == [source]
    assert [(one.id, one.value) for one in events(heard, "source")] == [(str(article), source)]
    assert "Lisbon" not in json.dumps([one.value for one in events(heard, "tool-output")])
    assert asking.context.has_read_untrusted


async def test_the_room_that_is_left_is_filled_and_never_more(kind, database, urls):
    await put_article(urls.owner, ADA.user_id, "book.txt", BOOK)
    history = [
        Message("user", "Tell me something long."),
        Message("assistant", "So it went on and on. " * 60),
        Message("user", "What of the vault?"),
    ]
    asking = looking(kind, database, [look(top_k=3)], ["Much."])
    await asking.hear(history, [retrieve_context, DOUBLE])
    _, left = await prompts_fit(asking, [retrieve_context, DOUBLE])
    chunk = 80
    assert left <= chunk + 256, "what is free is less than one more passage would take"
    (read,) = [m for m in asking.models.model.asked[-1] if isinstance(m, ToolMessage)]
    assert len(read.content) > WINDOW, "more than the quarter that other tools' results are cut to"


async def test_calls_of_one_step_share_the_room(kind, database, urls):
    await put_article(urls.owner, ADA.user_id, "book.txt", BOOK)
    await put_article(urls.owner, ADA.user_id, "other.txt", ["The vault of the other book. " * 30] * 40)

    async def long(*_) -> ToolResult:
        return ToolResult("a long result " * 400)

    tools = [retrieve_context, tool("long", long)]
    calls = [look(), call("long", "{}", "long1", 1), look("other book", 2), call("long", "{}", "long2", 3)]
    asking = looking(kind, database, calls, ["Done."])
    heard = await asking.hear("What of the vault?", tools)
    await prompts_fit(asking, tools)
    assert [one.id for one in events(heard, "tool-output")] == ["look0", "long1", "look2", "long2"]


async def test_without_room_it_says_so_and_another_step_still_fits(kind, database, urls):
    await put_article(urls.owner, ADA.user_id, "book.txt", BOOK)
    asking = looking(kind, database, [look()], [look("once more", 1)], ["Enough."])
    heard = await asking.hear("What of the vault?", [retrieve_context])
    await prompts_fit(asking, [retrieve_context])
    assert [one.value for one in events(heard, "tool-output")][1] in (tool_file.NO_ROOM, tool_file.NOTHING)
    assert text(heard) == "Enough."
    assert len(events(heard, "source")) == 1, "an article is told of once"


async def test_addresses_that_become_longer_words_still_fit(kind, database, urls):
    await put_article(urls.owner, ADA.user_id, "people.txt", ["vault a@b.co c@d.eu e@f.de " * 20] * 60)
    asking = looking(kind, database, [look()], ["Many."])
    await asking.hear("Who has the vault?", [retrieve_context])
    await prompts_fit(asking, [retrieve_context])


async def test_it_is_only_offered_where_there_are_articles_and_cannot_name_a_user():
    assert TOOLS["retrieve_context"].needs_articles
    assert set(retrieve_context.input.model_fields) == {"query", "top_k"}
    assert retrieve_context.is_untrusted


async def test_the_first_step_has_to_call_the_tool_that_the_agent_begins_with(kind, database, urls):
    await put_article(urls.owner, ADA.user_id, "book.txt", BOOK[:2])
    asking = looking(kind, database, [look()], [look("again", 1)], ["Done."], first_tool="retrieve_context")
    await asking.hear("What of the vault?", [retrieve_context, DOUBLE])
    assert asking.models.model.choices == ["retrieve_context", None, None]
    await asking.hear("What of the vault?", [DOUBLE])
    assert asking.models.model.choices[3:] == [None], "it is not offered, and so not asked for"


async def listed(database, *, room_tokens: int = 5_000) -> str:
    context = replace(a_context(ADA.user_id), database=database, retriever=retriever_of(database))
    context.room_tokens = room_tokens
    return (await retrieve_context.run(context, retrieve_context.input(query=""))).text


async def test_articles_that_wait_to_be_read_hide_none_that_can_be(database, urls, monkeypatch):
    monkeypatch.setattr(tool_file, "MAX_LISTED", 2)
    await put_article(urls.owner, ADA.user_id, "waiting0.txt", [])
    assert await listed(database) == tool_file.NONE_READ
    await put_article(urls.owner, ADA.user_id, "read.txt", ["The vault is in Lisbon."])
    for number in range(1, 6):
        await put_article(urls.owner, ADA.user_id, f"waiting{number}.txt", [])
    assert unfenced("sources", await listed(database)) == "- read.txt"


async def test_names_full_of_tags_take_no_more_than_the_room(database, urls):
    await put_article(urls.owner, ADA.user_id, "plain.txt", ["The vault is in Lisbon."])
    for number in range(12):
        await put_article(urls.owner, ADA.user_id, f"{number}{'<sources' * 15}", ["The vault is in Lisbon."])
    for room_tokens in (110, 200, 300, 5_000):
        text = await listed(database, room_tokens=room_tokens)
        assert "- plain.txt" in text or room_tokens > 110
        assert count_text(text) <= min(room_tokens, tool_file.LIST_TOKENS + tool_file.LIST_FRAME_TOKENS), room_tokens
