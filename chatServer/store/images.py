"""Pictures are kept beside the messages: a row says image:<id>, and the bytes are put back when needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from chatServer.errors import MessageError
from chatServer.messages import Message, data_uri, parse_data_uri
from chatServer.records import StoredMessage, new_id
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("messages.sql")
REFERENCE = "image:"
HOLDERS = ("url", "image_url", "images")  # where blocks of any provider, and our own messages, keep a picture


@dataclass(frozen=True, slots=True)
class Keeper:
    """Takes the pictures out of one message's row, wherever and in whichever shape they stand in it."""

    user_id: UUID
    session_id: str
    message_id: UUID
    found: dict[str, str] = field(default_factory=dict)  # the same picture twice is kept once

    async def without_images(self, connection: Connection, value: Any, *, under: str = "") -> Any:
        """The same JSON with references in the place of pictures; a text that looks like one stays as it came."""
        if isinstance(value, str):
            is_picture = under in HOLDERS and value[:11].lower() == "data:image/"
            return await self._reference(connection, value) if is_picture else value
        if isinstance(value, list):
            return [await self.without_images(connection, item, under=under) for item in value]
        if isinstance(value, dict):
            plain = _with_data_uri(value)
            return {key: await self.without_images(connection, item, under=key) for key, item in plain.items()}
        return value

    async def _reference(self, connection: Connection, uri: str) -> str:
        if uri not in self.found:
            try:
                media_type, content = parse_data_uri(uri)
            except MessageError:
                return uri
            image_id = new_id()
            values = {"user_id": self.user_id, "session_id": self.session_id, "message_id": self.message_id}
            picture = {"image_id": image_id, "media_type": media_type, "bytes": content}
            await connection.execute(SQL["insert_image"], {**values, **picture})
            self.found[uri] = f"{REFERENCE}{image_id}"
        return self.found[uri]


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
    connection: Connection, user_id: UUID, session_id: str, stored: Sequence[StoredMessage]
) -> list[StoredMessage]:
    """The same messages with their pictures as data URIs; a reference to nothing stays a reference."""
    with_images = [UUID(each.message.message_id) for each in stored if each.message.images]
    if not with_images:
        return list(stored)
    values = {"user_id": user_id, "session_id": session_id, "message_ids": with_images}
    rows = await (await connection.execute(SQL["read_images"], values)).fetchall()
    found = {f"{REFERENCE}{image_id}": data_uri(media_type, content) for image_id, media_type, content in rows}
    return [replace(each, message=_resolved(each.message, found)) for each in stored]


def _resolved(message: Message, found: dict[str, str]) -> Message:
    if not message.images:
        return message
    return replace(message, images=[found.get(image, image) for image in message.images])
