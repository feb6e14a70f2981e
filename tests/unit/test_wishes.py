"""What a message plainly wishes is read by many patterns, and by one that knows whether any of them fits."""

import time

import pytest

from chatServer.agent import wishes

SAID = [
    "Remember that I like tea.",
    "Please remember: the key is under the mat",
    "Forget my address",
    "Hello!",
    "Thanks a lot",
    "Vergiss alles über mich",
    "Merk dir, dass ich Tee mag",
    "Забудь всё обо мне",
    "Запомни: я живу в Риге",
    "ok",
    "merci",
    "Olvida todo lo que sabes de mí",
    "Note que je pars demain",
    "Quels documents as-tu ?",
    "What is the weather like?",
    "The garden in the north needs water, and I go away.",
    "",
    "remembering is hard",
    "I forget things",
]


@pytest.mark.parametrize("text", SAID)
def test_the_one_pattern_fits_where_one_of_the_others_does(text):
    said = " ".join(text.split())
    assert bool(wishes._ANY.match(said)) == any(pattern.match(said) for *_, pattern in wishes._PATTERNS)


def test_the_one_pattern_keeps_nothing_so_that_no_group_of_it_is_counted():
    assert wishes._ANY.groups == 0


def test_some_of_what_was_tried_wishes_something_and_some_does_not():
    assert {wishes.wish_in(text) is None for text in SAID} == {True, False}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Forget what you know about Paul", "Paul"),
        ("please delete everything you know about Paul", "Paul"),
        ("Could you erase what I told you about Paul", "Paul"),
        ("stop remembering that I like tea", "I like tea"),
        ("Don’t remember that I like tea", "I like tea"),
        ("do not remember that my address is new", "my address is new"),
        ("Lösche, was du über Paul weißt.", "Paul"),
        ("Merk dir nicht, dass ich Tee mag", "ich Tee mag"),
        ("Удали всё, что ты знаешь о Павле", "Павле"),
        ("Не запоминай, что я люблю чай", "я люблю чай"),
        ("Borra lo que sabes de Paul", "Paul"),
        ("No recuerdes que bebo té", "bebo té"),
        ("Efface ce que tu sais sur Paul", "Paul"),
        ("Ne retiens pas que j'aime le thé", "j'aime le thé"),
    ],
)
def test_what_is_to_be_forgotten_is_read_however_it_is_said(text, what):
    wish = wishes.wish_in(text)
    assert wish is not None
    assert (wish.kind, wish.what) == ("forget", what)


@pytest.mark.parametrize(
    ("kind", "language", "texts"),
    [
        ("forget", "en", "No, forget that X|Oh please forget that X|Oh, forget X|actually, forget that X|No. Forget X"),
        ("forget", "en", "wait, no, forget that X|ok forget that X|sorry forget X|hey, please stop remembering that X"),
        ("forget", "de", "nein, vergiss, dass X|Ach, vergiss X|Moment, merk dir nicht, dass X|Lösche, dass X"),
        ("forget", "ru", "нет, забудь, что X|ой забудь про X|Удали, что X|Извини, не запоминай X"),
        ("forget", "es", "No, olvida que X|espera, olvida X|Borra que X|No recuerdes que X"),
        ("forget", "fr", "Non, oublie que X|en fait, oublie X|Efface que X"),
        ("remember", "en", "No, remember that X|Hi, please note: X"),
        ("remember", "de", "Hallo, merk dir X"),
    ],
)
def test_what_is_said_before_a_wish_does_not_hide_it(kind, language, texts):
    for text in texts.split("|"):
        assert wishes.wish_in(text) == wishes.Wish(kind, language, "X"), text


def test_every_kind_of_wish_may_come_after_a_word():
    asked = {"Hey, who am I?": "know", "so which files do you have?": "articles", "Oh, forget everything": "forget_all"}
    polite = {"no, thanks": "thanks", "oh hi": "hello", "oh ok": "fine"}
    for text, kind in {**asked, **polite}.items():
        wish = wishes.wish_in(text)
        assert wish is not None
        assert wish.kind == kind, text


def test_what_one_has_told_of_oneself_can_be_deleted():
    for lead in ("Delete", "hey, please delete", "No, erase"):
        assert wishes.wish_in(f"{lead} that I live in Linz") == wishes.Wish("forget", "en", "I live in Linz")


@pytest.mark.parametrize(
    "text",
    [
        "No, I forget everything",
        "Oh, I always forget that",
        "No note was left on the door",
        "no recuerda que vivo aquí",
        "Delete that file",
        "Delete that",
    ],
)
def test_who_denies_or_means_something_else_wishes_nothing(text):
    assert wishes.wish_in(text) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Delete everything you know about me!"),
        ("en", "Forget what you know about me"),
        ("en", "forget everything you remember about me, please."),
        ("en", "Erase everything I told you about myself"),
        ("de", "Lösche alles, was du über mich weißt"),
        ("de", "Vergiss bitte, was du von mir weisst."),
        ("de", "Lösch alles über mich"),
        ("ru", "удали всё, что ты знаешь обо мне"),
        ("ru", "Забудьте то, что вы обо мне знаете, пожалуйста"),
        ("ru", "Сотри всё про меня"),
        ("es", "Borra todo lo que sabes de mí"),
        ("es", "Olvida lo que sabes sobre mi"),
        ("fr", "Efface tout ce que tu sais de moi"),
        ("fr", "Oubliez ce que vous savez sur moi, s’il vous plaît !"),
    ],
)
def test_all_that_is_known_of_oneself_is_everything(language, text):
    wish = wishes.wish_in(text)
    assert wish is not None
    assert (wish.kind, wish.language) == ("forget_all", language)


@pytest.mark.parametrize(
    "text",
    [
        "forget everything about Paul",
        "forget what I said about me and Paul",
        "Forget what you know about me and Paul",
        "Forget what you know",
        "Delete everything you know about me being late",
        "Lösche, was du über mich und Paul weißt",
        "Забудь всё, что ты знаешь обо мне и Павле",
        "Borra lo que sabes de mi gato",
        "Efface ce que tu sais de moi et de Paul",
    ],
)
def test_what_names_more_than_oneself_is_not_everything(text):
    wish = wishes.wish_in(text)
    assert wish is not None
    assert wish.kind == "forget"


@pytest.mark.parametrize(
    "piece",
    [
        *("forget everything that you know about me ", "vergiss alles, was du über mich ", "удали всё, что ты "),
        *(" ,", "no, ", "oh..."),
    ],
)
def test_junk_takes_no_time(piece):
    began = time.process_time()
    wishes.wish_in(piece * (wishes.READ_CHARACTERS // len(piece)))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "I don't remember that",
        "Don't remember where I put my keys",
        "Don't remember me?",
        "Delete the third line",
        "remove all",
    ],
)
def test_who_does_not_remember_himself_wishes_nothing(text):
    assert wishes.wish_in(text) is None


@pytest.mark.parametrize("text", ["Don't remember the name of the song", "Never remember passwords in plain text"])
def test_who_does_not_remember_wishes_nothing(text):
    assert wishes.wish_in(text) is None


def test_vergiss_nicht_is_to_be_remembered():
    wish = wishes.wish_in("Vergiss nicht, dass ich Tee mag")
    assert wish is not None
    assert (wish.kind, wish.what) == ("remember", "ich Tee mag")


def test_quotes_and_marks_before_a_wish_are_read_once_and_not_by_every_pattern():
    wish = wishes.wish_in('"' * 50_000 + " « ¡¿ forget about tea")
    assert wish == wishes.Wish("forget", "en", "tea")
    assert not any(pattern.match('"forget about tea') for *_, pattern in wishes._PATTERNS)
