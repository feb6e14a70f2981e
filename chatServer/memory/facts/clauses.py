"""A sentence cut into clauses, and each clause in one form: about whom, in the first person, without negation."""

import re
from dataclasses import dataclass, replace

from chatServer.memory.facts import contracted, first_person, given_names, moves
from chatServer.memory.facts.meanings import USER, Who
from chatServer.memory.facts.negated import TAKEN
from chatServer.memory.facts.sentences import NOTE, OUR, TRAVELS, WE_HAVE
from chatServer.memory.facts.vocabulary import EVENTS, KIN, NOT_NAMES, PLURALS
from chatServer.memory.facts.words import NAME, any_of, set_apart, spelled_out, word_set

MAX_LEADS = 6
_SOMEBODY = "|".join(sorted(KIN, key=len, reverse=True))
_LEAD_WORDS = any_of(
    r"(?:hi|hello|hey|thanks|thank you|yes|no) \w{2,15}(?=[,!])|hi there|hi|hello|hey|yo|hiya|good morning",
    "nice to meet you",
    "ok|okay|yes|yeah|yep|no|nope|thanks|thank you|please|great|cool|nice|perfect|lol|haha|hmm|oh|ah|wait|well",
    "by the way|btw|fyi|for your information|for the record|just so you know|fun fact|first of all|in fact|of course",
    "please note that|note that|note|please remember that|please remember|remember that|remember|keep in mind that",
    "do not forget that|you should know that|i want you to know that|let me tell you|about me|a bit about me",
    "facts about me|some facts about me|info|reminder|update|edit|ps|also|just|to be honest|tbh|personally|honestly",
    "actually|sorry|correction|i was wrong|i made a mistake|i misspoke|my mistake|my bad|as i said|like i said",
    "oops|i mean|i meant|or rather|sadly|unfortunately|luckily|fortunately|thankfully|(?:it )?turns out that",
    "(?:it )?turns out|guess what|(?:good|bad|big|great|sad) news|as of today|from now on|(?:at|since) last",
    "so|and|but|since|because|as|given that|nowadays|currently|right now|now|today|these days",
)
# That something known is not so. "It's wrong that I live here" has no comma there, and tells nothing.
_SO = "(?:right|true|correct|so)"
NOT_SO = any_of(
    rf"(?:that|this|it)(?: is|'s| was) (?:not {_SO}(?: any ?more)?|no longer {_SO}|not it|wrong|incorrect|false)",
    "(?:that|this|it)(?: is|'s| was) (?:outdated|out of date)",
    rf"not {_SO}|wrong|incorrect|you are (?:wrong|mistaken)|you (?:have |have got |got )(?:that|it|this) wrong",
)
_LEADS = re.compile(rf"{_LEAD_WORDS}\b(?:[\s,:.!—–-]+|$)|{NOT_SO}(?:[,;.!]| ?[—–]| -)\s*", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:i|my|call me|(?:you|people|friends|everyone|everybody|most people) (?:can |may )?(?:calls?|e-?mail|reach))\b"
    r"|[^,]{1,60} (?:is|are) my (?:all[ -]time )?favou?rite ",
    re.IGNORECASE,
)
_OWN = r"(?=(?:i|my|call me)\b)"
_TIME = r"(?:now |currently |then |today )?"
_JOINT = re.compile(
    rf"[,;] (?:(?:and|but|so|because|plus|though|although|while) )?{_TIME}{_OWN}| [-–—]+ {_OWN}|(?<= moved): {_OWN}"
    rf"| (?:and|but|so|because|plus|though|although|while) {_TIME}{_OWN}",
    re.IGNORECASE,
)
_OTHERS = r"(?:he|she|it|they|we|you|his|her|its|their|our|this|that|there)"
_ASIDE = re.compile(rf",? (?:and|but) (?={_OTHERS}(?:'s|'re)? \S)")  # with a capital it is of a title
_NAMED = re.compile(
    r"(?i:my (\w+(?: \w+)?)(?:'s name is| is (?:called|named)) |i have an? (\w+(?: \w+)?) (?:called|named) )"
    r"([^\W\d_][\w-]+)"
)
# "My son is no longer a nurse, he's a teacher now": nobody else can be meant.
_INSTEAD = re.compile(
    rf"(?P<who>(?i:my) (?:{_SOMEBODY})(?: {NAME})?)"
    r" (?P<old>(?![^,;]*\b(?:her|his|my|our|their|with)\b)"  # who else could be "he"
    r"(?:(?:is )?no longer [^,;]{1,60}|(?:is|does) not [^,;]{1,60} any ?more))[,;] (?:but )?(?:he|she)"
    r"(?P<short>'s)? (?P<new>(?:(?<='s )|(?=(?:is|lives|works)\b))[^,;]{1,60})"
)
_NOT_OLD = re.compile(
    r", (?:and )?not [^,;]{1,40} (?:anymore|any more)$| now(?=, not )"
    r"|(?<=\b\d)(?: years old)?, not \d{1,3}(?: years old)?$|(?<=\b\d\d)(?: years old)?, not \d{1,3}(?: years old)?$",
    re.IGNORECASE,
)
# "I live in Graz with my wife Elena and our two kids": with whom he lives, he has.
_LIVES_WITH = re.compile(
    r"(?P<there>(?i:i (?:(?:still|currently|now) )?(?:live|am living) in) [^,;]{2,40}?) (?:together )?with "
    r"(?P<whom>(?:my|our) [^,;]{3,80})"
)
_STAYS = re.compile(
    r",? (?:for (?:about |around )?(?:\w+ ){1,2}(?:days?|weeks?|nights?|months?)|and \w+ing back\b.*)(?=[.! ]*$)"
    r"|,? with my [\w ]{2,30}?(?= on\b| next\b|[.! ]*$)"
    rf"|,? for (?:(?:an?|the|my|our) (?:[\w'-]+ ){{0,2}}(?:{'|'.join(sorted(EVENTS))})|work|business)(?=[.! ]*$)",
    re.IGNORECASE,
)
# What is no part of what is told.
_ADDED = re.compile(
    r",? (?:(?:sadly|unfortunately|luckily|fortunately|thankfully)|(?:and )?i can not wait"
    r"|(?:and )?(?:(?:please|pls|plz) )?(?:do not (?:let me )?forget(?: it)?|remind me(?: of it| then)?))$",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d{1,2}|two|three|four|five)"
_WHOM = re.compile(
    rf"(?:(?:my|our) |(?={_NUMBER} ))(?:(?P<count>{_NUMBER}) )?(?P<kin>{_SOMEBODY})"
    rf"(?: (?P<name>{NAME}))?"
)
_HE = re.compile(r"(?:he|she)(?: (?=\w)|('s) )", re.IGNORECASE)
_IS_SO = ("allergic", "retired", "married", "divorced", "widowed", "vegetarian", "vegan", "gluten-free", "gluten free",
          "dairy-free", "dairy free")  # fmt: skip
_ELIDED_VERBS = any_of(
    "am|is|have|has|live|lives|moved|work|works|study|studies|speak|speaks|play|plays|drive|drives|take|takes",
    "started|turned|got|quit|stopped|bought|sold|left|took up",
    "love|loves|like|likes|hate|hates|prefer|prefers|do not|does not|can not",
    *_IS_SO,
)
_ELIDED = re.compile(
    rf",? (?:and|but) (?:also |now |currently |still )?(?={_ELIDED_VERBS}\b)"
    r"|, (?=(?:(?:also|always|now|really) )?(?:prefers?|hates?|dislikes?|do not|does not|can not) \w)",
    re.IGNORECASE,
)
_IS_VERB = re.compile(
    r"\A(?:i|my .{1,40}) (?:now )?(?:am|is|has|bought|got|took up|do not|does not|can not)\b", re.IGNORECASE
)
_SUBJECT = re.compile(rf"(?i:i\b|my [a-z-]+)(?: {NAME})?")
# "I'm not only vegan, I'm also gluten-free" says both; without "also" the second may only say more of the first.
_NOT_ONLY = r"\bnot (?:only|just|merely|simply) "
_BOTH = re.compile(rf"{_NOT_ONLY}(?=[^,;]{{2,60}}[,;] (?:but )?i(?: am)? also\b)", re.IGNORECASE)
_BOTH_IN_ONE = re.compile(rf"{_NOT_ONLY}(?P<one>[^,;]{{2,60}}?),? but also ", re.IGNORECASE)
_QUESTION_WORDS = "what|how|which|where|can|could|would|should|will"
_ASKING = re.compile(
    rf"(?:[,;]| [-–—]+) (?:so |and |but )?(?=(?:{_QUESTION_WORDS}|who|when|why|is|are|do|does|did|any)\b)"
    rf"| (?:so|and) (?=(?:{_QUESTION_WORDS})\b)",
    re.IGNORECASE,
)
_ADVERBS = word_set(
    "really absolutely truly just also always currently now still usually mostly mainly generally personally actually"
    " originally recently already often definitely certainly simply totally completely very severely deathly highly"
    " quite both finally officially happily proudly regularly particularly especially"
)
_FORMS = {
    "is": "am", "are": "am", "has": "have", "does": "do", "goes": "go", "studies": "study", "was": "was", "were": "was",
}  # fmt: skip
SINGULAR = word_set(
    "lives works likes loves hates enjoys prefers speaks eats drinks smokes plays drives dislikes adores comes suffers"
    " takes uses wears collects runs volunteers weighs"
)
_QUALITY = r"(?:(?:older|younger|elder|eldest|youngest|oldest|big|little|twin|best|dear|lovely|beloved|new) )?"
_KIN = re.compile(
    rf"(?i:my {_QUALITY}({_SOMEBODY}))(?! (?:tongue|in law)\b)"
    rf"(?:('s)|,? ({NAME})('s)?)?,? (.+)"
)
# "What can I cook for my son Rory, who is lactose intolerant?" tells that, whatever it asks.
_WHO_IS = re.compile(
    rf"\b((?i:my {_QUALITY}(?:{_SOMEBODY})) {NAME}), who"
    r" ((?:is|has|lives|works|likes|loves|hates|does not|can not) [^,?]{2,60})[,?]"
)
SAME_KIN = {
    "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather",
    "neighbor": "neighbour", "fiance": "fiancé", "nan": "grandmother", "gran": "grandmother",
    "granny": "grandmother", "grandad": "grandfather", "granddad": "grandfather", "kid": "child", "kids": "children",
    "baby": "child",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    who: Who
    said: str
    is_negation: bool = False
    is_over: bool = False  # not any more
    is_past: bool = False  # it used to be
    is_elided: bool = False  # it has its subject from the clause before, if it is one


_IS = re.compile(r"\b(my (?:name|birthday|job|home|e-?mail|time ?zone))'s\b", re.IGNORECASE)
_NO_MORE = re.compile(r",? (?:anymore|any more|any longer)\b(?=(?:,? since [\w ]{3,30})?[.! ]*$)", re.IGNORECASE)
# "My number has changed, it's 0488 12 12 12 now."
_CHANGED = re.compile(
    r"\A(my [\w-]+(?: [\w-]+)??)(?: has| have)?(?: just| recently)? changed"
    r"(?: to|[,;:]? (?:and )?(?:it is|it's|now it is|now it's|the new one is)) ([^,;]{2,60}?)(?: now)?(?=[.! ]*\Z)",
    re.IGNORECASE,
)


def clauses(sentence: str) -> list[Clause]:
    """The clauses that are about the user or somebody close; of a question, what is stated before it is asked."""
    text = set_apart(contracted.in_full(given_names.with_capitals(spelled_out(" ".join(sentence.split())))))
    if "?" in text[-4:]:
        text = _before_the_question(text)
    text = moves.in_one_form(first_person.in_first_person(without_leads(text)))
    text = _with_plans(OUR.sub("my ", WE_HAVE.sub("I have ", text)))
    text = _CHANGED.sub(r"\1 is \2", text)
    text = _BOTH_IN_ONE.sub(r"\g<one> and ", _BOTH.sub("", text))
    if NOTE.fullmatch(text):
        text = f"i have {'an' if text[0] in 'aeiAEI' else 'a'} {text[0].lower()}{text[1:]}"
    if not _OPENING.match(text):
        return []
    text = _NOT_OLD.sub("", _ADDED.sub("", text.rstrip(".!… ")))
    if instead := _INSTEAD.fullmatch(text):
        who, verb = instead["who"], "is " if instead["short"] else ""
        return [_clause(f"{who} {instead['old']}"), _clause(f"{who} {verb}{instead['new']}")]
    return [replace(_clause(part), is_elided=is_elided) for part, is_elided in _parts(text)]


def _with_plans(text: str) -> str:
    """ "I have a flight to Rome on Friday" for who is flying there, without how long he stays."""
    for pattern, instead in TRAVELS:
        if found := pattern.match(text):
            return found.expand(instead) + _STAYS.sub("", text[found.end() :])
    return text


def without_leads(text: str) -> str:
    for _ in range(MAX_LEADS):
        lead = _LEADS.match(text)
        if not lead:
            break
        text = text[lead.end() :]
    return text


def _before_the_question(text: str) -> str:
    if beside := _WHO_IS.search(text):
        return f"{beside[1]} {beside[2]}"
    asking = _ASKING.search(text)
    words = text[asking.end() :].rstrip("?").lower().split() if asking else []
    is_tag = words[:1] and words[0] in ("do", "did", "am", "is", "are", "have") and "i" in words[1:3]  # "don't I?"
    return text[: asking.start()] if asking and len(words) >= 3 and not is_tag else ""


def _parts(text: str) -> list[tuple[str, bool]]:
    """The clauses, and whether each has its subject from the one before: "I'm 34 and live in Berlin"."""
    parts: list[tuple[str, bool]] = []
    for part in _JOINT.split(text):
        if (lives := _LIVES_WITH.fullmatch(part)) and (whom := _had(lives["whom"])):
            parts += [(lives["there"], False), *((each, True) for each in whom)]
            continue
        told, *asides = _ASIDE.split(part)
        first, *more = _with_subject(told)
        parts += [(first, False), *((each, _IS_VERB.search(each) is None) for each in more)]
        if asides and (named := _NAMED.fullmatch(told)):
            parts += [(each, True) for each in _with_subject(_of_the_named(named, asides[0]))]
    return parts


def _had(whom: str) -> list[str]:
    """That he has each of them, where a name or a number is said; nothing where more is said than who they are."""
    found = [_WHOM.fullmatch(each) for each in whom.split(" and ")]
    people = [each for each in found if each]
    one = [f"i have a {each['kin']} called {each['name']}" for each in people if each["name"] and not each["count"]]
    many = [f"i have {each['count']} {each['kin']}" for each in people if each["count"] and not each["name"]]
    return one + many if len(people) == len(found) else []


def _with_subject(said: str) -> list[str]:
    first, *more = _ELIDED.split(said)
    subject = _SUBJECT.match(first)
    verbs = ("am " if piece.lower().startswith(_IS_SO) else "" for piece in more)
    shared = [f"{subject.group()} {verb}{piece}" for verb, piece in zip(verbs, more, strict=True)] if subject else []
    return [first, *shared]


def _of_the_named(named: re.Match[str], aside: str) -> str:
    """ "He's 4", after "my dog is called Rex": nobody else can be meant. Of others it is not known who is."""
    kin, other, name = named.groups()
    he = _HE.match(aside)
    said = f"my {kin or other} {name[0].upper()}{name[1:]} {'is ' if he[1] else ''}{aside[he.end() :]}" if he else ""
    return said if _KIN.fullmatch(said) else ""


def _clause(text: str) -> Clause:
    text = text.lower() if text.isupper() and len(text) > 6 else text
    words = _IS.sub(r"\1 is", text.strip(" ,")).split(" ")
    said = " ".join(word for place, word in enumerate(words) if not (0 < place < 7 and word in _ADVERBS))
    who, said = _about(said)
    flags: dict[str, bool] = {}
    for pattern, instead, says in TAKEN:
        if found := pattern.match(said):
            said, flags = found.expand(instead) + said[found.end() :], dict(says)
            break
    shortened = _NO_MORE.sub("", said)
    if shortened != said:
        flags["is_over"] = True
    return Clause(who, shortened, **flags)


def _about(said: str) -> tuple[Who, str]:
    """Somebody close in the third person becomes "I": one table of wordings serves everybody."""
    found = _KIN.fullmatch(said)
    if not found:
        return USER, said
    word, owns, name, also_owns, rest = found.groups()
    relation = SAME_KIN.get(word.lower(), word.lower())
    is_plural = word.lower() in PLURALS and word.lower() not in ("fish", "goldfish")
    is_name = name and name.lower() not in NOT_NAMES and not is_plural  # of "my kids Tom and Anna" it is but the first
    who = Who(relation, name if is_name else "", is_plural)
    if owns or also_owns:
        return who, f"my {rest}"
    no_longer = "no longer " if rest.startswith("no longer ") else ""
    verb, space, more = rest.removeprefix(no_longer).partition(" ")
    first = _FORMS.get(verb) or (verb[:-1] if verb in SINGULAR else verb)
    return who, f"i {no_longer}{first}{space}{more}"
