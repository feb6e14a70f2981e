"""What is said of somebody, read by what it has to be: a name, a place, a taste. What does not fit is nothing."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from chatServer.memory import vocabulary as known
from chatServer.memory.dates import day_in
from chatServer.memory.words import FILLERS, NUMBERS, folded_words, stem

MAX_WORDS = 6
MAX_LETTERS = 80
MAX_LIST = 6
_CUT = re.compile(
    r"\s*[;:()]|,\s|\s+[-–—]+\s|\s(?:because|but|which|who|whom|where|when|while|though|although|so|as|due|after|before"
    r"|even|since|if|unless|except|thanks|than|until|till|mostly|especially|particularly|depending|whenever|hence)\b",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s(?:with|and|in|on|near|for|at|from|to|together|right|again)\b.*", re.IGNORECASE)
_ENDS = ("a lot", "very much", "so much", "most of all", "as well", "the most", "more than anything", "the best", "too",
         "best", "much", "though", "either", "at all", "anymore", "any more", "again", "every day", "every morning",
         "these days", "lol", "haha", "please", "everyone", "btw", "by the way", "in general", "tbh", "nowadays")  # fmt: skip
_EDGE = " \t.,!?;:…\"'“”*()-–—~😀😊🙂😄😅❤"
_JOINT = re.compile(r",? (?:and|or|&) (?:also )?|, ")
_NAME = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)?(?: [^\W\d_]+(?:['-][^\W\d_]+)?){0,3}")
_CAPITAL = re.compile(r"(?:[A-ZÀ-ÖØ-ÞА-Я][\w&.'’-]*|of|the|de|del|la|le|van|von|der|and|&|upon|am)")
_LOWER_WORDS = frozenset(["of", "the", "de", "del", "la", "le", "van", "von", "der", "and", "upon", "am", "&"])
_EMAIL = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")
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
    text = _CUT.split(text, maxsplit=1)[0].strip(_EDGE)
    for _ in range(3):
        ending = next((end for end in _ENDS if text.lower().endswith(" " + end)), None)
        if not ending:
            break
        text = text[: -len(ending)].strip(_EDGE)
    return text


def titled(text: str) -> str:
    """With capitals, where it is written without any, or with nothing else."""
    if text != text.lower() and (text != text.upper() or len(text) <= 4):
        return text
    words = text.lower().split(" ")
    return " ".join(word if word in _LOWER_WORDS and place else word[:1].upper() + word[1:] for place, word in enumerate(words))


def _capitals(text: str) -> str:
    """The words with capitals at the beginning; of "Berlin working as a nurse" Berlin."""
    kept: list[str] = []
    for word in text.split(" "):
        if not _CAPITAL.fullmatch(word):
            break
        kept.append(word)
    while kept and kept[-1] in _LOWER_WORDS:
        kept.pop()
    return " ".join(kept) if kept and kept[0] != "of" else ""


def name(text: str) -> list[Object]:
    """A name of one to four words, with capitals where the rest of what is said has them."""
    text = trimmed(text)
    words = text.split(" ")
    is_name = _NAME.fullmatch(text) and not known.NOT_NAMES & {word.lower() for word in words} and len(words[0]) > 1
    if text == text.lower() and len(words) > 2:
        return []
    return one(titled(text)) if is_name and len(text) <= 40 else []


def sure_name(text: str) -> list[Object]:
    """A name that only capitals give away: "I'm Ada", not "I'm tired"."""
    text = trimmed(text)
    words = text.split(" ")
    is_name = all(word[:1].isupper() and not word.isupper() and word.isalpha() for word in words)
    return name(text) if is_name and len(words) <= 3 and not known.KIN & {word.lower() for word in words} else []


def place(text: str) -> list[Object]:
    whole = text.strip(_EDGE)
    town, comma, land = whole.partition(", ")
    if comma and _capitals(land) == trimmed(land) and (found := place(town)):
        return one(f"{found[0].value}, {trimmed(land)}") if trimmed(land) else found
    text = trimmed(whole)
    if any(letter.isupper() for letter in text):
        text = _capitals(_MORE.sub("", text)) or _capitals(text)
    elif known.NOT_PLACES & set((text := _MORE.sub("", text)).split(" ")):
        return []
    words = text.split(" ")
    is_lower = text == text.lower()
    if not _NAME.fullmatch(text.replace(".", "")) or len(words) > (4 if not is_lower else 3 if words[0] in known.PLACE_STARTS else 1):
        return []
    bare = [word for word in words if word.lower() != "the"]
    if not bare or bare[0].lower() in known.NOT_PLACES or text.lower().endswith("'s") or len(text) < 2:
        return []
    return one(("the " if words[0].lower() == "the" else "") + titled(" ".join(bare)))


def sure_place(text: str) -> list[Object]:
    return place(text) if _capitals(text.strip()) else []


def organisation(text: str) -> list[Object]:
    text = trimmed(text)
    words = text.split(" ")
    if words[0].lower() in ("a", "an"):
        text = _MORE.sub("", text)
        is_plain = 1 < len(text.split(" ")) <= 5 and not known.NOT_THINGS & {word.lower() for word in words[1:]}
        return one(f"{words[0].lower()} {' '.join(text.split(' ')[1:])}") if is_plain else []
    text = _capitals(text) if any(letter.isupper() for letter in text) else _MORE.sub("", text)
    is_org = text and words[0].lower() not in known.NOT_ORGS and len(text.split(" ")) <= (1 if text == text.lower() else 5)
    return one(titled(text)) if is_org and len(text) <= 60 and any(letter.isalpha() for letter in text) else []


def job(text: str) -> list[Object]:
    text = _MORE.sub("", trimmed(text)).lower()
    words = text.split(" ")
    if len(words) > 4 or words[-1] not in known.JOBS or known.NOT_THINGS & set(words):
        return []
    return [Object(text, f"{'an' if text[0] in 'aeiou' else 'a'} {text}")]


def thing(text: str) -> list[Object]:
    """Something that can be liked, in a few words that stand for themselves."""
    text = trimmed(text)
    if text == text.upper() and len(text) > 4:
        text = text.lower()
    words = text.lower().split(" ")
    if words[0] == "the" and not (text[4:5].isupper() or (len(words) == 2 and words[1] in known.THE_LIKED)):
        return []
    first = words[1] if words[0] == "to" and len(words) > 1 else words[0]
    is_junk = words[0] in ("a", "an") or first in known.NOT_DONE or known.NOT_THINGS & set(words)
    is_short = len(words) <= MAX_WORDS and 2 <= len(text) <= MAX_LETTERS
    return one(text) if is_short and not is_junk and all(any(map(str.isalnum, word)) for word in words) else []


def things(text: str) -> list[Object]:
    """One or several of them; what is none in the list is left out, unless it is the first."""
    found = [thing(part) for part in _JOINT.split(text)[:MAX_LIST]]
    return [each for part in found for each in part] if found[0] else []


def food(text: str) -> list[Object]:
    return [] if known.NOT_EATEN & set(text.lower().split()) else [each for each in things(text) if each.value.count(" ") < 3]


def subject(text: str) -> list[Object]:
    text = trimmed(text)
    words = text.lower().split(" ")
    is_one = len(words) <= 3 and words[0] not in ("a", "an", "the", "for", "hard", "at", "in", "abroad", "to", "with", "on")
    return thing(text) if is_one else []


def listed(*sets: frozenset[str], title: bool = False) -> Reader:
    """Only words of a list."""

    def read(text: str) -> list[Object]:
        words = [trimmed(_MORE_LANGUAGE.sub("", part)).lower() for part in _JOINT.split(trimmed_list(text))[:MAX_LIST]]
        is_known = words and all(any(word in each for each in sets) for word in words)
        return [Object(titled(word) if title else word) for word in words] if is_known else []

    return read


_MORE_LANGUAGE = re.compile(r"^(?:the|some|a little|a bit of|fluent|native|basic|both) | (?:fluently|natively|well)$", re.IGNORECASE)


def trimmed_list(text: str) -> str:
    return re.split(r"\s(?:but|because|with|at|since|for|in)\b|[;:(]", text, maxsplit=1)[0].strip(_EDGE)


def birthday(text: str) -> list[Object]:
    day = day_in(trimmed(text) if "," not in text else text.strip(_EDGE))
    return one(str(day)) if day else []


def year(text: str) -> list[Object]:
    text = text.strip(_EDGE)
    return one(text) if re.fullmatch(r"(?:19|20)\d\d", text) else []


def age(text: str) -> list[Object]:
    text = NUMBERS.get(text.lower(), text)
    return [Object(text, f"{text} years old")] if text.isdigit() and 0 < int(text) < 120 else []


def email(text: str) -> list[Object]:
    found = _EMAIL.fullmatch(text.strip(_EDGE + "<>"))
    return one(found.group().lower()) if found else []


def timezone(text: str) -> list[Object]:
    text = text.strip(_EDGE)
    if text.lower() in known.ZONES:
        return one(text.upper())
    return one(text.upper().replace(" ", "") if "/" not in text else text) if _ZONE.fullmatch(text) else []
