"""What `make bench` makes of what it has measured: a limit that is missed is red."""

import json
import signal
import subprocess
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from uuid import uuid4

import pytest

from benchmarks import conversations
from benchmarks.conversations import Asking, Conversation, Spoken
from benchmarks.recall_scores import Answered
from benchmarks.side_by_side import recall, turns
from benchmarks.side_by_side.limits import Limit, read_limits
from benchmarks.side_by_side.load import Client, drive
from benchmarks.side_by_side.measures import MEASURES
from benchmarks.side_by_side.outcome import Outcome, Table
from benchmarks.side_by_side.report import Results, table_lines
from benchmarks.side_by_side.turn_plan import ALIKE, FULL, QUICK, Cell, cells, rounds_of, seconds_of
from benchmarks.side_by_side.turn_scene import AGAIN, BY_DEFAULT, FLOOR, OFF, OURS, SAVER, SEED, Scene
from benchmarks.side_by_side.turn_slices import Slice
from benchmarks.side_by_side.turns import MEASURE, told_of, tried
from benchmarks.side_by_side.world import Stack, World


def measured(tmp_path, value, *, is_quick=False):
    limits = [each for each in read_limits(is_quick=is_quick) if each.measure == "turns"]
    figures = {each.figure: each.least or each.most or 1.0 for each in limits}
    return Results(tmp_path, is_quick, {"turns": {"figures": figures | {"times_langchain_10": value}}})


@pytest.mark.parametrize(("value", "is_quick", "is_kept"), [(3.1, False, True), (2.9, False, False), (2.9, True, True)])
def test_a_missed_limit_ends_the_run_red(tmp_path, value, is_quick, is_kept):
    assert measured(tmp_path, value, is_quick=is_quick).are_kept({"turns"}) is is_kept


def test_a_full_run_without_one_of_its_figures_is_red(tmp_path):
    results = measured(tmp_path, 3.1)
    del results.measures["turns"]["figures"]["times_floor_10"]
    assert not results.are_kept({"turns"})


def test_a_limit_is_asked_only_of_what_was_measured(tmp_path):
    assert measured(tmp_path, 0.0).are_kept({"startup"})


def test_a_limit_with_two_ends_keeps_both():
    control = Limit("turns", "control", "A/A", least=0.9, most=1.1)
    assert [control.is_kept(value) for value in (0.8, 1.0, 1.2)] == [False, True, False]


def sliced(plan, *, slower=1.0, longer=1.0):
    """What a quick run hears: the floor 1,000 turns a second, ours 150 at 13 times its CPU; `slower` plants one that
    costs so much more, `longer` one that does so in long sessions only."""

    def a_slice(cell):
        times = 1.0 if cell.stack == FLOOR else slower * (longer if cell.messages > 10 else 1.0)
        per_s, cpu_ms = (1_000, 0.8) if cell.stack == FLOOR else (150 / times, 13 * 0.8 * times)
        return Slice(60, 0, per_s, times, times, times, cpu_ms, 0.0, 0.0, 0.0)

    return {cell: [a_slice(cell)] * rounds_of(cell, plan) for cell in cells(plan)}


@pytest.mark.parametrize(
    ("planted", "missed"),
    [({}, []), ({"slower": 3}, ["turns.cpu_times_floor_10"]), ({"longer": 3}, ["turns.grown_off_1000"])],
)
def test_a_planted_slowdown_turns_a_quick_run_without_peers_red(tmp_path, capsys, planted, missed):
    plan = QUICK.for_those(World(tmp_path, None, is_quick=True, is_alone=True))
    assert plan.stacks == (OURS, OFF, FLOOR, AGAIN)
    results = Results(tmp_path, True, {"turns": told_of(sliced(plan, **planted), plan).as_json()})
    assert results.are_kept({MEASURE.name}) == (not missed)
    assert [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()] == missed


def test_every_cell_that_a_full_limit_is_about_is_measured_in_every_round_but_the_slow_ones():
    often = {cell for cell in cells(FULL) if rounds_of(cell, FULL) == FULL.rounds}
    assert {Cell(name, 10, 16) for name in (OURS, OFF, SEED, SAVER, FLOOR, AGAIN)} <= often
    assert Cell(OURS, 10, 1) in often
    assert [cell for cell in cells(FULL) if cell.stack == BY_DEFAULT] == [Cell(BY_DEFAULT, 10, 16)]
    assert not any(cell.stack in (SEED, SAVER) and cell.messages == 20_000 for cell in often)
    assert {cell.clients for cell in cells(FULL) if cell.stack == OURS} == {1, 16, 64}


@pytest.mark.parametrize("plan", [FULL, QUICK])
def test_lengths_are_compared_in_neighbouring_slices_of_as_long_and_as_many_rounds(plan):
    fewest, planned = min(plan.clients), list(cells(plan))
    alike = [Cell(OFF, messages, fewest) for messages in plan.sessions]
    assert planned[-len(alike) :] == alike
    assert {(rounds_of(each, plan), seconds_of(each, plan)) for each in alike} == {(plan.alike, plan.seconds)}


def test_lengths_are_compared_in_the_same_number_of_sessions_which_are_warm(monkeypatch):
    asked = []

    def heard(*clients):
        asked.append([each.session_id for each in clients])
        return Slice(60, 0, 60, 1, 1, 1, 1, 0, 0, 0)

    monkeypatch.setattr(turns, "drive", lambda _, clients, *__: heard(*clients))
    monkeypatch.setattr(turns, "measure", lambda *given, **_: heard(*given[3]))
    scene = Scene({OURS: Stack("ours", "http://ours", "", [])})
    for messages in FULL.sessions:
        assert len(list(tried(None, None, scene, FULL, Cell(OFF, messages, 1)))) == 1
        warm, measured_ones = asked[-2:]
        assert warm == measured_ones
        assert len(warm) == ALIKE
    first = asked[-2 * len(FULL.sessions)]
    list(tried(None, None, scene, FULL, Cell(OFF, 10, 1)))
    assert not set(first) & set(asked[-1]), "of ten messages others each time, else they would not be of ten"


@pytest.mark.parametrize(
    ("cell", "count"), [(Cell(OFF, 10, 16), 2), (Cell(OURS, 10, 64), 1), (Cell(SAVER, 20_000, 16), 1)]
)
def test_only_what_a_limit_takes_the_median_of_is_measured_again_where_the_host_was_busy(monkeypatch, cell, count):
    busy = Slice(60, 0, 60, 1, 1, 1, 1, 0, 0, 0, stolen_cores=0.5)
    monkeypatch.setattr(turns, "measure", lambda *_, **__: busy)
    scene = Scene({name: Stack(name, "http://ours", "", []) for name in (OURS, SAVER)})
    assert len(list(tried(None, None, scene, FULL, cell))) == count


def test_a_quick_run_measures_every_cell_in_every_round():
    assert all(rounds_of(cell, QUICK) == QUICK.rounds for cell in cells(QUICK))


@pytest.fixture
def heard():
    """A server that answers everything with a word; and who has asked it, how often."""
    asked = Counter()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked[json.loads(self.rfile.read(int(self.headers["content-length"])))["session_id"]] += 1
            body = json.dumps({"response": "word"}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("at_once", "seconds", "asking"), [(2, 0.0, 2), (2, 1.0, 6), (None, 0.0, 6)])
def test_whoever_is_answered_makes_room_for_the_next(heard, at_once, seconds, asking):
    address, asked = heard
    clients = [Client(address, "/chat", f"s{number}", {}) for number in range(6)]
    with ThreadPool(1) as pool:
        answered = drive(pool, clients, ["a text"], "word", seconds, at_once=at_once)
    assert len(asked) == asking
    assert len(answered.took_ms) == asked.total()
    with ThreadPool(1) as pool, pytest.raises(ValueError, match="6 cannot ask at 7 places"):
        drive(pool, clients, ["a text"], "word", seconds, at_once=7)
    for place in range(2):  # each goes round among those that are his
        counts = [asked[f"s{number}"] for number in range(place, 6, 2)]
        assert max(counts) - min(counts) <= 1


def test_the_time_that_each_measure_took_is_told(tmp_path):
    known = {"turns": {"letter": "A", "took_s": 300}, "startup": {"letter": "G", "took_s": 60}}
    told = list(Results(tmp_path, False, known).durations({"turns", "startup"}))
    assert told[2:5] == ["| A: turns | 300 |", "| G: startup | 60 |", "| together | 360 |"]


def test_recall_without_conversations_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(conversations, "DEVELOPMENT", tmp_path)
    said = recall.run(World(tmp_path, None, is_quick=True, conversations=()))
    assert "DATA=FILE" in said.tables[0].rows[0][0]
    assert not said.figures


def test_the_sample_of_a_set_has_only_questions_that_it_answers():
    ids = [uuid4() for _ in range(recall.QUICK_MESSAGES + 1)]
    said = tuple(Spoken(each, None, "user", "s", 0.0, "x") for each in ids)
    asked = tuple(Asking("?", "c", frozenset({each})) for each in (ids[0], ids[-1]))
    [found, _] = recall.sample([Conversation(name, name[0], said, asked) for name in ("a1", "a2", "b1")])
    assert len(found.messages) == recall.QUICK_MESSAGES
    assert found.questions == asked[:1]


def test_recall_is_judged_against_the_better_way_of_asking_mem0_where_it_is_nearest():
    def found(method, set_name, place):
        return Answered(method, set_name, "c", (place,) if place else (), 1, 1.0)

    answered = [found("ours", "a", 1), found("mem0", "a", 0), found("mem0, scanning on", "a", 0)]
    assert recall.points_over_mem0(answered) == 100
    answered += [found("ours", "b", 1), found("mem0", "b", 0), found("mem0, scanning on", "b", 2)]
    assert recall.points_over_mem0(answered) == 0


def test_every_limit_is_of_a_measure_that_there_is():
    assert {limit.measure for limit in read_limits(is_quick=False)} <= {measure.name for measure in MEASURES}


def test_what_was_not_measured_is_left_out_and_not_nan():
    assert Outcome([Table("t", ("a",), [["1"]])], {"known": 1.0, "unknown": float("nan")}).as_json()["figures"] == {
        "known": 1.0
    }


def test_tables_are_markdown():
    assert list(table_lines(("a", "b"), [[1, 2]])) == ["| a | b |", "|---|---|", "| 1 | 2 |", ""]


def test_what_is_done_beside_is_done_when_the_block_ends(tmp_path):
    with World(tmp_path, None, is_quick=True).beside([lambda: 1, lambda: 2]) as done:
        pass
    assert [each.result() for each in done] == [1, 2]


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_what_fails_or_is_interrupted_lets_nobody_wait_beside_it(tmp_path, is_interrupted):
    def fail():
        raise SystemExit(1)

    server, postgres = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
    world = World(tmp_path, SimpleNamespace(pid=postgres.pid), is_quick=True, started=[server])
    tasks = [server.wait, postgres.wait] if is_interrupted else [server.wait, postgres.wait, fail]
    began = time.monotonic()
    with pytest.raises(SystemExit), world.beside(tasks, at_once=3):
        if is_interrupted:
            fail()
    assert time.monotonic() - began < 30
    assert [server.returncode, postgres.returncode] == [-signal.SIGKILL, -signal.SIGQUIT]
