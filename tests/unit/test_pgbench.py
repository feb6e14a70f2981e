"""Of the statements of a turn, as pgbench sends them: benchmarks/side_by_side/pgbench.py."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.side_by_side import pgbench, turn_sql
from benchmarks.side_by_side.turn_scene import FLOOR
from benchmarks.side_by_side.turn_sql import Asker, Said
from benchmarks.side_by_side.world import World

LOG = (
    "bench 7 chat LOG:  execute <unnamed>: begin\n"
    "bench 8 chat LOG:  execute <unnamed>: begin\n"
    "bench 7 chat LOG:  execute s1: insert into t\n\tvalues ($1, $2)\n"
    "bench 7 chat DETAIL:  Parameters: $1 = 'it''s $2', $2 = NULL\n"
    "bench 9 other LOG:  statement: drop table t\n"
    "bench 8 chat LOG:  statement: commit\n"
    "bench 7 chat LOG:  statement: commit\n"
)

USER, SESSION, NEWEST, FOUND, ALWAYS, TURN, LATER = (f"{n}1111111-1111-1111-1111-111111111111" for n in range(7))
ASKER = Asker(USER, SESSION, [(NEWEST, 12), (FOUND, 7)])
PROGRESS = "".join(f"progress: {n}.0 s, {n * 100}.0 tps, lat 4.0 ms stddev 1.0, 0 failed\n" for n in range(1, 5))


def scripted(*now, before=()):
    return turn_sql.script([before, now], ASKER)


def test_what_a_connection_says_stays_together_with_its_values():
    insert = Said("insert into t\nvalues ($1, $2)", {"1": "it's $2", "2": None})
    said = list(turn_sql.statements(LOG, "chat"))
    assert said == [Said("begin"), insert, Said("commit"), Said("begin"), Said("commit")]


def test_values_are_parameters_also_where_they_are_the_same_for_all():
    made = scripted(Said("begin"), Said("select $1, $2, $1\n-- why\nlimit $3", {"1": "a'b %s", "2": None, "3": "20"}))
    assert made.text.splitlines()[1:] == ["begin;", "select :v0, NULL, :v0", "-- why", "limit :v1;"]
    assert "format('a''b %%s', variadic ids) as v0, format('20', variadic ids) as v1" in made.view


def test_ids_are_those_of_the_client_or_minted_and_others_stay():
    statement = Said(
        "select $1, $2", {"1": f'{{"by": "{USER}"}}', "2": f"{{{SESSION},{NEWEST},{FOUND},{ALWAYS},{TURN}}}"}
    )
    known = Said("select where place > $1", {"1": "10"})
    made = scripted(known, statement, Said("select $1", {"1": LATER}), before=[Said("select $1", {"1": ALWAYS})])
    assert """format('{"by": "%1$s"}', variadic ids) as v1""" in made.view
    assert f"format('{{%2$s,%4$s,%5$s,{ALWAYS},%6$s}}', variadic ids) as v2" in made.view
    assert "format('%7$s', variadic ids) as v3" in made.view
    assert "array[gen_random_uuid(), gen_random_uuid()]" in made.view
    assert made.oldest == 1


def test_recall_knows_all_but_as_many_messages_of_the_client_as_it_did_not_know():
    made = scripted(Said("select where place > $1 and place <= $1", {"1": "10"}))
    assert made.text.splitlines()[1] == "select where place > :v0 and place <= :v0;"
    assert "format('%3$s', variadic ids) as v0" in made.view
    assert "order by i.place desc offset 1 limit 1) as place" in made.view


def test_who_asks_is_a_parameter_of_its_own_statement():
    made = scripted(Said(f"""set local request.jwt.claims = '{{"sub":"{USER}"}}'"""))
    assert made.text.splitlines()[1] == "select set_config('request.jwt.claims', :v0, true);"
    assert """format('{"sub":"%1$s"}', variadic ids) as v0""" in made.view


def test_a_time_has_its_type_and_recall_has_time():
    made = scripted(Said("select now() - $1", {"1": "30 days"}), Said("set local statement_timeout = 45"))
    assert made.text.splitlines()[1:] == ["select now() - :v0::interval;", "set local statement_timeout = 5000;"]


def test_what_pgbench_would_take_for_its_own_is_refused():
    with pytest.raises(ValueError, match="of its own"):
        scripted(Said("select '{a:b}'::text"))


def answered(monkeypatch, tmp_path, *, complaints="", code=0):
    """What pgbench was told, and what was made of its answer."""
    told = []

    def ran(command, **_):
        told.extend(command)
        out = "number of transactions actually processed: 1000\ntps = 250.0 (without initial connection time)\n"
        return SimpleNamespace(returncode=code, stdout=out, stderr=PROGRESS + complaints)

    monkeypatch.setattr(subprocess, "run", ran)
    return told, pgbench.pgbench(World(Path(tmp_path), None, True), "postgresql:///", FLOOR, 2)


def test_statements_are_prepared_and_told_is_what_was_warm(monkeypatch, tmp_path):
    told, found = answered(monkeypatch, tmp_path)
    assert told[told.index("-M") + 1] == "prepared"
    assert told[told.index("-T") + 1] == "4"
    assert found == (1_000, 350.0)


@pytest.mark.parametrize("how", [{"code": 2}, {"complaints": "client 3 script 0 aborted in command 7"}])
def test_a_client_that_gave_up_ends_the_run(monkeypatch, tmp_path, how):
    with pytest.raises(RuntimeError, match="the statements of floor"):
        answered(monkeypatch, tmp_path, **how)


def test_turns_without_their_rows_end_the_run():
    pgbench.check(FLOOR, 10, [100], [120])
    with pytest.raises(RuntimeError, match="19 messages of 10 turns"):
        pgbench.check(FLOOR, 10, [100], [119])
