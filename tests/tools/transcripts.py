"""Turns stored as they are, with tools or without, and the pages that are read of them."""

from chatServer.messages import Message, ToolCallMsg
from chatServer.records import new_id
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from tests.conftest import ADA


def tool_turn(number: int) -> list[Message]:
    call = ToolCallMsg(id=f"c{number}", call_id=f"c{number}", type="function", name="add", arguments='{"a": 1}')
    failed = {"duration_ms": 3, "success": False, "error": "no such number"}
    return [
        Message(role="user", content=f"question {number}"),
        Message(role="assistant", content=None, tool_calls=[call]),
        Message(role="tool", content="boom", name="add", tool_call_id=f"c{number}", structured_data=failed),
        Message(role="assistant", content=f"answer {number}"),
    ]


async def store_turn(database: Database, session_id: str, messages: list[Message], **turn) -> tuple[str, str]:
    turn_id, reply_id = new_id(), new_id()
    columns = {"state": "done", "model": "script", "usage": '{"output_tokens": 4}', **turn}
    async with database.transaction(ADA) as connection:
        await connection.execute(
            f"insert into chat.turns (turn_id, session_id, agent_name, reply_message_id, {', '.join(columns)}) "
            f"values (%s, %s, 'assistant', %s, {', '.join(['%s'] * len(columns))})",
            (turn_id, session_id, reply_id, *columns.values()),
        )
        await ChatMessageHistory(connection, ADA.user_id, session_id, turn_id=turn_id).append(messages)
    return str(turn_id), str(reply_id)


async def read(client, headers, session_id: str, **query) -> dict:
    answer = await client.get(f"/api/sessions/{session_id}/messages", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()
