"""How a turn should go, in plain Python: what the scripted model says, and what of it stays."""

import json
import re

from chatServer.conversation.assemble import SUMMARY_PREFIX
from chatServer.conversation.quote import MEMORIES_PREFIX
from tests.tools.served import FAILING, FAILS_AFTER, PROMPT, TOOL, WAITING, Heard, wish_of
from tests.tools.world import STOPPED_MARK, Refused, Row, Thread, Turn, World, same, tick

OPENING, CLOSING = f"user: {MEMORIES_PREFIX}\n\n<memories>\n", "\n</memories>"
SUMMARY_OPENING, SUMMARY_CLOSING = f"user: {SUMMARY_PREFIX}\n\n<summary>\n", "\n</summary>\n"
QUOTED = re.compile(r"- \((?:the user said|the assistant said), \d{4}-\d\d-\d\d(?:, in “[^”]*”)?\) (.+)")


def begin(world: World, thread: Thread, text: str, *, own_body: tuple[str, str | None] | None) -> Turn:
    """A new turn of a thread, with everything that can be known before the server is heard."""
    turn = Turn(text, own_body, rows=[Row(f"user: {text}", is_question=True)], asked_at=tick(), answered_at=tick())
    wish = wish_of(text)
    if text == "recite":
        turn.state, turn.recallable = "failed", world.recallable(thread)
        turn.summarisable = thread.summarisable()
        turn.texts = [f"{_system(world, thread)}\n---\n" + "\n".join([*thread.window(), *_lines(turn)])]
    elif text in FAILS_AFTER:
        words = FAILING.split()[: FAILS_AFTER[text]]
        turn.state, turn.texts = "failed", ["".join(f"{word} " for word in words)] if words else []
    elif wish is not None:
        has_tool = thread.memory == "on"
        is_done = has_tool and world.notes[thread.agent].apply(**wish)
        turn.call, turn.call_state = wish, "output-available" if is_done else "output-error"
        turn.texts, turn.words = ["Noted."], "Noted"
    else:
        turn.texts = [f"You said: {text}"]
        turn.words = turn.texts[0]
        turn.rows.append(Row(f"assistant: {turn.texts[0]}"))
    thread.turns.append(turn)
    return turn


def rewrite(world: World, thread: Thread, text: str | None, name: str | None) -> Turn:
    """An edit to a text, or without one the same question again: the turn of it, a new one or the one before."""
    old = thread.called(name, also_by_answer=text is None)
    if text is None:
        known = next((t.regenerated for t in thread.regenerated if name and t.reply_id == name), None)
    else:
        known = thread.edits.get((name or "", text))
        if known and old and (known is not thread.turns[-1] or known is not old or known.state == "failed"):
            known = None
    if known:
        return known
    if old is None:
        raise Refused(404, "message_not_found")
    thread.supersede(old, with_question=text is not None)
    turn = begin(world, thread, old.question if text is None else text, own_body=None)
    if text is None:
        turn.question_id, turn.client_id, turn.asked_at = old.question_id, old.client_id, old.asked_at
        old.regenerated = turn
        thread.regenerated.append(old)
    else:
        turn.client_id = name
        thread.edits[name or "", text] = turn
    return turn


def finish(thread: Thread, turn: Turn, heard: Heard) -> None:
    """What was heard is what the model says; ids that the server minted are learned, once."""
    same(heard.status, 502 if turn.state == "failed" else 200)
    if heard.session_id is not None:
        thread.session_id = thread.session_id or heard.session_id
        same(heard.session_id, thread.session_id)
    turn.turn_id = turn.turn_id or heard.turn_id
    same(heard.turn_id, turn.turn_id)
    if turn.state != "failed" or heard.chunks is not None:
        with_memories(turn, heard.text)
        same(heard.text, turn.response)
    if heard.chunks is not None:
        turn.chunks = turn.chunks or heard.chunks
        same(heard.chunks, turn.chunks)
        turn.reply_id = turn.reply_id or heard.chunks[0]["messageId"]


def with_memories(turn: Turn, heard: str) -> None:
    """What was recalled for a recital stands before its question, in a block that is exactly ours. Which of the things
    that were said it quotes is the ranking's affair; that somebody said each of them, where this thread may hear it
    from and nobody took it back, is not."""
    if turn.recallable is None:
        return
    plain = _without_summary(turn, heard)
    if f"\n{OPENING}" not in plain:
        turn.texts = [heard] if plain == turn.texts[0] else turn.texts
        return
    before, _, rest = plain.partition(f"\n{OPENING}")
    block, _, after = rest.partition(CLOSING)
    sayable, turn.recallable = {" ".join(text.split()) for text in turn.recallable}, None
    quoted = [QUOTED.fullmatch(line) for line in block.split("\n")]
    assert quoted, "an empty block is none of ours"
    assert all(line and line[1] in sayable for line in quoted), (block, sayable)
    same(before + after, turn.texts[0])
    turn.texts = [heard]


def _without_summary(turn: Turn, heard: str) -> str:
    """A summary stands before the window. What it picks of what was said is its own affair; that it was said here, and
    is still said, is not."""
    before, opening, rest = heard.partition(SUMMARY_OPENING)
    if not opening:
        return heard
    block, _, after = rest.partition(SUMMARY_CLOSING)
    lines = [re.fullmatch(r"- (?:User|Assistant): (.+)", line) for line in block.split("\n")]
    assert all(line and set(line[1].split()) <= turn.summarisable for line in lines), (block, turn.summarisable)
    return before + after


def called(turn: Turn, output: str) -> None:
    """The call of a tool as the next window has it, once the words of the tool are known."""
    in_jsonb = dict(sorted((turn.call or {}).items(), key=lambda each: (len(each[0]), each[0])))  # its own order
    call = f"[{TOOL} {json.dumps(in_jsonb, ensure_ascii=False)}]"
    if len(turn.rows) == 1:
        turn.rows += [Row(f"assistant: {call}"), Row(f"tool: {output}".rstrip()), Row("assistant: Noted.")]


def stopped(thread: Thread, heard: Heard) -> None:
    """How far it came is its own affair; what it has said stays, and is marked for the model."""
    same(heard.status, 200)
    assert WAITING.startswith(heard.text.strip())
    turn = Turn("wait", None, "stopped", [Row("user: wait", is_question=True)], turn_id=heard.turn_id)
    turn.asked_at, turn.answered_at = tick(), tick()
    if heard.text:
        turn.texts, turn.words = [heard.text], heard.text
        turn.rows.append(Row(f"assistant: {heard.text}{STOPPED_MARK}"))
    thread.turns.append(turn)


def _system(world: World, thread: Thread) -> str:
    text = world.notes[thread.agent].text if thread.memory == "on" else ""
    return PROMPT.replace("{long_term_memory_notes}", f"<notes>\n{text}\n</notes>" if text else "(nothing yet)")


def _lines(turn: Turn) -> list[str]:
    return [row.line for row in turn.rows]
