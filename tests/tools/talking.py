"""A server whose model says what a script tells it to, and how its streams are read."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from chatServer.config import Settings
from tests.conftest import serving

ECHO = {"match": r"(?s)^.*$", "reply": "You said: {0}"}


def with_script(settings: Settings, *rules: dict[str, Any], log: bool = False, **changes: Any) -> Settings:
    """The settings with a model that plays these rules, and echoes whatever else it is told."""
    file = Path(settings.chat_data_dir) / "script.json"
    script: dict[str, Any] = {"rules": [*rules, ECHO]}
    if log:
        script["log"] = str(log_of(settings))
    file.write_text(json.dumps(script))
    return settings.model_copy(update={"model": f"script:{file}", **changes})


def log_of(settings: Settings) -> Path:
    return Path(settings.chat_data_dir) / "calls.jsonl"


def calls(settings: Settings) -> list[dict[str, Any]]:
    """What the model was called for, as it wrote it down itself."""
    file = log_of(settings)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@contextlib.asynccontextmanager
async def talking(
    settings: Settings, headers: dict[str, str], *rules: dict[str, Any], **changes: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """A server with this script, for a client that is somebody."""
    async with serving(with_script(settings, *rules, **changes)) as client:
        client.headers.update(headers)
        yield client


def chunks(stream: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]


def spoken(stream: str) -> str:
    return "".join(chunk["delta"] for chunk in chunks(stream) if chunk["type"] == "text-delta")


def user_message(text: str, message_id: str = "m1") -> dict[str, Any]:
    return {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}


def data_of(parts: list[dict], name: str) -> list[dict]:
    return [part for part in parts if part["type"] == f"data-{name}"]


async def messages_of(client, session_id: str) -> list[dict]:
    return (await client.get(f"/api/sessions/{session_id}/messages")).json()["messages"]


def ids(stream: str) -> list[str]:
    return [line[4:] for line in stream.splitlines() if line.startswith("id: ")]
