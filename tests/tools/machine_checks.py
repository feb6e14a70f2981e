"""What a user of the state machine finds, held against the plain model of it."""

from typing import Any

from tests.tools.machine_turns import IDS, TalkingMachine, pick
from tests.tools.served import TOOL
from tests.tools.turn_model import called, with_memories
from tests.tools.world import Page, Thread, Turn, World, same

# What another user's session answers, whatever is tried.
ATTEMPTS = [
    ("GET", "/api/sessions/{}", 404),
    ("GET", "/api/sessions/{}/messages", 404),
    ("GET", "/api/sessions/{}/superseded", 404),
    ("PATCH", "/api/sessions/{}", 404),
    ("DELETE", "/api/sessions/{}", 404),
    ("GET", "/api/chat/{}/stream", 204),
    ("POST", "/api/chat/{}/stop", 204),
]


class CheckingMachine(TalkingMachine):
    """Ways to look; the rules and the invariants call them."""

    steps = 0

    def has_sessions(self, who: int, world: World) -> None:
        for archived in (False, True):
            params = {"archived": archived, "limit": 200}
            told = self.ask(who, "GET", "/api/sessions", params=params).json()["sessions"]
            expected = world.listed(archived=archived)
            same([each["session_id"] for each in told], [thread.session_id for thread in expected])
            for each, thread in zip(told, expected, strict=True):
                self.is_told(each, thread)
        active = {agent: thread.session_id for agent, thread in world.active.items()}
        same(self.server.active_of(self.ids[who]), active)

    def is_told(self, told: dict[str, Any], thread: Thread) -> None:
        thread.session_id = thread.session_id or told["session_id"]
        found = told["session_id"], told["external_id"], told["agent_name"], told["title"], told["memory"]
        same(found, (thread.session_id, thread.external_id, thread.agent, thread.title, thread.memory))
        same(told["archived_at"] is not None, thread.is_archived)

    def has_messages(self, who: int, thread: Thread) -> None:
        named = thread.external_id if thread.external_id and self.steps % 2 else thread.session_id
        told = self.ask(who, "GET", f"/api/sessions/{named}/messages", params={"limit": 200}).json()
        assert told["before"] is None
        self.are_said(told["messages"], thread)
        if thread.replaced or self.steps % 8 == 0:
            self.are_replaced(who, thread)

    def are_replaced(self, who: int, thread: Thread) -> None:
        told = self.ask(who, "GET", f"/api/sessions/{thread.session_id}/superseded", params={"limit": 200}).json()
        found = [(e["role"], [p["text"] for p in e["parts"] if p["type"] == "text"]) for e in told["messages"]]
        same(found, [(role, texts) for _, role, texts in thread.replaced])

    def are_said(self, told: list[dict[str, Any]], thread: Thread) -> None:
        """Order, texts, ids: the whole transcript and nothing else."""
        left = list(told)
        for turn in thread.turns:
            assert left, f"{turn.question!r} is lost"
            question = left.pop(0)
            same(question["role"], "user")
            same(question["parts"], [{"type": "text", "text": turn.question}])
            same(question["metadata"]["turn_id"], turn.turn_id)
            turn.question_id = turn.question_id or question["id"]
            same(question["id"], turn.question_id)
            if turn.has_answer or turn.state == "stopped":
                assert left, f"the answer to {turn.question!r} is lost"
                self.is_answer(left.pop(0), turn)
        same(left, [])
        ids = [each["id"] for each in told]
        same(len({*ids, *IDS}), len(ids) + len(IDS))  # none twice, and none the client's: it may use one twice

    def is_answer(self, told: dict[str, Any], turn: Turn) -> None:
        about = told["metadata"]
        same((told["role"], about["turn_id"], about.get("state")), ("assistant", turn.turn_id, turn.state))
        turn.reply_id = turn.reply_id or told["id"]
        same(told["id"], turn.reply_id)
        parts = [part for part in told["parts"] if part["type"] != "step-start"]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        with_memories(turn, "".join(texts))
        same(texts, turn.texts)
        calls = [part for part in parts if part["type"] == "dynamic-tool"]
        expected = [(TOOL, turn.call, turn.call_state)] if turn.call else []
        same([(call["toolName"], call["input"], call["state"]) for call in calls], expected)
        for call in calls:
            called(turn, call["output"] if call["state"] == "output-available" else call["errorText"])
        done = [part["data"] for part in parts if part["type"] == "data-notes"]
        for deed in done:  # none, where the page was as it became
            same(deed["operation"], (turn.call or {}).get("operation"))
        same(len(parts), len(turn.texts) + len(calls) + min(len(done), len(calls)))

    def has_notes(self, who: int, agent: str, *, is_whole: bool) -> None:
        page, path = self.worlds[who].notes[agent], f"/api/agents/{agent}/notes"
        self.is_page(self.ask(who, "GET", path), page)
        if not is_whole:
            return
        told = self.ask(who, "GET", f"{path}/versions", params={"limit": 200}).json()["versions"]
        found = [(each["version"], each["operation"], each["actor"], each["size_bytes"]) for each in told]
        kept = [(each.number, each.operation, each.actor, len(each.text.encode())) for each in page.versions]
        same(found, kept[::-1])
        for version in page.versions[-2:]:
            same(self.ask(who, "GET", f"{path}/versions/{version.number}").json()["notes"], version.text)

    def is_page(self, answer: Any, page: Page) -> None:
        told = answer.json()
        same(answer.status_code, 200)
        same((told["notes"], told["version"]), (page.text, page.number))
        same(answer.headers["etag"], f'"{page.number}"')

    def cannot_reach_the_other(self, who: int) -> None:
        mine, others = self.worlds[who], self.worlds[1 - who]
        foreign = [thread for thread in others.threads if mine.find(thread.session_id) is None]
        if not foreign:
            return
        thread = pick(foreign, self.steps)
        names = [name for name in (thread.session_id, thread.external_id) if name and mine.find(name) is None]
        method, path, status = pick(ATTEMPTS, self.steps)
        options = {"json": {"title": "mine now"}} if method == "PATCH" else {}
        answer = self.ask(who, method, path.format(pick(names, self.steps)), **options)
        same(answer.status_code, status)
        if mine.threads and thread.turns:
            turn = pick(thread.turns, self.steps)
            same(self.follow(who, pick(mine.threads, self.steps), turn.turn_id, 0).status_code, 204)
