"""Memory tools without a protocol around them: some that only write down what they are asked, some on a real store."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.language_models import BaseChatModel

from chatServer.agent.compact import summarize_session
from chatServer.agent.memory_agent import STORE_TOOLS
from chatServer.agent.memory_tools import MemoryTools, ToolFailed, ToolSpec
from chatServer.agent.script import ScriptedModel
from chatServer.agent.script_file import Round, Rule, Script, ScriptedCall
from chatServer.memory.shelve import shelve
from chatServer.records import Caller, Memory, Reason, Triple, new_id
from chatServer.store import memories as store
from chatServer.store.pool import Database

TEXT = {"type": "string"}
KEEP = {"content": TEXT, "session_id": TEXT, "user_id": TEXT}
TRIPLE = {"subject": TEXT, "predicate": TEXT, "object": TEXT}
SPECS = [
    *(
        ToolSpec(
            name,
            f"Keep what {name} is for.",
            {
                "type": "object",
                "properties": KEEP | (TRIPLE if name == "store_fact" else {}),
                "required": ["content", "session_id"],
            },
        )
        for name in STORE_TOOLS
    ),
    ToolSpec("store_session_message", "Store a message.", {"type": "object", "properties": KEEP}),
    ToolSpec("summarize_session", "Summarise.", {"type": "object", "properties": {"session_id": TEXT}}),
    ToolSpec("manage_long_term_memory", "Notes.", {"type": "object", "properties": {"operation": TEXT}}),
    ToolSpec("search_memories", "Search.", {"type": "object", "properties": {"query": TEXT}}),
]


class Written:
    """Writes down every call; refuses those that it is told to."""

    def __init__(self, *, failing: Sequence[str] = (), specs: Sequence[ToolSpec] = SPECS) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.failing = failing
        self.specs = specs

    async def list_tools(self) -> Sequence[ToolSpec]:
        return self.specs

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        self.calls.append((name, dict(arguments)))
        if name in self.failing:
            raise ToolFailed(f"{name} is out of order, said the secret")
        return {"memory_id": "m", "outcome": "created"}

    def of(self, name: str) -> list[dict[str, Any]]:
        return [arguments for called, arguments in self.calls if called == name]


class OnStore:
    """What our own tools do, in a few lines: a memory on the shelf of its agent, once, and not without its turn."""

    def __init__(self, database: Database, caller: Caller) -> None:
        self._database = database
        self._caller = caller

    async def list_tools(self) -> Sequence[ToolSpec]:
        return SPECS

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        principal = self._caller.principal
        if arguments.get("user_id", str(principal.user_id)) != str(principal.user_id):
            raise ToolFailed("That is another user.")
        if name == "store_session_message":
            return {"stored": True}
        if name == "summarize_session":
            told = await summarize_session(self._database, principal, arguments["session_id"])
            return {"updated": told.is_updated}
        async with self._database.transaction(principal) as connection:
            await store.advance_head(connection, principal.user_id)
            reason = Reason("model", None, None, self._caller.turn_id, self._caller.attempt)
            shelved = await shelve(connection, principal.user_id, self._memory(name, arguments), reason)
        return {"memory_id": str(shelved.memory.memory_id), "outcome": shelved.outcome}

    def _memory(self, name: str, arguments: Mapping[str, Any]) -> Memory:
        now = datetime.now(UTC)
        triple = Triple(*(arguments[each] for each in TRIPLE)) if "subject" in arguments else None
        return Memory(
            memory_id=new_id(),
            text=arguments["content"],
            kind="working" if name == "store_working_memory" else name.removeprefix("store_"),
            category="knowledge",
            importance=0.7,
            tags=(),
            tier="long",
            shelf=self._caller.agent_name or "*",
            agent_name=self._caller.agent_name or "*",
            session_id=arguments["session_id"],
            origin=self._caller.origin,
            trust=self._caller.trust,
            valid_from=now,
            valid_to=None,
            created_at=now,
            updated_at=now,
            triple=triple,
            source_ids=self._caller.source_ids[-1:],
            turn_id=self._caller.turn_id,
            attempt=self._caller.attempt,
        )


def on_store(database: Database) -> Callable[[Caller], contextlib.AbstractAsyncContextManager[MemoryTools]]:
    @contextlib.asynccontextmanager
    async def opened(caller: Caller) -> AsyncIterator[MemoryTools]:
        yield OnStore(database, caller)

    return opened


def scripted(*calls: tuple[str, dict[str, Any]], reply: str = "Kept.", **options: Any) -> BaseChatModel:
    """A memory agent that makes these calls, all at once, and then says something."""
    called = Round(calls=tuple(ScriptedCall(name, arguments) for name, arguments in calls))
    steps = ([called] if calls else []) + [Round(reply=reply, **options)]
    default = Rule("chat", None, (Round(reply="no rule"),))
    rule = Rule("revise", None, tuple(steps))
    return ScriptedModel(script=Script("script:revise", (rule,), default), purpose="revise")
