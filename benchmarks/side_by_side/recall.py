"""E: whether the messages that answer a question are found: the tables of `make bench-recall`, with mem0 beside."""

import asyncio
import logging
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from uuid import UUID

import httpx

from benchmarks.conversations import DEVELOPMENT, WHAT_TO_DO, Conversation, Spoken, files_of, read_sets
from benchmarks.recall import DEPTH, answer_all, judged_method, keep_all, weights_without_each
from benchmarks.recall_scores import SCORES, Answered, category_rows, judged, mean_recalls, score_rows
from benchmarks.side_by_side.memories import ITERATIVE, SCAN_ON
from benchmarks.side_by_side.memory_peers import MEM0, MODULES
from benchmarks.side_by_side.outcome import Measure, Outcome, Table
from benchmarks.side_by_side.world import Stack, World
from benchmarks.stored import user_of
from chatServer.config import Settings
from chatServer.memory.ranking.weights import Weights
from chatServer.store.opened import opened_database

QUICK_MESSAGES, QUICK_QUESTIONS = 200, 20
NOTE = (
    "Latency is measured in the process that recalls, one question after the other; ours has no deadline here. A few"
    " conversations: differences below a point are noise."
)


def run(world: World) -> Outcome:
    if not files_of(world.conversations):
        return Outcome([Table("Not measured", ("why",), [[" ".join(WHAT_TO_DO.format(DEVELOPMENT.name).split())]])])
    logging.getLogger("chatServer").setLevel(logging.ERROR)
    conversations = read_sets(world.conversations)
    left_out: dict[str, Weights] = {}
    if world.is_quick:
        conversations = [*sample(conversations)]
    url = world.postgres.url("chat_app", world.database("recall_ours", is_ours=True))
    settings = Settings(database_url=url, database_direct_url=url, chat_data_dir=world.directory, _env_file=None)
    mem0 = world.database("recall_mem0")
    # Before anything is timed: mem0 is told while ours learns.
    with world.beside([partial(tell_all, world, mem0, conversations)] if world.has(MODULES[MEM0]) else []):
        if not world.is_quick:
            left_out = weights_without_each([each.name for each in conversations], [*world.conversations])
        asyncio.run(keep_ours(settings, conversations))
    world.say("all are told")
    answered = asyncio.run(answer_ours(settings, conversations, left_out))
    world.say("ours")
    if world.has(MODULES[MEM0]):
        answered += answer_mem0(world, mem0, conversations)
    columns, rows = category_rows(answered)
    tables = [
        Table("Evidence recall in percent, by set", SCORES, score_rows(answered), NOTE),
        Table("R@10 by category; `adversarial`, which has no answer, is in no other figure", columns, rows),
    ]
    return Outcome(tables, {"points_over_mem0": points_over_mem0(answered)})


def points_over_mem0(answered: list[Answered]) -> float:
    """Of R@10, against the better way of asking it, in the set in which it is nearest."""
    own = judged_method(answered)
    return 100 * min(
        by[own] - max((recall for method, recall in by.items() if method.startswith(MEM0)), default=math.nan)
        for by in mean_recalls(answered).values()
    )


def sample(conversations: list[Conversation]) -> Iterator[Conversation]:
    """The beginning of the first conversation of each set, with questions that it answers."""
    for first in {each.set_name: each for each in reversed(conversations)}.values():
        messages = first.messages[:QUICK_MESSAGES]
        ids = {each.message_id for each in messages}
        questions = [each for each in first.questions if each.evidence <= ids]
        yield replace(first, messages=messages, questions=tuple(questions[:QUICK_QUESTIONS]))


async def keep_ours(settings: Settings, conversations: list[Conversation]) -> None:
    async with opened_database(settings) as database:
        await keep_all(database, conversations)


async def answer_ours(
    settings: Settings, conversations: list[Conversation], left_out: dict[str, Weights]
) -> list[Answered]:
    """Ours and the simple methods, on the Postgres of all."""
    async with opened_database(settings) as database:
        return await answer_all(database, conversations, left_out)


def tell_all(world: World, database: str, conversations: list[Conversation]) -> None:
    """Every message by mem0's own `add`."""
    with world.peer(MODULES[MEM0], database) as peer:
        for conversation in conversations:
            tell(peer, conversation)
    world.run(database, "vacuum analyze")


def answer_mem0(world: World, database: str, conversations: list[Conversation]) -> Iterator[Answered]:
    """Asked as it comes, and with pgvector's iterative scan."""
    for suffix, settings in (("", {}), (ITERATIVE, SCAN_ON)):
        with (
            world.peer(MODULES[MEM0], database, **settings) as peer,
            httpx.Client(base_url=peer.address, timeout=60) as client,
        ):
            for conversation in conversations:
                user = str(user_of(conversation).user_id)
                for asking in conversation.questions:
                    body = {"user_id": user, "question": asking.text, "limit": DEPTH}
                    found = client.post("/recall", json=body).raise_for_status().json()
                    ids = [UUID(each) for each in found["ids"]]
                    yield judged(f"{MEM0}{suffix}", conversation, asking, ids, found["took_ms"] / 1_000)


def under_name(message: Spoken) -> str:
    """Its embedder sees nothing but the text: so it finds 43.7 instead of 31.2 % by cosine (2026-11-16, N = 760)."""
    return f"{message.speaker}: {message.text}" if message.speaker else message.text


def tell(peer: Stack, conversation: Conversation) -> None:
    messages = [
        {"id": str(each.message_id), "role": each.role, "content": under_name(each)} for each in conversation.messages
    ]
    body = {"user_id": str(user_of(conversation).user_id), "messages": messages}
    httpx.post(f"{peer.address}/tell", json=body, timeout=600).raise_for_status()


MEASURE = Measure("E", "recall", __doc__.split(": ", 1)[1], run)
