"""The tool `forget_memories`: what the user no longer wants to be remembered goes, and can be brought back by him."""

from pydantic import BaseModel, Field

from chatServer.agent.builtin.phrases import COMMON, language_of
from chatServer.agent.let_go import STAYS
from chatServer.agent.tools.tool import Tool, ToolContext, ToolResult
from chatServer.agent.wishes import tells_nothing
from chatServer.memory.forget.forget_named import MAX_FORGOTTEN, Forgotten, TooMany, forget_named
from chatServer.memory.forget.said import Wanted
from chatServer.memory.notes.notebook import TURN_IS_OVER
from chatServer.messages import searchable
from chatServer.messages.text import one_line
from chatServer.records import TurnEvent
from chatServer.store.said import Reach

DESCRIPTION = """\
Forget what is remembered about this user: facts that were learned from conversations, and what the user said in them,
as both are quoted to you. The messages stay in their chats, and are no longer found.
Use it only when the user asks you in so many words to forget something. Your notes are another thing: edit them, too.
what: the thing to forget in a few words of the user, such as "I live in Berlin" or "my dog Rex"."""
NOTHING = "Nothing that is remembered says that."
FORGOTTEN = "Forgotten:"
IDS = "The user can undo that, under these ids:"
PASSED_OVER = "Said in chats, where it stays, and no longer found:"
MESSAGE_IDS = "The user can undo that, under these ids of messages:"
LEFT = "{} messages speak of it, too, and are still found. Whoever means one of them names it more exactly."
QUOTED_CHARACTERS = 100  # of a message
TOO_MANY = f"More than {MAX_FORGOTTEN} memories or messages say that. Name it more exactly. Nothing was forgotten."
UNTRUSTED = "This turn has read text from outside, so nothing is forgotten in it. The user may ask for it again."


class ForgetInput(BaseModel):
    """What a model says to the tool; whose memories they are, it cannot say."""

    what: str = Field(description="What to forget, in a few words.", max_length=2_000)


async def _run(context: ToolContext, said: ForgetInput) -> ToolResult:
    if context.has_read_untrusted:
        return ToolResult(UNTRUSTED, is_error=True)
    try:
        wanted = _wanted(context, said.what)
        found = await forget_named(context.database, context.principal, wanted, attempt=context.attempt)
    except TooMany:
        return ToolResult(TOO_MANY, is_error=True)
    if found is None:
        return ToolResult(TURN_IS_OVER, is_error=True)
    return _told(found)


def _wanted(context: ToolContext, what: str) -> Wanted:
    common, reach = COMMON[language_of(searchable(what).split())], Reach(context.shelves, context.closed)
    return Wanted(what, reach, context.turn_id, common=common, is_wish=tells_nothing)


def _told(found: Forgotten) -> ToolResult:
    """A line for each, and what undoes it."""
    ids = [str(each.memory_id) for each in found.memories]
    message_ids = [str(each.message_id) for each in found.messages]
    told: list[str] = []
    undo: list[str] = []
    if ids:
        told += [FORGOTTEN, *(f"- {each.text}" for each in found.memories)]
        undo.append(f"{IDS} {', '.join(ids)}")
    if message_ids:
        told += [PASSED_OVER, *(f"- {_quoted(each.passage)}" for each in found.messages)]
        undo.append(f"{MESSAGE_IDS} {', '.join(message_ids)}")
    if message_ids or any(each.source_ids for each in found.memories):
        told.append(STAYS)
    if not told:
        return ToolResult(NOTHING)
    if found.left:
        told.append(LEFT.format(found.left))
    value = {"memory_ids": ids, "message_ids": message_ids} if message_ids else {"memory_ids": ids}
    return ToolResult("\n".join([*told, *undo]), events=(TurnEvent("data", name="forgotten", value=value),))


def _quoted(text: str) -> str:
    line = one_line(text)
    return f"“{line}”" if len(line) <= QUOTED_CHARACTERS else f"“{line[:QUOTED_CHARACTERS].rstrip()}…”"


forget_memories = Tool("forget_memories", DESCRIPTION, ForgetInput, _run, is_memory=True)
