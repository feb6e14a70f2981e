"""Titles from what people write, and from what models say."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatServer.agent.title import EXTRACT_CHARACTERS, MODEL_CHARACTERS, clean_title, extract_title

LONG = "Please explain to me in great detail how the circulation of the Atlantic ocean changes with the seasons"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Where do puffins breed? I want to go there.", "Where do puffins breed?"),
        ("Where do puffins breed. And when?", "Where do puffins breed"),
        ("  \n\npuffins\nworld", "puffins"),
        ("# My *plan* for **today**\n\n- one", "My plan for today"),
        ("> quoted\n\nand then", "quoted"),
        ("What does `len(x)` do?", "What does len(x) do?"),
        ("```python\nprint('x')\n```\nWhy does this fail?", "Why does this fail?"),
        ("    indented code\n\nWhy?", "Why?"),
        ("```\nnothing but code", ""),
        ("See https://example.com/a?b=c#d and www.example.org/x please", "See and please"),
        ("https://example.com/only", ""),
        ("[a link](https://example.com) to read", "a link to read"),
        ("![alt](data:image/png;base64,AAAA) what is this?", "what is this?"),
        ("<b>bold</b> words", "bold words"),
        ("", ""),
        ("?!", "?!"),
        ("ver 3.11 is out. Finally", "ver 3.11 is out"),
        ("Am 3. Mai ist Umzug. Wer hilft?", "Am 3. Mai ist Umzug"),
        ("今日は良い天気です。散歩に行きましょう。", "今日は良い天気です。"),
        ("Что такое память? Расскажи.", "Что такое память?"),
        ("a\u202eb\u2066c\x00d\x07e", "abc\ufffdd e"),
        (LONG, "Please explain to me in great detail how the circulation of…"),
        ("x" * 200, "x" * 59 + "…"),
    ],
)
def test_the_first_sentence_is_the_title(text, title):
    assert extract_title(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hi! I am Robin and I live in Porto.", "I am Robin and I live in Porto"),
        ("Hello there\nhow are you?\n\nWhere do puffins breed?", "Where do puffins breed?"),
        ("Hallo! Wie geht's? Ich heiße Robin.", "Ich heiße Robin"),
        ("Привет! Я живу в Порту.", "Я живу в Порту"),
        ("¡Hola! Vivo en Oporto.", "Vivo en Oporto"),
        ("Bonjour ! J'habite à Porto.", "J'habite à Porto"),
        ("Hi, I am Robin.", "Hi, I am Robin"),
        ("hiya! moved to Antwerp in June", "moved to Antwerp in June"),
        ("Hello! How are you?", "Hello!"),
    ],
)
def test_a_greeting_is_the_title_only_where_nothing_else_is_said(text, title):
    assert extract_title(text) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Puffins and Their Nests"', "Puffins and Their Nests"),
        ("**Puffins**\n\nThis title says ...", "Puffins"),
        ("\n\n# «Puffins».\n", "Puffins"),
        ("Ada's plan", "Ada's plan"),
        ("a\r\nb", "a"),
        ("word " * 40, "word " * 15 + "word…"),
        (" \n\t ", ""),
    ],
)
def test_what_a_model_says_is_made_one_line(said, title):
    assert clean_title(said) == title


@given(st.text(max_size=400))
def test_no_text_makes_a_title_that_cannot_be_kept(text):
    for title, limit in ((extract_title(text), EXTRACT_CHARACTERS), (clean_title(text), MODEL_CHARACTERS)):
        assert len(title) <= limit
        assert not any(unicodedata.category(character) == "Cc" or character == "\u202e" for character in title)
        title.encode()


@pytest.mark.parametrize("piece", ["[", "*a ", "<", "`", "> ", "![[", "http://", ". ", "- " * 5, "\n# "])
def test_no_markup_takes_long(piece):
    began = time.process_time()
    extract_title(piece * 50_000)
    assert time.process_time() - began < 0.5
