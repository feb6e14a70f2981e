"""The index in the process against the plainest reading of what it computes, on made-up users."""

import math
from collections import Counter
from dataclasses import fields
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.memory.ranking import index as index_module
from chatServer.memory.ranking.asked import ask, best
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.items import Items
from chatServer.memory.ranking.packing import DIMENSIONS, K1, B
from chatServer.memory.ranking.question import Question, read_question
from chatServer.memory.ranking.rank import rank
from chatServer.memory.ranking.weights import shipped_weights
from chatServer.messages.terms import packed_terms

WORDS = [
    "tea",
    "coffee",
    "garden",
    "piano",
    "Lisbon",
    "sister",
    "Monday",
    "dentist?",
    "I",
    "we",
    "2023",
    "run",
    "running",
    "green",
]
WEIGHTS = shipped_weights()


@st.composite
def users(draw):
    return made_up(draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 30)))


def made_up(seed: int, count: int, *, first: int = 0) -> list[tuple]:
    random = np.random.default_rng(seed)
    rows = []
    for number in range(first, first + count):
        text = " ".join(random.choice(WORDS, int(random.integers(0, 9))))
        vec = random.normal(size=DIMENSIONS).astype("<f2").tobytes() if random.random() < 0.8 else None
        session = f"s{random.integers(3)}" if random.random() < 0.9 else None
        who = random.choice(["user", "assistant", "tool"]), random.choice([None, "Mia", "Ole"])
        shelf = random.choice(["assistant", "other"])
        item_id, is_memory, place = UUID(int=number * 2**70 + number), random.random() < 0.2, int(random.integers(50))
        shown = (item_id, bool(is_memory), *map(_plain, who), session, str(shelf), place, float(number))
        rows.append((*shown, len(text), packed_terms(text), vec, 0.7, False))
    return rows


def _plain(name):
    return None if name is None else str(name)


def items(rows: list[tuple]) -> Items:
    return Items(*(list(column) for column in zip(*rows, strict=True))) if rows else Items(*([] for _ in fields(Items)))


def asked_of(index: Index, text: str = "When did Mia run in the garden?", scope: Scope | None = None):
    vec = np.random.default_rng(1).normal(size=DIMENSIONS).astype(np.float32)
    return ask(index, read_question(text, index.speakers.codes), vec, scope or Scope(), 1.0)


def found(index: Index, scope: Scope | None = None, text: str = "When did Mia run in the garden?"):
    asked = asked_of(index, text)
    return rank(index, asked.question, asked.vec, scope or Scope(), now=1.0, limit=99, weights=WEIGHTS)


def by_id(index: Index) -> dict[UUID, dict[str, float]]:
    rows = np.flatnonzero(index.columns["alive"])
    values = features(asked_of(index), rows)
    return {index.id_of(int(r)): {n: float(v[i]) for n, v in values.items()} for i, r in enumerate(rows)}


@settings(max_examples=60, deadline=None)
@given(users())
def test_words_and_meaning_are_scored_as_the_formulas_say(rows):
    index = Index(items(rows))
    asked = asked_of(index)
    meant = [Counter(np.frombuffer(row[9], "<u4").tolist()) for row in rows]
    plain = [Counter({t: n for t, n in text.items() if t in asked.question.terms}) for text in meant]
    lengths = index.columns["length"]
    for row, text in enumerate(plain):
        score = 0.0
        for term, often in text.items():
            holding = sum(term in other for other in meant)
            idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
            score += idf * often * (K1 + 1) / (often + K1 * (1 - B + B * lengths[row] / index.mean_length))
        assert asked.lexical.scores[row] == pytest.approx(score, rel=1e-4, abs=1e-6)
    for row, cosine in enumerate(asked.cosine(np.arange(len(rows)))):
        vec = rows[row][10] and np.frombuffer(rows[row][10], "<f2").astype(float)
        true = 0 if vec is None else vec @ asked.vec / np.linalg.norm(vec) / np.linalg.norm(asked.vec)
        assert cosine == pytest.approx(max(true, 0), abs=0.01)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.data())
def test_adding_removing_and_replacing_leave_what_a_rebuild_would_make(seed, data):
    start, later = made_up(seed, data.draw(st.sampled_from([0, 12]))), made_up(seed + 1, 40, first=12)
    index = Index(items(start))
    cut = data.draw(st.sampled_from([3, 20]))  # more than a few are linked all at once
    index.add(items(later[:cut]))
    index.add(items(later[cut:]))
    gone = data.draw(st.sets(st.sampled_from([row[0] for row in start + later]), max_size=20))
    index.remove(gone)
    changed = made_up(seed + 2, 4, first=5)
    index.add(items(changed))
    new = {row[0] for row in changed}
    left = [row for row in start + later if row[0] not in gone | new] + changed
    # In the order in which they came: it decides between two that claim one place.
    rebuilt = Index(items(left))
    assert len(index) == len(rebuilt) == len(left)
    one, other = by_id(index), by_id(rebuilt)
    assert one.keys() == other.keys()
    for item_id, values in one.items():
        assert values == pytest.approx(other[item_id], rel=1e-3, abs=1e-4)


def test_an_item_is_found_by_its_id_among_the_old_and_the_new_and_gone_but_once(monkeypatch):
    monkeypatch.setattr(index_module, "TAIL", 10)
    start, later, last = made_up(1, 20), made_up(2, 12, first=20), made_up(3, 3, first=32)
    index = Index(items(start))
    index.add(items(later))
    index.add(items(last))
    ids = [row[0] for row in start + later + last]
    assert index.rows_of(ids[::-1]).tolist() == list(range(35))
    index.add(items(start[:2]))
    index.remove([ids[5], ids[5], ids[34], uuid4()])
    assert index.rows_of([ids[0], ids[0], ids[5], ids[6], ids[34], uuid4()]).tolist() == [6, 35]
    assert len(index) == 33
    assert [index.id_of(row) for row in (6, 35)] == [ids[6], ids[0]]


@settings(max_examples=60, deadline=None)
@given(users(), st.sampled_from([None, "assistant", "other"]), st.data())
def test_what_is_excluded_is_never_found_and_all_else_is(rows, shelf, data):
    index = Index(items(rows))
    without = data.draw(st.sets(st.sampled_from([row[0] for row in rows]))) if rows else set()
    scope = Scope(shelf and frozenset({shelf}), None, frozenset(without))
    allowed = {r[0] for r in rows if r[0] not in without and shelf in (None, r[5])}
    assert {hit.item_id for hit in found(index, scope)} == allowed
    session = found(index, Scope(session="s1"))
    assert {hit.item_id for hit in session} == {row[0] for row in rows if row[4] == "s1"}
    assert found(index, Scope(shelves=frozenset({"nobody's"}))) == []


@pytest.mark.parametrize("many", ["different", "mostly equal", "crowded together", "forbidden"])
@pytest.mark.parametrize("count", [1, 200, 9_000])
def test_the_best_of_very_many_are_the_best_whatever_a_sample_says(many, count):
    scores = np.random.default_rng(count).random(20_000).astype(np.float32)
    match many:
        case "mostly equal":
            scores = scores.round(1)
        case "crowded together":
            scores[::9] = 2  # there the sample looks, and finds nothing else
        case "forbidden":
            scores[50:] = -np.inf
    found = best(scores, count, above=-np.inf)
    wanted = np.sort(scores[scores > -np.inf])[::-1][:count]
    assert len(set(found.tolist())) == len(found)
    assert np.sort(scores[found])[::-1].tolist() == wanted.tolist()


def test_the_same_question_is_answered_the_same_way_every_time():
    rows = made_up(3, 30)
    first, second = found(Index(items(rows))), found(Index(items(rows)))
    assert first == second
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)


def test_what_is_said_over_and_over_leaves_room_for_the_rest():
    rows = made_up(3, 30)
    again = next(row for row in rows if row[10] is not None and len(row[9]) > 12)  # a vector, and some words
    repeated = [(UUID(int=2**100 + number), *again[1:]) for number in range(200)]
    hits = found(Index(items([*rows, *repeated])))
    assert {hit.item_id for hit in hits} >= {row[0] for row in rows if row[9] != again[9]}
    assert sum(hit.item_id.int >= 2**100 for hit in hits) <= 3


def test_a_hit_says_what_speaks_for_it_and_its_parts_make_its_score():
    hit = found(Index(items(made_up(3, 30))))[0]
    assert hit.parts["words"] > 0
    total = math.log(hit.score / (1 - hit.score))
    assert sum(hit.parts.values()) + WEIGHTS.bias == pytest.approx(total, abs=0.05)


def test_a_question_without_a_vector_and_one_without_words_are_answered_by_what_is_there():
    index = Index(items(made_up(5, 20)))
    vec = np.ones(DIMENSIONS, np.float32)
    for question, its_vec in ((read_question("garden"), None), (Question((), ""), vec), (Question((), ""), None)):
        assert len(rank(index, question, its_vec, Scope(), now=1.0, limit=5, weights=WEIGHTS)) == 5


def test_nothing_is_found_in_an_empty_index_and_the_first_item_is_found_at_once():
    index = Index(items([]))
    assert found(index) == []
    rows = made_up(7, 1)
    index.add(items(rows))
    assert [hit.item_id for hit in found(index)] == [rows[0][0]]


def test_vectors_that_are_broken_or_of_another_size_count_as_missing():
    rows = made_up(9, 3)
    broken = [b"", b"\x00" * 7, np.full(DIMENSIONS, np.nan, "<f2").tobytes()]
    index = Index(items([(*row[:10], vec, *row[11:]) for row, vec in zip(rows, broken, strict=True)]))
    assert not index.columns["scale"].any()
    assert all(math.isfinite(hit.score) for hit in found(index))


@pytest.mark.parametrize("echoes", [100, 1_500])
def test_a_memory_is_found_under_any_number_of_messages_that_repeat_its_words(echoes):
    texts = ["The user's garden is green", *("My garden is green. " * (2 + n % 9) + "x" * n for n in range(echoes))]
    rows = [
        (UUID(int=n), n == 0, "user", None, f"s{n}", "all", n, 0.0, len(text), packed_terms(text), None, 0.7, False)
        for n, text in enumerate(texts)
    ]
    index, question = Index(items(rows)), read_question("What colour is my garden?")
    best = rank(index, question, None, Scope(), now=1.0, limit=40, weights=WEIGHTS)
    assert UUID(int=0) not in {hit.item_id for hit in best}
    hits = rank(index, question, None, Scope(), now=1.0, limit=40, weights=WEIGHTS, memories=3)
    assert hits[:40] == best
    assert [(hit.item_id, hit.score) for hit in hits[40:]] == [(UUID(int=0), best[-1].score)]
