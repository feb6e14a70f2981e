"""Facts that a user tells, read by rules: sentences, clauses, what they mean, and what is no fact."""

from chatServer.memory.facts.facts import Extractor, RuleExtractor, facts_in, only_tells
from chatServer.memory.facts.meanings import Fact, is_denied

__all__ = ["Extractor", "Fact", "RuleExtractor", "facts_in", "is_denied", "only_tells"]
