"""What a question asks for by its kind, or in another form of the word: who asks for his pets is told of his cat.
English only, and only where nothing has the question's own words."""

from collections.abc import Iterable

from chatServer.agent.builtin.extract import SHORT, key_of
from chatServer.memory.facts.clauses import SAME_KIN
from chatServer.memory.recall.kinds import KINDS

_KIN = (
    *((word, (kin, *(other for other, same in SAME_KIN.items() if same == kin))) for word, kin in SAME_KIN.items()),
    *((kin, tuple(word for word, same in SAME_KIN.items() if same == kin)) for kin in SAME_KIN.values()),
)
_BY_KEY: dict[str, frozenset[str]] = {}
for _asked, _names in (*((kind.asked, kind.names) for kind in KINDS), *_KIN):
    for _word in map(key_of, _asked.split()):
        _BY_KEY[_word] = _BY_KEY.get(_word, frozenset()) | frozenset(map(key_of, _names))
_ENDINGS = ("ing", "ed", "d", "e", "")


def others_for(keys: Iterable[str]) -> dict[str, frozenset[str]]:
    """For each key of a question, what else a sentence may say instead."""
    return {key: _BY_KEY.get(key, frozenset()) | _forms(key) for key in keys}


def _forms(key: str) -> frozenset[str]:
    """ "Moving" and "moved" for "move", and the reverse."""
    roots = {key.removesuffix(ending) for ending in ("ing", "ed", "e", "")}
    return frozenset(key_of(f"{root}{end}") for root in roots if len(root) >= SHORT for end in _ENDINGS) - {key}
