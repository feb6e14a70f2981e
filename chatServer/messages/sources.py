"""Articles that an answer was made from, as tool messages keep them and clients are told of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chatServer.messages.message import Message
from chatServer.messages.text import LANGCHAIN, one_line

SOURCES = "sources"  # the key of structured_data
MOST_SOURCES = 100  # of one message: more than any tool of ours shows; rows may be another writer's
QUOTED = "quoted"  # in an answer's response_metadata: the labels of passages whose words it repeats
LABEL_CHARACTERS = 160  # of a title, and of a name: both are anybody's words
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
    is_quoted: bool | None = None  # whether the answer repeats words of it; None: nobody knows

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
            "quoted": self.is_quoted,
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
    found = [SourceArticle.read(each) for each in kept[:MOST_SOURCES]] if isinstance(kept, list) else []
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


def label_of(title: str, name: str, page: int | None = None) -> str:
    """Where a passage is from, in one line; nothing of the text can stand there."""
    title, name = _short(title), _short(name)
    parts = [title] if title == name else [title, name]
    return ", ".join(parts if page is None else [*parts, f"page {page}"])


def _short(text: str) -> str:
    return one_line(text)[:LABEL_CHARACTERS] or "untitled"


def told(messages: Iterable[Message]) -> dict[str, Any]:
    """The part of an answer's metadata that names its sources, if it has any: first those that it quotes, then as they
    were found."""
    messages = list(messages)
    found, labels = sources_of(messages), _quoted_in(messages)
    if labels is not None:
        found = [replace(source, is_quoted=_is_among(labels, source)) for source in found]
        found.sort(key=lambda source: not source.is_quoted)
    sources: list[Mapping[str, Any]] = [source.told() for source in found]
    return {SOURCES: sources} if sources else {}


def _quoted_in(messages: Sequence[Message]) -> list[str] | None:
    """What the answer says that it has quoted; None where its model says nothing about that."""
    kept = (messages[-1].structured_data or {}).get(LANGCHAIN) if messages else None
    match kept:
        case {"response_metadata": {"quoted": list(labels)}}:
            return [label for label in labels if isinstance(label, str)]
    return None


def _is_among(labels: Iterable[str], source: SourceArticle) -> bool:
    own = label_of(source.title, source.name)
    return any(label == own or label.startswith(f"{own}, page ") for label in labels)
