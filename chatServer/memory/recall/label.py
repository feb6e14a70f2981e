"""One recalled line as it is written: where it is from, and what it says. Its tokens are counted as it stands."""

from datetime import datetime

from chatServer.messages.text import one_line
from chatServer.records import Recalled

OF_TOOLS = "how tools went"
BY_USER = "the user said"
BY_ASSISTANT = "the assistant said"
REMEMBERED = "remembered"
CORRECTED = "corrected by the user"
UNTIL = "until "
NO_LONGER = "no longer so"
IN_PART = "in part "
IN = "in “"
TITLE_FORGOTTEN = "in a chat whose title is forgotten"  # it is the source still


def quoted_line(item: Recalled) -> str:
    return f"- ({label_of(item)}) {' '.join(item.text.split())}"


def label_of(item: Recalled) -> str:
    """Where a line is from, for a model and for a person."""
    if "tool" in item.parts:
        who = OF_TOOLS
    elif item.what == "memory":
        who = REMEMBERED if item.trust == "user" else f"{REMEMBERED}, from {_doubtful(item)}"
    else:
        who = _short(item.speaker or "") or (BY_USER if item.role == "user" else BY_ASSISTANT)
    if item.corrected_at:
        who = CORRECTED
    parts = [who, _day(item.corrected_at or item.said_at)]
    if item.valid_to:
        parts.append(_ended(item, item.valid_to))
    elif item.changed_at:
        parts.append(f"{IN_PART}{_ended(item, item.changed_at)}")
    if not item.corrected_at and item.source.title == "":
        parts.append(TITLE_FORGOTTEN)
    elif not item.corrected_at and (title := _short(item.source.title or "")):
        parts.append(f"{IN}{title}”")
    return ", ".join(parts)


def is_over(label: str, now: datetime) -> bool:
    """Whether a line with this label says nothing but what no longer holds; an appointment holds until its day is
    over."""
    before = label.partition(f", {IN}")[0]
    ended = before.partition(f", {UNTIL}")[2]
    return f", {NO_LONGER}" in before or (bool(ended) and ended[: len(_day(now))] <= _day(now))


def _ended(item: Recalled, until: datetime) -> str:
    """Who says today that he moved last month was wrong when he said yesterday where he lives: nothing held from
    yesterday until last month."""
    return f"{UNTIL}{_day(until)}" if _day(until) >= _day(item.said_at) else NO_LONGER


def _doubtful(item: Recalled) -> str:
    return "an answer" if item.trust == "assistant" else "elsewhere, not vouched for"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _short(text: str) -> str:
    """A title or a name, which anybody may choose, kept from looking like the end of its label."""
    return one_line(text.replace("(", " ").replace(")", " "))[:60]
