"""What speaks for an item, in numbers that mean the same for every user: each is divided by the best, or is 0 or 1.

What an item is like (long, a question, of oneself) is said against the same user's messages in the same role: taken as
it is, it breaks as soon as people write otherwise than those whom the weights were learned from."""

from typing import NamedTuple

import numpy as np

from chatServer.memory.ranking.asked import Asked, divided
from chatServer.memory.ranking.items import ASSISTANT
from chatServer.memory.ranking.packing import saturated
from chatServer.memory.ranking.postings import Floats, Rows

DAY_S = 86_400
RECENT_DAYS = 30
ASKS, OF_ONESELF, OF_A_TIME = range(3)  # bits, in the order of messages/terms.MARKS

# Learned apart for sessions in which only people speak: what speaks for a friend's line is not what speaks for a
# question put to an assistant.
AMONG_PEOPLE = (
    "words", "meaning", "around", "words_before", "words_after", "session_words", "length", "rarity", "of_oneself",
    "asks",
)  # fmt: skip


class Around(NamedTuple):
    """Which message is before and after each row, and which are next to those; -1 where there is none."""

    before: Rows
    after: Rows
    before_that: Rows
    after_that: Rows


def features(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """Every feature of some rows, by name; the rows ascend, and the best by words are among them."""
    columns, question = asked.index.columns, asked.question
    is_assistant = (columns["role"][rows] == ASSISTANT).astype(np.float32)
    nothing = np.zeros(len(rows), np.float32)
    before, after = asked.neighbours(rows, "before"), asked.neighbours(rows, "after")
    around = Around(before, after, asked.neighbours(before, "before"), asked.neighbours(after, "after"))
    found = {
        **_words(asked, rows, around),
        **_meaning(asked, rows, around),
        **_session(asked, rows),
        **_shape(asked, rows),
        "assistant": is_assistant,
        "assistant_asked": is_assistant if question.asks_assistant else nothing,
        "assistant_all": is_assistant if question.asks_all else nothing,
        "speaker": _speaker(asked, rows) if question.named else nothing,
        "date": _date(asked, rows) if question.period else nothing,
    }
    among_people = asked.among_people(rows)
    if among_people.any():
        found |= {f"people_{name}": found[name] * among_people for name in AMONG_PEOPLE}
        found["people_opening"] = _opening(around) * among_people
    else:  # as mostly
        found |= dict.fromkeys((*(f"people_{name}" for name in AMONG_PEOPLE), "people_opening"), nothing)
    return {**found, **_memory(asked, rows)}


def _words(asked: Asked, rows: Rows, around: Around) -> dict[str, Floats]:
    """BM25 of the item, of its neighbours, and of all three read as one text."""
    best = asked.lexical.worth.max()
    words, before, after = (divided(asked.lexical.worth[each], best) for each in (rows, around.before, around.after))
    return {
        "words": words,
        "words_before": before,
        "words_after": after,
        "answers": before * (asked.index.columns["marks"][around.before] & 1),
        "around": _around(asked, rows, around),
    }


def _around(asked: Asked, rows: Rows, around: Around) -> Floats:
    """BM25 of an item with its neighbours; divided by the best among the rows with the best words."""
    windows, length = (rows, around.before, around.after), asked.index.columns["length"]
    counts = np.zeros((len(rows), len(asked.lexical.idf)), np.uint16)
    lengths = np.zeros(len(rows), np.float32)
    for each in windows:
        counts += asked.lexical.counts.take(each, axis=0, mode="wrap")  # a third of the time that brackets take
        lengths += length[each] * (each >= 0)
    lengths /= np.float32(len(windows) * asked.index.mean_length)
    worth: Floats = saturated(counts.astype(np.float32), lengths[:, None]) @ asked.lexical.idf
    return divided(worth, worth[np.searchsorted(rows, asked.best_by_words)].max(initial=0))


def _meaning(asked: Asked, rows: Rows, around: Around) -> dict[str, Floats]:
    """The cosine against the best one, and that of those around against what is usual here."""
    if asked.vec is None:
        nothing = np.zeros(len(rows), np.float32)
        return dict.fromkeys(("meaning", "meaning_before", "meaning_after", "meaning_near"), nothing)
    cosines, those = asked.cosines(rows, *around), np.stack(around)
    is_known = (those >= 0) & (asked.index.columns["scale"][those] > 0)
    mean, spread = asked.usual
    unusual = np.where(is_known, np.clip((cosines[those] - mean) / spread, -3, 6) / 3, 0).astype(np.float32)
    return {
        "meaning": np.minimum(cosines[rows] / asked.best_cosine, np.float32(1.2)),
        "meaning_before": unusual[0],
        "meaning_after": unusual[1],
        "meaning_near": np.maximum(unusual[2], unusual[3]),
    }


def _session(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """How well the whole session fits; nothing is said of memories."""
    session = np.where(asked.index.columns["memory"][rows], -1, asked.index.columns["session"][rows])
    return {"session_words": asked.session_words[session], "session_meaning": asked.session_meaning[session]}


def _shape(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """What the item is like, against what its role's messages usually are; nothing is said of memories."""
    columns, typical = asked.index.columns, asked.index.typical
    role, is_message = columns["role"][rows], ~columns["memory"][rows]
    marks, rates = columns["marks"][rows], typical.mark_rates.take(role, axis=0)
    asks, of_oneself, of_a_time = ((marks >> bit & 1).astype(np.float32) for bit in (ASKS, OF_ONESELF, OF_A_TIME))
    length = np.clip(np.log((columns["chars"][rows] + 20) / (typical.chars[role] + 20)), -2, 2)
    has_rarity = np.searchsorted(rows, len(typical.rarity))  # so many of them: the others came later
    rarity = np.zeros(len(rows), np.float32)
    rarity[:has_rarity] = typical.rarity[rows[:has_rarity]] - typical.mean_rarity[role[:has_rarity]]
    return {
        "length": (length * is_message * (role != ASSISTANT)).astype(np.float32),
        "rarity": rarity * is_message,
        "asks": (asks - rates[:, ASKS]) * is_message,
        "of_oneself": (of_oneself - rates[:, OF_ONESELF]) * is_message,
        "names_time": of_a_time * asked.question.asks_when,
    }


def _opening(around: Around) -> Floats:
    """People begin with greetings: 1 for the first message of a session, less for the second."""
    return np.where(around.before < 0, 1, np.where(around.before_that < 0, 0.6, 0)).astype(np.float32)


def _speaker(asked: Asked, rows: Rows) -> Floats:
    return asked.index.speakers.among(asked.index.columns["speaker"][rows], asked.question.named).astype(np.float32)


def _date(asked: Asked, rows: Rows) -> Floats:
    first, last = asked.question.period or (0.0, 0.0)
    times = asked.index.columns["time"][rows]
    return ((times >= first) & (times < last)).astype(np.float32)


def _memory(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """What is known of memories alone."""
    columns = asked.index.columns
    is_memory = columns["memory"][rows].astype(np.float32)
    if not is_memory.any():
        return dict.fromkeys(("memory", "importance", "long_term", "recent"), is_memory)
    age_days = np.maximum(asked.now - columns["time"][rows], 0) / DAY_S
    return {
        "memory": is_memory,
        "importance": is_memory * columns["importance"][rows],
        "long_term": is_memory * columns["long_term"][rows],
        "recent": (is_memory * np.exp(-age_days / RECENT_DAYS)).astype(np.float32),
    }
