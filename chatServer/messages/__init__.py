"""Messages and their conversions: to LangChain, to providers, to the AI SDK's UI, and to text for search.

Which file for which question:
- what a message is: message, blocks, calls, action, images
- what it becomes elsewhere: langchain, plain, provider, ui
- what its row in the database says: rows, as_json
- what it says, and whether that asks: text, clean, terms, sentences, asking
- what it keeps beside its text: cut_short, deeds, sources
- which ones belong together: window
- how a text is quoted: fence
"""

from chatServer.messages.action import extract_action_from_message
from chatServer.messages.calls import AgentCallMsg, MessageContent, ToolCallMsg
from chatServer.messages.clean import clean_json, clean_text, searchable, words_in
from chatServer.messages.images import checked_image, data_uri, encode_image_file, parse_data_uri, refuse_file_images
from chatServer.messages.langchain import LangChainMessage, from_langchain, to_langchain
from chatServer.messages.message import ROLES, Message, Quoted, new_message_id
from chatServer.messages.provider import from_provider_dict, to_provider_dict
from chatServer.messages.text import reasoning_of, text_of, thought_in, tool_result
from chatServer.messages.ui import UIMessage, from_ui_message, to_ui_parts
from chatServer.messages.window import cut, paired

__all__ = [
    "ROLES",
    "AgentCallMsg",
    "LangChainMessage",
    "Message",
    "MessageContent",
    "Quoted",
    "ToolCallMsg",
    "UIMessage",
    "checked_image",
    "clean_json",
    "clean_text",
    "cut",
    "data_uri",
    "encode_image_file",
    "extract_action_from_message",
    "from_langchain",
    "from_provider_dict",
    "from_ui_message",
    "new_message_id",
    "paired",
    "parse_data_uri",
    "reasoning_of",
    "refuse_file_images",
    "searchable",
    "text_of",
    "thought_in",
    "to_langchain",
    "to_provider_dict",
    "to_ui_parts",
    "tool_result",
    "words_in",
]
