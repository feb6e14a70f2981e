"""Edits and regenerations as useChat sends them, and what a client finds afterwards."""

from tests.tools.talking import chunks, user_message

RULES = [
    {"match": "^recite", "reply": "{messages}"},
    {"match": "^fail", "reply": "half an answer", "fail_after_words": 2},
    {"match": "^slowly", "reply": " ".join(f"word{i}" for i in range(30)), "delay_ms": 40},
    {"match": "^remember (.+)", "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "read"}}],
     "then": "You have {1}."},
]  # fmt: skip
PICTURE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


async def send(client, text: str, name: str, session: str = "s"):
    return await client.post("/api/chat", json={"id": session, "messages": [user_message(text, name)]})


async def edit(client, text: str, name: str, session: str = "s", **options):
    body = {"id": session, "messages": [user_message(text, name)], "trigger": "submit-message", "messageId": name}
    return await client.post("/api/chat", json=body, **options)


async def regenerate(client, name: str | None = None, session: str = "s", **options):
    body = {"id": session, "trigger": "regenerate-message"}
    named = {"messages": [user_message("whatever", "x")], "messageId": name} if name else {}
    return await client.post("/api/chat", json=body | named, **options)


def reply_of(stream) -> str:
    return chunks(stream.text)[0]["messageId"]


def turn_of(stream) -> str:
    return chunks(stream.text)[0]["messageMetadata"]["turn_id"]


async def listed(client, what: str = "messages", session: str = "s", **query) -> dict:
    answer = await client.get(f"/api/sessions/{session}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts(messages: list[dict]) -> list[str]:
    return [part["text"] for message in messages for part in message["parts"] if part["type"] == "text"]


async def said(client, what: str = "messages", session: str = "s") -> list[str]:
    return texts((await listed(client, what, session, limit=200))["messages"])


async def conversation(client) -> list:
    """Three exchanges."""
    return [await send(client, text, f"m{i}") for i, text in enumerate(["one", "two", "three"])]


EXCHANGES = ["one", "You said: one", "two", "You said: two", "three", "You said: three"]
EVERYTHING = """select (select jsonb_agg(to_jsonb(h) order by id) from chat_message_history h),
    (select jsonb_agg(to_jsonb(s) order by id) from chat.message_superseded s),
    (select jsonb_agg(to_jsonb(t) order by turn_id) from chat.turns t),
    (select jsonb_agg(message_id order by message_id) from chat.message_index),
    (select jsonb_agg(to_jsonb(c)) from chat.sessions c), (select jsonb_agg(to_jsonb(m)) from chat.summaries m)"""


async def is_running(client) -> bool:
    shown = await client.get("/api/sessions/s/messages")
    return shown.status_code == 200 and bool(shown.json()["messages"])
