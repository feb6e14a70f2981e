"""The tool `retrieve_context`: passages of articles for the model, as many as its window still holds."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from chatServer.agent.tools.tool import Tool, ToolContext, ToolResult
from chatServer.conversation.tokens import count_text
from chatServer.knowledge.quote import label, quoted
from chatServer.knowledge.retrieve import TOP_K
from chatServer.messages.fence import fence
from chatServer.messages.sources import SourceArticle, label_of, merged
from chatServer.records import Passage, TurnEvent
from chatServer.store import articles

NAME = "retrieve_context"
DESCRIPTION = """\
Look into the articles: documents that this user has uploaded, and documents that everybody here may read. Use it before
you answer a question about facts that may stand in them, and name the article that you took your answer from.
query: what you want to know, in the words that the article may use; without it you are told which articles there are.
top_k: from how many articles at most."""
NOTHING = "Nothing in the articles bears on that."
THERE_ARE = "These articles are there:"
NONE_READ = "No article can be looked into: there are none, or none of them is read yet."
NO_ROOM = "There is no room left for articles in this conversation. Answer with what is known."
LEAST_ROOM = 100  # tokens; no chunk is that short, or worth a look
KEPT = "Read in the articles, whose text is not kept here:"
MAX_ARTICLES = 50
MAX_LISTED = 50
LIST_TOKENS = 500
LIST_FRAME_TOKENS = 60  # around a list


class RetrieveInput(BaseModel):
    """What a model says to the tool; whose articles they are, it cannot say."""

    query: str = Field("", description="What to look for; empty: which articles there are.")
    top_k: int = Field(TOP_K, description="From how many articles at most.", ge=1, le=MAX_ARTICLES)


async def _run(context: ToolContext, said: RetrieveInput) -> ToolResult:
    assert context.retriever is not None  # nosec B101 # every turn has one
    if context.room_tokens < LEAST_ROOM:
        return ToolResult(NO_ROOM)
    passages = await context.retriever.retrieve(
        context.principal,
        said.query,
        said.top_k,
        context.window_tokens - context.room_tokens,
        window_tokens=context.window_tokens,
        as_read=context.as_read,
    )
    if not passages:
        listed = await _list(context)
        return ToolResult(f"{NOTHING} {listed}" if said.query.strip() else listed)
    sources, labels = _sources(passages), "\n".join(f"- {label(passage)}" for passage in passages)
    new = [source for source in sources if source.article_id not in context.sources]
    context.sources |= {source.article_id for source in new}
    return ToolResult(
        f"{KEPT}\n\n{fence('sources', labels)}",
        events=tuple(TurnEvent("source", id=source.article_id, value=source.told()) for source in new),
        read=quoted(passages),
        sources=tuple(sources),
    )


async def _list(context: ToolContext) -> str:
    """What the articles are called, the newest first, as many as there is room for. Counted in their fence, which
    makes names longer that look like one."""
    async with context.database.transaction(context.principal) as connection:
        found = await articles.list_readable(connection, context.principal.user_id, limit=MAX_LISTED)
    if not found:
        return NONE_READ
    room = min(LIST_TOKENS, context.room_tokens - LIST_FRAME_TOKENS)
    listed, names = "", list[str]()
    for each in found:
        more = fence("sources", "\n".join([*names, line := f"- {label_of(each.title, each.name)}"]))
        if count_text(more) <= room:
            names.append(line)
            listed = more
    return f"{THERE_ARE}\n\n{listed}" if listed else NO_ROOM


def _sources(passages: Sequence[Passage]) -> list[SourceArticle]:
    """Each article once, with all that is shown of it."""
    found: dict[str, SourceArticle] = {}
    for each in passages:
        key = str(each.article_id)
        shown = sum(other.tokens for other in passages if other.article_id == each.article_id)
        source = SourceArticle(key, each.title, each.name, each.media_type, shown, each.is_whole, each.page)
        found[key] = merged(found[key], source) if key in found else source
    return list(found.values())


retrieve_context = Tool(NAME, DESCRIPTION, RetrieveInput, _run, is_untrusted=True, fills_room=True, needs_articles=True)
