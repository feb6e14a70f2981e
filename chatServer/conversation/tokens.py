"""How many tokens a text, a message or a list of tools takes: tiktoken's numbers, from a vocabulary that lies beside
this file, so nothing is fetched. One ruler for every model: rows keep their counts, and models change."""

import asyncio
import base64
import gzip
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import tiktoken

from chatServer.conversation.image_tokens import count_image
from chatServer.messages import Message, text_of
from chatServer.messages.calls import json_text
from chatServer.records.budget import LONG_CHARS

ENCODING = "cl100k_base"
VOCABULARY = Path(__file__).with_name(f"{ENCODING}.tiktoken.gz")
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

# What OpenAI's cookbook adds to the texts of a prompt.
PER_MESSAGE = 3
PER_ROLE = 1
PER_NAME = 1
PER_REPLY = 3  # once a prompt: the answer is begun for the model
PER_TOOL = 10
PER_TOOLS = 12  # once for all of them

# tiktoken panics at a million blanks in front of a word; in pieces it never meets that many. A megabyte of any one
# character takes 0.1 to 0.4 s, with the GIL released (2026-11-15).
PIECE_CHARS = 65_536
SEARCH_CHARS = 4_096

MAX_COUNTS = 10_000  # below 2 MB
_counts: dict[bytes, int] = {}


def count_text(text: str) -> int:
    """The tokens of a text; what looks like a special token is text like any other."""
    encode = _encoding().encode_ordinary
    if len(text) <= PIECE_CHARS:
        return len(encode(text))
    return sum(len(encode(piece)) for piece in _pieces(text))


def count_message(message: Message) -> int:
    """The tokens that a message takes in a prompt: what was said, asked of tools and answered by them, its images.

    What the model thought aloud is not sent back, and so not counted.
    """
    tokens = PER_MESSAGE + PER_ROLE + count_text(text_of(message))
    if message.name:
        tokens += PER_NAME + count_text(message.name)
    for call in message.tool_calls or ():
        tokens += PER_MESSAGE + count_text(call.name) + count_text(call.arguments)
    for request in message.agent_calls or ():
        tokens += PER_MESSAGE + count_text(json_text(request.to_dict()))
    return tokens + sum(count_image(image) for image in message.images or ())


async def count_apart(message: Message) -> int:
    """The same; a text of the length of a book is counted beside everybody else's work."""
    if len(text_of(message)) < LONG_CHARS:
        return count_message(message)
    return await asyncio.to_thread(count_message, message)


def count_once(text: str) -> int:
    """The tokens of a text that one prompt after the other has: of the system, of a summary, of what is recalled.

    Remembered by its digest, so that nothing that somebody said stays here. Counting them anew was 10 % of a turn's
    samples with a summary, and 4 % with ten lines recalled (py-spy, 2026-11-16)."""
    key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if (tokens := _counts.get(key)) is None:
        if len(_counts) >= MAX_COUNTS:
            _counts.clear()
        tokens = _counts[key] = count_text(text)
    return tokens


def count_lasting(text: str) -> int:
    """The same of a message of nothing but such a text."""
    return PER_MESSAGE + PER_ROLE + count_once(text)


def count_system(prompt: str) -> int:
    """The tokens of the system prompt, and of what every prompt ends with."""
    return count_lasting(prompt) + PER_REPLY


def count_tools(schemas: Iterable[Mapping[str, Any]]) -> int:
    """The tokens of tools, by their JSON: providers spell schemas in their own, shorter ways."""
    counts = [PER_TOOL + count_text(json_text(schema)) for schema in schemas]
    return sum(counts) + PER_TOOLS if counts else 0


def shortened(text: str, max_tokens: int) -> str:
    """The beginning of a text, as much as takes no more than so many tokens; whole characters."""
    tokens = count_text(text)
    end = len(text)
    while end and tokens > max_tokens:
        end = min(end * 9 // 10, max(end * max_tokens // tokens, 0))
        tokens = count_text(text[:end])
    return text[:end]


@cache
def _encoding() -> tiktoken.Encoding:
    """Read once, when first needed: 0.15 s of CPU and 41 MB (2026-11-15)."""
    lines = gzip.decompress(VOCABULARY.read_bytes()).splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    return tiktoken.Encoding(ENCODING, pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def _pieces(text: str) -> Iterator[str]:
    """A long text in pieces that count as the whole does, if it has words at all."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = _end_of_word(text, start + PIECE_CHARS)
        yield text[start:end]
        start = end
    yield text[start:]


def _end_of_word(text: str, before: int) -> int:
    """Where no token can reach across: PATTERN ends every match at the end of a run of letters."""
    for place in range(before, before - SEARCH_CHARS, -1):
        if text[place - 1].isalpha() and not text[place].isalpha():
            return place
    return before
