"""A server in this process for tests that cannot wait themselves: its own loop, and a model that it scripts."""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import httpx
import psycopg

from chatServer.config import Settings
from tests.conftest import Urls, bearer, owner_connection, serving
from tests.tools.talking import chunks, spoken, with_script
from tests.tools.world import WINDOWS

T = TypeVar("T")
PROMPT = "You note:\n{long_term_memory_notes}"
FAILS_AFTER = {"fail": 2, "break": 0}  # words of FAILING
FAILING = "half an answer"
WAITING = "never a whole answer"
TOOL = "manage_long_term_memory"
# What a user says, and what the model then does with its notes.
WISHES: dict[str, dict[str, str]] = {
    r"^remember (.+)$": {"operation": "append", "content": "{1}"},
    r"^begin with (.+)$": {"operation": "prepend", "content": "{1}"},
    r"^rewrite as (.+)$": {"operation": "overwrite", "content": "{1}"},
    r"^replace (\w+): (.+)$": {"operation": "replace_section_by_header", "section_header": "{1}", "content": "{2}"},
    r"^drop (\w+)$": {"operation": "delete_section_by_header", "section_header": "{1}"},
    r"^forget it all$": {"operation": "delete_all_notes"},
    r"^read it$": {"operation": "read"},
}
RULES: list[dict[str, Any]] = [
    # It breaks off behind its last word: so it tells all that the model was given, and is itself given to no model.
    {"match": "^recite$", "reply": "{system}\n---\n{messages}", "fail_after_words": 1_000_000},
    *({"match": f"^{word}", "reply": FAILING, "fail_after_words": n} for word, n in FAILS_AFTER.items()),
    {"match": "^wait", "reply": WAITING, "hang": True},
    *({"match": said, "tool_calls": [{"name": TOOL, "args": args}], "then": "Noted."} for said, args in WISHES.items()),
]


def wish_of(text: str) -> dict[str, str] | None:
    """What the model asks of its notes when it hears this."""
    for said, args in WISHES.items():
        if match := re.search(said, text):
            return {name: re.sub(r"\{(\d)\}", lambda m: match[int(m[1])], value) for name, value in args.items()}
    return None


@dataclass(frozen=True)
class Heard:
    """An answer to a message, whichever way it was given."""

    status: int
    code: str | None
    turn_id: str | None
    session_id: str | None
    text: str
    chunks: list[dict[str, Any]] | None = None

    @classmethod
    def of(cls, answer: httpx.Response) -> "Heard":
        if answer.headers["content-type"].startswith("text/event-stream"):
            said = chunks(answer.text)
            about, is_failed = said[0]["messageMetadata"], said[-1]["type"] == "error"
            assert answer.text.endswith("data: [DONE]\n\n")
            status = 502 if is_failed else 200
            return cls(status, None, about["turn_id"], about["session_id"], spoken(answer.text), said)
        body = answer.json()
        known = (body.get(name) for name in ("code", "turn_id", "session_id"))
        return cls(answer.status_code, *known, body.get("response", ""))


class Server:
    """The app over ASGI; every call waits for its answer, and none may be our fault."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: httpx.AsyncClient, settings: Settings, urls: Urls):
        self._loop = loop
        self.client = client
        self._settings = settings
        self._owner: psycopg.Connection = owner_connection(urls.owner)

    def wait(self, for_this: Awaitable[T]) -> T:
        return self._loop.run_until_complete(asyncio.wait_for(for_this, 60))

    def headers_of(self, user_id: UUID) -> dict[str, str]:
        return bearer(self._settings, user_id)

    async def ask(self, method: str, path: str, who: dict[str, str], **options: Any) -> httpx.Response:
        headers = who | options.pop("headers", {})
        answer = await self.client.request(method, path, headers=headers, **options)
        is_planned = answer.status_code == 502 and answer.json()["code"] == "model_failed"
        assert answer.status_code < 500 or is_planned, (method, path, answer.status_code, answer.text)
        return answer

    def active_of(self, user_id: UUID) -> dict[str, str]:
        """No route tells which session is active without making it so."""
        query = "select agent_name, active_session_id from public.user_agent_active_sessions where user_id = %s"
        return dict(self._owner.execute(query, (user_id,)).fetchall())

    def close(self) -> None:
        self._owner.close()


@contextlib.contextmanager
def served(settings: Settings, urls: Urls, rules: Sequence[dict[str, Any]] = RULES) -> Iterator[Server]:
    """Two agents with windows of different lengths; no worker, so that titles are the users' own."""
    folder = settings.chat_data_dir / "agents"
    folder.mkdir()
    for name, messages in WINDOWS.items():
        agent = {"name": name, "description": name, "prompt": PROMPT, "tools": [TOOL], "window": {"messages": messages}}
        (folder / f"{name}.yaml").write_text(json.dumps(agent))
    settings = with_script(settings, *rules, agents_dir=folder)
    loop = asyncio.new_event_loop()
    opened = contextlib.AsyncExitStack()
    try:
        client = loop.run_until_complete(opened.enter_async_context(serving(settings)))
        server = Server(loop, client, settings, urls)
        yield server
        server.close()
    finally:
        loop.run_until_complete(opened.aclose())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
