"""The messages in which the user has said what he wants to be forgotten: recall passes over them from then on."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from chatServer import errors
from chatServer.memory.alike import MAX_READ, signature
from chatServer.memory.facts.clauses import SAME_KIN
from chatServer.memory.facts.words import spellings, stem, word_set
from chatServer.memory.forget.forget import MAX_TELLING
from chatServer.memory.forget.pass_over import hide
from chatServer.messages.asking import asks
from chatServer.messages.sentences import SENTENCE_END
from chatServer.records import Reason
from chatServer.store import said as store
from chatServer.store.memories import hide_messages
from chatServer.store.pool import Connection
from chatServer.store.said import Reach, Said

MAX_LOOKED_AT = 200  # the newest messages with the words, of which some only ask
LONGEST_WISH = 2_000  # characters
LIKELY = 3  # characters at least by which a word is looked for before it is read
MOST_READ = 400_000  # characters, of all messages: a quarter of a second
MIN_QUOTED = 2  # words: by a single one nobody is sure that an answer has quoted it
_WHOSE = frozenset(("i", "we", "our", "you", "your", "user"))  # the user's, as all of it
_KEPT_AS = {stem(said): stem(kept) for said, kept in SAME_KIN.items()}
_SAID_AS = {kept: [said for said, other in _KEPT_AS.items() if other == kept] for kept in _KEPT_AS.values()}
_PAST = re.compile(r"(?<=\w{3})(?<!e)(?<!^nam)(?<!^call)ed$")  # who is named Bruno is not somebody's name
_EEING = re.compile(r"(?<=ee)ing\b", re.IGNORECASE)  # of "seeing" its stem would be "se", of "see" it is not
_DIGITS = re.compile(r"\d+")
# What somebody says around what he means, and need not have said then.
_AROUND = frozenset(
    map(
        stem,
        word_set(
            "say said says tell told mention mentioned write wrote ask asked know knew remember remembered note noted"
            " was were will would could had did can if ever all every everything anything something thing things stuff"
            " named called"
        ),
    )
)
_POINTING = frozenset(
    map(
        stem,
        word_set(
            "he him she they them their who whom last latest previous first before today yesterday message messages"
            " chat chats conversation conversations session sessions not ça cela eso ello"
        ),
    )
)  # by themselves they name nothing


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten, in somebody's words, and where the agent that is told may look; the words that are in
    every text of his language, and what messages only wish something to be forgotten, too."""

    what: str
    reach: Reach
    turn_id: UUID  # in which he says so
    common: Collection[str]
    is_wish: Callable[[str], bool]


Passages = dict[UUID, str | None]  # where messages say it; None: they do not


class Saying(NamedTuple):
    """A message that says what is to be forgotten, and where it does."""

    message_id: UUID
    text: str
    passage: str


def telling(text: str) -> frozenset[str]:
    """Whoever wants it forgotten that he lived somewhere means what says that he lives there."""
    return frozenset(_in_order(text))


def as_kept(words: frozenset[str]) -> frozenset[str]:
    """Telling words with those that facts have for a mum, a dad or a kid."""
    return frozenset(_KEPT_AS.get(word, word) for word in words)


def to_look_for(named: frozenset[str], common: Collection[str]) -> frozenset[str]:
    """The words that a message must have; none where nothing is named by them, but for `common` ones."""
    needed = naming(named)
    return needed if needed - _POINTING - set(map(stem, common)) else frozenset()


def naming(words: frozenset[str]) -> frozenset[str]:
    """Without what is said around it."""
    return words - _AROUND


async def messages_saying(
    connection: Connection,
    user_id: UUID,
    wanted: Wanted,
    needed: frozenset[str],
    read: Passages,
) -> list[Saying]:
    """The messages of the user that say it, but for what this turn asks; whoever asks or wishes has not said it. What
    was read once is not read again."""
    if not needed:
        return []
    words = list(map(spellings, sorted(needed)))
    found = await store.find_said(connection, user_id, wanted.reach, words, turn_id=wanted.turn_id, limit=MAX_LOOKED_AT)
    new = [each for each in found if each.message_id not in read]
    if new:
        read.update(await asyncio.to_thread(_passages, new, wanted, needed))
    return [Saying(*each, passage) for each in found if (passage := read.get(each.message_id)) is not None]


def _passages(found: Sequence[Said], wanted: Wanted, needed: frozenset[str]) -> Passages:
    """Where each message says it, if it does; of very long ones only as much is read as takes no time."""
    beginnings, left, read = likely_words(needed), MOST_READ, Passages()
    for each in found:
        passage = None
        pieces = () if _is_wish(each.text, wanted) else _pieces(each.text)
        for piece in pieces:
            if left <= 0 or not may_say(piece.casefold(), beginnings):
                continue
            left -= len(piece)
            if needed <= telling(_stated(piece)):
                passage = piece
                break
        read[each.message_id] = passage
    return read


def _is_wish(text: str, wanted: Wanted) -> bool:
    return len(text) <= LONGEST_WISH and wanted.is_wish(text)


def _pieces(text: str) -> Iterator[str]:
    """A text, or the paragraphs of a long one."""
    if len(text) <= MAX_READ:
        yield text
        return
    for line in text.splitlines():
        for at in range(0, len(line), MAX_READ):
            yield line[at : at + MAX_READ]


def likely_words(needed: frozenset[str]) -> list[list[str]]:
    """What each word begins with, in whatever form; stems differ from words at their ends."""
    return [
        [each[: max(LIKELY, len(each) - 1)].casefold() for each in (*spellings(word), *_SAID_AS.get(word, ()))]
        for word in needed
    ]


def may_say(folded: str, likely: Sequence[Sequence[str]]) -> bool:
    """Whether all words may be in a text: to read 200 long messages took 6 s (2026-11-17)."""
    return all(any(each in folded for each in spelled) for spelled in likely)


async def let_go(
    connection: Connection,
    user_id: UUID,
    reach: Reach,
    said: Sequence[Saying],
    needed: frozenset[str],
    *,
    reason: Reason,
) -> None:
    """Let recall pass over messages, and over answers and titles that have quoted them, under a head that is held. Each
    can be had back by itself."""
    quoting = {}
    for each in said:
        words = _to_quote(each.passage, needed)
        is_sure = len(words) >= MIN_QUOTED
        quoting[each.message_id] = (
            await store.find_quoting(connection, user_id, reach, list(map(spellings, words))) if is_sure else []
        )
    every = {*quoting, *chain.from_iterable(quoting.values())}
    await hide_messages(connection, user_id, every, titles=True)  # at once: others hold them in the order of their ids
    for message_id, also in quoting.items():
        with contextlib.suppress(errors.MessageNotFound):  # somebody has just deleted it
            await hide(connection, user_id, message_id, reason, quoting=also)


def _to_quote(text: str, needed: frozenset[str]) -> list[str]:
    """By which words an answer repeats a message: what was named, with its numbers; without any, nearly all words."""
    words = _in_order(_stated(text))[:MAX_TELLING]
    numbers = [word for word in words if word in _DIGITS.findall(text)]  # "after six" is none
    return [*sorted(needed - set(numbers)), *numbers] if numbers else words


def _in_order(text: str) -> list[str]:
    words = (_PAST.sub("", word.removeprefix("not ")) for word in signature(_EEING.sub("", text)).words)
    return [word for word in dict.fromkeys(words) if word not in _WHOSE]


def _stated(text: str) -> str:
    """Its sentences without the questions among them; of "my code is 4711, right?" what is said before it is asked."""
    return "\n".join(map(_before_it_asks, SENTENCE_END.split(text)))


def _before_it_asks(sentence: str) -> str:
    if not sentence.rstrip().endswith(("?", "？")):
        return sentence
    said = sentence.rpartition(",")[0]
    return "" if asks(said) else said
