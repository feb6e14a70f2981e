"""What a turn's row keeps of what was recalled: all of it, in little room."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatServer.records import Recalled, RecallResult, Source, Turn
from chatServer.store.recalled import kept, read
from chatServer.turn import replay
from chatServer.turn.recalled import recalled_json

SESSIONS = [str(uuid4()) for _ in range(100)]
lines = st.builds(
    lambda what, role, score, days, session, text, is_own: Recalled(
        item_id=(item := uuid4()), text=text, what=what, role=role, speaker=None,
        kind="fact" if what == "memory" else None, category=None, score=score, parts={},
        said_at=datetime(2026, 11, 16, 7, 29, tzinfo=UTC) - timedelta(days=days, microseconds=days),
        valid_to=None, source=Source(session, item if is_own else None), trust=role,
    ),
    st.sampled_from(["message", "message", "memory"]), st.sampled_from(["user", "assistant"]), st.floats(0, 1),
    st.integers(0, 30_000), st.sampled_from([*SESSIONS, None]), st.sampled_from(["I do.", "Do I?"]), st.booleans(),
)  # fmt: skip


@given(st.lists(lines, max_size=120))
def test_all_of_it_is_read_again(items):
    told = recalled_json(RecallResult(tuple(items), 3, "timeout"), with_text=False)
    assert read(json.loads(json.dumps(kept(told)))) == told


def test_a_message_takes_36_letters_beside_others_and_a_memory_is_left_as_it_is():
    given = {"id": str(uuid4()), "role": "user", "score": 0.584, "said_at": "2026-11-16T07:29:32.574308+00:00"}
    message = given | {"what": "message", "trust": "user"}
    message["source"] = {"session_id": SESSIONS[0], "message_id": message["id"]}
    memory = given | {"what": "memory", "trust": "user", "kind": "fact", "source": {}}
    told = {"items": [message, memory, message, message], "total_found": 9}
    row = kept(told)
    assert [len(item) if isinstance(item, str) else item for item in row["items"]] == [36, memory, 72]
    assert row["sessions"] == SESSIONS[:1]
    apart = {**row, "items": [row["items"][0], memory, row["items"][2][:36], row["items"][2][36:]]}  # as before
    assert read(row) == read(apart) == told


@pytest.mark.parametrize(
    ("revision", "told"),
    [
        (None, None),
        ({"is_read": True}, None),
        ({"remembered": {}}, {"remembered": {}}),
        ({"status": "completed"}, {"status": "completed", "memory_updated": False, "memory_tools_used": []}),
        (
            {"status": "completed", "memory_updated": True},
            {"status": "completed", "memory_updated": True, "memory_tools_used": []},
        ),
    ],
)
def test_a_revision_that_changed_nothing_says_so_though_its_row_does_not(revision, told):
    turn = Turn(uuid4(), "s", "a", None, None, "done", 1, None, None, revision=revision)
    assert turn.told_revision == told


def test_rows_of_before_are_read_and_what_is_no_line_is_left_out():
    assert read(None) is None
    before = {"items": [{"id": str(UUID(int=1)), "what": "message"}], "total_found": 1}
    assert read(before) == before
    for sessions in ([], ["s"], 7, [None]):
        assert read({"items": ["no line", "", "A" * 36, {"id": "1"}], "sessions": sessions})["items"][-1] == {"id": "1"}


def test_a_turn_that_is_told_again_says_what_could_not_be_looked_up_for_it():
    recalled = {"items": [], "total_found": 0, "degraded": "timeout"}
    turn = Turn(uuid4(), "s", "a", None, None, "done", 1, None, None, recalled=recalled)
    start, missing, finish = replay.events_of(turn, [])
    assert (start.kind, missing.name, finish.kind) == ("start", "recall", "finish")
    assert missing.value == {"status": "degraded", "reason": "timeout"}
    for no_reason in (None, "embedder", "partial", ["timeout"]):
        turn = replace(turn, recalled={**recalled, "degraded": no_reason})
        assert [event.kind for event in replay.events_of(turn, [])] == ["start", "finish"]
