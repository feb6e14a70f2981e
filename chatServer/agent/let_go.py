"""What a conversation has had forgotten: whoever quotes from it, or sums it up, leaves out what said it before."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from chatServer.agent.builtin.phrases import COMMON, language_of, says_forgotten
from chatServer.agent.wishes import wish_in
from chatServer.memory.forget.forget_named import MAX_FORGOTTEN, words_to_find
from chatServer.memory.forget.said import as_kept, likely_words, may_say, telling
from chatServer.memory.forget.whose import Whose, tells_of, whose
from chatServer.messages import searchable
from chatServer.messages.sentences import SENTENCE_END

FORGET_TOOL = "forget_memories"
STAYS = "What was said of it stays in its chats."  # as the tool tells, whose word is passed on
_SPEAKER = re.compile(r"\s*[->] (user|assistant): ", re.IGNORECASE)  # as lines of a summary begin
MOST_NAMED = 2 * MAX_FORGOTTEN  # memories and messages: no tool of ours names more; rows may be another writer's
MOST_GONE = 50  # things, the last ones
LONGEST_NAMED = 500  # characters
LONGEST_READ = 50_000  # characters of a text; what stands behind them goes
MOST_READ = 200_000  # characters of all texts that may say it, the newest first: half a second at worst
_CUT = ("…", "…”")  # so ends what the tool shows of a long message


class Spoken(NamedTuple):
    """A message, or a line of a summary."""

    role: str
    text: str
    tool: str | None = None
    is_error: bool = False


class Gone(NamedTuple):
    """The words of what was let go, of whom, and where: who says it again after that wants it to be known."""

    place: int
    words: frozenset[str]
    meant: Whose | None
    likely: Sequence[Sequence[str]]  # what its words begin with


def still_told(summary: str, spoken: Sequence[Spoken]) -> tuple[str, list[str]]:
    """A summary without what was let go in it or in what was said after it; and of each of those what may still be
    told."""
    lines = summary.splitlines()
    every = [*map(of_line, lines), *spoken]
    gone = _gone_in(every)
    if not gone:
        return summary, [each.text for each in spoken]
    left = _left_of(every, gone)
    kept = [
        line if text == each.text else text
        for line, each, text in zip(lines, every, left, strict=False)
        if text == each.text or (text and not each.role)  # what somebody said goes as a whole
    ]
    return "\n".join(kept), left[len(lines) :]


def _left_of(spoken: Sequence[Spoken], gone: Sequence[Gone]) -> list[str]:
    """What is left of each text; nothing where there is too much to read."""
    left, budget = [each.text for each in spoken], MOST_READ
    for place in reversed(range(max(each.place for each in gone))):
        text = left[place][:LONGEST_READ]
        folded = text.casefold()
        likely = [each for each in gone if each.place > place and may_say(folded, each.likely)]
        if likely:
            budget -= len(text)
            text = _without(text, likely) if budget >= 0 else ""
        left[place] = text
    return left


def _without(text: str, gone: Sequence[Gone]) -> str:
    """A text without the sentences that say it; nothing where only all of them together do."""
    sentences = SENTENCE_END.split(text)
    kept = [sentence for sentence in sentences if not _is_gone(sentence, gone)]
    if len(kept) < len(sentences):
        return " ".join(kept).strip()
    return "" if _is_gone(text, gone) else text


def of_line(line: str) -> Spoken:
    """A line of a summary, as whoever it names has said it."""
    speaker = _SPEAKER.match(line)
    return Spoken(speaker[1].lower(), line[speaker.end() :]) if speaker else Spoken("", line)


def _gone_in(spoken: Sequence[Spoken]) -> list[Gone]:
    """By what the tool has told of, and by the user's own wishes where it did, or the answer says so; the last of
    them."""
    found: list[Gone] = []
    is_done = False  # what the user may have wished
    for place, each in reversed(list(enumerate(spoken))):
        if each.role == "user":
            found += _wished(each.text, place) if is_done else []
            is_done = False
        elif each.tool == FORGET_TOOL and not each.is_error:
            named = list(_named(each.text))
            found += [_gone(place, telling(line), whose(line)) for line in named]
            is_done = is_done or bool(named)
        elif each.role == "assistant":
            is_done = is_done or says_forgotten(each.text)
        if len(found) >= MOST_GONE:
            break
    return [each for each in found if each.words]


def _wished(text: str, place: int) -> list[Gone]:
    wish = wish_in(text)
    if wish is None or wish.kind != "forget":
        return []
    words = words_to_find(wish.what, COMMON[language_of(searchable(wish.what).split())])
    return [_gone(place, words, whose(wish.what))]


def _gone(place: int, words: frozenset[str], meant: Whose | None) -> Gone:
    words = as_kept(words)
    return Gone(place, words, meant, likely_words(words))


def _named(result: str) -> Iterator[str]:
    """What the tool names, a line each; of a long message what it shows of it, in whole words."""
    lines = (line.removeprefix("- ") for line in result.splitlines() if line.startswith("- "))
    for line in islice(lines, MOST_NAMED):
        shown = line.rpartition(" ")[0] if line.endswith(_CUT) else line
        yield shown.strip("“”")[:LONGEST_NAMED]


def _is_gone(text: str, gone: Sequence[Gone]) -> bool:
    words = as_kept(telling(text))
    said = [each for each in gone if each.words <= words]
    if not said or len(text) > LONGEST_NAMED:
        return bool(said)
    return any(each.meant is None or tells_of(text, each.meant, each.words) for each in said)
