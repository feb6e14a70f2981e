"""Articles that an answer was made from, as tool messages keep them and clients are told of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chatServer.messages.message import Message

SOURCES = "sources"  # the key of structured_data
DOCUMENT = "source-document"  # the AI SDK's name for such a part


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """An article, and how much of it the model was shown."""

    article_id: str
    title: str
    name: str
    media_type: str
    tokens: int
    is_whole: bool
    page: int | None = None  # where the first passage begins; of a whole article it says nothing

    def told(self) -> dict[str, Any]:
        """As metadata names it; what is not known is left out."""
        known = {
            "article_id": self.article_id,
            "title": self.title,
            "name": self.name,
            "media_type": self.media_type,
            "page": None if self.is_whole else self.page,
            "tokens": self.tokens,
            "is_whole": self.is_whole,
        }
        return {name: value for name, value in known.items() if value is not None}

    def part(self) -> dict[str, Any]:
        """As the AI SDK draws it."""
        return {
            "type": DOCUMENT,
            "sourceId": self.article_id,
            "mediaType": self.media_type,
            "title": self.title,
            "filename": self.name,
        }

    @classmethod
    def read(cls, told: object) -> "SourceArticle | None":
        """What `told` wrote; None where it is something else, since rows may be another writer's."""
        match told:
            case {
                "article_id": str(article_id),
                "title": str(title),
                "name": str(name),
                "media_type": str(media_type),
                "tokens": int(tokens),
                "is_whole": bool(is_whole),
                **rest,
            }:
                page = rest.get("page")
                return cls(article_id, title, name, media_type, tokens, is_whole, page if type(page) is int else None)
        return None


def sources_in(message: Message) -> list[SourceArticle]:
    """What one tool message says that it showed the model."""
    kept = (message.structured_data or {}).get(SOURCES) if message.role == "tool" else None
    found = [SourceArticle.read(each) for each in kept] if isinstance(kept, list) else []
    return [source for source in found if source]


def sources_of(messages: Iterable[Message]) -> list[SourceArticle]:
    """Every article that an answer was made from, once each, in the order in which they were first shown."""
    found: dict[str, SourceArticle] = {}
    for message in messages:
        for source in sources_in(message):
            before = found.get(source.article_id)
            found[source.article_id] = merged(before, source) if before else source
    return list(found.values())


def merged(before: SourceArticle, again: SourceArticle) -> SourceArticle:
    """One article that was shown twice: what was shown the most of."""
    shown = max(before.tokens, again.tokens)
    return replace(before, tokens=shown, is_whole=before.is_whole or again.is_whole)


def told(messages: Iterable[Message]) -> dict[str, Any]:
    """The part of an answer's metadata that names its sources, if it has any."""
    sources: list[Mapping[str, Any]] = [source.told() for source in sources_of(messages)]
    return {SOURCES: sources} if sources else {}
