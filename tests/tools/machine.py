"""A Hypothesis state machine: two users do whatever a client can do, and always find what a plain model says."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.tools.machine_checks import CheckingMachine
from tests.tools.machine_turns import NOTED, agents, owned, pick, places, sessions, users
from tests.tools.world import WINDOWS, Page, Refused, same

TITLES = ["Apple trees", "pears", " ", None]
CHANGES: list[dict[str, Any]] = [
    {},
    {"archived": True},
    {"archived": True, "title": "pears"},
    {"archived": False},
    {"memory": "off"},
    {"memory": "off", "archived": False},
    {"memory": "on", "title": " Apple trees "},
    {"title": None},
]
WORDS = ["app", "apple pie", "PEAR", "you", "noted", "trees apple", "e tre", "nowhere", "never"]
MATCHED = {"right": 200, "stale": 412, "no number": 412, "missing": 428}

noted = st.lists(st.sampled_from(NOTED), max_size=4).map(tuple)
matches = st.sampled_from(["right", "right", *MATCHED])
some_agent = st.sampled_from(list(WINDOWS))


class Machine(CheckingMachine):
    """Sessions and notes, and what must be true after every step."""

    # Sessions ------------------------------------------------------------------------------------------

    @rule(who=users, hint=sessions, agent=agents)
    def resolve(self, who, hint, agent):
        world, name = self.worlds[who], self.named(who, hint)
        body = {"hint": name, "agent_name": agent}
        answer = self.ask(who, "POST", "/api/sessions/resolve", json={k: v for k, v in body.items() if v})
        hinted = world.find(name) if name else None
        if hinted and agent in (None, hinted.agent) and not hinted.is_archived:
            thread = world.use(hinted)
        else:
            thread = world.enter(None, agent)
        self.is_told(answer.json(), thread)
        self.touched = thread

    @rule(who=users, where=sessions, agent=agents, title=st.sampled_from(TITLES), memory=st.sampled_from(["on", "off"]))
    def create(self, who, where, agent, title, memory):
        world, name = self.worlds[who], self.named(who, where)
        body = {"session_id": name, "agent_name": agent, "title": title, "memory": memory}
        answer = self.ask(who, "POST", "/api/sessions", json={k: v for k, v in body.items() if v})
        try:
            found = world.find(name) if name else None
            thread = world.enter(name, agent) if found else world.use(
                world.add(name, agent, (title or "").strip() or None, memory)
            )  # fmt: skip
        except Refused as refused:
            refused.is_what(answer)
            return
        same(answer.status_code, 200 if found else 201)
        self.is_told(answer.json(), thread)
        self.touched = thread

    @rule(who=users, where=owned, changes=st.sampled_from(CHANGES), comes_back=st.booleans())
    def change(self, who, where, changes, comes_back):
        world, name = self.worlds[who], self.named(who, where) or "nobody"
        answer = self.ask(who, "PATCH", f"/api/sessions/{name}", json=changes)
        thread = world.find(name)
        if not changes:
            same(answer.status_code, 422)
        elif thread is None:
            Refused(404, "session_not_found").is_what(answer)
        else:
            if changes.get("archived"):
                world.leave(thread)
            if "title" in changes:
                thread.title = (changes["title"] or "").strip() or None
            thread.memory = changes.get("memory", thread.memory)
            thread.is_archived = changes.get("archived", thread.is_archived)
            self.is_told(answer.json(), thread)
            if thread.is_archived and comes_back:
                self.send(who, (name, None, "recite", "plain", None, None))

    @rule(who=users, where=owned, comes_back=st.booleans())
    def delete(self, who, where, comes_back):
        world, name = self.worlds[who], self.named(who, where) or "nobody"
        answer = self.ask(who, "DELETE", f"/api/sessions/{name}")
        thread = world.find(name)
        same(answer.status_code, 204 if thread else 404)
        if thread:
            world.delete(thread)
            same(self.ask(who, "GET", f"/api/sessions/{name}/messages").status_code, 404)
        if thread and comes_back:
            self.send(who, (name, None, "recite", "plain", None, None))

    @rule(who=users, how=st.sampled_from(["search", "sessions", "messages", "stop"]), where=sessions,
          number=places, archived=st.booleans(), agent=agents)  # fmt: skip
    def look(self, who, how, where, number, archived, agent):
        """What changes nothing: one rule, so that most steps do change something."""
        match how:
            case "search":
                self.search(who, pick(WORDS, number), archived, agent)
            case "sessions":
                self.leaf_through_sessions(who, number % 3 + 1, archived)
            case "messages":
                self.leaf_through_messages(who, where[1], number + 1)
            case "stop":
                self.stop_where_nothing_runs(who, self.named(who, where) or "nobody")

    def search(self, who: int, phrase: str, archived: bool, agent: str | None) -> None:
        asked = {"q": phrase, "archived": archived, "limit": 200, "agent_name": agent}
        answer = self.ask(who, "GET", "/api/sessions", params={k: v for k, v in asked.items() if v is not None})
        expected = self.worlds[who].listed(archived=archived, agent=agent, phrase=phrase)
        same([found["session_id"] for found in answer.json()["sessions"]], [t.session_id for t in expected])

    def leaf_through_sessions(self, who: int, limit: int, archived: bool) -> None:
        found = self.pages(who, "/api/sessions", "sessions", {"limit": limit, "archived": archived})
        expected = self.worlds[who].listed(archived=archived)
        same([each["session_id"] for each in found], [thread.session_id for thread in expected])

    def leaf_through_messages(self, who: int, place: int, limit: int) -> None:
        if self.worlds[who].threads:
            thread = pick(self.worlds[who].threads, place)
            path = f"/api/sessions/{thread.session_id}/messages"
            pages = self.pages(who, path, "messages", {"limit": limit}, is_newest_last=True)
            self.are_said(pages, thread)

    def pages(
        self, who: int, path: str, name: str, asked: dict[str, Any], *, is_newest_last: bool = False
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            answer = self.ask(who, "GET", path, params=asked).json()
            found = answer[name] + found if is_newest_last else found + answer[name]
            if answer["before"] is None:
                return found
            assert answer[name], "a page before the last has something on it"
            asked = asked | {"before": answer["before"]}

    # Notes ---------------------------------------------------------------------------------------------

    @rule(who=users, agent=some_agent, blocks=noted, match=matches)
    def correct_notes(self, who, agent, blocks, match):
        page = self.worlds[who].notes[agent]
        path, body = f"/api/agents/{agent}/notes", {"notes": "\n\n".join(blocks)}
        answer = self.ask(who, "PUT", path, json=body, headers=self.if_match(page, match))
        same(answer.status_code, MATCHED[match])
        if match == "right":
            page.write(blocks, "overwrite", "user")
            self.is_page(answer, page)

    @rule(who=users, agent=some_agent, number=st.integers(0, 6), match=matches)
    def restore_notes(self, who, agent, number, match):
        page = self.worlds[who].notes[agent]
        path = f"/api/agents/{agent}/notes/versions/{number}"
        wanted = next((version for version in page.versions if version.number == number), None)
        same(self.ask(who, "GET", path).status_code, 200 if wanted else 404)
        answer = self.ask(who, "POST", f"{path}/restore", headers=self.if_match(page, match))
        if wanted is None:
            same(answer.status_code, 428 if match == "missing" else 404)
            return
        same(answer.status_code, MATCHED[match])
        if match == "right":
            page.write(wanted.blocks, "restore", "user")
            self.is_page(answer, page)

    def if_match(self, page: Page, match: str) -> dict[str, str]:
        match match:
            case "right":
                return {"If-Match": f'"{page.number}"'}
            case "stale":
                return {"If-Match": f'"{page.number + 1 if page.number == 0 else page.number - 1}"'}
            case "no number":
                return {"If-Match": '"yesterday"'}
        return {}

    # What is always true -------------------------------------------------------------------------------

    @invariant()
    def nothing_else_has_changed(self):
        """Of whoever did something, all that it could have changed; of the other now and then, and in the end."""
        self.steps += 1
        who, world = self.actor, self.worlds[self.actor]
        self.has_sessions(who, world)
        if self.steps % 4 == 0:
            self.has_sessions(1 - who, self.worlds[1 - who])
        self.cannot_reach_the_other(self.steps % 2)
        for thread in world.threads:
            if thread is self.touched or thread in world.threads[self.steps % 4 :: 4]:
                self.has_messages(who, thread)
        self.has_notes(who, pick(list(WINDOWS), self.steps), is_whole=self.steps % 3 == 0)
        self.is_within_a_step = False

    def teardown(self):
        if self.is_within_a_step:
            return  # it has failed, and how is what matters
        for user, world in enumerate(self.worlds):
            self.has_sessions(user, world)
            for thread in world.threads:
                self.has_messages(user, thread)
            for agent in WINDOWS:
                self.has_notes(user, agent, is_whole=True)
            for phrase in ("apple", "pear"):
                self.search(user, phrase, archived=False, agent=None)
