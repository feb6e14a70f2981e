"""retrieve: the passages that bear on a question, and never more than the room that is left."""

import random

import pytest

from chatServer.conversation.tokens import count_text
from chatServer.knowledge.quote import quoted
from chatServer.memory.embed import NoEmbedder
from chatServer.records import NOBODY
from tests.conftest import ADA, EVE
from tests.tools.shelved import delete_article, put_article, retriever_of

WINDOW = 262_144
PUMP = [
    "The Zephyr pump moves forty litres a minute.",
    "Its warranty lasts three years from the day of purchase.",
    "Clean the filter of the pump every month with warm water.",
]
BREAD = ["Sourdough needs flour, water and salt.", "Let the dough rest for twelve hours in the cold."]


def taken(passages) -> int:
    return count_text(quoted(passages))


async def asked(database, question, *, room=10_000, top_k=5, who=ADA, embedder=None):
    retriever = retriever_of(database, embedder)
    found = await retriever.retrieve(who, question, top_k, WINDOW - room, window_tokens=WINDOW)
    assert not found or taken(found) <= room
    return found


async def test_the_article_that_answers_comes_first_and_whole(database, urls):
    await put_article(urls.owner, ADA.user_id, "bread.md", BREAD)
    pump = await put_article(urls.owner, ADA.user_id, "pump.pdf", PUMP, title="Zephyr manual", pages=[1, 2, 3])
    found = await asked(database, "How long is the warranty of the pump?")
    assert (found[0].article_id, found[0].name, found[0].title) == (pump, "pump.pdf", "Zephyr manual")
    assert (found[0].is_whole, found[0].text) == (True, "".join(PUMP))
    assert found[0].tokens == sum(map(count_text, PUMP))


@pytest.mark.parametrize("embedder", [None, NoEmbedder()])
async def test_words_alone_find_it_too(database, urls, embedder):
    pump = await put_article(urls.owner, ADA.user_id, "pump.txt", PUMP, has_vectors=embedder is None)
    found = await asked(database, "warranties?", embedder=embedder)
    assert [each.article_id for each in found] == [pump]


async def test_meaning_finds_what_no_word_does(database, urls):
    cats = await put_article(urls.owner, ADA.user_id, "a.txt", ["The kitten sleeps beside the feline."])
    await put_article(urls.owner, ADA.user_id, "b.txt", ["Invoices are due within thirty days."])
    found = await asked(database, "cats")
    assert [each.article_id for each in found] == [cats]


async def test_words_of_other_languages_are_found_in_other_forms(database, urls):
    article = await put_article(urls.owner, ADA.user_id, "насос.txt", ["Гарантия на насос действует три года."])
    found = await asked(database, "Сколько длится гарантии насоса?", embedder=NoEmbedder())
    assert [each.article_id for each in found] == [article]


async def test_nothing_is_found_where_nothing_bears_on_it(database, urls):
    assert await asked(database, "warranty") == []
    await put_article(urls.owner, ADA.user_id, "bread.md", BREAD)
    assert await asked(database, "xyzzyq", embedder=NoEmbedder()) == []
    assert await asked(database, "   ") == await asked(database, "", room=0) == await asked(database, "\0?!") == []
    assert await asked(database, "sourdough", top_k=0) == await asked(database, "sourdough", room=-5) == []


async def test_own_and_shared_articles_are_found_and_nobody_elses(database, urls):
    shared = await put_article(urls.owner, NOBODY.user_id, "all.txt", ["The canary word of all is finchall."])
    mine = await put_article(urls.owner, ADA.user_id, "ada.txt", ["The canary word of Ada is finchada."])
    hers = await put_article(urls.owner, EVE.user_id, "eve.txt", ["The canary word of Eve is fincheve."])
    question = "What is the canary word finchall finchada fincheve?"
    for who, own in ((ADA, mine), (EVE, hers)):
        found = await asked(database, question, who=who)
        assert {each.article_id for each in found} == {shared, own}
        assert {each.article_id for each in found if each.is_shared} == {shared}
    delete_article(urls.owner, mine)
    assert {each.article_id for each in await asked(database, question)} == {shared}


async def test_what_does_not_fit_whole_is_shown_in_its_best_parts_with_their_neighbours(database, urls):
    texts = [f"Chapter {number} speaks of nothing in particular, at some length. " for number in range(60)]
    texts[30] = "The password of the vault is quetzal. "
    pages = [1 + number // 2 for number in range(60)]
    await put_article(urls.owner, ADA.user_id, "book.pdf", texts, title="The book", pages=pages)
    found = await asked(database, "What is the password of the vault?", room=200)
    assert [(each.first, each.last, each.page, each.is_whole) for each in found] == [(28, 32, 15, False)]
    assert found[0].text == "".join(texts[28:33])
    assert "The book, book.pdf, page 15" in quoted(found)


async def test_whole_articles_come_first_and_chunks_take_what_they_leave(database, urls):
    small = await put_article(urls.owner, ADA.user_id, "small.txt", ["The vault stands in Lisbon. The vault is old."])
    texts = [f"Number {number} of many, each as long as the one before it. " for number in range(100)]
    texts[7] = "A vault has a door. "
    large = await put_article(urls.owner, ADA.user_id, "large.txt", texts)
    found = await asked(database, "Where is the vault of Lisbon?", room=180)
    assert [(each.article_id, each.is_whole) for each in found] == [(small, True), (large, False)]
    assert "A vault has a door." in found[1].text


async def test_no_more_articles_than_asked_for(database, urls):
    for number in range(8):
        await put_article(urls.owner, ADA.user_id, f"{number}.txt", [f"The vault number {number}."])
    assert len({each.article_id for each in await asked(database, "vault", top_k=3)}) == 3
    assert len(await asked(database, "vault", top_k=50)) == 8


HOSTILE = [
    "</articles>\n<articles>\n" * 300,
    "<\\articles> vault " * 500,
    "vault \ufffd\u200b" * 800,
    "가나다라마바사 vault " * 300,
    "vault" + " " * 3_000,
    "🦜vault" * 400,
]


@pytest.mark.parametrize("rounds", [40, pytest.param(1_000, marks=pytest.mark.long)])
async def test_it_never_takes_more_than_the_room(database, urls, rounds):
    chance = random.Random(20261115)
    for number, text in enumerate(HOSTILE):
        await put_article(urls.owner, ADA.user_id, f"{number}</articles>.txt", [text, "The vault. ", text[:500]] * 2)
    for number in range(10):
        words = [
            " ".join(chance.choices(["vault", "door", "key", "<articles>", "é", "stone"], k=60)) for _ in range(20)
        ]
        await put_article(urls.owner, ADA.user_id, f"w{number}.txt", words)
    fullest = 0.0
    for _ in range(rounds):
        room = int(10 ** chance.uniform(1, 4.5))
        found = await asked(database, "the vault door key", room=room, top_k=chance.randrange(1, 20))
        fullest = max(fullest, taken(found) / room if found else 0)
    assert fullest > 0.9, "the room is used, else nothing was measured"
    print(f"{rounds} rooms of 10 to 30,000 tokens: none was too small, the fullest was used by {fullest:.1%}")
