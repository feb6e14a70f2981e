"""What a question asks for by its kind, or in another form of the word: who asks for his pets is told of his cat.
English only, and only where nothing has the question's own words."""

from collections.abc import Collection, Iterable

from chatServer.agent.builtin.extract import SHORT, key_of
from chatServer.memory.facts.clauses import SAME_KIN
from chatServer.memory.facts.vocabulary import CONDITIONS, PARTNERS, PETS, PLAYED
from chatServer.memory.facts.words import word_set

_PLAYED_IN_A_GAME = word_set(
    "football soccer basketball tennis volleyball chess golf badminton hockey rugby cricket baseball squash poker"
)
_KINDS: tuple[tuple[str, Collection[str]], ...] = (
    ("pet animal", PETS - {"fish"}),  # which is eaten more often
    ("child children kid kids", word_set("child children kid son daughter baby")),
    ("sibling", word_set("brother sister")),
    ("parent", word_set("mother father mum mom dad")),
    ("spouse partner", PARTNERS),
    ("car vehicle", word_set("car drive drives")),
    ("diet", word_set("vegetarian vegan pescatarian flexitarian eat eats")),
    (
        "abstain",
        word_set(
            "allergic allergy intolerant intolerance coeliac celiac vegetarian vegan pescatarian halal kosher eat"
        ),
    ),
    ("movie film", word_set("movie film")),
    ("instrument", PLAYED - _PLAYED_IN_A_GAME),
    ("sport", _PLAYED_IN_A_GAME),
    ("language", word_set("speak speaks")),
    ("work", word_set("office shift")),
    ("begin start", word_set("begin start")),
    (
        "commute",
        word_set("cycle cycling bike bicycle scooter bus train tram metro subway ferry walk walking drive car"),
    ),
    ("illness disease sickness", CONDITIONS),
    ("hobby hobbies", word_set("like love enjoy play")),
    ("manager", ("boss",)),
    ("study studying", word_set("study studies studying student")),
    *((word, (kin, *(other for other, same in SAME_KIN.items() if same == kin))) for word, kin in SAME_KIN.items()),
    *((kin, tuple(word for word, same in SAME_KIN.items() if same == kin)) for kin in SAME_KIN.values()),
)
_BY_KEY: dict[str, frozenset[str]] = {}
for _names, _words in _KINDS:
    for _word in map(key_of, _names.split()):
        _BY_KEY[_word] = _BY_KEY.get(_word, frozenset()) | frozenset(map(key_of, _words))
_ENDINGS = ("ing", "ed", "d", "e", "")


def others_for(keys: Iterable[str]) -> dict[str, frozenset[str]]:
    """For each key of a question, what else a sentence may say instead."""
    return {key: _BY_KEY.get(key, frozenset()) | _forms(key) for key in keys}


def _forms(key: str) -> frozenset[str]:
    """ "Moving" and "moved" for "move", and the reverse."""
    roots = {key.removesuffix(ending) for ending in ("ing", "ed", "e", "")}
    return frozenset(key_of(f"{root}{end}") for root in roots if len(root) >= SHORT for end in _ENDINGS) - {key}
