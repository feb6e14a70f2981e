"""Pictures are kept beside the messages: a row says image:<id>, and the bytes are put back when needed."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chatServer.messages import Message, data_uri, parse_data_uri
from chatServer.records import StoredMessage, new_id
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("messages.sql")
REFERENCE = "image:"


async def keep_images(
    connection: Connection, user_id: UUID, session_id: str, message_id: UUID, message: Message
) -> Message:
    """Store the pictures of a message, and return it with references in their place."""
    references = []
    for image in message.images or []:
        if not image.startswith("data:"):
            references.append(image)
            continue
        media_type, content = parse_data_uri(image)
        image_id = new_id()
        values = {"user_id": user_id, "session_id": session_id, "message_id": message_id}
        picture = {"image_id": image_id, "media_type": media_type, "bytes": content}
        await connection.execute(SQL["insert_image"], {**values, **picture})
        references.append(f"{REFERENCE}{image_id}")
    return replace(message, images=references) if references else message


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
