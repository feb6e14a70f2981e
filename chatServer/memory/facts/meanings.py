"""What can be said of somebody: how it reads, which facts replace each other, and what the object has to be."""

from dataclasses import dataclass
from datetime import datetime

from chatServer.memory.facts import everyday, health, names, objects, vocabulary
from chatServer.memory.facts.objects import Object, Reader
from chatServer.memory.facts.words import phrases


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
    is_of_a_day: bool = False  # it does not stay so, and the sentence names the day on which it was


USER = Who()
TOBACCO = Object("tobacco", " ")  # no sentence names it
_NO_ADJECTIVES = phrases("keto|low carb|low-carb|paleo|low fodmap|carnivore")
_DIETS = phrases("vegetarian|vegan|pescatarian|flexitarian|keto|paleo|carnivore")
_DIETS_BESIDE = phrases("gluten free|gluten-free|dairy free|dairy-free|low carb|low-carb|low fodmap")  # a vegan's, too
_INTOLERANT = frozenset(["lactose intolerant", "gluten intolerant", "lactose-intolerant", "gluten-intolerant"])
_MARITAL = frozenset(["married", "single", "getting divorced", "divorced", "engaged", "widowed", "separated"])
_EMPLOYMENT = frozenset(
    [
        "retired",
        "unemployed",
        "self-employed",
        "self employed",
        "out of work",
        "a student",
        "on parental leave",
        "on maternity leave",
    ]
)
_SMOKES = ("smoke", "smoker", "smoking")
_PRONOUNS = frozenset(["she/her", "he/him", "they/them", "she/they", "he/they"])


def _diet(text: str, allowed: frozenset[str] = _DIETS) -> list[Object]:
    found = objects.listed(allowed)(text)
    return [Object(each.value, f"on a {each.value} diet" if each.value in _NO_ADJECTIVES else "") for each in found]


def _diet_beside(text: str) -> list[Object]:
    return _diet(text, _DIETS_BESIDE)


MEANINGS: dict[str, Meaning] = {
    "name": Meaning("'s name", "name", names.name),
    "sure_name": Meaning("'s name", "name", names.sure_name),
    "called": Meaning("want to be called", "called", names.name),
    "pronouns": Meaning("'s pronouns", "pronouns", objects.listed(_PRONOUNS)),
    "home": Meaning("live in", "home", names.place),
    "moving": Meaning("be moving to", "moving:{}", names.place),
    "origin": Meaning("be from", "origin", names.place),
    "birthplace": Meaning("be born in", "birthplace", names.place),
    "birth_year": Meaning("be born in", "birth year", objects.year),
    "birthday": Meaning("'s birthday", "birthday", objects.birthday),
    "age": Meaning("be", "age", objects.age, is_of_a_day=True),
    "employer": Meaning("work at", "employer", names.employer),
    "company": Meaning("work at", "employer", names.company),
    "works_there": Meaning("work at", "employer", names.workplace),
    "started_there": Meaning("work at", "employer", names.place_of_work),
    "job": Meaning("work as", "job", names.job),
    "teaches": Meaning("work as", "job", names.teacher),
    "workplace": Meaning("work in", "workplace", names.sure_place),
    "field": Meaning("work in", "field", objects.listed(vocabulary.FIELDS)),
    "employment": Meaning("be", "employment", objects.listed(_EMPLOYMENT)),
    "studies": Meaning("study", "studies", objects.subject),
    "school": Meaning("study at", "school", names.organisation),
    "likes": Meaning("like", "likes:{}", objects.things, negated="dislike", is_taste=True),
    "prefers": Meaning("prefer", "prefers:{}", objects.way, is_taste=True),
    "allergic": Meaning("be allergic to", "allergic:{}", objects.allergens, is_taste=True),
    "diet": Meaning("be", "diet", _diet),
    "diet_beside": Meaning("be", "diet:{}", _diet_beside),
    "allergy": Meaning("be allergic to", "allergic:{}", objects.allergen, is_taste=True),
    "intolerant": Meaning("be", "is:{}", objects.listed(_INTOLERANT), is_taste=True),
    "eats": Meaning("eat", "eats:{}", objects.food, is_taste=True),
    "drinks": Meaning("drink", "drinks:{}", objects.food, is_taste=True),
    "smokes": Meaning("smoke", "smokes", lambda text: [TOBACCO] * text.lower().endswith(_SMOKES), is_taste=True),
    "alcohol": Meaning("drink", "drinks:{}", health.alcohol, is_taste=True),
    "speaks": Meaning("speak", "speaks:{}", objects.listed(vocabulary.LANGUAGES, title=True), is_taste=True),
    "learns": Meaning("learn", "learns:{}", objects.listed(vocabulary.LANGUAGES, title=True)),
    "practises": Meaning("learn", "learns:{}", objects.exactly(everyday.LEARNT)),
    "native": Meaning("'s native language", "native language", objects.listed(vocabulary.LANGUAGES, title=True)),
    "marital": Meaning("be", "marital status", objects.exactly(_MARITAL)),
    "spouse": Meaning("be married to", "spouse", names.sure_name),
    "fiance": Meaning("be engaged to", "spouse", names.sure_name),
    "condition": Meaning("have", "has:{}", health.illnesses, is_taste=True),
    "plays": Meaning("play", "plays:{}", objects.listed(vocabulary.PLAYED)),
    "drives": Meaning("drive", "drives", names.vehicle),
    "owns": Meaning("drive", "drives", names.car),
    "takes": Meaning("take", "takes:{}", health.medicines, is_taste=True),
    "owned": Meaning("have", "has:{}", everyday.possession, is_taste=True),
    "raised": Meaning("be raised in", "raised in", names.place),
    "citizen": Meaning("be", "citizen:{}", everyday.citizen),
    "trait": Meaning("be", "is:{}", objects.exactly(everyday.TRAITS), is_taste=True),
    "afraid": Meaning("be afraid of", "afraid:{}", everyday.fear, is_taste=True),
    "able": Meaning("be able to", "able:{}", objects.one, is_taste=True),
    "wears": Meaning("wear", "wears:{}", objects.exactly(everyday.WEARS), is_taste=True),
    "uses": Meaning("use", "uses:{}", objects.exactly(everyday.SYSTEMS), is_taste=True),
    "goes": Meaning("go", "does:{}", everyday.activity, is_taste=True),
    "does": Meaning("do", "does:{}", everyday.activity, is_taste=True),
    "sport": Meaning("go", "does:{}", everyday.sport, is_taste=True),
    "commute": Meaning("get to work", "commute", everyday.commute),
    "had": Meaning("have had", "had:{}", health.had),
    "collects": Meaning("collect", "collects:{}", objects.exactly(everyday.COLLECTED)),
    "works_how": Meaning("work", "works:{}", everyday.works_how, is_taste=True),
    "working_time": Meaning("work", "working time", objects.exactly(everyday.WORKING_TIMES)),
    "work_setting": Meaning("work in", "work setting", objects.one),
    "graduated": Meaning("have a degree in", "degree:{}", objects.listed(vocabulary.SUBJECTS)),
    "runs": Meaning("run", "runs", everyday.business),
    "volunteers": Meaning("volunteer at", "volunteers:{}", everyday.volunteering),
    "degree": Meaning("have a degree in", "degree:{}", everyday.degree),
    "grade": Meaning("be in", "grade", everyday.grade),
    "breed": Meaning("be", "breed", everyday.breed),
    "gets_up": Meaning("get up at", "gets up", objects.one),
    "goes_to_bed": Meaning("go to bed at", "goes to bed", objects.one),
    "starts_work": Meaning("start work at", "starts work", objects.one),
    "rent": Meaning("'s rent", "rent", everyday.amount),
    "budget": Meaning("'s budget", "budget", everyday.amount),
    "height": Meaning("'s height", "height", everyday.amount),
    "weight": Meaning("'s weight", "weight", everyday.amount),
    "shoe_size": Meaning("'s shoe size", "shoe size", everyday.amount),
    "blood": Meaning("'s blood type", "blood type", health.blood),
    "timezone": Meaning("'s time zone", "timezone", objects.timezone),
    "email": Meaning("'s email address", "email", objects.email),
    "phone": Meaning("'s phone number", "phone", objects.phone),
}  # fmt: skip
_DENIALS = frozenset(
    ["not", "longer", "never", *(f"{each.negated}{ending}" for each in MEANINGS.values() for ending in ("", "s"))]
) - {"", "s"}
_THIRD = {"be": "is", "have": "has", "study": "studies", "go": "goes", "do": "does"}


def is_denied(text: str, what: str) -> bool:
    """Whether a sentence denies what it says of somebody: before that is named, there stands a negation."""
    before, found, _ = text.partition(what)
    return bool((found or what == TOBACCO.value) and _DENIALS & set(before.lower().split()))


def predicate_of(meaning: Meaning) -> str:
    """As a triple has it: "lives in", "name"."""
    verb, space, rest = meaning.says.partition(" ")
    return rest if verb == "'s" else _conjugated(verb, USER) + space + rest


def shown_of(meaning: Meaning, what: Object, said_at: datetime) -> str:
    """As a sentence ends with it: who was 34 when he said so may be 35 when it is read."""
    shown = (what.shown or what.value).strip()
    return f"{shown} on {said_at:%Y-%m-%d}" if meaning.is_of_a_day else shown


def sentence_of(who: Who, meaning: Meaning, shown: str, how: str = "") -> str:
    """A sentence that stands for itself; `how` is "", "not", "no longer" or "used to"."""
    says, _, rest = meaning.says.partition(" ")
    if says == "'s":
        return f"{who}'s {rest} {_be(how, is_plural=rest.endswith('s') and not rest.endswith('ss'))} {shown}."
    if how == "not" and meaning.negated:
        says, how = meaning.negated, ""
    if says == "be":
        is_past = meaning.is_of_a_day or rest.startswith(("born", "raised"))
        verb = "used to be" if how == "used to" else _be(how, is_plural=who.is_plural, is_past=is_past)
    elif how == "used to":
        verb = f"used to {says}"
    elif how == "not":
        verb = f"{'do' if who.is_plural else 'does'} not {says}"
    else:
        verb = f"{how} {_conjugated(says, who)}"
    return " ".join(f"{who} {verb} {rest} {shown}".split()) + "."


def _be(how: str, *, is_plural: bool, is_past: bool = False) -> str:
    is_over = how == "used to"
    form = ("were" if is_plural else "was") if is_past or is_over else ("are" if is_plural else "is")
    return form if is_over else f"{form} {how}".strip()


def _conjugated(verb: str, who: Who) -> str:
    if who.is_plural:
        return "are" if verb == "be" else verb
    return _THIRD.get(verb) or (verb + "s" if not verb.endswith("ss") else verb + "es")
