"""A summary without a model: the sentences of a conversation that tell the most, in their order. Nothing is invented,
and nothing is read twice: what was kept before is kept or let go line by line."""

from collections.abc import Sequence

from chatServer.agent.builtin.extract import keys_of
from chatServer.agent.builtin.phrases import without_quotes
from chatServer.conversation.tokens import count_once, shortened
from chatServer.messages import Message, clean_text, text_of
from chatServer.messages.sentences import SENTENCE_END

READ_CHARACTERS = 2_000  # of one message
LINE_CHARACTERS = 240
SENTENCES = {"user": 2, "assistant": 1}
NAMES = {"user": "User", "assistant": "Assistant"}
ANSWERED = f"- {NAMES['assistant']}: "
LINE_TOKENS = 2  # for the end of a line, where texts meet


def gist(known: str, messages: Sequence[Message], target_tokens: int) -> str:
    """The lines of a summary that was, and those of what was said since; the least telling go when there is no room."""
    lines = [line for line in known.splitlines() if without_quotes(line.removeprefix(ANSWERED)).strip()]
    for message in messages:
        if line := _line(message):
            lines.append(line)
    lines = list(dict.fromkeys(lines))
    counts = [count_once(line) + LINE_TOKENS for line in lines]
    kept, left = set[int](), target_tokens
    for place in sorted(range(len(lines)), key=lambda each: (-_weight(lines[each], each, len(lines)), -each)):
        if counts[place] <= left:
            kept.add(place)
            left -= counts[place]
    return "\n".join(lines[place] for place in sorted(kept)) or shortened("\n".join(lines[-1:]), target_tokens)


def _line(message: Message) -> str:
    """Who said it, and its most telling sentences; of answers, what they have not quoted."""
    name = NAMES.get(message.role)
    if name is None:
        return ""
    text = clean_text(text_of(message)[:READ_CHARACTERS])
    if message.role == "assistant":
        text = without_quotes(text)
    sentences = [each.strip() for each in SENTENCE_END.split(text) if each.strip()]
    best = sorted(range(len(sentences)), key=lambda each: (-len(keys_of(sentences[each])), each))
    chosen = " ".join(sentences[each] for each in sorted(best[: SENTENCES[message.role]]))
    return f"- {name}: {chosen[:LINE_CHARACTERS].strip()}" if chosen else ""


def _weight(line: str, place: int, count: int) -> float:
    """What the user said counts for twice what was answered; of equals the later one."""
    speaks = 2.0 if line.startswith(f"- {NAMES['user']}") else 1.0
    return speaks * min(len(keys_of(line)), 12) + 4.0 * place / count
