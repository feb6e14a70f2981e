"""What a document of anybody's may not do to whoever imports it, or to the server."""

import io
import json

from chatServer.account.bring_in import Brought, bring_in
from chatServer.account.export import export
from chatServer.conversation.tokens import count_text
from chatServer.memory.embed import NoEmbedder
from tests.conftest import ADA, EVE, owner_connection
from tests.integration.test_isolation import fill


async def adas(database) -> dict:
    """A document with a row of everything."""
    await fill(database, ADA, "secret", "adas")
    document = json.loads(b"".join([piece async for piece in export(database, ADA)]))
    document["messages"] = [row | {"images": []} for row in document["messages"]]  # whose bytes are no picture's
    return document


async def imported(database, document: dict | str) -> Brought:
    text = document if isinstance(document, str) else json.dumps(document)
    return await bring_in(database, EVE, NoEmbedder(), lambda: io.StringIO(text))


def of_eve(urls, query: str) -> list[tuple]:
    with owner_connection(urls.owner) as owner:
        return owner.execute(f"{query} where user_id = %s", (EVE.user_id,)).fetchall()


async def test_tokens_are_counted_here_whatever_the_document_says(database, urls):
    document = await adas(database)
    [said] = [row for row in document["messages"] if not row["superseded_at"]]
    document["messages"] = [row | {"tokens": 2_000_000} for row in document["messages"]]
    summary = {"session_id": said["session_id"], "covers_to": said["message_id"], "summary": "much was said " * 100}
    document["summaries"] = [summary | {"messages": 1, "tokens": 0, "model": None, "updated_at": said["created_at"]}]
    await imported(database, document)
    assert of_eve(urls, "select tokens from public.chat_message_history") == [(None,)]
    assert of_eve(urls, "select tokens from chat.message_superseded") == [(None,)]
    assert of_eve(urls, "select tokens from chat.summaries") == [(count_text("much was said " * 100),)]
