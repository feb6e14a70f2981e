"""A clause with when it was said, and the facts that are made of it."""

from dataclasses import dataclass, replace
from datetime import datetime

from chatServer.memory.facts.clauses import Clause
from chatServer.memory.facts.dates import Span
from chatServer.memory.facts.meanings import Fact, Meaning, Who, predicate_of, sentence_of, shown_of
from chatServer.memory.facts.objects import Object, folded


@dataclass(frozen=True, slots=True)
class Told:
    clause: Clause
    sentence: str
    said_at: datetime

    def flipped(self) -> "Told":
        """Said of the opposite: who does not hate tea likes it."""
        return replace(self, clause=replace(self.clause, is_negation=not self.clause.is_negation))

    def over(self) -> "Told":
        """It is so no longer."""
        return replace(self, clause=replace(self.clause, is_negation=True, is_over=True))

    def past(self) -> "Told":
        return replace(self, clause=replace(self.clause, is_past=True))

    def about(self, who: Who) -> "Told":
        return replace(self, clause=replace(self.clause, who=who))

    def fact(self, meaning: Meaning, what: Object, span: Span | None = None) -> Fact:
        span, how = span or Span(), self._how(meaning, span or Span())
        who = self.clause.who
        key = f"{who.subject}|{meaning.key.replace('{}', folded(what.value))}" if meaning.key else None
        is_ended = how in ("no longer", "used to")
        return Fact(
            text=sentence_of(who, meaning, shown_of(meaning, what, self.said_at), how),
            subject=who.subject,
            predicate=predicate_of(meaning),
            object=what.value,
            key=key,
            is_negation=how in ("not", "no longer"),
            valid_from=None if how == "no longer" else span.start,
            valid_to=self._end(how, span) if is_ended else span.end,
            sentence=self.sentence,
        )

    def _how(self, meaning: Meaning, span: Span) -> str:
        clause = self.clause
        if clause.is_negation:
            return "no longer" if clause.is_over and not meaning.is_taste else "not"
        return "used to" if clause.is_past or (span.end and span.end <= self.said_at) else ""

    def _end(self, how: str, span: Span) -> datetime:
        """When it ended, at the latest: when it was said that it had."""
        return span.end or (span.start if how == "no longer" else None) or self.said_at
