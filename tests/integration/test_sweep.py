"""Events expire: found by whose and how old they are, forgotten as their user."""

import asyncio
import contextlib

from chatServer.store import events
from chatServer.store.queue import Pace, Queue
from chatServer.work.after_turn import Workshop
from tests.conftest import owner_connection
from tests.tools.talking import talking


async def test_the_sweep_forgets_what_has_expired_of_everybody_and_nothing_else(
    settings, as_ada, as_eve, urls, database
):
    async with talking(settings, as_ada) as client:
        for headers in (as_ada, as_eve):
            for session in ("old", "young"):
                answer = await client.post("/api/chat", json={"message": "hi", "session_id": session}, headers=headers)
                assert answer.status_code == 200
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turn_events set created_at = now() - interval '1 hour'")
        connection.execute(
            "update chat.turns set finished_at = now() - %s * interval '1 s' where session_id in"
            " (select session_id from chat.sessions where external_id = 'old')",
            (events.KEPT_S + 1,),
        )
        connection.execute(
            "insert into chat.user_events (user_id, seq, kind, data, created_at)"
            " select user_id, row_number() over (), 'turn', '{}', now() - age * interval '1 hour'"
            " from chat.sessions, (values (1), (25)) as ages (age)"
        )
        connection.execute(
            "insert into chat.personal_tokens (user_id, token_id, name, digest, scopes, expires_at)"
            " select user_id, gen_random_uuid(), days::text, '', '{chat}', now() - days * interval '1 day'"
            " from (select distinct user_id from chat.sessions) as users, (values (31), (29), (-1)) as ages (days)"
        )

        async def none_wait() -> bool:
            row = connection.execute(
                "select count(*) from procrastinate.procrastinate_jobs where task_name = 'forget_events'"
            ).fetchone()
            return row == (0,)

        tasks = Workshop(database, _no_model).tasks()
        async with Queue(urls.app, tasks, Pace()) as queue:
            await queue._sweep(0)
            working = asyncio.create_task(queue.work(1))
            async with asyncio.timeout(30):
                while not await none_wait():
                    await asyncio.sleep(0.05)
            working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working
        left = connection.execute(
            "select s.external_id, count(*) from chat.turn_events e join chat.turns t using (user_id, turn_id)"
            " join chat.sessions s using (user_id, session_id) group by 1"
        ).fetchall()
        ages = connection.execute("select count(*) from chat.user_events where data = '{}'").fetchone()
        names = "select name, count(*) from chat.personal_tokens group by 1 order by 1"
        tokens = connection.execute(names).fetchall()
    assert [name for name, _ in left] == ["young"], "the turn counts, not the batch"
    assert ages == (4,)
    assert tokens == [("-1", 2), ("29", 2)]


async def _no_model(_: str) -> None:
    return None
