"""No text is too odd for the parts that every message passes: nothing raises, nothing is lost, nothing takes long."""

import json
import statistics
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langchain_core.messages import message_to_dict, messages_from_dict

from chatServer.agent.prompts import system_prompt
from chatServer.api.chat_body import ChatRequest
from chatServer.conversation.assemble import Parts, assemble
from chatServer.conversation.tokens import count_message, count_text
from chatServer.errors import InvalidRequest
from chatServer.messages import (
    Message,
    clean_json,
    clean_text,
    from_langchain,
    from_provider_dict,
    refuse_file_images,
    searchable,
    text_of,
    to_langchain,
    to_provider_dict,
    to_ui_parts,
)
from chatServer.messages.fence import fence, unfenced
from chatServer.protocols import ui_stream
from chatServer.records import Agent, StoredMessage, TurnEvent
from chatServer.turn.events import cleaned
from tests.tools.odd_texts import odd_texts, random_text, told_in

AGENT = Agent(name="a", description="d", prompt="You note:\n{long_term_memory_notes}")
MAX_S = 0.05
PROSE = "The quick brown fox jumps over the lazy dog. " * 2_200  # 100 kB
MAX_NOTED = 8_000
TURN = uuid.uuid4()


def take(operation: Callable[..., Any], *given: Any) -> Any:
    """What an operation gives. Over 50 ms of CPU it is asked twice more, and may take ten times what it takes just now
    to count the tokens of as much plain prose: 5 ms on an idle machine, several times that on a shared one."""
    began = time.perf_counter()
    result = operation(*given)
    if time.perf_counter() - began > MAX_S:
        taken = cpu_of(operation, *given)
        assert taken <= max(MAX_S, 10 * cpu_of(count_text, PROSE)), f"{operation.__name__} takes {taken * 1000:.0f} ms"
    return result


def cpu_of(operation: Callable[..., Any], *given: Any) -> float:
    taken = []
    for _ in range(3):
        began = time.thread_time()
        operation(*given)
        taken.append(time.thread_time() - began)
    return statistics.median(taken)


def asked(body: dict[str, Any]) -> Message | None:
    """The message of a request, as the route reads it; None where it is refused as empty."""
    try:
        return ChatRequest.model_validate(json.loads(json.dumps(body))).ask(None).message
    except InvalidRequest:
        return None


def stored(message: Message) -> Message:
    """Through the database's JSON and back."""
    row = json.dumps(clean_json(message_to_dict(to_langchain(message))), ensure_ascii=False, allow_nan=False)
    assert b"\\u0000" not in row.encode("utf-8").replace(b"\\\\", b"")
    return from_langchain(messages_from_dict([json.loads(row)])[0])


def streamed(text: str) -> bytes:
    async def batches():
        told = [TurnEvent("text-delta", id="text-1", text=text), TurnEvent("tool-output", id="c", value={text: [text]})]
        yield [(i, cleaned(event)) for i, event in enumerate([*told, TurnEvent("finish", value={})], 1)]

    async def collected():
        return b"".join([piece async for piece in ui_stream.frames(TURN, batches())])

    try:
        collected().send(None)  # it waits for nothing
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits for something")


def assembled(message: Message, tokens: int, text: str):
    """With the text as the question, as what was said before, as notes and as summary; those two are never so long."""
    before = StoredMessage(1, None, datetime.now(UTC), message, tokens=tokens)
    system = system_prompt(AGENT, text[:MAX_NOTED])
    return assemble(Parts(AGENT, "m", 1_000_000, system, 0, text[:MAX_NOTED], tokens, message), [before])[0]


def examine(text: str) -> None:
    clean = take(clean_text, text)
    clean.encode("utf-8")
    assert "\0" not in clean
    if not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text):
        assert clean == text
    ui = {"role": "user", "parts": [{"type": "text", "text": text}]}
    plain, from_ui = take(asked, {"message": text}), take(asked, {"message": ui})
    assert (plain is None) == (from_ui is None) == (not clean.strip())
    if plain is None or from_ui is None:
        return
    assert text_of(plain) == text_of(from_ui) == clean
    assert text_of(take(stored, plain)) == clean
    assert (
        text_of(from_provider_dict(json.loads(json.dumps(take(to_provider_dict, plain, refuse_file_images))))) == clean
    )
    assert take(to_ui_parts, [plain]) == [{"type": "text", "text": clean}]
    delta, output, _ = told_in(take(streamed, text))
    assert delta["delta"] == clean
    assert output["output"] == {clean: [clean]}
    assert 0 < take(count_text, clean) <= len(clean.encode())
    assert take(count_message, plain) > count_text(clean)
    assert unfenced("notes", f"a\n{take(fence, 'notes', clean)}\nb") == clean
    take(searchable, clean).encode("utf-8")
    said = take(assembled, plain, count_message(plain), clean)
    assert [text_of(message) for message in said.messages[1:]] == [clean, clean]
    assert unfenced("summary", text_of(said.messages[0])) == clean[:MAX_NOTED]
    assert unfenced("notes", said.system) == (clean[:MAX_NOTED] if clean[:MAX_NOTED].strip() else None)


FAST: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.generate],
}


# Hypothesis takes several times as long to find a text as we take to examine it: most are ours, from its seeds.
EACH = 100


def examine_many(seed: int) -> None:
    random = Random(seed)
    for number in range(EACH):
        text = random_text(random)
        try:
            examine(text)
        except Exception as error:
            raise AssertionError(f"number {number} of seed {seed}: {text[:1_000]!r}") from error


@given(odd_texts)
@settings(max_examples=1_000, **FAST)
def test_no_text_is_too_odd(odd):
    examine(odd.text)


@given(st.integers(0, 2**32))
@settings(max_examples=90, **FAST)
def test_no_text_of_9_000_is_too_odd(seed):
    examine_many(seed)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@given(odd_texts)
@settings(max_examples=10_000, **FAST)
def test_no_text_is_too_odd_10_000_times(odd):
    examine(odd.text)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@given(st.integers(0, 2**32))
@settings(max_examples=900, **FAST)
def test_no_text_of_90_000_is_too_odd(seed):
    examine_many(seed)
