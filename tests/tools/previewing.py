"""Asking what the agent would be shown, of agents with windows of their own."""

import json

from chatServer.agent.prompts import PLACEHOLDER

PREVIEW = "/api/context/preview"
NOTES = {
    "match": "^note (.+)",
    "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "{1}"}}],
    "then": "Noted.",
}


def with_agents(settings, **window):
    """An assistant who is shown few messages, one who is shown more, one with a larger model, and one who remembers
    nothing."""
    folder = settings.chat_data_dir / "agents"
    folder.mkdir(exist_ok=True)
    agent = {"name": "assistant", "description": "x", "prompt": f"Be kind.\n{PLACEHOLDER}\nBe brief.", "window": window}
    agent |= {"limits": {"output_tokens": 500}, "tools": ["manage_long_term_memory"]}
    plain = {"name": "plain", "description": "x", "prompt": "Be plain.", "memory": {"scope": "off"}}
    patient = {"name": "patient", "window": window | {"messages": 20}}
    grand = {"name": "grand", "larger_model": "builtin"}
    for each in (agent, agent | patient, agent | grand, plain):
        (folder / f"{each['name']}.yaml").write_text(json.dumps(each))
    return settings.model_copy(update={"agents_dir": folder})


async def say(client, message: str, session: str = "thread", **more) -> dict:
    answer = await client.post("/api/chat", json={"message": message, "session_id": session, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def look(client, message: str = "Where do I live?", session: str | None = "thread", **more) -> dict:
    answer = await client.post(PREVIEW, json={"message": message, "session_id": session, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def part_of(seen: dict, name: str) -> dict:
    return next(part for part in seen["parts"] if part["name"] == name)
