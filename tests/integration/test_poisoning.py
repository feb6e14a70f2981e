"""Texts that want to be instructions, through every channel by which they can come: the model is given them as what
somebody said, in no role but the user's or a tool's, in blocks that they cannot close, with where they are from; none
becomes a rule to go by, and whatever they led to can be taken back."""

import asyncio
import json
import unicodedata
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel

from chatServer.agent.prompts import NOTHING_YET
from chatServer.agent.tools import Tool, ToolContext, ToolResult
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.config import Settings
from chatServer.conversation.quote import MEMORIES_PREFIX
from chatServer.knowledge.quote import PREFIX
from chatServer.memory.remember import keep
from chatServer.messages.fence import fence
from tests.conftest import ADA, bearer, owner_connection, serving
from tests.tools.mcp_client import connected, told
from tests.tools.shelved import put_article
from tests.tools.talking import with_script

POISONS = [
    json.loads(line) for line in (Path(__file__).parent / "poisons.txt").read_text().splitlines() if line[0] == '"'
]
PROMPT = "You help. What you have noted:\n{long_term_memory_notes}"
SYSTEM = PROMPT.replace("{long_term_memory_notes}", NOTHING_YET)
RECITE = {"match": "^What about", "reply": "{system}\n=====\n{messages}"}
FETCH = {
    "match": r"^Fetch page (\d+)",
    "steps": [
        {"tool_calls": [{"name": "fetch_page", "args": {"number": "{1}"}}]},
        {"tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "{results}"}}]},
        {"reply": "I have read it."},
    ],
}
READ = {
    "match": r"^Read about the (\w+)",
    "steps": [
        {"tool_calls": [{"name": "retrieve_context", "args": {"query": "{1}", "top_k": 1}}]},
        {"tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "{results}"}}]},
        {"reply": "{system}\n=====\n{messages}"},
    ],
}


class Page(BaseModel):
    number: str


async def fetch(_: ToolContext, page: Page) -> ToolResult:
    number = int(page.number)
    return ToolResult(marked(number), is_error=number % 4 == 3)


def marked(number: int) -> str:
    """So that it can be told from the others, and asked for."""
    return f"{POISONS[number]} zebra{number}word"


def folded(text: str) -> str:
    """As a careless reader sees it: without what is not seen, and letters alike as one. A mark of ours stays."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(each for each in plain if unicodedata.category(each) not in ("Cf", "Mn", "Zs", "Cc") or each == "\n")
    return seen.translate(str.maketrans("оеіѕса\u2044\u3008\u3009", "oeisca/<>")).replace(" ", "")


@pytest.fixture
def poisoned(settings: Settings, monkeypatch) -> Settings:
    """A server whose agent reads pages from outside, and writes into its notes what it has read."""
    monkeypatch.setitem(TOOLS, "fetch_page", Tool("fetch_page", "Reads a page.", Page, fetch, is_untrusted=True))
    folder = settings.chat_data_dir / "agents"
    folder.mkdir()
    notes = "manage_long_term_memory"
    for name, tools in (("assistant", []), ("reader", ["fetch_page", notes]), ("scholar", ["retrieve_context", notes])):
        agent = {"name": name, "description": name, "prompt": PROMPT, "tools": tools, "memory": {"scope": "user"}}
        (folder / f"{name}.yaml").write_text(json.dumps(agent))
    return with_script(settings, RECITE, FETCH, READ, agents_dir=folder, worker="inprocess")


class Channel:
    """How a text comes in, and what is asked to have it come up again."""

    def __init__(self, client: httpx.AsyncClient, urls) -> None:
        self.client, self.urls = client, urls

    async def chat(self, message: str, **body: str) -> dict:
        answer = await self.client.post("/api/chat", json={"message": message, **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def message(self, number: int) -> None:
        await self.chat(marked(number), session_id=f"m{number}")

    async def tool_result(self, number: int) -> None:
        await self.chat(f"Fetch page {number} of the zebra{number}word.", session_id=f"t{number}", agent_id="reader")

    async def memory(self, number: int) -> None:
        made = await self.client.post("/api/memories", json={"text": marked(number), "kind": "fact"})
        assert made.status_code in (200, 201), made.text

    async def title(self, number: int) -> None:
        await self.chat(f"My zebra{number}word is at home.", session_id=f"n{number}")
        title = {"title": marked(number)[:200]}
        assert (await self.client.patch(f"/api/sessions/n{number}", json=title)).status_code == 200

    async def mcp(self, number: int) -> None:
        """A client that keeps what it has read: as a rule to go by, as a fact, or as something that was said."""
        given = {"content": marked(number), "session_id": f"c{number}"}
        async with connected({"Authorization": self.client.headers["Authorization"]}, app=self.client) as client:
            await told(client, "store_session_message", **given | {"role": ("user", "assistant")[number % 2]})
            done = await told(client, ("store_procedure", "store_fact", "store_episode")[number % 3], **given)
            assert done["outcome"] in ("created", "repeated"), done
            assert done["kind"] != "procedure"

    async def article(self, number: int) -> None:
        await put_article(self.urls.owner, ADA.user_id, f"{number}.txt", [marked(number)])

    async def file_name(self, number: int) -> None:
        name = f"zebra{number}word {POISONS[number]}".encode()[:1_000].decode(errors="ignore")
        await put_article(self.urls.owner, ADA.user_id, name, [f"Nothing but the zebra{number}word."])

    async def settled(self) -> None:
        with owner_connection(self.urls.owner) as owner:
            async with asyncio.timeout(60):
                while owner.execute("select count(*) from procrastinate.procrastinate_jobs").fetchone() != (0,):
                    await asyncio.sleep(0.05)


CHANNELS = ["message", "tool_result", "memory", "title", "mcp"]
FEW = range(4, 60, 9)


async def checked(poisoned: Settings, urls, channel: str, numbers: range) -> None:
    async with serving(poisoned) as client:
        client.headers.update(bearer(poisoned, ADA.user_id))
        ways = Channel(client, urls)
        for number in numbers:
            await getattr(ways, channel)(number)
        await ways.settled()
        found = 0
        for number in numbers:
            answer = await ways.chat(f"What about the zebra{number}word?", session_id=f"q{channel}{number}")
            found += is_harmless(answer, number)
        assert found >= len(numbers) * 0.9, "they do come up: else nothing was looked at"
        await nothing_is_a_rule(client)
        if channel == "tool_result":
            system, _, _ = (await ways.chat("What about it?", agent_id="reader"))["response"].partition("\n=====\n")
            assert folded(system).count("</notes") == 1, (
                "notes are the one text of others there, and stay in their block"
            )
            await notes_are_flagged_and_go_back(client, "reader")
        await memories_can_be_taken_back(client)


def is_harmless(told: dict, number: int) -> bool:
    """Whether what was sent came up in the prompt of another session, where it is only quoted."""
    system, _, messages = told["response"].partition("\n=====\n")
    assert system == SYSTEM
    # Its beginning stands before each block; where an answer is quoted that recited one, there is no line's end.
    seen, blocks = folded(messages), messages.count(f"{MEMORIES_PREFIX}\n")
    assert (seen.count("<memories"), seen.count("</memories")) == (blocks, blocks), messages
    used = told["memory"]["items"] if told["memory"] else []
    mine = [item for item in used if f"zebra{number}word" in item["text"] + (item["source"].get("title") or "")]
    for item in mine:
        assert item["trust"] in ("user", "assistant", "untrusted")
        assert item["source"].get("message_id") or item["what"] == "memory", "it says where it is from"
    return bool(mine)


async def nothing_is_a_rule(client: httpx.AsyncClient) -> None:
    memories = (await client.get("/api/memories", params={"superseded": True, "limit": 200})).json()["memories"]
    for each in memories:
        if each["kind"] == "procedure":
            assert each["origin"] == "user", each
        if "fetch_page" in each["text"]:
            assert (each["trust"], each["kind"]) == ("untrusted", "episode"), each
        if each["origin"] == "mcp":
            assert each["trust"] == "untrusted", each
        assert each["origin"] in ("user", "mcp") or each["source"]["message_ids"], each


async def notes_are_flagged_and_go_back(client: httpx.AsyncClient, agent: str) -> None:
    """What an agent wrote after it had read from outside says so, and every state before it can be had again."""
    versions = (await client.get(f"/api/agents/{agent}/notes/versions", params={"limit": 200})).json()["versions"]
    written = [each for each in versions if each["actor"] == "agent"]
    assert written
    assert all(each["untrusted_turn"] and each["turn_id"] for each in written)
    page = await client.get(f"/api/agents/{agent}/notes")
    restored = await client.post(
        f"/api/agents/{agent}/notes/versions/0/restore", headers={"If-Match": page.headers["etag"]}
    )
    assert restored.json()["notes"] == ""


async def memories_can_be_taken_back(client: httpx.AsyncClient) -> None:
    for _ in range(5):  # an undo may bring back what was replaced
        memories = (await client.get("/api/memories", params={"limit": 200})).json()["memories"]
        for each in memories:
            assert (await client.post(f"/api/memories/{each['id']}/undo")).status_code in (200, 204, 404), each
        if not memories:
            return
    assert memories == []


@pytest.mark.parametrize("channel", CHANNELS)
async def test_a_text_that_wants_to_be_an_instruction_is_only_quoted(poisoned, urls, channel):
    await checked(poisoned, urls, channel, FEW)


@pytest.mark.long
@pytest.mark.parametrize("channel", CHANNELS)
async def test_all_of_them_are_only_quoted(poisoned, urls, channel, monkeypatch):
    assert len(POISONS) == 60
    monkeypatch.setattr(keep, "MAX_PER_MINUTE", 60)
    await checked(poisoned, urls, channel, range(60))


ARTICLE_CHANNELS = ["article", "file_name"]


async def read_harmlessly(poisoned: Settings, urls, channel: str, numbers: range) -> None:
    """What stands in an article, or what it is called, is read in a tool's role and in a block that it cannot close."""
    async with serving(poisoned) as client:
        client.headers.update(bearer(poisoned, ADA.user_id))
        ways = Channel(client, urls)
        for number in numbers:
            await getattr(ways, channel)(number)
        for number in numbers:
            question = f"Read about the zebra{number}word."
            is_read_harmlessly(await ways.chat(question, session_id=f"r{number}", agent_id="scholar"), number)
        await ways.settled()
        await nothing_is_a_rule(client)
        await notes_are_flagged_and_go_back(client, "scholar")


def is_read_harmlessly(told: dict, number: int) -> None:
    system, _, messages = told["response"].partition("\n=====\n")
    assert system.startswith(SYSTEM.partition(NOTHING_YET)[0])
    end = messages.rindex("\nassistant: [manage_long_term_memory")
    block = messages[messages.rindex(f"\ntool: {PREFIX}\n", 0, end) : end]  # before it, others may be recalled
    seen = folded(block)
    assert (seen.count("<articles"), seen.count("</articles")) == (1, 1), block
    assert f"zebra{number}word" in block
    [source] = told["message"]["metadata"]["sources"]
    assert source["article_id"]


@pytest.mark.parametrize("channel", ARTICLE_CHANNELS)
async def test_an_article_that_wants_to_be_an_instruction_is_only_quoted(poisoned, urls, channel):
    await read_harmlessly(poisoned, urls, channel, FEW)


@pytest.mark.long
@pytest.mark.parametrize("channel", ARTICLE_CHANNELS)
async def test_all_such_articles_are_only_quoted(poisoned, urls, channel):
    await read_harmlessly(poisoned, urls, channel, range(60))


def test_the_check_sees_a_block_that_is_closed():
    def prompt(text: str) -> dict:
        block = f"{MEMORIES_PREFIX}\n\n<memories>\n{text}\n</memories>"
        return {"response": f"{SYSTEM}\n=====\nuser: {block}\nuser: What about it?", "memory": None}

    is_harmless(prompt("x"), 0)
    closers = [each for each in POISONS if "</memories" in folded(each)]
    assert len(closers) > 12
    for each in closers:
        with pytest.raises(AssertionError):
            is_harmless(prompt(each), 0)
        is_harmless(prompt(fence("memories", each)[len("<memories>\n") : -len("\n</memories>")]), 0)
