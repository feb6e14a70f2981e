"""A memory of facts: what was said, and the triples that a model found in it; in this process, without storage."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Unpack

from chatServer.errors import MessageError
from chatServer.memory.conversation import BaseMemory, ConversationMemory, MessageFields
from chatServer.memory.triples import ask, extraction_messages, triples_in
from chatServer.messages import ROLES, Message, new_message_id, text_of
from chatServer.records import Triple


class FactFields(MessageFields, total=False):
    """What an update can change: of a text the fields of a message, of a fact its role and its parts."""

    subject: str
    predicate: str
    obj: str


@dataclass(frozen=True, slots=True)
class _Fact:
    role: str
    triple: Triple
    timestamp: datetime
    source_id: str | None = None  # the text that it was found in


class KGMemory(BaseMemory):
    """Texts are queued when they are added; `await extract_pending()` lets the model find the facts in them."""

    def __init__(self, model: Any = None, description: str | None = None) -> None:
        self._model = model
        self._texts = ConversationMemory(description)
        self._times = {text.message_id: _now() for text in self._texts.messages}
        self._facts: dict[str, _Fact] = {}
        self._ids: dict[tuple[str, ...], str] = {}  # of facts, by what they state
        self._known_ids: set[str] = set()  # facts that are stored elsewhere already
        self._pending: dict[str, None] = {}  # ids of texts, oldest first

    # Facts as a store reads and writes them.

    def load(self, triples: Iterable[Triple], *, role: str = "user") -> None:
        """Put facts in that are stored already."""
        for triple in triples:
            self._known_ids.add(self._put(_Fact(role, triple, triple.valid_from or _now())))

    def triples(self) -> tuple[Triple, ...]:
        """The facts that are new since loading, in order: what has to be stored."""
        return tuple(fact.triple for key, fact in self._facts.items() if key not in self._known_ids)

    def mark_stored(self) -> None:
        """Nothing is new any more."""
        self._known_ids.update(self._facts)

    # Adding.

    def add(self, message: Message | None = None, **kwargs: Unpack[MessageFields]) -> str:
        """Keep a text and queue it for extraction; the message takes precedence over the fields."""
        message_id = self._texts.add(message, **kwargs)
        self._times[message_id] = _now()
        self._pending[message_id] = None
        return message_id

    def add_fact(self, role: str, subject: str, predicate: str, obj: str) -> str:
        """Add a triple and return its id; one that the role has stated before keeps its id."""
        return self._put(_Fact(_checked_role(role), _checked_triple(subject, predicate, obj), _now()))

    async def extract_pending(self) -> list[str]:
        """Let the model read what is queued; a text on which it fails stays queued, and the error is raised."""
        found: list[str] = []
        while self._pending:
            message_id = next(iter(self._pending))
            del self._pending[message_id]
            text = self._texts.get(message_id)
            if text is None or not text_of(text).strip():
                continue
            try:
                found += await self._extract(text_of(text), text.role, message_id)
            except BaseException:
                self._pending = {message_id: None, **self._pending}
                raise
        return found

    async def extract_and_update_from_text(self, text: str, role: str = "user") -> list[str]:
        """Add the facts that the model finds in a text, and return their ids."""
        return await self._extract(text, _checked_role(role), None)

    async def _extract(self, text: str, role: str, source_id: str | None) -> list[str]:
        if self._model is None:
            raise MessageError("A knowledge memory needs a model to find facts in texts.")
        found = triples_in(await ask(self._model, extraction_messages(text)))
        return [self._put(_Fact(role, triple, _now(), source_id)) for triple in found]

    # Changing.

    def update(self, message_id: str, **kwargs: Unpack[FactFields]) -> None:
        """Change a fact, or a text: then what was found in the old text goes, and the new one is queued."""
        if message_id in self._facts:
            self._replace(message_id, _changed(self._facts[message_id], kwargs))
            return
        self._texts.update(message_id, **kwargs)  # type: ignore[misc]  # it refuses what no message has
        if "content" in kwargs:
            for key in [key for key, fact in self._facts.items() if fact.source_id == message_id]:
                self._drop(key)
            self._pending[message_id] = None

    def remove_by_id(self, message_id: str) -> bool:
        """Whether there was such a text or fact. The facts of a text outlive it."""
        self._pending.pop(message_id, None)
        return self._drop(message_id) or self._texts.remove_by_id(message_id)

    def reset_memory(self) -> None:
        """Forget everything but the system texts."""
        self._texts.reset_memory()
        self._facts, self._ids, self._pending = {}, {}, {}

    # Reading: texts and facts by their time, oldest first.

    def retrieve_all(self) -> list[dict[str, Any]]:
        return [plain for _, plain in self._dated()]

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        return self.retrieve_all()[-n:] if n > 0 else []

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        found = [plain for plain in self.retrieve_all() if plain["role"] == role]
        return found if n is None else found[-n:] if n > 0 else []

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        fact = self._facts.get(message_id)
        return _fact_to_dict(fact) if fact else self._texts.retrieve_by_id(message_id)

    def _dated(self) -> list[tuple[datetime, dict[str, Any]]]:
        texts = zip(self._texts.messages, self._texts.retrieve_all(), strict=True)
        dated = [(self._times[message.message_id], plain) for message, plain in texts]
        dated += [(fact.timestamp, _fact_to_dict(fact)) for fact in self._facts.values()]
        return sorted(dated, key=lambda pair: pair[0])

    def _put(self, fact: _Fact) -> str:
        key = self._ids.setdefault(_stated(fact), new_message_id())
        self._facts.setdefault(key, fact)
        return key

    def _replace(self, key: str, fact: _Fact) -> None:
        self._ids.pop(_stated(self._facts[key]), None)
        self._ids.setdefault(_stated(fact), key)
        self._facts[key] = fact
        self._known_ids.discard(key)

    def _drop(self, key: str) -> bool:
        fact = self._facts.pop(key, None)
        if fact and self._ids.get(_stated(fact)) == key:
            del self._ids[_stated(fact)]
        return fact is not None


def _now() -> datetime:
    return datetime.now(UTC)


def _stated(fact: _Fact) -> tuple[str, ...]:
    triple = fact.triple
    return (fact.role, triple.subject.casefold(), triple.predicate.casefold(), triple.object.casefold())


def _changed(fact: _Fact, fields: FactFields) -> _Fact:
    unknown = fields.keys() - {"role", "subject", "predicate", "obj"}
    if unknown:
        raise MessageError(f"A fact has no field {', '.join(sorted(unknown))} to set.")
    old = fact.triple
    parts = (fields.get("subject", old.subject), fields.get("predicate", old.predicate), fields.get("obj", old.object))
    triple = replace(_checked_triple(*parts), valid_from=old.valid_from, valid_to=old.valid_to)
    return replace(fact, role=_checked_role(fields.get("role", fact.role)), triple=triple, timestamp=_now())


def _checked_role(role: str) -> str:
    if role not in ROLES:
        raise MessageError(f"The role of a fact is one of {', '.join(ROLES)}.")
    return role


def _checked_triple(subject: str, predicate: str, obj: str) -> Triple:
    if not all(isinstance(part, str) and part.strip() for part in (subject, predicate, obj)):
        raise MessageError("A fact needs a subject, a predicate and an object.")
    return Triple(subject.strip(), predicate.strip(), obj.strip())


def _fact_to_dict(fact: _Fact) -> dict[str, Any]:
    triple = fact.triple
    return {"role": fact.role, "content": f"{triple.subject} {triple.predicate} {triple.object}"}
