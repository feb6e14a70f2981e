"""The auditor: what clients wrote down, held against what the tables hold. Every kind of finding has to be zero."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tests.chaos.audit_rest import job_findings, note_findings, usage_findings
from tests.chaos.journal import Story
from tests.chaos.ledger import Ledger
from tests.chaos.words import expected_reply, user_id

Findings = dict[str, list[str]]
Check = Callable[[Ledger, dict[str, Story]], Iterator[str]]


def audit(ledger: Ledger, stories: dict[str, Story], *, is_anybody_dead: bool) -> Findings:
    """All findings, by kind."""
    found = {kind: list(check(ledger, stories)) for kind, check in CHECKS.items()}
    found["taken from the living"] = [] if is_anybody_dead else list(_takeovers(ledger))
    return found


def _lost(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """What was acknowledged is stored, once, as it was heard; what was announced is there."""
    turns = {turn.turn_id: turn for turn in ledger.turns}
    messages = ledger.messages_by_turn()
    for story in stories.values():
        for turn_id in story.turn_ids:
            if turn_id not in turns:
                yield f"{story.nonce}: its turn {turn_id} was announced, and is not there"
        if story.acknowledged_at is None:
            continue
        done = [turns[each] for each in story.turn_ids if each in turns and turns[each].state == "done"]
        if len(done) != 1:
            yield f"{story.nonce}: acknowledged, and {len(done)} of its turns are done"
            continue
        stored = messages[done[0].turn_id]
        questions = [each.text for each in stored if each.kind == "human"]
        if questions != [story.text]:
            yield f"{story.nonce}: its question is stored as {questions}"
        replies = [each.text for each in stored if each.kind == "ai" and each.message_id == done[0].reply_message_id]
        if replies != story.replies[:1]:
            yield f"{story.nonce}: heard {story.replies[:1]}, stored {replies}"


def _doubled(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """One key is one turn; a question and its reply are stored once at most."""
    keys = Counter((turn.user_id, turn.session_id, turn.turn_key) for turn in ledger.turns if turn.turn_key)
    yield from (f"{count} turns have the key {key}" for (_, _, key), count in keys.items() if count > 1)
    said = Counter((each.user_id, each.text) for each in ledger.messages if each.kind in ("human", "ai") and each.text)
    for story in stories.values():
        for text in (story.text, expected_reply(story.nonce)):
            if (count := said[user_id(story.user), text]) > 1:
                yield f"{story.nonce}: stored {count} times: {text[:40]!r}"
        if len(story.turn_ids) > 1:
            yield f"{story.nonce}: one key, announced as {len(story.turn_ids)} turns"


def _foreign(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """What was heard and what is stored is the answer to this question, to the last character."""
    for story in stories.values():
        for reply in story.replies:
            if reply != expected_reply(story.nonce):
                yield f"{story.nonce}: heard {reply!r}"
    owners = {story.key: story for story in stories.values()}
    turns = {turn.turn_id: turn for turn in ledger.turns}
    for message in ledger.messages:
        turn = turns.get(message.turn_id)
        story = owners.get(turn.turn_key) if turn else None
        if story is None:
            continue
        if message.user_id != user_id(story.user):
            yield f"{story.nonce}: a message of its turn belongs to another user"
        if message.kind == "ai" and message.text not in ("", expected_reply(story.nonce)):
            yield f"{story.nonce}: a reply is stored as {message.text!r}"


def _order(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """Within a session turns stand one after the other, whole, question first, in the order of acknowledgement."""
    places: dict[str, tuple[int, int]] = {}
    by_session: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for message in ledger.messages:
        by_session[message.user_id, message.session_id].append(message)
    for rows in by_session.values():
        for place, row in enumerate(rows):
            is_first = place == 0 or rows[place - 1].turn_id != row.turn_id
            if is_first and row.turn_id in places:
                yield f"turn {row.turn_id} stands in two places of its session"
            if is_first != (row.kind == "human"):
                yield f"turn {row.turn_id}: {row.kind} where {'a question' if is_first else 'an answer'} belongs"
            first, _ = places.get(row.turn_id, (row.id, row.id))
            places[row.turn_id] = (first, row.id)
    yield from _acknowledged_in_order(stories, places)


def _acknowledged_in_order(stories: dict[str, Story], places: dict[str, tuple[int, int]]) -> Iterator[str]:
    by_session: dict[tuple[str, str], list[Story]] = defaultdict(list)
    for story in stories.values():
        if story.acknowledged_at is not None and len(story.turn_ids) == 1:
            by_session[story.user, story.session].append(story)
    for group in by_session.values():
        group.sort(key=lambda story: story.asked_at)
        for later in group:
            before = [each for each in group if (each.acknowledged_at or 0) < later.asked_at]
            for earlier in before[-3:]:  # each is compared with its neighbours, which orders all of them
                last, first = places.get(min(earlier.turn_ids)), places.get(min(later.turn_ids))
                if last and first and last[1] > first[0]:
                    yield f"{later.nonce} was asked after {earlier.nonce} was answered, and stands before it"


def _unended(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """Once everybody has left and a lease has passed, nothing runs; and every question has come to its end."""
    for turn in ledger.turns:
        if turn.is_running:
            yield f"turn {turn.turn_id} of {turn.turn_key} still runs"
        elif turn.state != "running" and turn.finished_at is None:
            yield f"turn {turn.turn_id} ended as {turn.state}, at no time"
    yield from (f"{story.nonce}: neither answered nor refused" for story in stories.values() if not story.is_over)


def _odd(_: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """What no client should ever meet: undocumented answers, aborts that nobody asked for, silence."""
    return (f"{story.nonce}: {what}" for story in stories.values() for what in story.oddities)


def _orphans(ledger: Ledger, _: dict[str, Story]) -> Iterator[str]:
    return (f"{count} {name}" for name, count in ledger.orphans.items() if count)


def _takeovers(ledger: Ledger) -> Iterator[str]:
    return (f"turn {t.turn_id} of {t.turn_key}: attempt {t.attempt}" for t in ledger.turns if t.attempt > 1)


CHECKS: dict[str, Check] = {
    "lost": _lost,
    "doubled": _doubled,
    "foreign": _foreign,
    "order": _order,
    "unended": _unended,
    "notes": note_findings,
    "usage": usage_findings,
    "jobs": job_findings,
    "orphans": _orphans,
    "odd": _odd,
}
