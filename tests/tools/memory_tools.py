"""Memory tools that only write down what they are asked, a memory agent that is a script, and the tool that forgets as
a turn calls it."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel

from chatServer.agent.memory_agent import STORE_TOOLS
from chatServer.agent.memory_tools import ToolFailed, ToolSpec
from chatServer.agent.script import ScriptedModel
from chatServer.agent.script_file import Round, Rule, Script, ScriptedCall
from chatServer.agent.tools import ToolContext
from chatServer.agent.tools.forget_memories import ForgetInput, forget_memories
from tests.conftest import ADA
from tests.tools.turns import begin_turn

SHELVES = ("*", "assistant", "session")

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


def scripted(*calls: tuple[str, dict[str, Any]], reply: str = "Kept.", **options: Any) -> BaseChatModel:
    """A memory agent that makes these calls, all at once, and then says something."""
    called = Round(calls=tuple(ScriptedCall(name, arguments) for name, arguments in calls))
    steps = ([called] if calls else []) + [Round(reply=reply, **options)]
    default = Rule("chat", None, (Round(reply="no rule"),))
    rule = Rule("revise", None, tuple(steps))
    return ScriptedModel(script=Script("script:revise", (rule,), default), purpose="revise")


async def forget(database, what: str, *, user=ADA, turn_id=None, shelves=SHELVES, untrusted=False, closed=None):
    turn_id = turn_id or await begin_turn(database, user)
    context = ToolContext(database, user, "assistant", "session", turn_id, 1, untrusted, shelves, closed=closed)
    return await forget_memories.run(context, ForgetInput(what=what))
