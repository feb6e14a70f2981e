"""What can be said of somebody: how it reads, which facts replace each other, and what the object has to be."""

from dataclasses import dataclass
from datetime import datetime

from chatServer.memory import objects, vocabulary
from chatServer.memory.objects import Object, Reader


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the user told of himself or of somebody close.

    `key`: of the facts under one key the newest holds; None: it holds beside all others.
    A negation, and a fact that is over (`valid_to` not after it was said), ends the value that it names, and no other.
    """

    text: str
    subject: str
    predicate: str
    object: str
    key: str | None
    is_negation: bool
    valid_from: datetime | None
    valid_to: datetime | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Who:
    """Whom a fact is about: the user, or `relation` of the user, with a name where it is known."""

    relation: str = ""
    name: str = ""
    is_plural: bool = False

    @property
    def subject(self) -> str:
        return f"{self.relation}:{self.name.lower()}" if self.name else self.relation or "user"

    def __str__(self) -> str:
        return " ".join(["The user's", self.relation, self.name]).strip() if self.relation else "The user"


@dataclass(frozen=True, slots=True)
class Meaning:
    """`says` is a verb with what belongs to it ("live in", "be from"), or "'s" and a property ("'s name")."""

    says: str
    key: str | None  # "{}" stands for the object
    read: Reader
    negated: str = ""  # a verb that says the opposite
    is_taste: bool = False  # the negation is itself worth knowing, not only the end of something


USER = Who()
_DIETS = frozenset(["vegetarian", "vegan", "pescatarian", "flexitarian", "halal", "kosher", "keto", "paleo", "lactose intolerant",
                    "gluten intolerant", "gluten-free"])  # fmt: skip
_MARITAL = frozenset(["married", "single", "divorced", "engaged", "widowed"])
_EMPLOYMENT = frozenset(["retired", "unemployed", "self-employed", "on parental leave", "on maternity leave"])
_PRONOUNS = frozenset(["she/her", "he/him", "they/them", "she/they", "he/they"])
MEANINGS: dict[str, Meaning] = {
    "name": Meaning("'s name", "name", objects.name),
    "sure_name": Meaning("'s name", "name", objects.sure_name),
    "called": Meaning("want to be called", "called", objects.name),
    "pronouns": Meaning("'s pronouns", "pronouns", objects.listed(_PRONOUNS)),
    "home": Meaning("live in", "home", objects.place),
    "moving": Meaning("be moving to", None, objects.place),
    "origin": Meaning("be from", "origin", objects.place),
    "birthplace": Meaning("be born in", "birthplace", objects.place),
    "birth_year": Meaning("be born in", "birth year", objects.year),
    "birthday": Meaning("'s birthday", "birthday", objects.birthday),
    "age": Meaning("be", "age", objects.age),
    "employer": Meaning("work at", "employer", objects.organisation),
    "job": Meaning("work as", "job", objects.job),
    "workplace": Meaning("work in", "workplace", objects.sure_place),
    "field": Meaning("work in", "field", objects.listed(vocabulary.FIELDS)),
    "employment": Meaning("be", "employment", objects.listed(_EMPLOYMENT)),
    "studies": Meaning("study", "studies", objects.subject),
    "school": Meaning("study at", "school", objects.organisation),
    "likes": Meaning("like", "likes:{}", objects.things, negated="dislike", is_taste=True),
    "prefers": Meaning("prefer", "prefers:{}", objects.thing, is_taste=True),
    "allergic": Meaning("be allergic to", "allergic:{}", objects.things, is_taste=True),
    "diet": Meaning("be", "diet", objects.listed(_DIETS)),
    "eats": Meaning("eat", "eats:{}", objects.food, is_taste=True),
    "drinks": Meaning("drink", "drinks:{}", objects.food, is_taste=True),
    "smokes": Meaning("smoke", "smokes", lambda _: [Object("tobacco", " ")], is_taste=True),
    "speaks": Meaning("speak", "speaks:{}", objects.listed(vocabulary.LANGUAGES, title=True), is_taste=True),
    "learns": Meaning("learn", "learns:{}", objects.listed(vocabulary.LANGUAGES, title=True)),
    "native": Meaning("'s native language", "native language", objects.listed(vocabulary.LANGUAGES, title=True)),
    "marital": Meaning("be", "marital status", objects.listed(_MARITAL)),
    "spouse": Meaning("be married to", "spouse", objects.sure_name),
    "condition": Meaning("have", "has:{}", objects.listed(vocabulary.CONDITIONS), is_taste=True),
    "plays": Meaning("play", "plays:{}", objects.listed(vocabulary.PLAYED)),
    "drives": Meaning("drive", "drives", objects.organisation),
    "timezone": Meaning("'s time zone", "timezone", objects.timezone),
    "email": Meaning("'s email address", "email", objects.email),
}  # fmt: skip
_THIRD = {"be": "is", "have": "has", "study": "studies"}


def predicate_of(meaning: Meaning) -> str:
    """As a triple has it: "lives in", "name"."""
    if meaning.says.startswith("'s"):
        return meaning.says[3:]
    verb, space, rest = meaning.says.partition(" ")
    return _conjugated(verb, USER) + space + rest


def sentence_of(who: Who, meaning: Meaning, shown: str, how: str = "") -> str:
    """`how` is "", "not", "no longer" or "used to"."""
    if meaning.says.startswith("'s"):
        verb = {"": "is", "not": "is not", "no longer": "is no longer", "used to": "was"}[how]
        return f"{who}'s {meaning.says[3:]} {verb} {shown}."
    verb, space, rest = meaning.says.partition(" ")
    tail = f"{space}{rest} {shown}".rstrip() + "."
    if how == "not" and meaning.negated:
        return f"{who} {_conjugated(meaning.negated, who)}{tail}"
    if meaning.says == "be born in":
        return f"{who} {'were' if who.is_plural else 'was'} {'not ' if how else ''}born in {shown}."
    if how == "not" and verb != "be":
        return f"{who} {'do' if who.is_plural else 'does'} not {verb}{tail}"
    if how == "used to":
        return f"{who} used to {verb}{tail}"
    conjugated = _conjugated(verb, who)
    return f"{who} {conjugated} not{tail}" if how == "not" else f"{who} {how} {conjugated}{tail}".replace("  ", " ")


def _conjugated(verb: str, who: Who) -> str:
    if who.is_plural:
        return "are" if verb == "be" else verb
    return _THIRD.get(verb) or (verb + "s" if not verb.endswith("ss") else verb + "es")
