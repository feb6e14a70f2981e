"""The UI message stream: words, which are written by hand, are spelt as every other chunk."""

import json
from uuid import UUID

import pytest

from chatServer.protocols import ui_stream
from chatServer.records import WORDS, TurnEvent

TURN = UUID("01a1ddbe-cda3-7459-b97d-30a358f58af3")


@pytest.mark.parametrize("kind", sorted(WORDS))
@pytest.mark.parametrize("text", ["word ", 'she said: "é\\"\n', "\u2028 \x1f {}", ""])
async def test_a_word_is_written_as_its_chunk_would_be(kind, text):
    event = TurnEvent(kind, id='text-"1"', text=text)

    async def batches():
        yield [(7, event)]

    written = [piece async for piece in ui_stream.frames(TURN, batches())]
    chunk = json.dumps(ui_stream.chunk(event), ensure_ascii=False, separators=(",", ":"))
    assert b"".join(written).decode() == f"id: {TURN}:7\ndata: {chunk}\n\n"
