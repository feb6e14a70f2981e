"""Clients that behave as real ones should: they write down what they will ask, and ask with the same key until it is
answered, resuming streams where they were cut."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.chaos.journal import Journal
from tests.chaos.words import Nonces, Question

Addresses = Callable[[], Sequence[str]]

TRY_AGAIN = {409: {"turn_in_progress"}, 503: {"database_unavailable", "shutting_down"}}
FOR_GOOD = {502: {"model_failed"}}  # the documented answer when the conversation has gone on without this turn
PAUSE_S = (0.02, 0.15)


@dataclass(frozen=True, slots=True)
class Habits:
    """How one client is different from another."""

    user: str
    session: str
    streams: float = 0.8  # of its questions; the others want one JSON answer
    notes: float = 0.0  # of its questions ask for a note
    doubles: float = 0.2  # of its questions are sent twice at once, with the same key
    resumes: float = 0.9  # of its cut streams; the others are asked for anew


@dataclass(slots=True)
class Heard:
    """A stream as one tab has heard it, over all its pieces."""

    turn_id: str = ""
    last_event_id: str = ""
    words: list[str] = field(default_factory=list)
    noted: bool | None = None
    ending: str = ""
    silent_attempt: int | None = None  # of which the server let the stream end without an ending

    @property
    def attempt(self) -> int:
        """The one that was heard last: each counts its events from another million on."""
        return int(self.last_event_id.rpartition(":")[2] or 0) // 1_000_000

    def take(self, event_id: str, chunk: dict[str, Any]) -> None:
        self.last_event_id = event_id or self.last_event_id
        match chunk["type"]:
            case "start":  # of the first attempt, or of another one that begins anew
                self.turn_id = chunk["messageMetadata"]["turn_id"]
                self.words, self.noted = [], None
            case "text-delta":
                self.words.append(chunk["delta"])
            case "tool-output-available":
                self.noted = True
            case "tool-output-error":
                self.noted = False
            case "finish" | "abort" | "error":
                self.ending = chunk["type"]


class Client:
    """One user in one session, asking one question after the other."""

    def __init__(
        self, habits: Habits, token: str, journal: Journal, addresses: Addresses, live: Counter[str], seed: str
    ) -> None:
        self.habits = habits
        self._journal = journal
        self._addresses = addresses
        self._live = live  # answers that are being heard where they are made, by address
        self._rng = random.Random(seed)
        self._nonces = Nonces(self._rng)
        self._headers = {"Authorization": f"Bearer {token}"}

    async def run(self, enough: asyncio.Event, patience_s: float) -> None:
        """Ask until it is enough; the last question is pursued to its end too."""
        limits = httpx.Timeout(connect=2, read=patience_s, write=5, pool=5)
        async with httpx.AsyncClient(timeout=limits, trust_env=False) as http:
            while not enough.is_set():
                await self._ask(http, patience_s)
                await asyncio.sleep(self._rng.uniform(*PAUSE_S))

    async def _ask(self, http: httpx.AsyncClient, patience_s: float) -> None:
        habits, rng = self.habits, self._rng
        question = Question(self._nonces.next(), habits.user, habits.session, rng.random() < habits.notes)
        self._journal.asked(question)
        tabs = 2 if rng.random() < habits.doubles else 1
        await asyncio.gather(*(self._pursue(http, question, patience_s) for _ in range(tabs)))

    async def _pursue(self, http: httpx.AsyncClient, question: Question, patience_s: float) -> None:
        """Until it is answered or refused for good; giving up is a finding."""
        deadline = time.monotonic() + patience_s
        wants_stream = self._rng.random() < self.habits.streams
        heard = Heard()
        while time.monotonic() < deadline:
            try:
                if heard.last_event_id and self._rng.random() < self.habits.resumes:
                    is_over = await self._resume(http, question, heard)
                else:
                    is_over = await self._post(http, question, heard, wants_stream=wants_stream)
            except httpx.HTTPError:
                is_over = False
            if is_over:
                return
            await asyncio.sleep(self._rng.uniform(*PAUSE_S))
        self._journal.odd(question, f"not answered within {patience_s:g} s")

    async def _post(self, http: httpx.AsyncClient, question: Question, heard: Heard, *, wants_stream: bool) -> bool:
        accept = "text/event-stream" if wants_stream else "application/json"
        headers = {**self._headers, "Idempotency-Key": question.key, "Accept": accept}
        body = {"message": question.text, "session_id": question.session}
        request = http.build_request("POST", f"{self._address()}/api/chat", json=body, headers=headers)
        return await self._hear(http, request, question, heard)

    async def _resume(self, http: httpx.AsyncClient, question: Question, heard: Heard) -> bool:
        headers = {**self._headers, "Last-Event-ID": heard.last_event_id}
        address = f"{self._address()}/api/chat/{question.session}/stream"
        return await self._hear(http, http.build_request("GET", address, headers=headers), question, heard)

    async def _hear(self, http: httpx.AsyncClient, request: httpx.Request, question: Question, heard: Heard) -> bool:
        response = await http.send(request, stream=True)
        try:
            if response.status_code == 204:
                heard.last_event_id = ""  # nothing to resume: the key tells what became of it
                return False
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                address, _, _ = str(request.url).partition("/api/")
                self._live[address] += request.method == "POST"
                try:
                    return await self._hear_stream(response, question, heard)
                finally:
                    self._live[address] -= request.method == "POST"
            await response.aread()
            return self._hear_json(response, question)
        finally:
            await response.aclose()

    async def _hear_stream(self, response: httpx.Response, question: Question, heard: Heard) -> bool:
        self._journal.counts["resumed"] += response.request.method == "GET"
        event_id, data = "", ""
        async for line in response.aiter_lines():
            if line.startswith("id: "):
                event_id = line[4:]
            elif line.startswith("data: {"):
                data = line[6:]
            elif not line and data:  # only a whole event counts as heard
                known = heard.turn_id
                heard.take(event_id, json.loads(data))
                event_id = data = ""
                if heard.turn_id != known:
                    self._journal.announced(question, heard.turn_id)
                if heard.ending:
                    return self._end(question, heard)
        heard.silent_attempt = heard.attempt if heard.last_event_id else None
        return False

    def _end(self, question: Question, heard: Heard) -> bool:
        ending, heard.ending = heard.ending, ""
        if ending == "finish":
            self._journal.counts["silent"] += heard.silent_attempt == heard.attempt
            self._journal.acknowledged(question, heard.turn_id, "".join(heard.words), noted=heard.noted)
            return True
        if ending == "abort":
            self._journal.odd(question, "an abort that nobody asked for")
        heard.last_event_id = ""  # an error ends the stream; the key tells what became of the turn
        return False

    def _hear_json(self, response: httpx.Response, question: Question) -> bool:
        answer = response.json()
        if response.status_code == 200:
            self._journal.acknowledged(question, answer["turn_id"], answer["response"], noted=None)
            return True
        code = answer.get("code", "")
        if code in FOR_GOOD.get(response.status_code, ()):
            self._journal.refused(question, code)
            return True
        if code not in TRY_AGAIN.get(response.status_code, ()):
            self._journal.odd(question, f"{response.status_code} {code}: {answer.get('detail', '')}")
        return False

    def _address(self) -> str:
        return self._rng.choice(self._addresses())
