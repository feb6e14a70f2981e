"""In the graph one person is one node, whether told of as the user, as a relative or by a name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chatServer.records import Triple
from tests.conftest import serving
from tests.tools.memory_rows import memory, write
from tests.tools.remembering import tell


@pytest.fixture
async def graph(settings, as_ada):
    async with serving(settings) as client:

        async def read(**wanted) -> tuple[dict[str, str], set[tuple[str, str, str]]]:
            found = (await client.get("/api/memories/graph", params=wanted, headers=as_ada)).json()
            edges = {(each["source"], each["predicate"], each["target"]) for each in found["edges"]}
            return {each["id"]: each["name"] for each in found["nodes"]}, edges

        yield read


def fact(subject: str, predicate: str, what: str):
    return memory(f"{subject} {predicate} {what}", triple=Triple(subject, predicate, what))


async def test_a_sister_and_the_user_are_one_node_each(database, graph):
    await tell(database, "My name is Ada.", "I live in Lisbon.", "My sister Mary lives in Porto.", "I have a dog.")
    told = [("Ada", "plays", "chess"), ("mary", "works at", "the port"), ("Tom", "knows", "ADA")]
    await write(database, *(fact(*each) for each in told))
    nodes, edges = await graph()
    people = {"user": "Ada", "sister:mary": "Mary"}
    assert nodes.items() >= people.items()
    assert not {"ada", "mary", "sister"} & nodes.keys()
    assert edges >= {
        ("user", "name", "user"),
        ("user", "has sister", "sister:mary"),
        ("user", "lives in", "lisbon"),
        ("user", "plays", "chess"),
        ("tom", "knows", "user"),
        ("sister:mary", "lives in", "porto"),
        ("sister:mary", "works at", "the port"),
    }
    around = {("user", "has sister", "sister:mary"), *(each for each in edges if each[0] == "sister:mary")}
    assert [(await graph(entity=name))[1] for name in ("Mary", "sister:mary", "SISTER")] == [around] * 3
    assert (
        (await graph(entity="Ada"))[1]
        == (await graph(entity="user"))[1]
        == edges - around | {("user", "has sister", "sister:mary")}
    )


async def test_a_name_that_two_have_is_neither_of_them(database, graph):
    await tell(database, "My sister Mary lives in Porto.", "My boss Mary lives in Rome.")
    await write(database, fact("Mary", "likes", "tea"))
    nodes, edges = await graph(entity="mary")
    assert {"sister:mary", "boss:mary", "mary"} <= nodes.keys()
    assert edges >= {("mary", "likes", "tea"), ("boss:mary", "lives in", "rome"), ("user", "has boss", "boss:mary")}
    assert ("boss:mary", "lives in", "rome") not in (await graph(entity="sister:mary"))[1]


async def test_who_is_called_as_his_town_does_not_live_in_himself(database, graph):
    await tell(database, "My name is Paris.", "I live in Paris.")
    assert (await graph())[1] == {("user", "name", "user"), ("user", "lives in", "paris")}


async def test_a_name_that_is_taken_back_or_denied_joins_nobody(database, graph):
    await tell(database, "My dog is called Rex.", "My dog is Max, not Rex.")
    await write(
        database, fact("Rex", "eats", "shoes"), fact("Max", "eats", "ham"), fact("file:readme.md", "has", "Max")
    )
    nodes, edges = await graph()
    assert {("rex", "eats", "shoes"), ("dog:max", "eats", "ham"), ("file:readme.md", "has", "dog:max")} <= edges
    assert nodes["dog:max"] == "Max"


async def test_what_has_expired_leads_nowhere(database, graph):
    gone = replace(fact("Tom", "visits", "Ann"), expires_at=datetime.now(UTC) - timedelta(days=1))
    await write(database, gone, fact("Ann", "lives in", "Rome"), fact("Tom", "plays", "chess"))
    assert (await graph(entity="Tom", depth=2))[1] == {("tom", "plays", "chess")}


async def test_a_number_is_a_value_and_joins_nobody(database, graph):
    await tell(database, "My daughter Ines is five years old.", "My son Max is 5.", "I was born in 1985.")
    await write(database, fact("garage", "has code", "4711"), fact("4711", "is code of", "garage"))
    nodes, edges = await graph()
    assert edges >= {("daughter:ines", "is", "5"), ("son:max", "is", "5"), ("user", "is born in", "1985")}
    assert {"5", "1985"}.isdisjoint(nodes)
    assert {"garage", "4711"} <= nodes.keys(), "of which itself something is told"
    around, facts = await graph(entity="Ines", depth=3)
    assert ("daughter:ines", "is", "5") in facts
    assert ("son:max", "is", "5") not in (await graph(entity="Ines", depth=2))[1]
    assert not any(each.isdigit() for each in around)
