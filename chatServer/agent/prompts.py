"""How texts stand in a prompt: fenced, so that what is inside can neither end its block nor begin another."""

import re
from collections.abc import Iterable

from chatServer.records import Agent

PLACEHOLDER = "{long_term_memory_notes}"
NOTHING_YET = "(nothing yet)"


def fence(kind: str, text: str) -> str:
    """A block <kind>...</kind>; tags of this kind in the text get a backslash, which `unfenced` takes away again."""
    return f"<{kind}>\n{_tag(kind).sub(_one_more, text)}\n</{kind}>"


def unfenced(kind: str, prompt: str) -> str | None:
    """The text of the first block of this kind, as it was before it was fenced; None where there is none."""
    opening, closing = f"<{kind}>\n", f"\n</{kind}>"
    begin = prompt.find(opening)
    if begin < 0:
        return None
    begin += len(opening)
    end = prompt.find(closing, begin)
    return None if end < 0 else _tag(kind).sub(_one_less, prompt[begin:end])


def without_blocks(kinds: Iterable[str], text: str) -> str:
    """The text without its blocks of these kinds: what somebody said beside what was put next to it."""
    for kind in kinds:
        while (begin := text.find(f"<{kind}>\n")) >= 0 and (end := text.find(f"\n</{kind}>", begin)) >= 0:
            text = text[:begin] + text[end + len(f"\n</{kind}>") :]
    return text.strip()


def system_prompt(agent: Agent, notes: str) -> str:
    """The agent's prompt with the notes where it wants them; a prompt without the placeholder gets none."""
    return agent.prompt.replace(PLACEHOLDER, fence("notes", notes) if notes.strip() else NOTHING_YET)


def _tag(kind: str) -> re.Pattern[str]:
    # One run of spaces before the slash and one behind it: a pattern that tries each of them once.
    return re.compile(rf"<(\\*)(\s*(?:/\s*)?{re.escape(kind)})", re.IGNORECASE)


def _one_more(tag: re.Match[str]) -> str:
    return f"<\\{tag[1]}{tag[2]}"


def _one_less(tag: re.Match[str]) -> str:
    return f"<{tag[1][1:]}{tag[2]}"
