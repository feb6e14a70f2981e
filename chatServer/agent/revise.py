"""ReviseNode: the last node of an agent's graph. It stores what was said last, lets a session be summarised now and
then, and asks the memory agent what to keep; whatever goes wrong there, the graph goes on.

    node = ReviseNode(mcp_manager, model=model)
    graph.add_node("revise", node)            # a node's update: the memory fields alone
    state = await node.execute(state)         # or by itself: the whole state, with the memory fields
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypedDict, cast

from langchain_core.language_models import BaseChatModel
from langgraph.config import get_stream_writer

from chatServer.agent.memory_agent import Analysis, create_react_agent, discover
from chatServer.agent.memory_tools import MemoryTools
from chatServer.agent.speech import said_in
from chatServer.memory.remember.anew import said_anew
from chatServer.messages import clean_text
from chatServer.messages.fence import fence
from chatServer.records import Usage
from chatServer.spans import span

UPDATE_THRESHOLD = 5  # messages
IMPORTANCE_SCORE = 0.7
FORCE_UPDATE = False
ANONYMOUS = "anonymous"  # in library use; the server's tools refuse it
MAX_CHARACTERS = 24_000  # of a conversation that is shown to the memory agent; the newest are
MAX_MESSAGE_CHARACTERS = 4_000

ROLES = (("Human", "user"), ("AI", "assistant"), ("Tool", "tool"))  # by what the name of a message's class holds

logger = logging.getLogger(__name__)


class OptimizedAgentState(TypedDict, total=False):
    """What the node reads, and what it adds."""

    messages: list[Any]
    session_id: str
    user_id: str
    user_query: str
    capabilities: dict[str, Any]
    memory_update_triggered: bool
    memory_tools_used: list[str]
    memory_analysis: str
    memory_update_error: str


def every_five(count: int) -> bool:
    """5, 10, 15; not 4, not 7."""
    return count > 0 and count % UPDATE_THRESHOLD == 0


class ReviseNode:
    """Without a manager nothing is kept; without a model nobody decides, but what was said is stored and summarised.

    `usage` is what the memory agent has taken so far.
    """

    def __init__(
        self,
        mcp_manager: MemoryTools | None = None,
        *,
        model: BaseChatModel | None = None,
        is_summary_due: Callable[[int], bool] = every_five,
    ) -> None:
        self.mcp_manager = mcp_manager
        self.model = model
        self.usage = Usage()
        self._is_summary_due = is_summary_due

    async def __call__(self, state: OptimizedAgentState) -> OptimizedAgentState:
        """As a node: what is new, so that whatever a graph does with its other fields is done once."""
        with span("revise"):
            return await self._revise(state)

    async def execute(self, state: OptimizedAgentState) -> OptimizedAgentState:
        """The state with what became of memory; everything else is as it was."""
        return cast(OptimizedAgentState, {**state, **await self(state)})

    async def _revise(self, state: OptimizedAgentState) -> OptimizedAgentState:
        session_id, user_id = state.get("session_id") or "", state.get("user_id") or ANONYMOUS
        _stream({"status": "starting", "session_id": session_id})
        found: OptimizedAgentState = {"memory_update_triggered": False, "memory_tools_used": []}
        is_due = self.mcp_manager is not None and self._is_summary_due(len(_messages(state)))
        if session_id and _messages(state) and self.mcp_manager is not None:
            await self._save_conversation(state)
            if is_due:
                await _told_in(found, self._summarise(session_id, user_id))
            await _told_in(found, self._intelligent_memory_update(state, session_id, user_id))
        used = found["memory_tools_used"]
        _stream({"status": "completed", "memory_updated": is_due or bool(used), "memory_tools_used": used})
        return found

    async def _save_conversation(self, state: OptimizedAgentState) -> None:
        """Store the last message; one that cannot be stored holds nobody up."""
        messages, session_id = _messages(state), state.get("session_id")
        if not messages or not session_id or self.mcp_manager is None:
            return
        last = messages[-1]
        arguments = {
            "session_id": session_id,
            "user_id": state.get("user_id") or ANONYMOUS,
            "message_type": type(last).__name__.lower(),
            "role": self._get_message_role(last),
            "content": str(getattr(last, "content", "")),
            "importance_score": IMPORTANCE_SCORE,
        }
        if message_id := getattr(last, "id", None):  # so that storing it again changes nothing
            arguments["message_id"] = str(message_id)
        try:
            await self.mcp_manager.call_tool("store_session_message", arguments)
        except Exception as error:  # noqa: BLE001  the conversation goes on, whatever a tool raises
            logger.warning("a message could not be stored: %s", type(error).__name__)

    async def _summarise(self, session_id: str, user_id: str) -> OptimizedAgentState:
        arguments = {"session_id": session_id, "user_id": user_id, "force_update": FORCE_UPDATE}
        if self.mcp_manager is not None:
            await self.mcp_manager.call_tool("summarize_session", arguments)
        return {}

    async def _intelligent_memory_update(
        self, state: OptimizedAgentState, session_id: str, user_id: str
    ) -> OptimizedAgentState:
        """Let the memory agent read the conversation and call whichever of its tools it needs."""
        analysis = await self._analysis(state, session_id, user_id)
        used = list(analysis.tools_used)
        return {"memory_update_triggered": bool(used), "memory_tools_used": used, "memory_analysis": analysis.text}

    async def _analysis(self, state: OptimizedAgentState, session_id: str, user_id: str) -> Analysis:
        said = conversation(_messages(state))
        if self.model is None or self.mcp_manager is None or not said:
            return Analysis()
        memory_tools = await discover(self.mcp_manager)
        if not memory_tools:
            return Analysis()
        context = {"session_id": session_id, "user_id": user_id}
        react_agent = create_react_agent(memory_tools, self.mcp_manager, model=self.model, context=context)
        try:
            return await react_agent.execute(fence("conversation", said))
        finally:
            self.usage += react_agent.usage

    def _get_message_role(self, message: object) -> str:
        return role_of(message)


async def _told_in(found: OptimizedAgentState, step: Awaitable[OptimizedAgentState]) -> None:
    """Add what a step gives; memory that fails is told in the state too, and stops nobody."""
    try:
        found.update(await step)
    except Exception as error:  # noqa: BLE001  whatever a tool or a provider raises
        logger.warning("a revision failed: %s", type(error).__name__)
        # Only its kind: in its words there may be somebody's.
        found["memory_update_error"] = f"Memory could not be updated ({type(error).__name__})."


def role_of(message: object) -> str:
    name = type(message).__name__
    return next((role for part, role in ROLES if part in name), "system")


def conversation(messages: Sequence[object]) -> str:
    """What people and the assistant said anew, the newest of it: neither blocks of a prompt nor results of tools."""
    return "\n\n".join(_shown(messages)[1])


def first_shown(messages: Sequence[object]) -> int:
    """From which one on they are shown: those before are too much for one conversation."""
    return _shown(messages)[0]


def _shown(messages: Sequence[object]) -> tuple[int, list[str]]:
    lines: list[str] = []
    room = MAX_CHARACTERS
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        role = role_of(message)
        text = said_anew(clean_text(_text(message)[:MAX_MESSAGE_CHARACTERS])) if role in ("user", "assistant") else ""
        if not text:
            continue
        room -= len(text)
        if room < 0:
            return place + 1, lines[::-1]
        lines.append(f"{role}: {text}")
    return 0, lines[::-1]


def _text(message: object) -> str:
    content = getattr(message, "content", "")
    return said_in(message) if hasattr(message, "type") and not isinstance(content, str) else str(content)  # type: ignore[arg-type]


def _messages(state: Mapping[str, Any]) -> list[Any]:
    return list(state.get("messages") or ())


def _stream(revision: dict[str, Any]) -> None:
    """For whoever follows the graph; outside of one, and where the writer fails, nobody does."""
    try:
        get_stream_writer()({"memory_revision": revision})
    except Exception as error:  # noqa: BLE001  a follower is no reason to lose a memory
        logger.debug("nobody hears of a revision: %s", type(error).__name__)
