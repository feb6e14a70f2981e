"""The action that an assistant's message asks for."""

from typing import Any

from chatServer.messages.message import Message


def extract_action_from_message(message: Message) -> dict[str, Any] | None:
    """`{"next_action", "action_input"}`, or None when the message asks for nothing."""
    if message.role != "assistant":  # what a user or a tool says is never an order
        return None
    if message.tool_calls:
        return _action("call_tool", {"tool_calls": [call.to_dict() for call in message.tool_calls]})
    if message.agent_calls:
        return _action("invoke_agent", {"agent_calls": [call.to_dict() for call in message.agent_calls]})
    content = message.content
    if isinstance(content, dict) and content.get("next_action"):
        return _action(content["next_action"], content.get("action_input") or {})
    return _action("final_response", {"response": content}) if content else None


def _action(name: str, action_input: dict[str, Any]) -> dict[str, Any]:
    return {"next_action": name, "action_input": action_input}
