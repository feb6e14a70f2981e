"""What is shown of what was found: passages, one of each, and whom or when a question is about."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.conversation.quote import quoted_within
from chatServer.conversation.tokens import count_message, count_text
from chatServer.memory.embed import WordLlamaEmbedder, packed, unit_length
from chatServer.memory.recall.entities import Entities
from chatServer.memory.recall.lines import Line, chosen, recalled, shifted
from chatServer.memory.recall.passage import PASSAGE_CHARACTERS, passage
from chatServer.memory.recall.past import asks_about_the_past
from chatServer.memory.recall.unpack import DIMENSIONS, Piece, fitted, items_of
from chatServer.records import RecallResult
from chatServer.store.recall import Columns, LiveMemory, LiveMessage
from chatServer.turn.recalled import recalled_json, told_apart

NOW = datetime(2026, 11, 15, tzinfo=UTC)
ODD = ["a", "Ab", ". ", "?", "”", ")", "\n", "  ", "é", "日本", "123", "'s", "...", "</memories>", "😀", "\t", " the "]


def message(text: str, score: float = 0.5, item_id: UUID | None = None) -> Line:
    return Line(score, {}, LiveMessage(item_id or uuid4(), NOW, "s", None, "user", None, text))


def memory(text: str, score: float, *sources: UUID) -> Line:
    row = LiveMemory(uuid4(), text, "fact", "knowledge", "user", "rules", NOW, None, None, "s", None, list(sources))
    return Line(score, {}, row)


def texts(lines) -> list[str]:
    return [line.row.text for line in lines]


def test_a_long_text_is_shown_around_what_was_asked():
    filler = "nothing to see here and there " * 100
    found = passage(f"{filler}the harbour of Valletta is deep {filler}", ["valletta", "harbours"])
    assert "the harbour of Valletta is deep" in found
    assert len(found) <= PASSAGE_CHARACTERS + 2
    assert (found[0], found[-1]) == ("…", "…")
    assert passage("  short ", ["x"]) == "short"
    assert passage("start " + "a" * 5_000, ["nowhere"]).startswith("start ")
    assert len(passage("a" * 100_000, ["a"])) <= PASSAGE_CHARACTERS + 2


def test_a_row_keeps_of_a_recalled_line_neither_its_text_nor_what_its_score_is_made_of():
    line = replace(message("I have a cat"), parts={"words": 2.0, "outdated": -2.5})
    found = RecallResult(tuple(recalled([line], (), len, budget_tokens=1_000, limit=1)), total_found=1)
    [told], [kept] = recalled_json(found)["items"], recalled_json(found, with_text=False)["items"]
    assert told == {**kept, "text": "I have a cat", "parts": {"words": 2.0, "outdated": -2.5}}
    assert not {"text", "parts"} & kept.keys()


def test_hostile_texts_take_no_time():
    began = time.process_time()
    for text in ("a" * 100_000, "was " * 25_000, "((" * 50_000, "a b " * 25_000, "\u0301" * 100_000):
        passage(text, ["a", "b", "was"])
        asks_about_the_past(text)
        Entities().linked(text)
    assert time.process_time() - began < 2


def test_the_best_of_what_says_the_same_is_kept():
    lines = [
        message("I like green tea a lot, really", 0.4),
        message("I like green tea a lot really!", 0.6),
        message("I have 2 cats at home now", 0.5),
        message("I have 3 cats at home now", 0.3),
    ]
    found = texts(chosen(lines, "what do I like?"))
    assert found == ["I like green tea a lot really!", "I have 2 cats at home now", "I have 3 cats at home now"]
    assert texts(chosen([message("What do I like?")], "what do I like")) == []


def test_a_memory_takes_the_place_of_what_said_it():
    source = uuid4()
    told = message("well, I like my tea", 0.9, source)
    found = list(chosen([told, message("cake", 0.5), memory("The user likes tea", 0.1, source)], "drink?"))
    assert texts(found) == ["The user likes tea", "cake"]
    assert found[0].score == 0.9
    long = message("tea " + "and so much more " * 40, 0.9, source)
    assert len(list(chosen([long, memory("The user likes tea", 0.1, source)], "drink?"))) == 2, "it says more"


def test_what_does_not_fit_is_left_out_and_the_next_is_tried():
    lines = [message("word " * 60), message("short"), message("short too")]
    shown = recalled(lines, [], lambda text: len(text.split()), budget_tokens=110, limit=10)
    assert [item.text for item in shown] == ["short", "short too"]
    assert recalled(lines, [], len, budget_tokens=0, limit=10) == []


@pytest.mark.parametrize(
    ("question", "is_past"),
    [
        ("Where did I live before?", True),
        ("Where did I live in 2019?", True),
        ("What did I use to drink, what was my previous job?", True),
        ("In 2019, where was I living?", True),
        ("Where do I live?", False),
        ("What should I pack before my trip to Rome?", False),
        ("Did I tell you my name?", False),
        ("What happens in 2030?", False),
    ],
)
def test_what_a_question_about_the_past_is(question, is_past):
    assert asks_about_the_past(question) is is_past


def test_names_lead_to_memories_and_one_step_further():
    entities, ids = Entities(), [uuid4() for _ in range(4)]
    entities.add(ids[0], "Anna Maria", "Acme Corp")
    entities.add(ids[1], "Acme Corp", "Rockets")
    entities.add(ids[2], "Rockets", "Mars")
    entities.add(ids[3], "user", "tea")
    assert entities.linked("Where does anna maria work?") == {ids[0]: 1.0, ids[1]: 0.5}
    assert entities.linked("What does the user do?") == {}
    entities.add(ids[1], "Acme Corp", None)
    entities.remove([ids[0]])
    assert entities.linked("anna maria") == {}
    assert entities.linked("rockets") == {ids[2]: 1.0}
    entities.add(ids[0], "Rockets", None)
    assert set(entities.linked("rockets")) == {ids[0], ids[2]}


def test_scores_move_in_odds_and_vectors_keep_their_angles():
    assert shifted(0.5, 0) == 0.5
    assert 0 < shifted(0.0, -5) < shifted(0.5, -1) < shifted(0.5, 1) < shifted(1.0, 5) <= 1
    vectors = np.random.default_rng(1).standard_normal((2, 1536)).astype(np.float32)
    vectors[1] = vectors[0] + 0.5 * vectors[1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    small = fitted(vectors)
    cosine = small[0] @ small[1] / np.prod(np.linalg.norm(small, axis=1))
    assert cosine == pytest.approx(vectors[0] @ vectors[1], abs=0.1)
    assert fitted(np.ones((1, 3), np.float32)).shape == (1, DIMENSIONS)


def vectors_of(sent: list[bytes]) -> Sequence[bytes | None]:
    """As four items of which these vectors were read have them."""
    ids = b"".join(uuid4().bytes for _ in range(4))
    whole, halves = np.zeros(4, ">i8").tobytes(), np.zeros(4, ">i4").tobytes()
    names, has_vector = ["x"] * 4, np.array([bool(each) for each in sent], ">i4").tobytes()
    columns = Columns(4, ids, whole, whole, halves, names, names, names, names, halves, b"", has_vector, b"".join(sent))
    piece = Piece.of(columns, is_memory=False)
    assert piece
    return items_of([(piece, range(len(piece)))]).vecs


@pytest.mark.parametrize("size", [256, 255, 3])
async def test_vectors_of_four_bits_a_number_point_where_halves_do(size):
    told = ["I keep bees", "My kitten is lovely", "", "The invoice is overdue"]
    vectors = unit_length((await WordLlamaEmbedder().embed(told))[:, :size])
    small = packed(vectors)
    assert [len(each) for each in small] == [4 + (size + 1) // 2] * 4
    head = np.array([size, 0], ">i2").tobytes()
    halves = [head + vector.astype(">f2").tobytes() for vector in vectors]
    for sent in (small, [halves[0], *small[1:3], halves[3]]):
        found = [np.frombuffer(vec, "<f2").astype(np.float32)[:size] for vec in vectors_of(sent)]
        assert not found[2].any()
        assert all(unit_length(found)[place] @ vectors[place] > 0.985 for place in (0, 1, 3))


@pytest.mark.parametrize("sizes", [(3, 5, 3), (256, 2, 2), (4, 4, 4), (2, 0, 2)])
def test_vectors_of_another_size_than_the_newest_count_as_missing(sizes):
    """The second item of four has none."""
    sent = [np.array([size, 0], ">i2").tobytes() + np.ones(size, ">f2").tobytes() for size in sizes]
    vecs = vectors_of([sent[0], b"", *sent[1:]])
    assert [vec is not None for vec in vecs] == [True, False, sizes[1] == sizes[0], sizes[2] == sizes[0]]
    assert {np.frombuffer(vec, "<f2").sum() for vec in vecs if vec} == {sizes[0]}


@pytest.mark.parametrize("budget_tokens", [100, 400, 1_500])
def test_the_lines_as_they_are_quoted_keep_to_the_budget_whatever_speakers_and_titles_are_called(budget_tokens):
    title, speaker = "東京の桜の季節についての長い会話" * 4, "Пётр Ильич Щербаков" * 4
    rows = [LiveMessage(uuid4(), NOW, "s", title, "user", speaker, f"short {n}") for n in range(10)]
    shown = recalled([Line(0.5, {}, row) for row in rows], [], count_text, budget_tokens=budget_tokens, limit=10)
    assert quoted_within(shown, budget_tokens, is_all=False)[2] == shown
    plain = [message(f"My dog number {n} is called Rex") for n in range(10)]
    shown = recalled(plain, [], count_text, budget_tokens=budget_tokens, limit=10)
    assert shown
    assert quoted_within(shown, budget_tokens, is_all=False)[2] == shown


def test_what_the_user_once_asked_is_told_from_what_he_said_also_without_its_text():
    said = ["Where do I live?", "I live in Oslo.", "¿Dónde vivo yo? ", "how old is my dog"]
    answered = Line(0.5, {}, LiveMessage(uuid4(), NOW, "s", None, "assistant", None, "Shall I look it up?"))
    lines = [*map(message, said), memory("Who knows?", 0.5), answered]
    shown = recalled(lines, [], count_text, budget_tokens=1_000, limit=10)
    told = recalled_json(told_apart(RecallResult(tuple(shown))), with_text=False)["items"]
    asks = {item.text.strip(): each.get("asks", False) for item, each in zip(shown, told, strict=True)}
    assert len(asks) == 6
    assert {text for text, is_asked in asks.items() if is_asked} == {said[0], said[2].strip(), said[3]}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(ODD), max_size=20).map("".join), max_size=5), st.booleans())
def test_the_tokens_of_lines_add_up_to_those_of_all_of_them(said, is_all):
    found = recalled(map(message, said), (), count_text, budget_tokens=10_000, limit=5)
    shown, tokens, items = quoted_within(found, 10_000, is_all=is_all)
    assert (tokens, len(items)) == (count_message(shown) if shown else 0, len(said))
