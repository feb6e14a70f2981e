"""The half of the state machine that talks: messages in every shape, keys, stops, and streams from the middle."""

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.tools.canary import CANARY
from tests.tools.served import Heard, Server
from tests.tools.talking import chunks, user_message
from tests.tools.turn_model import begin, finish, rewrite, stopped
from tests.tools.world import Refused, Thread, World, same

NAMES = ["red", "blue", "a.b:c"]
TEXTS = ["apple pie", "apples", "pear", f"pear {CANARY}", "line one\nline two", "fail", "break"]
NOTED = ["likes tea", "# Food", "# Work", f"has a {CANARY}"]
WISHES = [f"{wish} {what}" for wish in ("remember", "begin with", "rewrite as") for what in NOTED]
WISHES += [f"replace {header}: {what}" for header in ("Food", "Play") for what in NOTED[:2]]
WISHES += ["drop Food", "drop Work", "forget it all", "read it"]
KEYS = [None, None, None, "k1", "k2", "submit:m1"]
IDS = ["m1", "m2", "6f1d2b1e-3f55-4b0c-9a53-0d6a3a1e9c01", None]

said = st.one_of(st.sampled_from(TEXTS), st.sampled_from(WISHES), st.just("recite"))
users = st.sampled_from([0, 0, 1])
agents = st.sampled_from([None, None, "assistant", "coder"])
places = st.integers(0, 9)
# How a session is named: as we name it, in capitals, as the client does; or one that is new, deleted, or not one's own.
sessions = st.tuples(st.sampled_from(["none", "own", "own", "loud", "name", "new", "deleted", "foreign"]), places)
owned = st.one_of(st.tuples(st.just("own"), places), sessions)
names = st.sampled_from(["question", "question", "client", "answer", "none"])
shapes = st.sampled_from(["plain", "plain-stream", "ui", "ui-json"])
T = TypeVar("T")


def pick(many: Sequence[T], place: int) -> T:
    return many[place % len(many)]


class TalkingMachine(RuleBasedStateMachine):
    server: Server  # set by whoever runs it
    is_within_a_step = False
    actor = 0

    def __init__(self) -> None:
        super().__init__()
        self.ids = [uuid.uuid4(), uuid.uuid4()]
        self.worlds = [World(), World()]
        self.headers = [self.server.headers_of(user_id) for user_id in self.ids]
        self.touched: Thread | None = None
        self.rewrites: list[tuple[Thread, str | None, str | None]] = []  # a text of None: the same question again

    def ask(self, who: int, method: str, path: str, **options: Any):
        self.is_within_a_step, self.actor = True, who
        return self.server.wait(self.server.ask(method, path, self.headers[who], **options))

    def named(self, who: int, wanted: tuple[str, int]) -> str | None:
        """The id that a request carries; None: it names none."""
        kind, place = wanted
        mine, others = self.worlds[who], self.worlds[1 - who]
        match kind:
            case "own" | "loud" if mine.threads:
                session_id = pick(mine.threads, place).session_id
                return session_id.upper() if kind == "loud" and place % 2 else session_id
            case "name":
                return pick(NAMES, place)
            case "new":
                return str(uuid.uuid4())
            case "deleted" if mine.deleted:
                return pick(mine.deleted, place)
            case "foreign" if others.threads:
                thread = pick(others.threads, place)
                return thread.external_id or thread.session_id
        return None

    # Turns ---------------------------------------------------------------------------------------------

    @rule(who=users, where=sessions, agent=agents, text=said, shape=shapes, key=st.sampled_from(KEYS),
          message_id=st.sampled_from(IDS))  # fmt: skip
    def post(self, who, where, agent, text, shape, key, message_id):
        self.send(who, (self.named(who, where), agent, text, shape, key, message_id))

    @rule(who=users, text=said, shape=shapes, key=st.sampled_from(KEYS))
    def say(self, who, text, shape, key):
        """Without all the rest: so conversations grow long."""
        self.send(who, (None, None, text, shape, key, None))

    @rule(who=users, place=places)
    def recite(self, who, place):
        """Whatever thread it is, the model is given its window and its notes, and nothing else."""
        if threads := self.worlds[who].threads:
            self.send(who, (pick(threads, place).session_id, None, "recite", "plain-stream", None, None))

    @rule(who=users, place=places, shape=shapes, is_exact=st.booleans())
    def repeat(self, who, place, shape, is_exact):
        """What was sent under a key: exactly, wherever that leads now; or in another shape to where it went then."""
        if asked := self.worlds[who].asked:
            request, thread = pick(asked, place)
            _, agent, text, former, key, message_id = request
            another = (thread.session_id, agent, text, shape if key else former, key, message_id)
            self.send(who, request if is_exact else another)

    @rule(who=users, place=places, text=said)
    def repeat_the_key_with_another_body(self, who, place, text):
        threads = self.worlds[who].threads
        keyed = [(t.session_id, key, turn) for t in threads for key, turn in t.keys.items() if turn.own_body]
        if keyed:
            session_id, key, turn = pick(keyed, place)
            _, agent = turn.own_body
            self.send(who, (session_id, agent, text, "plain", key.removeprefix("own:"), None))

    def send(self, who: int, asked: tuple[Any, ...]) -> None:
        name, agent, text, shape, key, message_id = asked
        world = self.worlds[who]
        body: dict[str, Any] = {"message": text, "session_id": name}
        headers = {"Accept": "text/event-stream"} if shape == "plain-stream" else {}
        if shape.startswith("ui"):
            body = {"id": name, "messages": [user_message(text, message_id) if message_id else user_message(text, "")]}
            headers = {"Accept": "application/json"} if shape == "ui-json" else {}
        derived = f"submit:{message_id}" if message_id and shape.startswith("ui") else None
        turn_key = f"own:{key}" if key else derived
        if agent:
            body["agent_id"] = agent
        if key:
            headers["Idempotency-Key"] = key
        answer = self.ask(
            who, "POST", "/api/chat", json={k: v for k, v in body.items() if v is not None}, headers=headers
        )
        try:
            thread = world.enter(name, agent, turn_key, (text, agent) if key else None)
        except Refused as refused:
            refused.is_what(answer)
            return
        self.touched = thread
        if turn_key:
            world.asked.append((asked, thread))
        heard = Heard.of(answer)
        turn = thread.keys.get(turn_key) if turn_key else None
        if turn is None:
            turn = begin(world, thread, text, own_body=(text, agent) if key else None)
            turn.client_id = message_id if shape.startswith("ui") else None
            if turn_key:
                thread.keys[turn_key] = turn
        finish(thread, turn, heard)
        if thread.session_id is None:  # an error in JSON does not say where it happened
            thread.session_id = self.ask(who, "GET", "/api/sessions?limit=1").json()["sessions"][0]["session_id"]

    @rule(who=users, where=places, place=places, text=said, by=names, is_json=st.booleans())
    def edit(self, who, where, place, text, by, is_json):
        self.rewrite(who, (where, place), text, by, is_json)

    @rule(who=users, where=places, place=places, by=names, is_json=st.booleans())
    def regenerate(self, who, where, place, by, is_json):
        self.rewrite(who, (where, place), None, by, is_json)

    def rewrite(self, who: int, where: tuple[int, int], text: str | None, by: str, is_json: bool) -> None:
        """An edit to a text, or the same question again: of a turn that is there, or of one that was replaced."""
        world, (place, number) = self.worlds[who], where
        if not any(thread.turns for thread in world.threads):
            self.send(who, (None, None, "apple pie", "ui", None, "m1"))
        thread = pick([each for each in world.threads if each.turns], place)
        turn = pick([*thread.turns[-3:], *thread.regenerated[-1:]], number)
        name = {"question": turn.question_id, "client": turn.client_id, "answer": turn.reply_id}.get(by)
        if text is not None:
            name = name or pick(IDS[:2], place)
        self.rewrites.append((thread, text, name))
        self.send_again(who, self.rewrites[-1], is_json)

    @rule(who=users, place=places, is_json=st.booleans())
    def repeat_a_rewrite(self, who, place, is_json):
        if mine := [each for each in self.rewrites[-4:] if each[0] in self.worlds[who].threads]:
            self.send_again(who, pick(mine, place), is_json)

    def send_again(self, who: int, asked: tuple[Thread, str | None, str | None], is_json: bool) -> None:
        thread, text, name = asked
        if text is None and (old := thread.called(name, also_by_answer=True)) and old.question == "wait":
            return  # nobody would stop it
        body: dict[str, Any] = {"id": thread.session_id, "messageId": name}
        body |= {"messages": [user_message(text, name or "")]} if text else {"trigger": "regenerate-message"}
        answer = self.ask(
            who, "POST", "/api/chat", json=body, headers={"Accept": "application/json"} if is_json else {}
        )
        try:
            turn = rewrite(self.worlds[who], thread, text, name)
        except Refused as refused:
            refused.is_what(answer)
            return
        self.touched = self.worlds[who].use(thread)
        finish(thread, turn, Heard.of(answer))

    @rule(who=users, place=places)
    def stop_what_runs(self, who, place):
        """A model that never ends: meanwhile nobody else is answered there; stopped, what it had said stays."""
        world = self.worlds[who]
        if world.threads:
            thread = world.use(pick(world.threads, place))
            self.touched = thread
            heard, turn_ids = self.server.wait(self._stopped(who, thread.session_id))
            same({heard.turn_id, *turn_ids}, {heard.turn_id})
            stopped(thread, heard)

    async def _stopped(self, who: int, session_id: str | None) -> tuple[Heard, list[str]]:
        async def ask(method: str, path: str, **options: Any) -> Any:
            return await self.server.ask(method, path, self.headers[who], **options)

        async def last_turn() -> Any:
            shown = (await ask("GET", f"/api/sessions/{session_id}/messages")).json()["messages"]
            return shown and shown[-1]["metadata"]["turn_id"]

        before = await last_turn()
        waiting = asyncio.create_task(ask("POST", "/api/chat", json={"message": "wait", "session_id": session_id}))
        while await last_turn() == before:
            assert not waiting.done(), waiting.result().text
        refused = await ask("POST", "/api/chat", json={"message": "me too", "session_id": session_id})
        same((refused.status_code, refused.json()["code"]), (409, "turn_in_progress"))
        told = await ask("POST", f"/api/chat/{session_id}/stop")
        same(told.status_code, 202)
        return Heard.of(await waiting), [refused.json()["turn_id"], told.json()["turn_id"]]

    def stop_where_nothing_runs(self, who: int, name: str) -> None:
        same(self.ask(who, "POST", f"/api/chat/{name}/stop").status_code, 204)

    @rule(who=users, place=places, number=places)
    def follow_from_the_middle(self, who, place, number):
        threads = [thread for thread in self.worlds[who].threads if thread.turns]
        if not threads:
            return
        thread = pick(threads, place)
        turn = pick(thread.turns, number)
        if turn.chunks is None:
            turn.chunks = Heard.of(self.follow(who, thread, turn.turn_id, 0)).chunks
        after = number % len(turn.chunks)
        others = [other for other in self.worlds[who].threads if other is not thread]
        if others:
            same(self.follow(who, pick(others, number), turn.turn_id, after).status_code, 204)
        rest = self.follow(who, thread, turn.turn_id, after)
        same(chunks(rest.text), turn.chunks[after:])
        assert rest.text.startswith(f"id: {turn.turn_id}:{after + 1}\n")
        same(self.ask(who, "GET", f"/api/chat/{thread.session_id}/stream").status_code, 204)

    def follow(self, who: int, thread: Thread, turn_id: str, after: int):
        headers = {"Last-Event-ID": f"{turn_id}:{after}"}
        return self.ask(who, "GET", f"/api/chat/{thread.session_id}/stream", headers=headers)
