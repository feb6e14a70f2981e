"""What is denied of a part only, or for a reason: "I'm not just allergic to nuts", "I don't play tennis on Sundays",
"I don't live in Rome for the food"."""

import re

from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.words import any_of

_HOW = any_of(
    "just|only|merely|simply|both|always|usually|mostly|mainly|generally|often|regularly|necessarily|exactly|strictly",
    "completely|totally|entirely|fully|absolutely|severely|deathly|highly|terribly|overly|particularly|especially",
    "happily|proudly|officially|technically",
)
# Of the sentence, before its adverbs are taken away; or the next words say that it is more than that.
_NOT = r"(?:\bnot|n'?t|\bnever|\bno longer)"
_NOT_ALL = re.compile(
    rf"{_NOT} {_HOW}\b|{_NOT} [^,;]{{2,40}} (?:often|regularly)\b"
    rf"|{_NOT} (?:like|love) [^,;]+[,;] (?:i|we) (?:love|adore) (?:it|them)\b",
    re.IGNORECASE,
)
# Of what somebody chose a reason is denied, and not that he chose it; "I don't drink because of my pills" says why not.
_NO = r"(?:\bnot|n'?t|\bnever)"
_DWELL = "live|living|work|working|study|studying"
_CHOSE = f"{_DWELL}|learn|learning|play|playing|drive|driving|use|using|take|taking"
# No other clause: of "I don't play tennis but I go to the gym" tennis is denied.
_STOPS = "and|but|or|so|because|as|since|while|though|although|when|if|which|who|any ?(?:more|longer)"
_WHAT = rf"\b(?:(?!\b(?:{_STOPS})\b)[^,;]){{2,60}} "
_NO_REASON = "reasons?|years?|months?|weeks?|moment|being|future|example|instance|matter|info|information"
_FOR = rf"for(?! now| sure| what| good| (?:[\w-]+ ){{0,3}}(?:{_NO_REASON})\b)\b"
_FOR_WHAT = r"because of the (?:food|views?|sea|beach(?:es)?|nightlife|animals)\b"
_WHY = any_of(
    rf"{_NO} (?:{_CHOSE}){_WHAT}{_FOR}",
    rf"{_NO} (?:{_DWELL}|play|playing){_WHAT}to (?:be (?:near|close|with|by)|get|earn|make|save|win|impress|please)\b",
    rf"{_NO} (?:{_DWELL}){_WHAT}{_FOR_WHAT}",
    rf"{_NO} (?:vegan|vegetarian|pescatarian) (?:{_FOR_WHAT}|{_FOR})",
    rf"{_NO} allergic{_WHAT}(?:because of\b|{_FOR})",
    rf"{_NO}{_WHAT}(?:just|only) because\b",
    rf"{_NO}{_WHAT}because (?:i|we) (?:like|love|enjoy|need|want) it(?! \w)",
)
_NOT_WHY = re.compile(rf"{_WHY}(?!.*\bany ?(?:more|longer)\b)", re.IGNORECASE)
_PARTS = any_of(
    "alone|together|itself|by choice|(?:full|part)[- ]time|often|much|fluently|perfectly",
    "(?:(?:so|too|that|very) )?well",
    r"every \w+(?: \w+)?|all (?:day|week|year|the time)(?: round)?|on (?:\w+days|weekends)|at (?:home|school|weekends)",
    r"(?:in the (?:morning|afternoon|evening)s?|at night)|for (?:money|fun|a living|an? (?:day|week|month|while))",
    r"(?:with (?:my|him|her|them)|as (?:an?|the|as|much|well)|to (?:work|school))\b.*",
)
# Of what is over these may say since when.
_TIMES = any_of(
    "today|tonight|this (?:morning|afternoon|evening|week|weekend|month)|at (?:work|noon|lunch|dinner|breakfast)",
    r"in (?:the )?(?:spring|summer|autumn|fall|winter)|on (?:\w+day|holiday|vacation)",
    r"(?:before|after|during|while|when|until|unless|except)\b.*",
)
_PART = re.compile(rf" (?:{_PARTS})\Z", re.IGNORECASE)
_TIME = re.compile(rf" (?:{_PARTS}|{_TIMES})\Z", re.IGNORECASE)
# "I stopped playing tennis because it rained", that day. Who did it because he was tired may have done so for good.
_FOR_THE_MOMENT = re.compile(
    r"\b(?:stopped|quit|gave up|given up) \w+ing\b[^,;]{0,60} (?:because|when|as|since|due to|until)\b"
    r"(?:(?!\b(?:always|often|usually|constantly|every)\b)[^,;]){0,40}\b"
    + any_of(
        r"rain(?:ed|ing)?|snow(?:ed|ing)?|storm(?:ed|s)?|thunder|lightning|hail(?:ed)?|wind|windy|weather|dark|darkness",
        "was full|were full|phone rang|dinner|lunch|bedtime",
    )
    + r"(?=[ .!]*(?:[,;]|$))",
    re.IGNORECASE,
)
_DIET = re.compile(r"\|diet\b")  # who has one on Mondays has none


def without_parts(facts: list[Fact], told: Told) -> list[Fact]:
    """Those that say what is denied whole, or in which the part stands: "does not eat meat on Fridays"."""
    limit = (_PART if told.clause.is_over else _TIME).search(told.clause.said)
    part = limit.group().strip().lower() if limit else ""
    return [
        fact
        for fact in facts
        if not (fact.is_negation and _names(_FOR_THE_MOMENT, fact))
        and (not _may_be_partly(fact, told) or (part in fact.text.lower() and _is_all(fact, told)))
    ]


def _may_be_partly(fact: Fact, told: Told) -> bool:
    return (told.clause.is_negation and fact.is_negation) or _DIET.search(fact.key or "") is not None


def _is_all(fact: Fact, told: Told) -> bool:
    return not (told.clause.is_negation and (_NOT_ALL.search(told.sentence) or _names(_NOT_WHY, fact)))


def _names(limit: re.Pattern[str], fact: Fact) -> bool:
    """Whether it is this that is limited, and nothing else in the sentence."""
    return any(fact.object.lower() in found.group().lower() for found in limit.finditer(fact.sentence))
