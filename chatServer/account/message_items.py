"""A message of a document, with its pictures."""

import base64
import binascii
from collections.abc import Iterator
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import Field, field_validator, model_validator

from chatServer.account.fields import Count, Moment, Row, SessionId, Share, Short
from chatServer.errors import MessageError
from chatServer.messages import checked_image, data_uri
from chatServer.messages.blocks import image_in, text_in
from chatServer.store.images import HOLDERS, Keeper

MAX_CHARACTERS = 1_000_000  # of text, as in a chat
MAX_PARTS = 100  # of what a user said, as in a chat; models answer in more
MAX_IMAGES = 100  # ten in a chat; LangChain may write more into the same table, and all that is exported comes back
MAX_LENGTH = 4_000_000  # characters of JSON, about, without the pictures


class ImageRow(Row):
    image_id: UUID
    media_type: Short
    base64: str
    created_at: Moment

    @model_validator(mode="after")
    def _is_a_picture(self) -> Self:
        """As in a chat: by its first bytes, whatever it is called."""
        _checked_base64(data_uri(self.media_type, self.content))
        return self

    @property
    def content(self) -> bytes:
        try:
            return base64.b64decode(self.base64, validate=True)
        except binascii.Error as error:
            raise ValueError("the base64 of a picture is broken") from error


class MessageRow(Row):
    message_id: UUID
    session_id: SessionId
    turn_id: UUID | None
    created_at: Moment
    tokens: Count | None
    importance: Share
    message: dict[str, Any]
    hidden: bool
    quote: bool
    superseded_at: Moment | None
    superseded_by: UUID | None
    images: Annotated[list[ImageRow], Field(max_length=MAX_IMAGES)]

    @field_validator("images", mode="before")
    @classmethod
    def _those_that_were_there(cls, images: Any) -> Any:
        """A picture that was deleted while the export ran is only named."""
        return (
            [each for each in images if not isinstance(each, dict) or "base64" in each] if _is_list(images) else images
        )

    @field_validator("message")
    @classmethod
    def _is_as_long_as_a_chat_lets_it_be(cls, message: dict[str, Any]) -> dict[str, Any]:
        data = message.get("data")
        content = (data if isinstance(data, dict) else message).get("content")
        parts = content if isinstance(content, list) else [content]
        most = MAX_PARTS if message.get("type") == "human" else 10 * MAX_PARTS
        if sum(image_in(part) is None for part in parts) > most:
            raise ValueError(f"a message has {most} parts at most")
        if sum(len(text_in(part) or "") for part in parts) > MAX_CHARACTERS:
            raise ValueError(f"a message has {MAX_CHARACTERS:,} characters at most")
        if _length(message) > MAX_LENGTH:
            raise ValueError(f"a message has {MAX_LENGTH:,} characters at most, with all that belongs to it")
        return message

    @field_validator("message")
    @classmethod
    def _pictures_within_are_pictures(cls, message: dict[str, Any]) -> dict[str, Any]:
        for uri in _pictures_in(message):
            _checked_base64(uri)
        return message

    @model_validator(mode="after")
    def _pictures_within_go_beside_it(self) -> Self:
        """Where those of a chat are: whoever reads the message reads only their names."""
        keeper = Keeper()
        self.message = keeper.without_images(self.message)
        self.images = self.images + [
            ImageRow.model_construct(
                image_id=picture.image_id,
                media_type=picture.media_type,
                base64=_checked_base64(uri),
                created_at=self.created_at,
            )
            for uri, picture in keeper.found.items()
        ]
        if len(self.images) > MAX_IMAGES:
            raise ValueError(f"a message has {MAX_IMAGES} pictures at most")
        return self


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _checked_base64(uri: str) -> str:
    try:
        checked_image(uri)
    except MessageError as error:
        raise ValueError(str(error)) from error
    return uri.partition(",")[2]


def _is_picture(value: Any, under: str) -> bool:
    return isinstance(value, str) and under in HOLDERS and value[:5].lower() == "data:"


def _length(value: Any, under: str = "") -> int:
    if isinstance(value, str):
        return 0 if _is_picture(value, under) else len(value)
    if isinstance(value, dict):
        return sum(len(key) + 4 + _length(item, key) for key, item in value.items())
    return sum(2 + _length(item, under) for item in value) if isinstance(value, list) else 2


def _pictures_in(value: Any, under: str = "") -> Iterator[str]:
    if _is_picture(value, under):
        yield value
    for key, item in value.items() if isinstance(value, dict) else ():
        yield from _pictures_in(item, key)
    for item in value if isinstance(value, list) else ():
        yield from _pictures_in(item, under)
