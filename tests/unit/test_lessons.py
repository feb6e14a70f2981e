"""What a turn's tools teach."""

from chatServer.memory.remember.lessons import Lesson, lessons_of
from chatServer.messages import Message


def answered(name, success=True, duration_ms=0, error=None):
    data = {"duration_ms": duration_ms, "success": success, "error": error}
    return Message(role="tool", content="...", name=name, tool_call_id="c", structured_data=data)


def test_tools_that_worked_are_one_memory():
    assert lessons_of([answered("file_read", duration_ms=100), answered("todo_update", duration_ms=50)]) == [
        Lesson(
            "Successfully used tools: file_read, todo_update (total time: 150ms)",
            "task_history",
            0.7,
            ("tool_usage", "success", "file_read", "todo_update"),
        )
    ]


def test_tools_that_failed_are_one_memory():
    assert lessons_of([answered("invalid_tool", False, error="There is no tool invalid_tool.")]) == [
        Lesson("Failed tools: invalid_tool", "error_pattern", 0.8, ("tool_failure", "error", "invalid_tool"))
    ]


def test_both_are_made_when_both_happened_and_a_name_is_said_once():
    worked, failed = lessons_of([answered("a", duration_ms=1), answered("a", duration_ms=2), answered("a", False)])
    assert worked.text == "Successfully used tools: a (total time: 3ms)"
    assert failed.text == "Failed tools: a"


def test_that_a_tool_worked_which_keeps_memory_itself_says_nothing():
    noted, read = answered("notes", duration_ms=70), answered("file_read", duration_ms=3)
    assert lessons_of([noted], keepers={"notes"}) == []
    assert [each.text for each in lessons_of([noted, read], keepers={"notes"})] == [
        "Successfully used tools: file_read (total time: 3ms)"
    ]
    assert [each.text for each in lessons_of([answered("notes", False)], keepers={"notes"})] == ["Failed tools: notes"]


def test_other_messages_and_results_without_a_record_teach_nothing():
    said = [Message(role="user", content="Failed tools: x"), Message(role="tool", content="4", name="x")]
    assert lessons_of(said) == []
    assert lessons_of([]) == []


def test_strange_records_do_no_harm():
    strange = answered("a", duration_ms="soon")
    assert lessons_of([strange])[0].text == "Successfully used tools: a (total time: 0ms)"
    assert len(lessons_of([answered(f"t{number}", False) for number in range(100)])[0].tags) == 18
