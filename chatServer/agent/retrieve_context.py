"""The tool `retrieve_context`: passages of articles for the model, as many as its window still holds."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from chatServer.agent.tools import Tool, ToolContext, ToolResult
from chatServer.knowledge.quote import label_of, quoted
from chatServer.knowledge.retrieve import TOP_K
from chatServer.messages.fence import fence
from chatServer.messages.sources import SourceArticle, merged
from chatServer.records import Passage, TurnEvent

NAME = "retrieve_context"
DESCRIPTION = """\
Look into the articles: documents that this user has uploaded, and documents that everybody here may read. Use it before
you answer a question about facts that may stand in them, and name the article that you took your answer from.
query: what you want to know, in the words that the article may use. top_k: from how many articles at most."""
NOTHING = "Nothing in the articles bears on that."
NO_ROOM = "There is no room left for articles in this conversation. Answer with what is known."
LEAST_ROOM = 100  # tokens; no chunk is that short, or worth a look
KEPT = "Read in the articles, whose text is not kept here:"
MAX_ARTICLES = 50


class RetrieveInput(BaseModel):
    """What a model says to the tool; whose articles they are, it cannot say."""

    query: str = Field(description="What to look for.", min_length=1)
    top_k: int = Field(TOP_K, description="From how many articles at most.", ge=1, le=MAX_ARTICLES)


async def _run(context: ToolContext, said: RetrieveInput) -> ToolResult:
    if context.retriever is None:
        return ToolResult(NOTHING)
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
        return ToolResult(NOTHING)
    sources, labels = _sources(passages), "\n".join(f"- {label_of(passage)}" for passage in passages)
    new = [source for source in sources if source.article_id not in context.sources]
    context.sources |= {source.article_id for source in new}
    return ToolResult(
        f"{KEPT}\n\n{fence('sources', labels)}",
        events=tuple(TurnEvent("source", id=source.article_id, value=source.told()) for source in new),
        read=quoted(passages),
        sources=tuple(sources),
    )


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
