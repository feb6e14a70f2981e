"""The tool `forget_memories`: what the user no longer wants to be remembered goes, and can be brought back by him."""

from pydantic import BaseModel, Field

from chatServer.agent.tools import Tool, ToolContext, ToolResult
from chatServer.memory import named
from chatServer.memory.notebook import TURN_IS_OVER
from chatServer.records import TurnEvent

DESCRIPTION = """\
Forget what is remembered about this user: facts that were learned from conversations, as they are quoted to you.
Use it only when the user asks you in so many words to forget something. Your notes are another thing: edit them, too.
what: the thing to forget in a few words of the user, such as "I live in Berlin" or "my dog Rex"."""
NOTHING = "Nothing that is remembered says that."
FORGOTTEN = "Forgotten:"
IDS = "The user can undo that, under these ids:"
TOO_MANY = f"More than {named.MAX_FORGOTTEN} memories say that. Name it more exactly. Nothing was forgotten."
UNTRUSTED = "This turn has read text from outside, so nothing is forgotten in it. The user may ask for it again."


class ForgetInput(BaseModel):
    """What a model says to the tool; whose memories they are, it cannot say."""

    what: str = Field(description="What to forget, in a few words.", max_length=2_000)


async def _run(context: ToolContext, said: ForgetInput) -> ToolResult:
    if context.has_read_untrusted:
        return ToolResult(UNTRUSTED, is_error=True)
    try:
        found = await named.forget_named(
            context.database,
            context.principal,
            context.shelves,
            said.what,
            turn_id=context.turn_id,
            attempt=context.attempt,
        )
    except named.TooMany:
        return ToolResult(TOO_MANY, is_error=True)
    if found is None:
        return ToolResult(TURN_IS_OVER, is_error=True)
    if not found:
        return ToolResult(NOTHING)
    ids = [str(each.memory_id) for each in found]
    event = TurnEvent("data", name="forgotten", value={"memory_ids": ids})
    told = [FORGOTTEN, *(f"- {each.text}" for each in found), f"{IDS} {', '.join(ids)}"]
    return ToolResult("\n".join(told), events=(event,))


forget_memories = Tool("forget_memories", DESCRIPTION, ForgetInput, _run, is_memory=True)
