"""Agents with windows of their own, long conversations that cost nothing, and what a model was really given."""

import uuid
from pathlib import Path
from typing import Any

import yaml

from chatServer.agent.tools import tokens_of
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.config import Settings
from chatServer.messages import Message
from chatServer.records import Principal
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from tests.conftest import Urls, owner_connection
from tests.tools.talking import calls

NAME = "assistant"


def agent_in(settings: Settings, **file: Any) -> dict[str, Any]:
    """The settings of a server whose one agent has this file."""
    folder = Path(settings.chat_data_dir) / "agents"
    folder.mkdir(exist_ok=True)
    whole = {"name": NAME, "description": "d", "prompt": "Be brief.", "memory": {"scope": "off"}, **file}
    (folder / f"{NAME}.yaml").write_text(yaml.safe_dump(whole))
    return {"agents_dir": folder}


async def said_before(
    database: Database, user: Principal, turns: int, tokens: int | None, text: str = "Sentence {n} about subject {n}."
) -> str:
    """A session in which so many questions were answered, each message as if it had so many tokens; None: as it has."""
    session_id = str(uuid.uuid4())
    said = [Message(("user", "assistant")[n % 2], text.format(n=n)) for n in range(2 * turns)]
    async with database.transaction(user) as connection:
        await sessions.insert_session(connection, user.user_id, session_id, NAME)
        await ChatMessageHistory(connection, user.user_id, session_id).append(said, tokens=[tokens] * len(said))
    return session_id


def summary_of(urls: Urls) -> tuple[str, int, int, str | None] | None:
    """Its text, how many messages it stands for, its tokens and its model."""
    with owner_connection(urls.owner) as connection:
        return connection.execute("select summary, messages, tokens, model from chat.summaries").fetchone()


def given(settings: Settings, purpose: str = "chat") -> list[list[dict[str, Any]]]:
    """What the model was given in each of its calls: who said it, its tokens, and to which calls it belongs."""
    return [line["given"] for line in calls(settings) if line["for"] == purpose and "given" in line]


def complaints(given: list[dict[str, Any]], most_tokens: int) -> list[str]:
    """What no prompt may be."""
    found = []
    if (tokens := sum(each["tokens"] for each in given)) > most_tokens:
        found.append(f"{tokens:,} tokens, of {most_tokens:,}")
    wanted: list[str] = []
    for place, each in enumerate(given):
        if each["role"] == "tool":
            found += [] if each["calls"][0] in wanted else [f"{place}: a result without its call"]
            wanted = [call for call in wanted if call != each["calls"][0]]
        else:
            found += [f"{place}: a call without its result"] if wanted else []
            wanted = each["calls"]
    return found + ([] if not wanted else ["a last call without its result"])


def tokens_of_tools(*names: str) -> int:
    return tokens_of(tuple(TOOLS[name] for name in names))


def with_agents(settings: Settings, folder: Path, **models: str) -> Settings:
    for name, model in models.items():
        (folder / f"{name}.yaml").write_text(f"name: {name}\ndescription: d\nprompt: p\nmodel: {model}\n")
    return settings.model_copy(update={"agents_dir": folder, "default_agent": next(iter(models))})
