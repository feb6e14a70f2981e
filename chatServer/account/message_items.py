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
from chatServer.store.images import HOLDERS


class ImageRow(Row):
    image_id: UUID
    media_type: Short
    base64: str
    created_at: Moment

    @model_validator(mode="after")
    def _is_a_picture(self) -> Self:
        """As in a chat: by its first bytes, whatever it is called."""
        try:
            checked_image(data_uri(self.media_type, self.content))
        except MessageError as error:
            raise ValueError(str(error)) from error
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
    images: Annotated[list[ImageRow], Field(max_length=100)]

    @field_validator("images", mode="before")
    @classmethod
    def _those_that_were_there(cls, images: Any) -> Any:
        """A picture that was deleted while the export ran is only named."""
        return (
            [each for each in images if not isinstance(each, dict) or "base64" in each] if _is_list(images) else images
        )

    @field_validator("message")
    @classmethod
    def _pictures_within_are_pictures(cls, message: dict[str, Any]) -> dict[str, Any]:
        for uri in _pictures_in(message):
            try:
                checked_image(uri)
            except MessageError as error:
                raise ValueError(str(error)) from error
        return message


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _pictures_in(value: Any, under: str = "") -> Iterator[str]:
    if isinstance(value, str) and under in HOLDERS and value[:5].lower() == "data:":
        yield value
    for key, item in value.items() if isinstance(value, dict) else ():
        yield from _pictures_in(item, key)
    for item in value if isinstance(value, list) else ():
        yield from _pictures_in(item, under)
