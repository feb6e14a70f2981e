"""Everybody has a word of his own in an article; all ask at once, for their own word and for the others'.

A foreign word in what is found is red; so is an own one that is missed, which is what mixed-up stacks would do: texts
are read again as the user who asks."""

import asyncio
import random
from uuid import UUID

import pytest

from chatServer.knowledge.quote import quoted
from chatServer.knowledge.retrieve import Retriever
from chatServer.knowledge.stacks import Stacks
from chatServer.records import NOBODY, Principal
from tests.tools.shelved import put_article, retriever_of

AT_ONCE = 10


async def everybody_looks(database, urls, *, people: int, requests: int) -> None:
    chance = random.Random(20261115)
    words = {Principal(UUID(int=chance.getrandbits(128), version=4)): f"finch{number}bird" for number in range(people)}
    for who, word in words.items():
        await put_article(urls.owner, who.user_id, "bird.txt", [f"The bird of this house is the {word}."])
    await put_article(urls.owner, NOBODY.user_id, "all.txt", ["The bird of all houses is the sparrow."])
    retriever = retriever_of(database)
    retriever._stacks = Stacks(database, max_bytes=20_000)  # room for a few: the others' come and go

    async def one() -> None:
        who, other = chance.choices(list(words), k=2)
        asked_for = chance.choice(["", f" Is it the {words[other]}?"])
        question = f"Which bird is it? The bird of this house?{asked_for}"
        told = quoted(await retriever.retrieve(who, question, 5, 0, window_tokens=5_000))
        foreign = [word for person, word in words.items() if person != who and word in told]
        assert not foreign, f"{foreign} for {words[who]}"
        assert words[who] in told, f"{words[who]} was missed"
        assert "sparrow" in told

    for _ in range(requests // AT_ONCE):
        await asyncio.gather(*(one() for _ in range(AT_ONCE)))


@pytest.mark.parametrize(("people", "requests"), [(8, 100), pytest.param(100, 10_000, marks=pytest.mark.long)])
async def test_nobody_finds_anybody_elses_word(database, urls, people, requests):
    await everybody_looks(database, urls, people=people, requests=requests)


async def test_articles_for_whoever_asked_before_are_seen(database, urls, monkeypatch):
    retrieve, before = Retriever.retrieve, []

    async def for_the_one_before(self, principal, *rest, **options):
        before.append(principal)
        return await retrieve(self, before[-2:][0], *rest, **options)

    monkeypatch.setattr(Retriever, "retrieve", for_the_one_before)
    with pytest.raises(AssertionError, match="for finch"):
        await everybody_looks(database, urls, people=3, requests=50)


async def test_stacks_of_others_are_noticed(database, urls, monkeypatch):
    of_owner = Stacks.of

    async def of_anybody(self, *whose):
        return next(iter(self._kept.values()), None) or await of_owner(self, *whose)

    monkeypatch.setattr(Stacks, "of", of_anybody)
    with pytest.raises(AssertionError, match=r"was missed|sparrow"):
        await everybody_looks(database, urls, people=3, requests=50)
