"""Articles are cut where a reader would, and nothing of them is lost."""

import random
import time

import pytest

from chatServer.conversation.tokens import count_text
from chatServer.knowledge.kinds import clean_name
from chatServer.knowledge.reading import Reading
from chatServer.knowledge.split import MAX_TOKENS, split

PARAGRAPH = "The gate opens at nine. Badges are at the desk. Whoever has none asks the porter for help. " * 3


def cut(text: str, page_starts: tuple[int, ...] = (), *, has_headings: bool = True):
    return split(Reading("", text, page_starts), count_text, has_headings=has_headings)


def test_headings_begin_chunks_and_say_where_they_stand():
    text = f"# Guide\n\n{PARAGRAPH}\n\n## Lunch\n\n{PARAGRAPH}\n\n## Gate ##\n\n{PARAGRAPH}\n\n# Rules\n\n{PARAGRAPH}\n"
    title, chunks = cut(text)
    assert title == "Guide"
    assert [chunk.heading for chunk in chunks] == ["Guide", "Guide > Lunch", "Guide > Gate", "Rules"]
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["# Guide", "## Lunch", "## Gate ##", "# Rules"]
    assert [chunk.position for chunk in chunks] == [0, 1, 2, 3]
    assert "".join(chunk.text for chunk in chunks) == text


def test_what_is_short_stays_together_and_code_has_no_headings():
    _, chunks = cut("# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n")
    assert [chunk.heading for chunk in chunks] == ["A"]
    title, chunks = cut(f"{PARAGRAPH}\n\n```\n# no heading\n```\n\n{PARAGRAPH}")
    assert title == ""
    assert {chunk.heading for chunk in chunks} == {""}
    assert cut("# Only text", has_headings=False)[0] == ""


def test_a_page_begins_a_chunk_also_after_pages_without_text():
    text = "One.\n\n\n\nThree."
    _, chunks = cut(text, (0, 6, 8), has_headings=False)
    assert [(chunk.page, chunk.text) for chunk in chunks] == [(1, "One.\n\n"), (2, "\n\n"), (3, "Three.")]


def test_a_long_paragraph_is_cut_between_sentences_and_a_long_sentence_between_words():
    _, chunks = cut(PARAGRAPH * 10)
    assert len(chunks) > 2
    assert all(chunk.text.endswith(". ") for chunk in chunks)
    _, chunks = cut("word " * 2_000)
    assert all(chunk.text.endswith("word ") for chunk in chunks)


@pytest.mark.parametrize(
    "junk",
    ["x", "字", "😀", "a.\n", "# h\n", "\n\n", " ", "a b ", "```\n", "0123456789 ", "\u0301", "|-", ". "],
)
def test_junk_is_cut_into_chunks_that_fit_and_are_the_whole(junk):
    text = junk * (100_000 // len(junk.encode()))
    began = time.monotonic()
    _, chunks = cut(text)
    assert time.monotonic() - began < 20
    assert "".join(chunk.text for chunk in chunks) == text
    assert max(chunk.tokens for chunk in chunks) <= MAX_TOKENS
    assert all(chunk.tokens == count_text(chunk.text) for chunk in chunks[:3])


def test_any_text_is_the_sum_of_its_chunks():
    chance = random.Random(8)
    words = ["# ", "## x", "\n", "\n\n", " ", ". ", "gate", "```", "字", "\t", "- a", "!", "\u2028", "\f", "😀"]
    for _ in range(300):
        text = "".join(chance.choices(words, k=chance.randrange(1, 400)))
        starts = (0, *sorted(chance.sample(range(len(text)), k=min(2, len(text)))))
        for pages in ((), starts):
            _, chunks = cut(text, pages)
            assert "".join(chunk.text for chunk in chunks) == text
            assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


def test_most_chunks_have_about_300_tokens():
    _, chunks = cut("\n\n".join([PARAGRAPH] * 200))
    counts = sorted(chunk.tokens for chunk in chunks)
    assert 150 < counts[len(counts) // 2] < 350


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("report.pdf", "report.pdf"),
        (" two\n\r\twords\0.txt ", "two words\ufffd.txt"),
        ("a\u202egpj.exe", "a gpj.exe"),
        ("\u200b\ue000", "untitled"),
        ("é" * 1_000, "é" * 255),
        ("", "untitled"),
        ("Ä" + "\u0301" * 100_000, None),
    ],
)
def test_a_name_can_be_shown_and_kept(given, name):
    found = clean_name(given)
    assert found == name or (name is None and len(found) <= 255)
    assert len(found.encode()) <= 1_024
