"""The messages in which the user has said what he wants to be forgotten: recall passes over them from then on."""

import contextlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from chatServer import errors
from chatServer.memory.alike import signature
from chatServer.memory.facts.words import spellings, stem, word_set
from chatServer.memory.forget import MAX_TELLING
from chatServer.memory.pass_over import hide
from chatServer.records import Reason
from chatServer.store import said as store
from chatServer.store.pool import Connection
from chatServer.store.said import Reach, Said

MAX_LOOKED_AT = 200  # the newest messages with the words, of which some only ask
MIN_QUOTED = 2  # words: by a single one nobody is sure that an answer has quoted it
_WHOSE = frozenset(("i", "we", "our", "you", "your", "user"))  # the user's, as all of it
_PAST = re.compile(r"(?<=\w{3})(?<!e)ed$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
# What somebody says around what he means, and need not have said then.
_AROUND = frozenset(
    map(
        stem,
        word_set(
            "say said says tell told mention mentioned write wrote ask asked know knew remember remembered note noted"
            " was were will would could had did can if ever all every everything anything something thing things stuff"
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
    """What is to be forgotten, in somebody's words; those that are in every text of his language, and what messages
    only wish something to be forgotten, too."""

    what: str
    common: Collection[str] = ()
    is_wish: Callable[[str], bool] = lambda _: False


def telling(text: str) -> frozenset[str]:
    """Whoever wants it forgotten that he lived somewhere means what says that he lives there."""
    return frozenset(_in_order(text))


def to_look_for(named: frozenset[str], wanted: Wanted) -> frozenset[str]:
    """The words that a message must have; none where nothing is named by them."""
    needed = named - _AROUND
    return needed if needed - _POINTING - set(map(stem, wanted.common)) else frozenset()


async def find_saying(
    connection: Connection, user_id: UUID, reach: Reach, needed: frozenset[str], wanted: Wanted, *, turn_id: UUID
) -> list[Said]:
    """The messages of the user that say it, but for what this turn asks; whoever asks or wishes has not said it."""
    if not needed:
        return []
    words = list(map(spellings, sorted(needed)))
    found = await store.find_said(connection, user_id, reach, words, turn_id=turn_id, limit=MAX_LOOKED_AT)
    return [each for each in found if not wanted.is_wish(each.text) and needed <= telling(_stated(each.text))]


async def let_go(connection: Connection, user_id: UUID, reach: Reach, said: Sequence[Said], reason: Reason) -> None:
    """Let recall pass over messages, and over answers and titles that have quoted them, under a head that is held. Each
    can be had back by itself."""
    for each in said:
        words = _in_order(_stated(each.text))[:MAX_TELLING]
        quoting = []
        if len(words) >= MIN_QUOTED:
            quoting = await store.find_quoting(connection, user_id, reach, list(map(spellings, words)))
        with contextlib.suppress(errors.MessageNotFound):  # somebody has just deleted it
            await hide(connection, user_id, each.message_id, reason, quoting=quoting)


def _in_order(text: str) -> list[str]:
    words = (_PAST.sub("", word.removeprefix("not ")) for word in signature(text).words)
    return [word for word in dict.fromkeys(words) if word not in _WHOSE]


def _stated(text: str) -> str:
    """Its sentences without the questions among them."""
    return "\n".join(each for each in _SENTENCE_END.split(text) if not each.rstrip().endswith(("?", "？")))
