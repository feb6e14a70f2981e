"""What a summary repeats as it was said: messages that somebody has called important. They stand at its end, one line
each, and roll on with it."""

from collections.abc import Sequence

from chatServer.agent.builtin.phrases import without_quotes
from chatServer.conversation.tokens import count_text
from chatServer.messages import Message, clean_text, text_of
from chatServer.messages.text import one_line
from chatServer.records import StoredMessage
from chatServer.records.budget import SEAM_TOKENS

IMPORTANT = 0.8  # a message has 0.7 unless somebody says otherwise
HEADING = "Word for word:"
MARK = "> "
CHARACTERS = 400  # of one message
SHARE = 2  # half of a summary at most


def parted(text: str) -> tuple[str, list[str]]:
    """A summary as what it tells and what it repeats."""
    body, _, rest = text.rpartition(f"{HEADING}\n") if f"{HEADING}\n" in text else (text, "", "")
    lines = rest.splitlines()
    if not all(line.startswith(MARK) for line in lines):
        return text, []
    return body.strip(), lines


def quotes_of(messages: Sequence[StoredMessage]) -> list[str]:
    """The important ones among them, a line each."""
    return [
        line for each in messages if each.importance >= IMPORTANT and each.is_readable and (line := _line(each.message))
    ]


def quoted(lines: Sequence[str], target_tokens: int) -> tuple[str, int]:
    """The end of a summary, the newest of them where not all have room; and how many tokens are left for the rest."""
    kept: list[str] = []
    left = target_tokens // SHARE - count_text(HEADING) - SEAM_TOKENS
    for line in reversed(dict.fromkeys(lines)):
        tokens = count_text(line) + 1
        if tokens > left:
            break
        kept.append(line)
        left -= tokens
    if not kept:
        return "", target_tokens
    end = "\n".join([HEADING, *reversed(kept)])
    return end, target_tokens - count_text(end) - SEAM_TOKENS


def _line(message: Message) -> str:
    said = text_of(message)
    if message.role == "assistant":
        said = without_quotes(said)
    text = one_line(clean_text(said[:CHARACTERS]))
    return f"{MARK}{message.role}: {text}" if text and message.role in ("user", "assistant") else ""
