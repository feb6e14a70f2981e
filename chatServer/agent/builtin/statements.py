"""Whether a message tells something of its writer and asks for nothing, in five languages."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from chatServer.memory.facts import Fact, facts_in, first_person, only_tells
from chatServer.memory.facts.words import word_set
from chatServer.memory.remember.worth import worth_keeping
from chatServer.memory.rules import MIN_FACT_CHARACTERS
from chatServer.messages import searchable
from chatServer.messages.asking import asks

MAX_CHARACTERS = 4_000  # what is longer is a paste
MIN_WORDS = 3
_I_AM = word_set("soy estoy tengo")  # where "I" is in the verb, two words tell something

_OF_ONESELF = word_set(
    "i my me mine we our us ich mein meine meinen meinem meiner mir mich wir unser unsere я мой моя моё мои мне меня"
    " мы наш наша наши yo mi mis nosotros nuestro nuestra soy estoy tengo vivo trabajo prefiero je j mon ma mes moi"
    " nous notre nos"
)
# A message that begins so asks, or wants something done.
_ASKS = word_set(
    "what where when who whom whose which why how do does did is are was were am can could will would should shall may"
    " tell show give list explain describe help find search write make let please translate summarize summarise"
    " calculate check compare compute convert count create define draft draw fix generate look name open read recommend"
    " rewrite say suggest"
    " was wo wann wer wen wem wessen welche welcher welches warum wie ist sind kann kannst könntest sag zeig gib hilf"
    " что где когда кто кого чей какой какая какие почему как сколько расскажи скажи покажи дай помоги объясни"
    " qué dónde cuándo quién cuál por cómo cuánto dime muestra explica ayuda escribe"
    " que qui où quand quel quelle pourquoi comment combien dis montre explique aide écris est"
)
_VERBS = word_set(
    "is are was were has have had will isn aren wasn weren won ist sind war waren hat haben hatte wird werden это был"
    " была было были будет es está están son fue era tiene est sont était ont sera"
)
# As people type it. The German "im" comes within a sentence, or before a word that is written large.
_IM = re.compile(
    r"(?P<before>^|[,.;!] ?|(?i:\b(?:so|and|but|because|cause|hi|hey|hello|ok|okay|now|well|btw|lol|yes|yeah|no|oh) ))"
    r"[Ii](?P<verb>m|ve) (?![A-ZÄÖÜ])"
)
_I_LEFT_OUT = re.compile(
    r"^(?=(?:just )?(?:(?:can'?t|cannot) (?:stand|wait)\b|moved to "
    r"|moving to [^\n]{1,60}?(?:!| (?:in|on|next|soon)\b)))",  # "moving to the cloud" may be looked for
    re.IGNORECASE,
)
# That something is so by now, or was said wrongly.
_ANEW = re.compile(
    r"^(?:no|nope|actually|nein|nee|doch|eigentlich|non|en fait|en realidad|нет)\b,? \w"
    r"|\b(?:now|changed my mind|no longer|any ?more|jetzt|inzwischen|neuerdings|maintenant|désormais|ahora|теперь)\b",
    re.IGNORECASE,
)
# "Tom broke his leg.", and what would be: a whole sentence, with its stop.
_HAPPENED = re.compile(
    r"(?:[^\W\d_][\w'-]+ (?:\w{2,10}ed|broke|went|got|came|made|took|left|lost|won|met|bought|sold|fell|found|gave)"
    r"|[Ii]f i\b[^?]{3,80}\bi(?:'d| would)) [^?]{2,200}[.!]",
    re.IGNORECASE,
)
# "Sorry, it's Ghent", whatever "it" is.
_IS_SO = re.compile(
    r"(?:(?:no|nope|sorry|actually|oops|wait|well|and|but|yes|yeah|oh|haha|lol),? ){0,3}"
    r"(?:(?:it|he|she|that)['’]s|they['’]re) \w",
    re.IGNORECASE,
)
# "No, she is allergic to peanuts, not penicillin", whoever she is.
_DENIES = re.compile(
    r"(?:no|nope|wrong|sorry|actually|that['’]s (?:wrong|not (?:right|true))),? "
    r"(?:it|he|she|that|they)(?:['’](?:s|re)| is| are| was| were) [^?]{2,80},? not [^?]{2,80}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_OWN = word_set("i my mine we our")  # "write me a poem" is not about oneself
# What nobody has told of himself can answer: what he should do, and how it is done.
_ADVICE = re.compile(
    r"\b(?:should|shall|best way|how (?:do|can|could|would) (?:i|we)|can you|could you|help)\b",
    re.IGNORECASE,
)
_WISH = re.compile(r"\bi(?:'d| would| want| need| wonder| wish)\b", re.IGNORECASE)


def is_statement(text: str) -> bool:
    """By its words and signs; where none of them tells, it is not called one."""
    return not _OF_ONESELF.isdisjoint(_told(text))


def denies(text: str) -> bool:
    """Whether it says, in English, what is so instead of what was answered: to quote that again would be deaf."""
    return bool(_told(text)) and _DENIES.fullmatch(text.strip()) is not None


def asks_of_oneself(text: str) -> bool:
    """Whether it asks, in English, for something that its writer may have told of himself; not for advice, or work."""
    words = set(searchable(text[:MAX_CHARACTERS]).split())
    is_asked = text.rstrip().endswith(("?", "？")) or asks(text)
    return is_asked and not words.isdisjoint(_OWN) and not _ADVICE.search(text)


def is_remark(text: str) -> bool:
    """Whether it tells something of anything: "opening hours" asks, "the weather is nice" does not."""
    told = _told(text)
    is_so = bool(told) and _IS_SO.match(text.strip()) is not None
    return is_so or not _VERBS.isdisjoint(told[1:]) or bool(_HAPPENED.fullmatch(text.strip()))


def _told(text: str) -> list[str]:
    """The words of a message that asks for nothing; none where it does."""
    if len(text) > MAX_CHARACTERS or "?" in text or "？" in text or asks(text):
        return []
    typed = text.strip().replace("’", "'")
    typed = first_person.filled_in(_IM.sub(r"\g<before>I \g<verb> ", typed))
    words = searchable(_I_LEFT_OUT.sub("I ", typed)).split()
    is_short = len(words) < (MIN_WORDS - 1 if words and words[0] in _I_AM else MIN_WORDS)
    if is_short:
        return []
    asks_so = words[0] in _ASKS and not (words[0] == "am" and words[1] not in ("i", "we"))  # "am 12. Mai"
    return [] if asks_so or _WISH.search(typed) else words


def tells_anew(text: str, known: Iterable[str]) -> bool:
    """Whether it says how something is by now, or a number that nothing known says: "my number is now 12" asks for no
    number."""
    return bool(_ANEW.search(text)) or not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(" ".join(known)))


def tells_a_fact(text: str, before: str = "", held: Sequence[str] = ()) -> bool:
    """Whether the rules of memory learn a fact from it, which is surer; English only. `before` and `held` as for
    `is_learned`: "it's Tuesday, not Monday" tells something only after it, and "Lena is a nurse" of a wife."""
    now = datetime.now(UTC)
    if facts_in(text, said_at=now):
        return is_statement(text)
    return "?" not in text and bool(_with(text, before, held, now))


def is_learned(text: str, before: str = "", held: Sequence[str] = ()) -> bool:
    """Whether the rules of memory make anything of it: what is said of that is to come true. `before`: what the user
    said last, which it may correct; `held`: what he said before that."""
    if len(text) < MIN_FACT_CHARACTERS:
        return False
    return bool(_with(text, before, held, datetime.now(UTC)) or worth_keeping(text))


def _with(text: str, before: str, held: Sequence[str], now: datetime) -> list[Fact]:
    earlier = facts_in(before, said_at=now) if before else []
    told = [fact for each in held for fact in facts_in(each, said_at=now)]
    return facts_in(text, said_at=now, earlier=earlier, held=told, is_asked=not only_tells(before, now))
