"""Documents of the knowledge base, their chunks, and what is found in them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

ArticleState = Literal["waiting", "reading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class Article:
    """A document by its name. State and error are about the last upload; what was read before answers until then."""

    article_id: UUID
    name: str  # as it was uploaded: anybody's words, never a path
    title: str
    media_type: str
    size_bytes: int
    content_hash: str
    state: ArticleState
    created_at: datetime
    updated_at: datetime
    version: int = 1  # the number of the last upload
    error_code: str | None = None
    error: str | None = None
    pages: int | None = None
    tokens: int = 0  # of the chunks that answer now
    chunks: int = 0
    is_shared: bool = False  # everybody's to read


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an article. Joined with nothing between them, the texts of its chunks are the article."""

    position: int
    text: str
    tokens: int
    page: int | None = None  # where it begins, from 1
    heading: str = ""  # the headings above it: Guide > Setup


@dataclass(frozen=True, slots=True)
class Passage:
    """What was found: a whole article, or some of its chunks that follow each other."""

    article_id: UUID
    name: str
    title: str
    media_type: str
    text: str
    tokens: int
    score: float
    first: int  # the positions of its chunks, from and to
    last: int
    page: int | None = None
    heading: str = ""
    is_whole: bool = False
    is_shared: bool = False
