"""Questions in the words in which facts are kept: who asks for a job is told what somebody works as, and who asks for
his pets of his cat. English only."""

import re

from chatServer.memory.recall.kinds import KINDS

MAX_CHARACTERS = 500  # what is longer asks for more than that
_JOB = re.compile(r"\b(my|our|his|her|their|\w+['’]s) (?:job|profession|occupation)\b(?!['’])", re.IGNORECASE)
_EMPLOYER = re.compile(r"\b(my|our|his|her|their|\w+['’]s) employer\b(?!['’])", re.IGNORECASE)
# Who asks for his way to work does not ask for his work.
_WAY = re.compile(
    r"\b(how (?:do|does|did) [\w' ]{1,30}?) (?:get|go|travel|come) to (?:work|school|uni|university|(?:my|the|his|her)"
    r" (?:job|office|school))\b",
    re.IGNORECASE,
)
# Who asks what he must not eat asks for his allergies and for his diet, whatever else he eats.
_NOT_EATEN = re.compile(
    r"\b(?:what|which)(?: (?:kinds? of )?(?:foods?|things?|dishes))?"
    r"(?: (?:should|must|can|may|do(?:es)?) (?P<not>\w[\w ]{0,30}?) (?:not|never) (?:eat|have)"
    r"| (?:can't|cannot|can not|shouldn't|mustn't|don't|doesn't) (?P<cannot>\w[\w ]{0,30}?) (?:eat|have)"
    r"| (?:should|must|do(?:es)?) (?P<avoids>\w[\w ]{0,30}?) (?:have to )?avoid(?: eating)?"
    r"| (?:am|is|are) (?P<allowed>\w[\w ]{0,30}?) not (?:allowed|supposed) to (?:eat|have))(?=[?.! ]*$)",
    re.IGNORECASE,
)
_LIVING = re.compile(r"\bdo(?:es)? for (?:a living|work)\b", re.IGNORECASE)
_DOES = re.compile(r"\b(what do(?:es)? (?:(?:my|our|his|her) )?[\w'-]+(?: [\w'-]+)?) do(?=[?.! ]*$)", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\b(my|our|his|her|their|\w+['’]s) (?:(?:new|current|home|full|postal|street) ){0,2}address\b", re.IGNORECASE
)
_OWN = re.compile(r"\b(?:i|my|we|our)\b", re.IGNORECASE)
# Without the word itself, which is in the question.
_NAMES = {
    asked: [name for name in kind.common.split() if name != asked]
    for kind in KINDS
    if kind.common
    for asked in kind.asked.split()
}
_KIND = re.compile(rf"\b({'|'.join(_NAMES)})s?\b")  # in small letters
# All of its words are common ones.
_FROM = re.compile(r"\bwhere (?:am i|are we) (?:originally )?from\b", re.IGNORECASE)
_CAME = "come from city country"


def in_one_word(question: str) -> str:
    """The same question without words that lead elsewhere."""
    if len(question) > MAX_CHARACTERS:
        return question
    return _NOT_EATEN.sub(_abstaining, _WAY.sub(r"\1 commute to work", question.replace("’", "'")))


def reworded(question: str) -> str:
    """The same question, as facts would say it."""
    if len(question) > MAX_CHARACTERS:
        return question
    question = _ADDRESS.sub(r"\1 live at", _JOB.sub(r"\1 work as", question))
    question = _DOES.sub(r"\1 work as", question)
    return _LIVING.sub("work as", _EMPLOYER.sub(r"\1 work at", question))


def in_other_words(question: str) -> str:
    """Both, for whoever looks for either; and what somebody who asks of himself may have called it."""
    question = in_one_word(question)
    other = reworded(question)
    is_own = len(question) <= MAX_CHARACTERS and _OWN.search(question)
    kinds = dict.fromkeys(_KIND.findall(question.lower())) if is_own else ()
    names = [name for kind in kinds for name in _NAMES[kind]]
    names += [_CAME] if _FROM.search(question) else []
    return " ".join([question, *([other] if other != question else []), *names])


def in_a_search(words: str) -> str:
    """The same for whoever looks through what is remembered of himself: the pets of a search for "pet" are his own."""
    own = f"my {words.strip()}"
    is_one = len(words.split()) == 1
    return found if is_one and (found := in_other_words(own)) != own else in_other_words(words)


def _abstaining(asked: re.Match[str]) -> str:
    who = next(filter(None, asked.groups()))
    return f"what {'do' if who.lower() in ('i', 'we') else 'does'} {who} abstain from"
