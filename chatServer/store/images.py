"""Pictures are kept beside the messages: a row says image:<id>, and the bytes are put back when needed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple
from uuid import UUID

from chatServer.errors import MessageError
from chatServer.messages import Message, data_uri, parse_data_uri, text_of
from chatServer.records import StoredMessage, new_id
from chatServer.records.quick import quick
from chatServer.store import queries
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST

SQL = queries.load("messages.sql")
REFERENCE = "image:"
KEPT = re.compile(rf"{REFERENCE}[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")  # what we call one of ours
HOLDERS = ("url", "image_url", "images")  # where blocks of any provider, and our own messages, keep a picture
_PLACES = {*HOLDERS, "base64", "data"}
_SCALARS = {str, int, float, bool, type(None)}


class NewPicture(NamedTuple):
    image_id: UUID
    media_type: str
    content: bytes


@quick
class Keeper:
    """Takes the pictures out of one message's row, wherever and in whichever shape they stand in it."""

    found: dict[str, NewPicture] = field(default_factory=dict)  # by its URI: the same picture twice is kept once

    def without_images(self, value: Any, *, under: str = "") -> Any:
        """The same JSON with references in the place of pictures; a text that looks like one stays as it came."""
        if isinstance(value, str):
            is_picture = under in HOLDERS and value[:11].lower() == "data:image/"
            return self._reference(value) if is_picture else value
        if isinstance(value, list):
            return [self.without_images(item, under=under) for item in value]
        if isinstance(value, dict):
            return {key: self.without_images(item, under=key) for key, item in _with_data_uri(value).items()}
        return value

    def _reference(self, uri: str) -> str:
        if uri not in self.found:
            try:
                self.found[uri] = NewPicture(new_id(), *parse_data_uri(uri))
            except MessageError:
                return uri
        return f"{REFERENCE}{self.found[uri].image_id}"

    async def keep(self, connection: Connection, user_id: UUID, session_id: str, message_id: UUID) -> None:
        """Store what was found."""
        values = {"user_id": user_id, "session_id": session_id, "message_id": message_id}
        for image_id, media_type, content in self.found.values():
            picture = {"image_id": image_id, "media_type": media_type, "bytes": content}
            await connection.execute(SQL["insert_image"], {**values, **picture})


def has_no_picture(facts: Mapping[str, Any]) -> bool:
    """Whether that can be told by a look: names and numbers, none of them where a picture would be."""
    return {*map(type, facts.values())} <= _SCALARS and _PLACES.isdisjoint(facts)


def _with_data_uri(block: dict[str, Any]) -> dict[str, Any]:
    """Blocks that carry bare base64 (LangChain's and Anthropic's) in the form that carries a URI."""
    if block.get("type") == "image" and isinstance(block.get("base64"), str):
        uri = f"data:{block.get('mime_type') or 'image/png'};base64,{block['base64']}"
        return {**{name: value for name, value in block.items() if name != "base64"}, "url": uri}
    if block.get("type") == "base64" and isinstance(block.get("data"), str):
        return {"type": "url", "url": f"data:{block.get('media_type') or 'image/png'};base64,{block['data']}"}
    return block


async def measure_images(
    connection: Connection, user_id: UUID, session_id: str, stored: Sequence[StoredMessage]
) -> dict[str, int]:
    """How many bytes of pictures each of the messages has that has any."""
    with_images = [UUID(each.message.message_id) for each in stored if each.message.images]
    if not with_images:
        return {}
    values = {"user_id": user_id, "session_id": session_id, "message_ids": with_images}
    rows = await (await connection.execute(SQL["measure_images"], values)).fetchall()
    return {str(message_id): size for message_id, size in rows}


async def put_images_back(
    connection: Connection, user_id: UUID, session_id: str, stored: Sequence[StoredMessage], *, most: int = NEWEST
) -> list[StoredMessage]:
    """The same messages with their pictures as data URIs, the last ones first, up to so many bytes; a reference to
    nothing, or to more than that, stays a reference."""
    with_images = [UUID(each.message.message_id) for each in stored if each.message.images]
    if not with_images:
        return list(stored)
    values = {"user_id": user_id, "session_id": session_id, "message_ids": with_images, "bytes": most}
    rows = await (await connection.execute(SQL["read_images"], values)).fetchall()
    found = {f"{REFERENCE}{image_id}": data_uri(media_type, content) for image_id, media_type, content in rows}
    return [replace(each, message=_resolved(each.message, found)) for each in stored]


def _resolved(message: Message, found: dict[str, str]) -> Message:
    if not message.images:
        return message
    return replace(message, images=[found.get(image, image) for image in message.images])


def without_references(stored: StoredMessage) -> StoredMessage:
    """For a model, which could not look them up: pictures that are not there are told, and not counted."""
    images = stored.message.images or []
    there = [image for image in images if not KEPT.fullmatch(image)]
    if len(there) == len(images):
        return stored
    told = f"{text_of(stored.message)}\n\n(pictures that are not shown again: {len(images) - len(there)})".strip()
    return replace(stored, message=replace(stored.message, images=there, content=told), tokens=None)
