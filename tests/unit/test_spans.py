"""Spans: what they tell when somebody listens, that they never tell words, and that nobody has to listen."""

import asyncio
import contextlib
import uuid
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.context import Context

from chatServer import spans
from chatServer.spans import span
from tests.tools.canary import CANARY


class Recorded(trace.Span):
    """A span that keeps everything that it is told."""

    def __init__(self, name: str, parent: "Recorded | None", attributes: dict | None) -> None:
        self.name, self.parent, self.attributes = name, parent, dict(attributes or {})
        self.status: object = None
        self.events: list[object] = []
        self.has_ended = False

    def get_span_context(self) -> trace.SpanContext:
        return trace.SpanContext(1, id(self) % 2**64, is_remote=False)

    def set_attribute(self, key, value) -> None:
        self.attributes[key] = value

    def set_attributes(self, attributes) -> None:
        self.attributes.update(attributes)

    def add_event(self, name, attributes=None, timestamp=None) -> None:
        self.events.append((name, attributes))

    def record_exception(self, exception, attributes=None, timestamp=None, escaped=False) -> None:
        self.events.append(repr(exception))

    def update_name(self, name) -> None:
        self.name = name

    def is_recording(self) -> bool:
        return not self.has_ended

    def set_status(self, status, description=None) -> None:
        self.status = (status, description)

    def end(self, end_time=None) -> None:
        self.has_ended = True


class Recorder(trace.Tracer):
    def __init__(self) -> None:
        self.spans: list[Recorded] = []

    def start_span(self, name, context: Context | None = None, *_, attributes=None, **__) -> Recorded:
        parent = trace.get_current_span(context)
        made = Recorded(name, parent if isinstance(parent, Recorded) else None, attributes)
        self.spans.append(made)
        return made

    @contextlib.contextmanager
    def start_as_current_span(self, name, *_, attributes=None, end_on_exit=True, **options) -> Iterator[Recorded]:
        with trace.use_span(self.start_span(name, attributes=attributes), end_on_exit=end_on_exit, **options) as made:
            yield made


@pytest.fixture
def recorder(monkeypatch) -> Recorder:
    found = Recorder()
    monkeypatch.setattr(spans, "_tracer", found)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", trace.NoOpTracerProvider())
    return found


def test_a_step_is_a_span_with_what_is_known_at_its_start_and_at_its_end(recorder):
    turn_id = uuid.uuid4()
    with span("turn", turn_id=turn_id, agent="assistant", model="openai:gpt-5-mini") as note:
        with span("recall") as note_recall:
            note_recall(memories=3, is_late=False)
        note(state="done")
    turn, recall = recorder.spans
    assert (turn.name, recall.name, recall.parent) == ("turn", "recall", turn)
    assert turn.attributes == {
        "turn_id": str(turn_id), "agent": "assistant", "model": "openai:gpt-5-mini", "state": "done",
    }  # fmt: skip
    assert recall.attributes == {"memories": 3, "is_late": False}
    assert turn.has_ended
    assert recall.has_ended
    assert turn.status is None


def test_of_an_exception_only_the_kind_is_kept(recorder):
    with pytest.raises(ValueError, match=CANARY), span("compact"):
        raise ValueError(f"he said {CANARY}")
    (found,) = recorder.spans
    assert found.attributes == {"error.type": "ValueError"}
    assert found.status == (trace.StatusCode.ERROR, None)
    assert found.events == []
    assert found.has_ended


def test_a_cancelled_turn_is_told_too(recorder):
    async def turn() -> None:
        with span("turn"):
            await asyncio.sleep(60)

    async def cancel() -> None:
        task = asyncio.ensure_future(turn())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel())
    assert recorder.spans[0].attributes == {"error.type": "CancelledError"}


@pytest.mark.parametrize("name", ["text", "message", "query", "title", "user_id", "email"])
def test_there_is_no_name_for_what_somebody_said_or_who_he_is(recorder, name):
    with pytest.raises(TypeError, match=name), span("turn", **{name: "x"}):
        pytest.fail("it ran")
    with pytest.raises(TypeError, match=name), span("turn") as note:
        note(**{name: "x"})


@pytest.mark.parametrize("text", [f"tell me about {CANARY}", "two\nlines", "x" * 129, "", "ünïcödé"])
def test_text_under_an_allowed_name_is_left_out(recorder, text):
    with span("turn", model=text, agent="assistant") as note:
        note(state=text)
    assert recorder.spans[0].attributes == {"agent": "assistant"}


def test_without_a_provider_nothing_happens_and_wrong_names_are_still_refused():
    with span("turn", turn_id=uuid.uuid4()) as note:
        note(messages=1)
        assert not trace.get_current_span().is_recording()
        with pytest.raises(TypeError, match="query"):
            note(query="x")
