"""The auditor on what turns leave behind: notes and their versions, usage, jobs."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.chaos.journal import Story
from tests.chaos.ledger import Ledger
from tests.chaos.words import note_of


def note_findings(ledger: Ledger, stories: dict[str, Story]) -> Iterator[str]:
    """The page is its newest version, every version follows from the one before it, and what was noted is there."""
    by_page: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for version in ledger.versions:
        by_page[version.user_id, version.agent_name].append(version)
    pages = {(page.user_id, page.agent_name): page for page in ledger.pages}
    for key, versions in by_page.items():
        page = pages.get(key)
        if page is None or (page.version, page.notes) != (versions[-1].version, versions[-1].notes):
            yield f"the page of {key} is not its newest version"
        numbers = [version.version for version in versions]
        if numbers != list(range(len(numbers))):
            yield f"the versions of {key} have gaps: {numbers}"
        yield from _steps(versions, {turn.turn_id: turn for turn in ledger.turns}, stories)
    lines = {page.user_id: page.notes.split("\n\n") for page in ledger.pages}
    yield from _written_notes(ledger, stories, lines)


def _steps(versions: list[Any], turns: dict[str, Any], stories: dict[str, Story]) -> Iterator[str]:
    by_key = {story.key: story for story in stories.values()}
    texts = {version.version: version.notes for version in versions}
    for before, version in itertools.pairwise(versions):
        turn = turns.get(version.turn_id)
        story = by_key.get(turn.turn_key) if turn else None
        if version.operation == "append" and story is not None:
            expected = "\n\n".join(part for part in (before.notes, note_of(story.nonce)) if part)
        elif version.operation == "revert":
            expected = texts.get(int(version.reason.removeprefix("version ")))
        else:
            yield f"version {version.version}: {version.operation} of turn {version.turn_id}, which asked for none"
            continue
        if version.notes != expected:
            yield f"version {version.version} ({version.operation}) does not follow from the one before it"


def _written_notes(ledger: Ledger, stories: dict[str, Story], lines: dict[str, list[str]]) -> Iterator[str]:
    """A note that the tool confirmed stands there once, also where that of a dead attempt could not be taken back,
    because somebody else had changed the page since: a line that is there is not noted again."""
    by_key = {story.key: story for story in stories.values()}
    for turn in ledger.turns:
        story = by_key.get(turn.turn_key)
        if story is None or not story.text.startswith("note "):
            continue
        count = lines.get(turn.user_id, []).count(note_of(story.nonce))
        if turn.state == "done" and story.noted and count != 1:
            yield f"{story.nonce}: noted, and {count} times on the page"
        elif not 0 <= count <= 1:
            yield f"{story.nonce}: {count} times on the page"


def usage_findings(ledger: Ledger, _: dict[str, Story]) -> Iterator[str]:
    """A user's days add up to the user's turns, and what attempts took that were lost: at most one for each."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    lost: dict[str, int] = defaultdict(int)
    for turn in ledger.turns:
        lost[turn.user_id] += turn.attempt - (turn.usage is not None)  # those that stored nothing
        if turn.usage is not None:
            sums[turn.user_id][0] += 1
            sums[turn.user_id][1] += turn.usage["input_tokens"]
            sums[turn.user_id][2] += turn.usage["output_tokens"]
    days = {row.user_id: [row.turns, row.input_tokens, row.output_tokens] for row in ledger.usage}
    for user_id in sums.keys() | days.keys():
        counted, day = sums[user_id], days.get(user_id, [0, 0, 0])
        more = [whole - part for whole, part in zip(day, counted, strict=True)]
        if min(more) < 0 or more[0] > lost[user_id] or (more[0] == 0 and any(more)):
            found = f"turns, input and output are {counted}, by day {day}"
            yield f"user {user_id}: {found}; {lost[user_id]} attempts were lost"


def job_findings(ledger: Ledger, _: dict[str, Story]) -> Iterator[str]:
    """Every session with a done turn has its title, and no job waits, hangs or has failed."""
    done = {(turn.user_id, turn.session_id) for turn in ledger.turns if turn.state == "done"}
    for session in ledger.sessions:
        if (session.user_id, session.session_id) in done and not session.title:
            yield f"session {session.external_id} of {session.user_id} has no title"
    yield from (f"the job of turn {job.turn_id} is left {job.status}" for job in ledger.jobs)


def missing_jobs(ledger: Ledger) -> list[str]:
    """While no worker runs: every done turn has left one job, and no other turn has."""
    done = sorted(turn.turn_id for turn in ledger.turns if turn.state == "done")
    left = sorted(job.turn_id for job in ledger.jobs)
    return [] if done == left else [f"{len(done)} done turns left {len(left)} jobs"]
