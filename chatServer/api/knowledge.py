"""Your documents, which answers can be taken from: upload, look through, delete."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import IO, Annotated, Any, Self, cast
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response, status
from pydantic import BaseModel, Field
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from chatServer import errors
from chatServer.api.body import on_a_disk
from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.problems import A_BODY, documented
from chatServer.knowledge import shelf
from chatServer.records import Article, ArticleState

router = APIRouter(prefix="/api/knowledge", tags=["knowledge"], responses=documented(401, 403, 503))

MAX_FILES = 20  # of one request
SEND_FILES = "Send one or several files as multipart/form-data, each as a part with a file name, and nothing else."


class ArticleAnswer(BaseModel):
    id: UUID
    name: str
    title: str
    media_type: str
    size_bytes: int
    state: ArticleState = Field(description="Of the last upload; what was read before answers until it is ready")
    error_code: str | None
    error: str | None = Field(description="Why the last upload could not be read")
    pages: int | None
    tokens: int = Field(description="Of the text that answers now")
    chunks: int = Field(description="The pieces of that text; 0: it does not answer yet")
    shared: bool = Field(description="Everybody's to read, and nobody's to delete")
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, article: Article) -> Self:
        plain = {name: getattr(article, name) for name in cls.model_fields if name not in ("id", "shared")}
        return cls.model_validate(plain | {"id": article.article_id, "shared": article.is_shared})


class UploadedAnswer(BaseModel):
    article: ArticleAnswer = Field(description="The first of them")
    articles: list[ArticleAnswer]


class ArticlesAnswer(BaseModel):
    articles: list[ArticleAnswer]
    before: UUID | None = Field(description="Pass it as ?before= to get the next page")


FILES: dict[str, Any] = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}},
            "required": ["file"],
        }
    }
}


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    responses=documented(409, 429, *A_BODY),
    openapi_extra={"requestBody": {"required": True, "content": FILES}},
)
async def upload(request: Request, state: CurrentState, user: CurrentUser) -> UploadedAnswer:
    """Text, Markdown, HTML or PDF, to be read soon; `GET /api/events` tells how far it is. The same name again
    replaces what was there. Of several files all are taken, or none."""
    async with _files(request) as files:
        looked_at = [(await asyncio.to_thread(shelf.look_at, name, file), file) for name, file in files]
        stored = await shelf.put(state.library, user, *looked_at)
    articles = [ArticleAnswer.of(article) for article in stored]
    return UploadedAnswer(article=articles[0], articles=articles)


class _Whole(MultiPartParser):
    """Refuses a body whose last boundary does not come, while the files of its parts are still closed for that:
    Starlette takes what came before for all there is."""

    def __init__(self, headers: Headers, stream: AsyncGenerator[bytes, None], **limits: int) -> None:
        super().__init__(headers, self._to_its_end(stream), **limits)
        self._is_whole = False

    def on_end(self) -> None:
        self._is_whole = True

    async def _to_its_end(self, stream: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        async for piece in stream:
            yield piece
        if not self._is_whole:
            raise errors.InvalidRequest("The body is cut off: its last boundary is missing. Nothing of it was taken.")


@asynccontextmanager
async def _files(request: Request) -> AsyncIterator[list[tuple[str, IO[bytes]]]]:
    """The files of a body by their names. They lie in files of ours, whose names are nobody's."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise errors.InvalidRequest(SEND_FILES)
    try:
        with on_a_disk():
            form = await _Whole(request.headers, request.stream(), max_files=MAX_FILES, max_fields=0).parse()
    except (MultiPartException, UnicodeError) as error:  # the second: a charset that is none
        raise errors.InvalidRequest(f"{SEND_FILES} At most {MAX_FILES} at once.") from error
    try:
        uploads = [cast(UploadFile, value) for _, value in form.multi_items()]
        if not uploads:
            raise errors.InvalidRequest(SEND_FILES)
        yield [(_base_name(each.filename or ""), each.file) for each in uploads]
    finally:
        await form.close()


def _base_name(given: str) -> str:
    """Some clients send where the file lies on their own disk: that is nobody's business."""
    return given.replace("\\", "/").rpartition("/")[2]


@router.get("", responses=documented(422, 429))
async def find(
    state: CurrentState,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: UUID | None = None,
) -> ArticlesAnswer:
    """Your articles and those that are everybody's, the newest first."""
    found, older = await shelf.find(state.database, user, limit=limit, before=before)
    return ArticlesAnswer(articles=[ArticleAnswer.of(article) for article in found], before=older)


@router.get("/{article_id}", responses=documented(404, 422, 429))
async def get(article_id: UUID, state: CurrentState, user: CurrentUser) -> ArticleAnswer:
    """One article: how far it is, or why it cannot be read."""
    return ArticleAnswer.of(await shelf.get(state.database, user, article_id))


@router.delete(
    "/{article_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def delete(article_id: UUID, state: CurrentState, user: CurrentUser) -> None:
    """Delete an article with all its text; the next answer knows nothing of it."""
    await shelf.delete(state.database, user, article_id)
