"""builtin corrects its notes: what is told anew takes the place of what they say of it."""

import pytest

from chatServer.agent.given import QuotedMessage
from chatServer.messages.fence import fence
from tests.tools.answering import after, answer, call

PAGE = "# Codes\n- my locker code is 4411.\n- my doctor is Dr Patel"
READ = {"operation": "read"}


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("Sorry, my locker code is 4412, not 4411.", "my locker code is 4412"),
        ("My locker code is now 4412.", "My locker code is 4412"),
        ("My locker code is 4412", "My locker code is 4412"),
        ("Remember that my locker code is 4412", "my locker code is 4412"),
    ],
)
async def test_what_is_told_anew_takes_the_place_of_its_line(told, line):
    assert await call(told, notes=PAGE) == READ
    written = PAGE.replace("my locker code is 4411.", line)
    assert await call(*after(told, READ, PAGE), notes=PAGE) == {"operation": "overwrite", "content": written}
    done = after(told, {"operation": "overwrite", "content": written}, "ok")
    assert (await answer(*done, notes=PAGE)).content == f"Noted: {line}"


async def test_notes_that_could_not_be_written_are_not_said_to_be():
    told = "My locker code is now 4412."
    done = after(told, {"operation": "overwrite", "content": "x"}, "The notes are full.", status="error")
    assert (await answer(*done, notes=PAGE)).content == "That did not work: The notes are full."


async def test_a_doctor_is_another_only_where_it_is_said_that_he_is():
    assert await call("Actually, my doctor is Dr Who now.", notes=PAGE) == READ
    assert await call("My doctor is Dr Who.", notes=PAGE) is None
    assert (await call("Remember that my doctor is Dr Who", notes=PAGE) or {})["operation"] == "append"


@pytest.mark.parametrize(
    "told", ["My locker code is 4411.", "My gym code is 4412.", "Is my locker code 4412?", "hello"]
)
async def test_what_the_notes_do_not_deny_leaves_them_as_they_are(told):
    assert await call(told, notes=PAGE) is None


async def test_a_page_that_cannot_be_written_back_is_not():
    told = "My locker code is now 4412."
    assert await call(*after(told, READ, f"{PAGE}\n[REDACTED_EMAIL]"), notes=PAGE) is None
    assert await call(*after(f"Remember that {told}", READ, "- tea"), notes=PAGE) == {
        "operation": "append",
        "content": f"- {told}",
    }


async def test_what_was_said_before_the_notes_were_corrected_is_not_quoted_beside_them():
    said = (
        "- (the user said, 2026-11-01) my locker code is 4411.\n- (the user said, 2026-11-02) my locker code is blue."
    )
    known = QuotedMessage(fence("memories", said))
    told = (await answer(known, "What is my locker code?", notes="- my locker code is 4412")).content
    assert "4412" in told
    assert "blue" in told
    assert "4411" not in told
