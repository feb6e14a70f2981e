"""What speaks for an item, in numbers that mean the same for every user: each is divided by the best, or is 0 or 1.

What an item is like (long, a question, of oneself) is said against the same user's messages in the same role: taken as
it is, it breaks as soon as people write otherwise than those whom the weights were learned from."""

import numpy as np

from chatServer.memory.ranking.asked import Asked, divided
from chatServer.memory.ranking.packing import saturated
from chatServer.memory.ranking.postings import Floats, Rows

ASSISTANT = 1
DAY_S = 86_400
RECENT_DAYS = 30
ASKS, OF_ONESELF, OF_A_TIME = range(3)  # bits, in the order of messages/terms.MARKS

# Learned apart for sessions in which only people speak: what speaks for a friend's line is not what speaks for a
# question put to an assistant.
AMONG_PEOPLE = (
    "words", "meaning", "around", "words_before", "words_after", "session_words", "length", "rarity", "of_oneself",
    "asks",
)  # fmt: skip


def features(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """Every feature of some rows, by name."""
    columns, question = asked.index.columns, asked.question
    is_assistant = (columns["role"][rows] == ASSISTANT).astype(np.float32)
    found = {
        **_words(asked, rows),
        **_meaning(asked, rows),
        **_session(asked, rows),
        **_shape(asked, rows),
        "assistant": is_assistant,
        "assistant_asked": is_assistant * question.asks_assistant,
        "assistant_all": is_assistant * question.asks_all,
        "speaker": _speaker(asked, rows),
        "date": _date(asked, rows),
    }
    among_people = asked.among_people()[rows]
    found |= {f"people_{name}": found[name] * among_people for name in AMONG_PEOPLE}
    found["people_opening"] = _opening(asked, rows) * among_people
    return {**found, **_memory(asked, rows)}


def _words(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """BM25 of the item, of its neighbours, and of all three read as one text."""
    before, after = asked.neighbours(rows, "before"), asked.neighbours(rows, "after")
    scores = np.append(divided(asked.lexical.scores, asked.lexical.scores.max(initial=0)), np.float32(0))
    marks = np.append(asked.index.columns["marks"], np.uint8(0))
    return {
        "words": scores[rows],
        "words_before": scores[before],
        "words_after": scores[after],
        "answers": scores[before] * (marks[before] & 1),
        "around": _around(asked, rows, before, after),
    }


def _around(asked: Asked, rows: Rows, before: Rows, after: Rows) -> Floats:
    """BM25 of an item with its neighbours; divided by the best among the rows with the best words."""
    tops = asked.best_by_words
    sides = asked.neighbours(tops, "before"), asked.neighbours(tops, "after")
    return divided(_window(asked, rows, before, after), _window(asked, tops, *sides).max(initial=0))


def _window(asked: Asked, *windows: Rows) -> Floats:
    length = asked.index.columns["length"]
    counts = np.zeros((len(asked.lexical.idf), len(windows[0])), np.float32)
    lengths = np.zeros(len(windows[0]), np.float32)
    for rows in windows:
        is_there = (rows >= 0).astype(np.float32)
        counts += asked.lexical.counts[:, rows] * is_there
        lengths += length[rows] * is_there
    worth: Floats = asked.lexical.idf @ saturated(counts, lengths / (len(windows) * asked.index.mean_length))
    return worth


def _meaning(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """The cosine against the best one, and that of those around against what is usual here."""
    before, after = asked.neighbours(rows, "before"), asked.neighbours(rows, "after")
    further = asked.neighbours(before, "before"), asked.neighbours(after, "after")
    those, places = np.unique(np.stack([rows, before, after, *further]), return_inverse=True)
    cosines = asked.cosine(those)  # once for each: candidates are often each other's neighbours
    is_known = (those >= 0) & (asked.index.columns["scale"][those] > 0) & (asked.vec is not None)
    mean, spread = asked.usual
    unusual = np.where(is_known, np.clip((cosines - mean) / spread, -3, 6) / 3, 0).astype(np.float32)[places]
    return {
        "meaning": np.minimum(cosines[places[0]] / asked.best_cosine, np.float32(1.2)),
        "meaning_before": unusual[1],
        "meaning_after": unusual[2],
        "meaning_near": np.maximum(unusual[3], unusual[4]),
    }


def _session(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """How well the whole session fits; nothing is said of memories."""
    session = np.where(asked.index.columns["memory"][rows], -1, asked.index.columns["session"][rows])
    return {"session_words": asked.session_words[session], "session_meaning": asked.session_meaning[session]}


def _shape(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """What the item is like, against what its role's messages usually are; nothing is said of memories."""
    columns, typical = asked.index.columns, asked.index.typical
    role, is_message = columns["role"][rows], ~columns["memory"][rows]
    bits = np.unpackbits(columns["marks"][rows][:, None], axis=1, bitorder="little").astype(np.float32)
    marks = (bits - typical.mark_rates[role]) * is_message[:, None]
    length = np.clip(np.log((columns["chars"][rows] + 20) / (typical.chars[role] + 20)), -2, 2)
    rarity = np.append(typical.rarity, np.nan)[np.minimum(rows, len(typical.rarity))] - typical.mean_rarity[role]
    return {
        "length": (length * is_message * (role != ASSISTANT)).astype(np.float32),
        "rarity": (np.nan_to_num(rarity) * is_message).astype(np.float32),
        "asks": marks[:, ASKS],
        "of_oneself": marks[:, OF_ONESELF],
        "names_time": bits[:, OF_A_TIME] * asked.question.asks_when,
    }


def _opening(asked: Asked, rows: Rows) -> Floats:
    """People begin with greetings: 1 for the first message of a session, less for the second."""
    before = asked.neighbours(rows, "before")
    second = asked.neighbours(before, "before") < 0
    return np.where(before < 0, 1, np.where(second, 0.6, 0)).astype(np.float32)


def _speaker(asked: Asked, rows: Rows) -> Floats:
    named = asked.index.speakers.known(asked.question.named)
    return np.isin(asked.index.columns["speaker"][rows], named).astype(np.float32)


def _date(asked: Asked, rows: Rows) -> Floats:
    if asked.question.period is None:
        return np.zeros(len(rows), np.float32)
    first, last = asked.question.period
    times = asked.index.columns["time"][rows]
    return ((times >= first) & (times < last)).astype(np.float32)


def _memory(asked: Asked, rows: Rows) -> dict[str, Floats]:
    """What is known of memories alone."""
    columns = asked.index.columns
    is_memory = columns["memory"][rows].astype(np.float32)
    age_days = np.maximum(asked.now - columns["time"][rows], 0) / DAY_S
    return {
        "memory": is_memory,
        "importance": is_memory * columns["importance"][rows],
        "long_term": is_memory * columns["long_term"][rows],
        "recent": (is_memory * np.exp(-age_days / RECENT_DAYS)).astype(np.float32),
    }
