"""What is asked for by its kind and told by its name: who asks for his pets has a cat. English only."""

from dataclasses import dataclass

from chatServer.memory.facts.vocabulary import CHILDREN, CONDITIONS, PARTNERS, PETS, PLAYED
from chatServer.memory.facts.words import word_set


@dataclass(frozen=True, slots=True)
class Kind:
    asked: str  # by any of these words, or by one with an "s" behind it
    common: str  # the names that most have: recall looks for them beside the question
    others: frozenset[str] = frozenset()  # found with one of these, it may be told, too

    @property
    def names(self) -> frozenset[str]:
        return word_set(self.common) | self.others


_PLAYED_IN_A_GAME = word_set(
    "football soccer basketball tennis volleyball chess golf badminton hockey rugby cricket baseball squash poker"
)
KINDS = (
    Kind("pet animal", "cat dog puppy", PETS - {"fish"}),  # which is eaten more often
    Kind("child children kid", "son daughter", CHILDREN),
    Kind("sibling", "brother sister"),
    Kind("parent", "mother father", word_set("mum mom dad")),
    Kind("spouse partner", "", PARTNERS | {"married"}),
    Kind("wife husband", "", word_set("married")),
    Kind("fiancé fiancée fiance fiancee", "", word_set("engaged")),
    Kind("dog", "", word_set("puppy")),
    Kind("cat", "", word_set("kitten")),
    Kind("car vehicle", "drive", word_set("car drives")),
    Kind("diet", "vegetarian vegan eat", word_set("pescatarian flexitarian eats")),
    Kind(
        "abstain",
        "allergic allergy intolerant vegetarian vegan eat",
        word_set("intolerance coeliac celiac pescatarian halal kosher"),
    ),
    Kind("movie film", "movie film"),
    Kind("instrument", "piano guitar violin", PLAYED - _PLAYED_IN_A_GAME),
    Kind("sport", "", _PLAYED_IN_A_GAME),
    Kind("language", "speak", word_set("speaks")),
    Kind("work", "", word_set("office shift")),
    Kind("begin start", "", word_set("begin start")),
    Kind(
        "commute",
        "cycle bike bus train drive walk",
        word_set("cycling bicycle scooter tram metro subway ferry walking car"),
    ),
    Kind("illness disease sickness", " ".join(sorted(CONDITIONS))),
    Kind("medicine medication tablet pill", "take", word_set("takes")),
    Kind("fear phobia scared", "afraid"),
    Kind("grow grew", "raised"),
    Kind("alive dead die", "died"),
    Kind("hobby hobbie", "like love enjoy", word_set("play")),
    Kind("manager", "boss"),
    Kind("study studying", "", word_set("study studies studying student")),
)
