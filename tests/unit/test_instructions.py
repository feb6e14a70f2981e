"""What callgrind has written is read as it writes it."""

import pytest

from benchmarks.callgrind import instructions, newest
from benchmarks.instructions_of_postgres import whole

WRITTEN = """# callgrind format
version: 1
creator: callgrind-3.19.0
events: Ir

fn=(1) one
1 40

totals: 1234567
"""


def test_the_whole_of_a_file_is_what_was_counted(tmp_path):
    (tmp_path / "ours.1").write_text(WRITTEN)
    assert instructions(tmp_path / "ours.1") == 1_234_567


def test_a_file_that_tells_no_whole_is_an_error(tmp_path):
    (tmp_path / "ours.1").write_text(WRITTEN.replace("totals", "summary"))
    with pytest.raises(ValueError, match=r"ours\.1"):
        instructions(tmp_path / "ours.1")


def test_the_newest_is_the_one_with_the_highest_number(tmp_path):
    for name in ("ours", "ours.2", "ours.9", "ours.10", "floor.11"):
        (tmp_path / name).write_text("")
    assert newest(tmp_path / "ours").name == "ours.10"


def test_of_several_processes_the_newest_file_of_each_counts(tmp_path):
    for name, count in (("of.7", 1), ("of.7.1", 20), ("of.7.2", 300), ("of.70.1", 4_000), ("of.8.1", 50_000)):
        (tmp_path / name).write_text(WRITTEN.replace("1234567", str(count)))
    assert whole(tmp_path, [7, 70]) == 4_300


def test_a_process_that_has_written_nothing_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        whole(tmp_path, [7])
