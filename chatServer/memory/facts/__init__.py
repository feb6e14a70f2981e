"""Facts that a user tells, read by rules: sentences, clauses, what they mean, and what is no fact.

Which file for which question:
- which sentences tell something, and how they are cut: sentences, clauses, words
- how people say it, and what is made of it: patterns, facts, told
- what can be said, and which fact replaces which: meanings, keys
- what the object of it may be: objects, names, tastes, diets, health, everyday, vocabulary
- whom it is about: kin, partings, meant, unnamed
- what is so no longer, in other words, and what is not so: given_up, over, called_off, negated, partly
- where somebody lives now, and moved to: moves, arrived
- what holds beside what was told before: beside
- names in small letters: given_names
- what is said as "we", or without "I", or shorter ("my sister's a vet"): first_person, contracted
- when it is: dates, when, events
- what corrects a fact that was told before: corrections
"""

from chatServer.memory.facts.facts import RuleExtractor, facts_in, only_tells
from chatServer.memory.facts.meanings import Fact, is_denied

__all__ = ["Fact", "RuleExtractor", "facts_in", "is_denied", "only_tells"]
