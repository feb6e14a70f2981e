"""Files wait in a queue of their own, and users take turns in it: whoever has many keeps nobody with one waiting."""

import asyncio
import uuid

import pytest

from chatServer.knowledge import read as reads
from chatServer.knowledge.reading import Allowed, Unreadable
from chatServer.records import Principal
from tests.conftest import ADA, EVE, bearer, owner_connection, rows
from tests.tools.knowledge import upload
from tests.tools.turns import eventually, finished_turn
from tests.tools.waiting import waiting_for_locks
from tests.tools.working import is_empty, working

GUS = Principal(uuid.UUID("90000000-0000-4000-8000-000000000009"))
WAITING = "select args ->> 'article_id' from procrastinate.procrastinate_jobs where task_name = 'ingest'"
PLACES = "select priority from procrastinate.procrastinate_jobs where task_name = 'ingest' order by id"


class Readers:
    """What reads files in these tests: it takes until it is let go, and knows who was read when."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str]] = []
        self.running: list[str] = []
        self.most_of_one = 0
        self.go_on = asyncio.Event()

    async def ingest(self, user_id: str, article_id: str) -> None:
        self.begun.append((user_id, article_id))
        self.running.append(user_id)
        self.most_of_one = max(self.most_of_one, *map(self.running.count, self.running))
        await self.go_on.wait()
        self.running.remove(user_id)

    async def have_begun(self, count: int) -> bool:
        return len(self.begun) >= count


async def sent(client, settings, user: Principal, *names: str) -> list[tuple[str, str]]:
    answer = await upload(client, bearer(settings, user.user_id), *((name, name.encode()) for name in names))
    return [(str(user.user_id), article["id"]) for article in answer.json()["articles"]]


async def test_whoever_comes_with_one_file_waits_for_nobodys_second(client, settings, database, urls):
    many = [await sent(client, settings, user, "1.txt", "2.txt", "3.txt") for user in (ADA, EVE)]
    readers = Readers()
    async with working(database, {"ingest": readers.ingest}):
        await eventually(lambda: readers.have_begun(2))
        one = await sent(client, settings, GUS, "only.txt")
        readers.go_on.set()
        await eventually(lambda: is_empty(urls))
    assert len(readers.begun) == 7
    assert readers.begun[2] == one[0]
    for files in many:
        assert [each for each in readers.begun if each in files] == files, "first come, first served"
    assert readers.most_of_one == 1


async def test_whoever_sends_on_and_on_stands_behind_those_who_came_meanwhile(client, settings, urls):
    await sent(client, settings, ADA, "1.txt", "2.txt")
    await sent(client, settings, EVE, "1.txt")
    await sent(client, settings, ADA, "3.txt")
    first, second, other, third = (place for (place,) in rows(urls, PLACES))
    assert (second, third) == (first - 60, first - 120)
    assert second < other <= first


async def test_whoever_sends_one_after_the_other_overtakes_nobody_for_ever(client, settings, database, urls):
    """Each of theirs is read before they send the next, so nothing in the queue says that they had their turn."""
    [_, second] = await sent(client, settings, ADA, "1.txt", "2.txt")
    await sent(client, settings, EVE, "1.txt")
    with owner_connection(urls.owner) as connection:  # two minutes pass, and Ada's first is read
        connection.execute("set search_path = procrastinate")
        connection.execute("delete from procrastinate_jobs where id = (select min(id) from procrastinate_jobs)")
        connection.execute("update procrastinate_jobs set priority = priority + 120")
    [later] = await sent(client, settings, GUS, "1.txt")
    readers = Readers()
    readers.go_on.set()
    async with working(database, {"ingest": readers.ingest}):
        await eventually(lambda: is_empty(urls))
    assert readers.begun.index(second) < readers.begun.index(later)


async def test_uploads_at_once_of_one_user_stand_one_behind_the_other(client, settings, urls):
    await sent(client, settings, ADA, "0.txt")
    with owner_connection(urls.owner) as connection, connection.transaction():
        connection.execute("select 1 from chat.user_limits for update")
        uploads = [asyncio.create_task(sent(client, settings, ADA, f"{number}.txt")) for number in (1, 2, 3)]
        await eventually(lambda: waiting_for_locks(urls) == 3)
    await asyncio.gather(*uploads)
    places = [place for (place,) in rows(urls, PLACES)]
    assert sorted(places, reverse=True) == [places[0] - 60 * number for number in range(4)]


async def test_who_deletes_a_file_that_waits_leaves_no_job_of_it(client, settings, as_ada, urls):
    """Nobody counts them: a thousand were left in twenty seconds, and for each job all that wait are looked through."""
    (_, kept), (_, gone) = await sent(client, settings, ADA, "1.txt", "2.txt")
    assert (await client.delete(f"/api/knowledge/{gone}", headers=as_ada)).status_code == 204
    assert rows(urls, WAITING) == [(kept,)]
    again = await upload(client, as_ada, ("1.txt", b"other words"))
    assert [article["id"] for article in again.json()["articles"]] == [kept]
    assert rows(urls, WAITING) == [(kept,)], "once, whatever took its place"


async def test_files_that_take_their_time_keep_no_after_work_waiting(client, settings, database, urls):
    for user in (ADA, EVE, GUS):
        await sent(client, settings, user, "1.txt", "2.txt")
    await finished_turn(database, ADA, "hello")
    readers, turns = Readers(), []

    async def after_turn(turn_id: str, **_: str) -> None:
        turns.append(turn_id)

    async def is_done() -> bool:
        return bool(turns)

    async with working(database, {"ingest": readers.ingest, "after_turn": after_turn}):
        await eventually(lambda: readers.have_begun(2))
        await eventually(is_done)
        assert len(readers.begun) == 2
        readers.go_on.set()
        await eventually(lambda: is_empty(urls))


async def test_a_text_has_less_time_than_a_pdf(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"<p><b>x</b> y</p>" * 1_400_000)
    with path.open("rb") as file:
        with pytest.raises(Unreadable, match="too_complex"):
            await reads.read(file, "text/html", Allowed(cpu_s=60, text_cpu_s=1))
    assert Allowed().text_cpu_s < Allowed().cpu_s
