"""export: all that is a user's as one JSON document, a line for each row."""

import base64
import json
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from chatServer.records import Principal
from chatServer.records.moments import utc_iso
from chatServer.store import export as store
from chatServer.store.export import SECTIONS, Section
from chatServer.store.pool import Database

FORMAT = "chatserver.account"
VERSION = 1

Progress = Callable[[str, int], None]


async def export(
    database: Database, principal: Principal, on_progress: Progress = lambda *_: None
) -> AsyncGenerator[bytes, None]:
    """The document in pieces. Each page is a transaction of its own, which is over before anything of it is sent: a
    slow reader holds no connection. So what changes meanwhile may be in it or not; `begun_at` says since when. There is
    no piece before the database has answered once."""
    about = {"format": FORMAT, "version": VERSION, "begun_at": datetime.now(UTC), "user_id": principal.user_id}
    before = _json(about)[:-1]
    for section in SECTIONS:
        before += f',\n"{section.name}": ['.encode()
        count = 0
        async for row in _rows(database, principal, section):
            yield before + (b",\n" if count else b"\n") + _json(row)
            before = b""
            count += 1
        yield before + b"]"
        before = b""
        on_progress(section.name, count)
    yield b"}\n"


async def _rows(database: Database, principal: Principal, section: Section) -> AsyncGenerator[dict[str, Any], None]:
    after = section.start
    while True:
        async with database.transaction(principal) as connection:
            rows = await store.read_page(connection, principal.user_id, section, after)
        if not rows:
            return
        for row in rows:
            if section.name == "messages":
                row["images"] = [await _image(database, principal, image_id) for image_id in row["images"]]
            yield {name: value for name, value in row.items() if name != "id" or section.name != "messages"}
        after = tuple(rows[-1][name] for name in section.key)


async def _image(database: Database, principal: Principal, image_id: UUID) -> dict[str, Any]:
    """One at a time: they are the largest of all that there is."""
    async with database.transaction(principal) as connection:
        picture = await store.read_image(connection, principal.user_id, image_id)
    if picture is None:  # deleted since
        return {"image_id": image_id}
    content = base64.b64encode(picture.content).decode()
    return {"image_id": image_id, "media_type": picture.media_type, "base64": content, "created_at": picture.created_at}


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=_plain).encode()


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return utc_iso(value)
    if isinstance(value, date | UUID):
        return str(value)
    raise TypeError(type(value).__name__)
