"""A window is whole exchanges: it begins with the user, and a tool call never stands without its result."""

from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.messages import Message, ToolCallMsg, cut


def call(call_id: str) -> ToolCallMsg:
    return ToolCallMsg(id=call_id, call_id=call_id, type="function", name="t", arguments="{}")


def user(text: str = "q") -> Message:
    return Message(role="user", content=text)


def asks(*call_ids: str, text: str | None = None) -> Message:
    return Message(role="assistant", content=text, tool_calls=[call(each) for each in call_ids])


def result(call_id: str) -> Message:
    return Message(role="tool", content="r", name="t", tool_call_id=call_id)


def says(text: str = "a") -> Message:
    return Message(role="assistant", content=text)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Whole turns with tools, sprinkled with rows that crashes and other writers leave behind."""
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(0, 8))):
        messages.append(user())
        for _ in range(draw(st.integers(0, 3))):
            ids = [f"c{number + i}" for i in range(draw(st.integers(1, 3)))]
            number += len(ids)
            messages.append(asks(*ids, text=draw(st.sampled_from([None, "", "thinking"]))))
            missing = draw(st.sets(st.sampled_from(ids), max_size=1))
            messages += [result(each) for each in draw(st.permutations(ids)) if each not in missing]
        if draw(st.booleans()):
            messages.append(draw(st.sampled_from([says(), result("orphan"), says("")])))
    return messages


@given(histories(), st.integers(1, 30))
@settings(max_examples=500, deadline=None)
def test_a_window_never_splits_a_tool_call_from_its_result(history: list[Message], k: int):
    window = cut(history[-k:])
    assert not window or window[0].role == "user"
    open_calls: list[str] = []
    for message in window:
        if message.role == "tool":
            assert message.tool_call_id in open_calls, "a result follows its call"
            open_calls.remove(message.tool_call_id)
        else:
            assert not open_calls, "every call has its result before anything else is said"
            open_calls = [each.call_id for each in message.tool_calls or []]
    assert not open_calls


@given(histories(), st.integers(1, 30))
@settings(max_examples=300, deadline=None)
def test_a_window_keeps_the_order_and_every_user_message(history: list[Message], k: int):
    tail = history[-k:]
    window = cut(tail)
    order = [message.message_id for message in tail]
    positions = [order.index(message.message_id) for message in window if message.role != "tool"]
    assert positions == sorted(positions)
    assert [m for m in window if m.role == "user"] == [m for m in tail if m.role == "user"]
    answered = {m.tool_call_id for m in tail if m.role == "tool"}
    first_user = next((i for i, m in enumerate(tail) if m.role == "user"), len(tail))
    whole = [m for m in tail[first_user:] if m.tool_calls and all(c.call_id in answered for c in m.tool_calls)]
    kept_ids = {m.message_id for m in window}
    assert all(m.message_id in kept_ids for m in whole), "a call whose results are there is never cut away"


def test_a_window_begins_at_the_first_user_message():
    history = [asks("c1"), result("c1"), says("old"), user("new"), says("answer")]
    assert cut(history) == history[3:]


def test_a_window_without_a_user_message_is_empty():
    assert cut([asks("c1"), result("c1"), says()]) == []


def test_an_unanswered_call_leaves_its_text():
    window = cut([user(), asks("c1", text="let me look")])
    assert [message.content for message in window] == ["q", "let me look"]
    assert window[1].tool_calls is None


def test_the_stored_message_is_not_changed_by_cutting():
    unanswered = asks("c1", text="let me look")
    cut([user(), unanswered])
    assert unanswered.tool_calls
