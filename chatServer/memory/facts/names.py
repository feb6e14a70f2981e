"""Names, places, employers and occupations: what capitals and lists of words give away."""

import re

from chatServer.memory.facts import vocabulary as known
from chatServer.memory.facts.dates import is_when
from chatServer.memory.facts.objects import EDGE, LOWER_WORDS, MORE, Object, one, titled, trimmed
from chatServer.memory.facts.words import word_set

_WORD = r"[^\W\d_]+(?:['-][^\W\d_]+){0,3}"
_NAME = re.compile(rf"{_WORD}(?: {_WORD}){{0,3}}")
_CAPITAL = re.compile(r"(?:[A-ZÀ-ÖØ-ÞА-Я][\w&.'’-]*|of|the|de|del|la|le|van|von|der|and|&|upon|am)")

_THERE = re.compile(
    rf"the (?:(?!(?:same|other|next|wrong|right)\b)[\w'.-]+ ){{0,2}}(?:{'|'.join(known.WORKPLACES)}|(?:post|tax) office"
    r"|(?:town|city) hall|(?:police|fire|railway) station)",
    re.IGNORECASE,
)
_MAKE = "|".join(sorted(known.MAKES, key=len, reverse=True))
_SURE_MAKE = "|".join(sorted(known.MAKES - known.MAKES_IN_DOUBT, key=len, reverse=True))
_CAR = re.compile(
    rf"an? (?:[a-z-]+ |\d{{4}} ){{0,2}}(?:(?=[A-ZŠ])(?i:{_MAKE})(?: [A-Z\d][\w.-]*){{0,2}}"
    rf"|(?:{_SURE_MAKE})(?: (?:{_MAKE}|focus|model [3sxy]|[a-z]?\d[\w.-]*)){{0,2}})"
)
_TAUGHT = re.compile(
    r"[\w ]{3,30}? (?:at|in) (?:an? |the |my )?(?:(?!sunday)[\w-]+ ){0,3}(?:school|college|university)", re.IGNORECASE
)
_MADE_UP = re.compile(r"\b(?!(?:Ma?c|De|La|Le|Du|Van|O'))\w*[a-z][A-Z]")  # YouTrack, not McAllen
_PARTS = re.compile(r"['-](?!s$)")  # of a name; "Anna's" is none
_PREFIXES = word_set("non half self pro anti ex semi pre post co part full multi bi sub super vice")
_CALLED = re.compile(r"an? (?:[\w'-]+ ){1,4}(?:called|named)(?: (.+))?", re.IGNORECASE)
_CALLED_UP = word_set("times twice once again yesterday today earlier")
_MORE_SAID = re.compile(
    r"(?<=\w) (?:and|but) [^\W\d_A-Z][^ ]* .*"
)  # "Mia and the dog hates her", not "Salt and pepper"


def _capitals(text: str) -> str:
    """The words with capitals at the beginning; of "Berlin working as a nurse" Berlin."""
    kept: list[str] = []
    for word in text.split(" "):
        if not _CAPITAL.fullmatch(word):
            break
        kept.append(word)
    while kept and kept[-1] in LOWER_WORDS:
        kept.pop()
    return " ".join(kept) if kept and kept[0] != "of" else ""


def name(text: str) -> list[Object]:
    """A name of one to four words, with capitals where the rest of what is said has them."""
    text = trimmed(text)
    text = _MORE_SAID.sub("", text) if text[:1].isupper() else text
    words = text.split(" ")
    lower = {word.lower() for word in words}
    if text != text.lower() and _CALLED_UP & lower:  # who is called twice today is telephoned
        return []
    is_name = _NAME.fullmatch(text) and not (known.NOT_NAMES | known.TECHNOLOGIES) & lower and len(words[0]) > 1
    if text == text.lower() and (len(words) > 2 or any(word.endswith(("ed", "ing")) for word in words)):
        return []
    return one(titled(text)) if is_name and len(text) <= 40 else []


def sure_name(text: str) -> list[Object]:
    """A name that only capitals give away: "I'm Ada", not "I'm tired"."""
    text = trimmed(text)
    words = text.split(" ")
    is_name = len(words) <= 3 and all(map(_is_capital, words))
    is_word = text.endswith("ing") and len(text) > 5  # Standing
    is_other = (known.KIN | known.JOBS) & {word.lower() for word in words} or text.lower() in known.STATES
    return name(text) if is_name and not is_word and not is_other else []


def _is_capital(word: str) -> bool:
    """Whether a word may be of a name: O'Brien-Müller, too, but neither Pro-choice nor Half-Irish."""
    parts = _PARTS.split(word)
    lower = {part.lower() for part in parts} if len(parts) > 1 else set()
    is_name = all(part.isalpha() and part[0].isupper() for part in parts) and not word.isupper()
    return is_name and lower.isdisjoint(_PREFIXES | known.NOT_NAMES)


def place(text: str) -> list[Object]:
    """A town, a land, or both: "Porto", "the Azores", "Lisbon, Portugal", "leeds uk"."""
    whole = text.strip(EDGE)
    town, comma, land = whole.partition(", ")
    if comma and _capitals(land) == trimmed(land) and (found := place(town)):
        return one(f"{found[0].value}, {trimmed(land)}") if trimmed(land) else found
    words = _may_name(trimmed(whole)).split(" ")
    if _ends_in_a_land(words):
        return [Object(f"{each.value}, {words[-1].upper()}") for each in place(" ".join(words[:-1]))]
    bare = [word for word in words if word.lower() != "the"]
    if not _is_place(" ".join(words), bare):
        return []
    return one(("the " if words[0].lower() == "the" else "") + titled(" ".join(bare)))


def _may_name(text: str) -> str:
    """What of it may name a place: the words with capitals; where there are none, all before what is said beside it."""
    if any(letter.isupper() for letter in text):
        return _capitals(MORE.sub("", text)) or _capitals(text)
    text = MORE.sub("", text)
    return "" if known.NOT_PLACES & set(text.split(" ")) else text


def _ends_in_a_land(words: list[str]) -> bool:
    """As people type it, in small letters, after a town: "leeds uk", not "the uk"."""
    if len(words) < 2 or words[-1] not in known.LANDS or any(word != word.lower() for word in words):
        return False
    return words[-2] not in known.PLACE_STARTS | known.REGIONS | known.LANDS


def _is_place(text: str, bare: list[str]) -> bool:
    """`bare`: its words but for "the"."""
    words = text.split(" ")
    is_small = text == text.lower()
    max_words = 4 if not is_small else 3 if words[0] in known.PLACE_STARTS else 1
    if not _NAME.fullmatch(text.replace(".", "")) or len(text) < 2 or len(words) > max_words:
        return False
    no_place = known.NOT_PLACES | known.TECHNOLOGIES | known.FIELDS
    is_made_up = _MADE_UP.search(text) is not None or (len(bare) == 1 and bare[0].lower() in known.PRODUCTS)
    return (
        bool(bare)
        and not is_made_up
        and bare[0].lower() not in no_place
        and not text.lower().endswith("'s")
        and not is_when(text)
    )


def sure_place(text: str) -> list[Object]:
    return place(text) if _capitals(text.strip()) else []


def organisation(text: str) -> list[Object]:
    text = trimmed(text)
    words = text.split(" ")
    if words[0].lower() in ("a", "an"):
        text = MORE.sub("", text)
        is_plain = 1 < len(text.split(" ")) <= 5 and not known.NOT_THINGS & {word.lower() for word in words[1:]}
        return one(f"{words[0].lower()} {' '.join(text.split(' ')[1:])}") if is_plain else []
    is_named = words[0].lower() == "the" and words[1:] and words[1][:1].isupper()
    text = _named_whole(text) if any(letter.isupper() for letter in text) else MORE.sub("", text)
    max_words = 1 if text == text.lower() else 5
    is_org = is_named or not (words[0].lower() in known.NOT_ORGS or is_when(text))
    is_text = len(text) <= 60 and any(letter.isalpha() for letter in text)
    return one(titled(text)) if is_org and is_text and len(text.split(" ")) <= max_words else []


def _named_whole(text: str) -> str:
    """ "The St Mary hospital": what follows a name may be what it is."""
    named = _capitals(text)
    follows = text[len(named) :].strip().partition(" ")[0]
    return f"{named} {follows}" if named and follows in known.WORKPLACES else named


def employer(text: str) -> list[Object]:
    """By its name, where it has one: by that it is spoken of again."""
    called = _CALLED.fullmatch(trimmed(text))
    return organisation((called[1] or "") if called else text)  # "named after my dog" is cut before a name comes


def company(text: str) -> list[Object]:
    """One that only its name gives away: "I started at Siemens", not "at the bottom", "at Chapter 3" or at a school."""
    name = text.strip(EDGE)
    is_name = name == _capitals(name) and not any(each.isdigit() for each in name)
    is_other = known.NOT_COMPANIES & set(name.lower().split(" "))
    return organisation(name) if is_name and not is_other else []


def workplace(text: str) -> list[Object]:
    """One of which there is one in town: "the library", "the children's hospital"; not "the same school as Tom"."""
    said = _THERE.fullmatch(MORE.sub("", trimmed(text)))
    return one(said.group()[0].lower() + said.group()[1:]) if said else []


def place_of_work(text: str) -> list[Object]:
    """One where nobody starts but to work there: at a school one learns, and at the library one may begin a walk."""
    found = workplace(text)
    return found if found and found[0].value.rpartition(" ")[2] in known.WORK_ONLY else []


def car(text: str) -> list[Object]:
    """One that only its make gives away: who has a Fiat drives it."""
    named, _, more = text.strip(EDGE).partition(", ")
    is_own = _CAR.fullmatch(named) and not more.startswith(("for ", "but "))
    return [Object(_shown(each.value)) for each in (vehicle(named) or organisation(named))] if is_own else []


def _shown(car: str) -> str:
    """ "A red Toyota Yaris", of one that is typed in small letters."""
    if car != car.lower():
        return car
    return " ".join(
        titled(word) if len(word) > 1 and (word in known.MAKES or word == "focus") else word for word in car.split(" ")
    )


def vehicle(text: str) -> list[Object]:
    found = organisation(text)
    last = found[0].value.split(" ")[-1] if found else ""
    return found if last[:1].isupper() or last in known.VEHICLES else []


def teacher(text: str) -> list[Object]:
    """Of who teaches something at a school."""
    return job("teacher") if _TAUGHT.fullmatch(trimmed(text)) else []


def job(text: str) -> list[Object]:
    text = MORE.sub("", trimmed(text)).lower()
    words = text.split(" ")
    if len(words) > 4 or words[-1] not in known.JOBS or known.NOT_THINGS & set(words):
        return []
    return [Object(text, f"{'an' if text[0] in 'aeiou' else 'a'} {text}")]
