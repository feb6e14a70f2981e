"""The statements of a turn are sent for every client, prepared: benchmarks/side_by_side/pgbench.py."""

from uuid import uuid4

from benchmarks.side_by_side import pgbench, told
from benchmarks.side_by_side.turn_scene import OURS
from benchmarks.side_by_side.turn_sql import Said
from benchmarks.side_by_side.world import World

USERS, SESSIONS = [str(uuid4()) for _ in range(2)], [str(uuid4()) for _ in range(2)]
KEPT = "create table public.kept (user_id uuid, found bigint[], came bigint[], fresh_for interval, is_generic bool)"
KEEP = """-- What was found, and what came since.
insert into public.kept
select $1, array(select place from chat.message_index where user_id = $1 and message_id = any($2::uuid[]) order by 1),
    array(select place from chat.message_index where user_id = $1 and place > $3 order by 1), $4,
    (select generic_plans > 0 from pg_prepared_statements where statement like '%kept%')
"""
SAY = "insert into public.chat_message_history (user_id, session_id, message_id, message, tokens) values"
SAID = "select message_id::text, place from chat.message_index where user_id = %(user)s order by place"
STORED = """
select user_id::text, count(*) from public.chat_message_history
where message_id not in (select message_id from chat.message_index) group by 1
"""
FOUND = "select user_id::text, found, came, bool_or(is_generic), count(*) from public.kept group by 1, 2, 3"
HUMAN = '{"type": "human", "data": {"content": "It\'s 100 %s"}}'


def turn(found, known_to):
    """The first user's."""
    claims = f"""set local request.jwt.claims = '{{"sub":"{USERS[0]}","role":"authenticated"}}'"""
    values = {"1": USERS[0], "2": SESSIONS[0], "3": str(uuid4()), "4": HUMAN, "5": "3"}
    kept = {"1": USERS[0], "2": f"{{{','.join(found)}}}", "3": str(known_to), "4": "30 days"}
    begin = [Said("begin"), Said("set local role chat_user"), Said(claims)]
    return [*begin, Said(f"{SAY} ($1, $2, $3, $4, $5)", values), Said(KEEP, kept), Said("commit")]


def test_every_client_asks_as_itself_and_finds_its_own_messages(postgres, urls, tmp_path, monkeypatch):
    monkeypatch.setattr(pgbench, "CLIENTS", len(USERS))
    monkeypatch.setattr(pgbench, "WARM_UP_S", 0)
    world = World(tmp_path, postgres, is_quick=True)
    told.fill_ours(urls.owner, [b""] * told.KINDS, USERS, SESSIONS, 6, memory="on")
    world.run(urls.name, KEPT)
    world.run(urls.name, "grant insert on public.kept to chat_user")
    said = {user: world.run(urls.name, SAID, {"user": user}) for user in USERS}
    found = [message_id for message_id, _ in said[USERS[0]][:2]]
    [*_, (_, known_to), _, _, _] = said[USERS[0]]  # one came since, and then the two of the last turn
    turns = [turn(found, known_to) for _ in range(2)]
    pgbench.let_ask(world, urls.name, turns, USERS, SESSIONS)
    done, _ = pgbench.pgbench(world, urls.app, OURS, 1)
    stored = dict(world.run(urls.name, STORED))
    assert sum(stored.values()) == done
    places = {user: [place for _, place in some] for user, some in said.items()}
    wanted = [(user, places[user][:2], places[user][-1:], True, stored[user]) for user in USERS]
    assert sorted(world.run(urls.name, FOUND)) == sorted(wanted)
