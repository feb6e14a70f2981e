"""In which language somebody is answered: words that English has, too, do not decide it."""

import pytest

from chatServer.agent.builtin.phrases import language_of
from chatServer.messages import searchable


def language(text: str, *before: str) -> str:
    return language_of(searchable(text).split(), (searchable(each).split() for each in before))


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        ("en", "hi im kim|im tired|im 30|im vegetarain since 2019|not vegetarian anymore, im vegan now|man im late"),
        ("en", "no, tuesday|no blue|no idea|yo|la la land is great|um tuesday|moved to la|me too|in a war||?"),
        ("de", "im Moment bin ich müde|ich bin im Urlaub|danke|nein, morgen|Anna hat Hunger|ich will schlafen"),
        ("de", "was ist das|um 8 Uhr|so ist es"),
        ("es", "no sé|no lo sé|no me gusta el té|la casa es azul|hola|no quiero|no puedo|yo vivo aquí|me llamo Ana"),
        ("fr", "je ne sais pas|la vie est belle|c'est la vie|on y va demain|j'aime le thé"),
        ("ru", "где я живу|не знаю|люблю чай|мне 30"),
    ],
)
def test_the_language_is_told_by_words_that_only_it_has(expected, texts):
    assert {text: language(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), expected)


def test_what_tells_nothing_is_in_the_language_of_what_was_said_before():
    assert language("no, Zürich", "ok", "ich wohne in Bonn", "I like tea") == "de"
    assert language("no azul", "me gusta el té") == "es"
    assert language("im tired", "I like tea", "ich wohne in Bonn") == "en"
    assert language("what is that", "ich wohne in Bonn") == "en"


@pytest.mark.parametrize(
    "said",
    ["Mi chiamo Giovanni e vivo a Torino", "il mio numero di telefono è 347", "Mi sono trasferito a Bari", "Dove vivo?",
     "sono vegetariano", "Quando viene l'idraulico?", "Cosa sai di me?"],
)  # fmt: skip
def test_italian_is_not_taken_for_french_or_spanish(said):
    assert language_of(searchable(said).split()) == "en"
