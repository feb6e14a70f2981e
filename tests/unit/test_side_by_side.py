"""What `make bench` makes of what it has measured: a limit that is missed is red, and statements are read as they were
sent."""

import pytest

from benchmarks.side_by_side import turn_sql
from benchmarks.side_by_side.limits import Limit, read_limits
from benchmarks.side_by_side.measures import MEASURES
from benchmarks.side_by_side.outcome import Outcome, Table
from benchmarks.side_by_side.report import Results, table_lines

LOG = (
    "bench 7 chat LOG:  execute <unnamed>: begin\n"
    "bench 8 chat LOG:  execute <unnamed>: begin\n"
    "bench 7 chat LOG:  execute s1: insert into t\n\tvalues ($1, $2)\n"
    "bench 7 chat DETAIL:  Parameters: $1 = 'it''s $2', $2 = NULL\n"
    "bench 9 other LOG:  statement: drop table t\n"
    "bench 8 chat LOG:  statement: commit\n"
    "bench 7 chat LOG:  statement: commit\n"
)


def measured(tmp_path, value, *, is_quick=False):
    return Results(tmp_path, is_quick, {"turns": {"figures": {"times_langchain_10": value}}})


@pytest.mark.parametrize(("value", "is_quick", "is_kept"), [(3.1, False, True), (2.9, False, False), (2.9, True, True)])
def test_a_missed_limit_ends_the_run_red(tmp_path, value, is_quick, is_kept):
    assert measured(tmp_path, value, is_quick=is_quick).are_kept({"turns"}) is is_kept


def test_a_limit_is_asked_only_of_what_was_measured(tmp_path):
    assert measured(tmp_path, 0.0).are_kept({"startup"})


def test_a_limit_with_two_ends_keeps_both():
    control = Limit("turns", "control", "A/A", least=0.9, most=1.1)
    assert [control.is_kept(value) for value in (0.8, 1.0, 1.2)] == [False, True, False]


def test_every_limit_is_of_a_measure_that_there_is():
    assert {limit.measure for limit in read_limits(is_quick=False)} <= {measure.name for measure in MEASURES}


def test_what_was_not_measured_is_left_out_and_not_nan():
    assert Outcome([Table("t", ("a",), [["1"]])], {"known": 1.0, "unknown": float("nan")}).as_json()["figures"] == {
        "known": 1.0
    }


def test_tables_are_markdown():
    assert list(table_lines(("a", "b"), [[1, 2]])) == ["| a | b |", "|---|---|", "| 1 | 2 |", ""]


def test_what_a_connection_says_stays_together_with_its_values_in_place():
    said = list(turn_sql.statements(LOG, "chat"))
    assert said == ["begin", "insert into t\nvalues ('it''s $2', NULL)", "commit", "begin", "commit"]


def test_a_script_mints_what_only_the_last_turn_had():
    user, session = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
    old, new = "33333333-3333-3333-3333-333333333333", "44444444-4444-4444-4444-444444444444"
    turns = [[f"select '{user}', '{session}', '{old}'"], [f"select '{user}', '{session}', '{old}', '{new}'"]]
    assert turn_sql.script(turns, user, session).splitlines()[1:] == [
        "select gen_random_uuid() as m0 \\gset",
        f"select ':u', ':s', '{old}', ':m0';",
    ]
