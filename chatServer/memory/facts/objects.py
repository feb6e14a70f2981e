"""What is said of somebody, read by what it has to be: a name, a place, a taste. What does not fit is nothing."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from chatServer.memory.facts import vocabulary as known
from chatServer.memory.facts.dates import date_in, day_in
from chatServer.memory.facts.words import FILLERS, any_of, counted, folded_words, stem

MAX_WORDS = 6
MAX_LETTERS = 80
MAX_LIST = 6
_CUT = re.compile(
    r"\s*[;:()]|,\s|\s+[-–—]+\s|\s"
    + any_of(
        "because|but|which|who|whom|where|when|whenever|while|though|although|so|as|due|hence|thanks|than|like|such",
        "after|before|since|until|till|if|unless|except|even|mostly|especially|particularly|depending",
    )
    + r"\b",
    re.IGNORECASE,
)
MORE = re.compile(
    r"\s(?:with|and|in|on|near|for|at|from|to|together|right|again|based|living|working)\b.*", re.IGNORECASE
)
_ENDS = ("a lot", "very much", "so much", "most of all", "as well", "the most", "more than anything", "the best", "too",
         "best", "much", "though", "either", "at all", "anymore", "any more", "again", "every day", "every morning",
         "these days", "lol", "haha", "please", "everyone", "btw", "by the way", "in general", "tbh",
         "nowadays")  # fmt: skip
EDGE = " \t.,!?;:…\"'“”*()-–—~"
_LAST = re.compile(r"[^\w+#%°)]+$")  # full stops, emoji
_JOINT = re.compile(r",? (?:and|or|&) (?:also )?|, ")
LOWER_WORDS = frozenset(["of", "the", "de", "del", "la", "le", "van", "von", "der", "and", "upon", "am", "&"])
_NOT_FIRST = frozenset(
    ["a", "an", "as", "like", "with", "about", "in", "on", "at", "for", "of", "from", "than", "into", "by", "up", "out"]
)
_PREFERABLE = frozenset(
    ["answers", "responses", "examples", "explanations", "code", "options", "questions", "features"]
)
_COUNTABLE = frozenset(["nut", "peanut", "tree nut", "egg", "cat", "dog", "bee", "strawberry", "prawn", "shrimp"])
# Who is allergic to these jokes.
_NO_ALLERGEN = re.compile(
    r"(?:[\w-]+ )?"
    + any_of(
        "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|meetings?|deadlines?|e-?mails?|spreadsheets?|paperwork",
        "(?:home|house)?work|chores|people|idiots?|liars?|stupidity|drama|bullshit|nonsense|lies|small talk|politics",
        "bureaucracy|commitment|responsibility|laziness|boredom|negativity|fun|love|maths?",
    ),
    re.IGNORECASE,
)
# How bad it is, or where it shows, and not what of.
_HOW_ALLERGIC = re.compile(
    r"\A(?:(?:seasonal|severe|mild|bad|new|old|strange|childhood)(?: |\Z))*(?:(?:skin|food)\Z)?", re.IGNORECASE
)
_TO = re.compile(r"(?<=, |d |r )to (?=\w)", re.IGNORECASE)  # "cats, and to pollen"
# In a list of things: another clause ("and wants a dog"), or a remark ("sadly", "tastes like soap"); and of "no coffee,
# only tea" the tea.
_CLAUSE = re.compile(
    r"so |then |only |(?:love|like|enjoy)s? "
    r"|(?:taste|smell|feel|look|sound)s (?:like|of|so|too|very|really|just|nice|good|great|bad|awful|horrible|gross)\b"
    r"|(?!\w+ing |to )\w+ (?:an?|the|my|his|her|our|their|its|to|it|him|them|every)\b"
    r"|(?:ever|always|never|though|of course|(?!(?:family|jelly|lily|holly|\w*fly)$)(?-i:[a-z]{3,}ly))$",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")
_STUDIED_AT = re.compile(rf" in (?:{'|'.join(sorted(known.TOWNS | known.COUNTRIES))}|(?-i:[A-Z])\w+)\Z", re.IGNORECASE)
_PHONE = re.compile(r"\+?\(?\d[\d ()/.-]{4,20}\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
MIN_DIGITS, MAX_DIGITS = 6, 15  # of a number to call
_LIST_END = re.compile(r"\s(?:but|because|with|at|since|for|in|on \w+days?|every|once|twice|\w+ times a)\b|[;:(]")
_DEGREE = re.compile(
    r"^(?:the|some|a little|a bit of|fluent|native|basic|both) | (?:fluently|natively|well)$", re.IGNORECASE
)
_YEAR = re.compile(r"(?:[a-z]{3,9} )?(?:19|20)\d\d", re.IGNORECASE)
_ZONE = re.compile(r"(?:utc|gmt) ?[+-] ?\d{1,2}(?::?\d\d)?|[A-Z][a-z]+/[A-Z]\w+(?:/\w+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Object:
    """What is said, and how a sentence shows it where that differs."""

    value: str
    shown: str = ""


Reader = Callable[[str], list[Object]]


def one(text: str) -> list[Object]:
    return [Object(text)] if text else []


def folded(text: str) -> str:
    """The part of a key that an object makes: the same for the same thing, however it is written."""
    words = [stem(word) for word in folded_words(text) if word not in FILLERS]
    return " ".join(words) or " ".join(folded_words(text))


def trimmed(text: str) -> str:
    """Without what only surrounds it: reasons, clauses, emphasis, punctuation."""
    text = _LAST.sub("", _CUT.split(text, maxsplit=1)[0]).strip(EDGE)
    for _ in range(3):
        ending = next((end for end in _ENDS if text.lower().endswith(" " + end)), None)
        if not ending:
            break
        text = text[: -len(ending)].strip(EDGE)
    return text


def titled(text: str) -> str:
    """With capitals, where it is written without any, or with nothing else."""
    if text != text.lower() and (text != text.upper() or len(text) <= 4):
        return text
    words = text.lower().split(" ")
    return " ".join(
        word if word in LOWER_WORDS and place else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )


def way(text: str) -> list[Object]:
    """Something that can be preferred: of what is liked, and of how one is answered."""
    article, _, rest = trimmed(text).partition(" ")
    if article.lower() in ("a", "an"):
        return [Object(each.value, f"{article.lower()} {each.value}") for each in thing(rest, _PREFERABLE)]
    return thing(text, _PREFERABLE)


def allergen(text: str) -> list[Object]:
    """Of "a severe nut allergy", nuts."""
    found = _meant(thing(_HOW_ALLERGIC.sub("", text)))
    return [Object(f"{each.value}s" if each.value in _COUNTABLE else each.value) for each in found]


def allergens(text: str) -> list[Object]:
    return _meant(things(_TO.sub("", text)))


def _meant(found: list[Object]) -> list[Object]:
    return [each for each in found if not _NO_ALLERGEN.fullmatch(each.value)]


def thing(text: str, allowed: frozenset[str] = frozenset()) -> list[Object]:
    """Something that can be liked, in a few words that stand for themselves."""
    text = trimmed(text)
    if text == text.upper() and len(text) > 4:
        text = text.lower()
    words = text.lower().split(" ")
    if words[0] == "the" and not (text[4:5].isupper() or (len(words) == 2 and words[1] in known.THE_LIKED)):
        return []
    first = words[1] if words[0] == "to" and len(words) > 1 else words[0]
    is_junk = (
        words[0] in _NOT_FIRST
        or words == ["to"]
        or first in known.NOT_DONE
        or (known.NOT_THINGS - allowed) & set(words)
    )
    is_short = len(words) <= MAX_WORDS and 2 <= len(text) <= MAX_LETTERS
    return one(text) if is_short and not is_junk and all(any(map(str.isalnum, word)) for word in words) else []


def things(text: str) -> list[Object]:
    """One or several of them; what is none in the list is left out, unless it is the first."""
    first, *others = _JOINT.split(text)[:MAX_LIST]
    parts = [first, *(each for each in others if not _CLAUSE.match(each.strip(EDGE)))]
    is_list = len(parts[0].split()) <= 2 or "," in text
    found = [thing(part) for part in (parts if is_list else parts[:1])]
    return [each for part in found for each in part] if found[0] else []


def food(text: str) -> list[Object]:
    if known.NOT_EATEN & set(text.lower().split()):
        return []
    return [each for each in things(text) if each.value.count(" ") < 3]


def subject(text: str) -> list[Object]:
    """What can be studied, wherever that is."""
    text = _STUDIED_AT.sub("", trimmed(text))
    words = text.lower().split(" ")
    return thing(text) if len(words) <= 3 and words[0] not in ("the", "to", "hard", "abroad") else []


def listed(allowed: frozenset[str], *, title: bool = False) -> Reader:
    """One or several, all from a list."""

    def read(text: str) -> list[Object]:
        text = _LIST_END.split(text, maxsplit=1)[0].strip(EDGE)
        words = [trimmed(_DEGREE.sub("", part)).lower() for part in _JOINT.split(text)[:MAX_LIST]]
        return [Object(titled(word) if title else word) for word in words] if allowed.issuperset(words) else []

    return read


def exactly(allowed: frozenset[str]) -> Reader:
    """What is said and nothing else: "part time", not "part time in my dreams"."""
    return lambda text: one(trimmed(text).lower()) if trimmed(text).lower() in allowed else []


def fitting(pattern: re.Pattern[str]) -> Reader:
    return lambda text: one(text.strip(" .!")) if pattern.fullmatch(text.strip(" .!")) else []


def birthday(text: str) -> list[Object]:
    text = text.partition(", not ")[0]  # nor what was said before
    day = day_in(trimmed(text) if "," not in text else text.strip(EDGE))
    return one(str(day)) if day else []


def year(text: str) -> list[Object]:
    """A year, or the month of one."""
    text = text.strip(EDGE)
    is_date = _YEAR.fullmatch(text) and date_in(text, datetime(2000, 1, 1, tzinfo=UTC))
    return one(titled(text)) if is_date else []


def age(text: str) -> list[Object]:
    years = counted(text)
    return [Object(str(years), f"{years} years old")] if 0 < years < 120 else []


def email(text: str) -> list[Object]:
    found = _EMAIL.fullmatch(text.split(",", 1)[0].strip(EDGE + "<>"))
    return one(found.group().lower()) if found else []


def phone(text: str) -> list[Object]:
    """As it was written; a day, or the digits of a card, are no number to call."""
    text = text.split(",", 1)[0].strip(" .!")
    digits = sum(map(str.isdigit, text))
    is_one = _PHONE.fullmatch(text) and MIN_DIGITS <= digits <= MAX_DIGITS and not _DAY.fullmatch(text)
    return one(text) if is_one else []


def timezone(text: str) -> list[Object]:
    text = text.strip(EDGE)
    if text.lower() in known.ZONES:
        return one(text.upper())
    return one(text.upper().replace(" ", "") if "/" not in text else text) if _ZONE.fullmatch(text) else []
