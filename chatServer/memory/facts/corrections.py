""" "Not Berlin, Madrid": what corrects a fact that was told just before."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts import called_off, diets, events, given_up, kin, names, over
from chatServer.memory.facts.clauses import NOT_SO, without_leads
from chatServer.memory.facts.dates import is_when
from chatServer.memory.facts.meanings import MEANINGS, Fact, Meaning, predicate_of, shown_of
from chatServer.memory.facts.objects import Object, thing
from chatServer.memory.facts.sentences import sentences
from chatServer.memory.facts.vocabulary import COLOURS, TOWNS
from chatServer.memory.facts.words import set_apart, spelled_out

MAX_WORDS = 12
MAX_TOLD = 20  # facts, the last ones: of more nobody knows which is meant, and each takes its time
_SORRY = rf"(?:actually|no|nope|sorry|wait|oops|correction|oh|ah|my mistake|my bad|i was wrong|well|{NOT_SO}(?=[,.:!]))"
_NEW = r"(?:more (?:of an?|like) |rather )?(?P<new>[^,]{1,60}?)"
_WE_GO = r"(?:we are|we're|i am|i'm) (?:flying|going|leaving|driving|travell?ing)(?: there)?(?: on)?"
_WORDINGS = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:i meant(?: to say)?|i mean|make that|it should be"
        rf"|that should be) {_NEW}(?:,? not (?P<old>.+))?",
        rf"(?:{_SORRY}[,.:!]? ){{1,3}}(?:it is|that is|it's|that's|{_WE_GO}) {_NEW}(?:,? not (?P<old>.+))?",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:(?:his|her|its|their) name is|(?:he|she|it|that)(?: is|'s)(?: called| named)?)"
        rf" {_NEW},? not (?P<old>.+)",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}(?:it is )?not (?P<old>[^,]{{1,60}}),? (?:but |i meant |it is )?{_NEW}",
        rf"(?:{_SORRY}[,.:!]? ){{0,3}}{_NEW}, not (?P<old>.+)",
    )
)
_BARE = re.compile(
    rf"(?:{_SORRY}[,.:!]? ){{1,3}}(?:in |on )?(?!i )(?P<new>[\w':-]+(?: [\w':-]+){{0,3}}?)"
    r"(?:,? (?:sorry|my bad|my mistake))?",
    re.IGNORECASE,
)
MAX_BARE = 2  # words, but for a day and its hour
_WRONG = re.compile(
    r"\b(?:no|nope|sorry|actually|oops|correction|mistake|my bad|wrong|meant|should be)\b", re.IGNORECASE
)
_MEANS = re.compile(r"i mean (?!it\b)(?!\w+ly\b)[a-z]+", re.IGNORECASE)  # "I mean really" is a remark
_DENIED_FIRST = re.compile(
    r"(?P<about>(?:(?:actually|no|sorry|well),? ){0,2}(?:my|our) [^,;]{1,60}? (?:is|are)) not "
    r"(?P<called>called |named )?(?P<old>[^,;]{1,60}?)(?: any ?more| any longer)?"
    r"(?:[,;] (?:but )?(?:it|that|he|she|they)(?: is|'s| are)| but) (?:called |named )?(?P<new>[^,;]{1,60})",
    re.IGNORECASE,
)
_WHAT = re.compile(r"(?<=\w),? (?:that|when) (?:we|i) (?:go|fly|leave|am|are|have)\b[^,]*$", re.IGNORECASE)  # it is of
_NOT_OLD = re.compile(r"\w, not \w", re.IGNORECASE)
_NAME = re.compile(r"\bname (?:is|are)$", re.IGNORECASE)
_DAYS = ("birthday", "birth year")  # keys of facts
_PLACES = ("home", "origin", "birthplace")
_FAVOURITE = "favourite:"
_NOT_DAYS = frozenset(["now", "may", "march"])  # alone these are more often something else


def speaks_of_old(text: str) -> bool:
    """Whether what the user has told long ago has to be known to understand this."""
    is_denied = _DENIED_FIRST.search(spelled_out(text)) is not None
    is_corrected = names_old(text) and _WRONG.search(text) is not None
    return (
        is_denied
        or is_corrected
        or any(events.puts_off(without_leads(_plain(each))) or given_up.speaks_of_it(each) for each in sentences(text))
        or called_off.speaks_of_it(text)
        or over.speaks_of_it(text)
    )


def names_old(text: str) -> bool:
    """Whether a correction says what is not so."""
    return _NOT_OLD.search(spelled_out(text)) is not None


def turned(sentence: str, told: Sequence[Fact], said_at: datetime) -> str:
    """ "It is not Rex, it is Max" as "it is Max, not Rex", which says what holds first; others as they are. Of names,
    and of what was told: "my favourite food is not healthy but tasty" only remarks on it."""
    match = _DENIED_FIRST.fullmatch(spelled_out(sentence).strip(" .!"))
    if match is None or not (_is_name(match) or _named(told, match["old"], said_at)):
        return sentence
    return f"{match['about']} {match['called'] or ''}{match['new']}, not {match['old']}"


def corrected(
    sentence: str,
    found: Sequence[Fact],
    earlier: Sequence[Fact],
    said_at: datetime,
    *,
    held: Sequence[Fact] = (),
    is_asked: bool = False,
) -> list[Fact]:
    """The fact with its new object, where a sentence says nothing but what that is; and, where it does not replace the
    old one, that this is not so. `held`: what was told at any time, for what is put off is named, and so is what is
    wrong; `is_asked`: "no, Madrid" may be about something else than what was told earlier."""
    text = _plain(sentence)
    found, earlier = found[-MAX_TOLD:], earlier[-MAX_TOLD:]
    told = [*earlier, *found]
    if len(text.split()) > MAX_WORDS:
        return []
    if put_off := events.put_off(without_leads(text), [*held, *told], said_at):
        return [replace(fact, sentence=sentence) for fact in put_off]
    long_ago = held if _WRONG.search(text) else ()  # "it's Ghent, not Antwerp" alone may be about anything
    for match in filter(None, (wording.fullmatch(text) for wording in _WORDINGS)):
        for fact in _meant(told, long_ago, match, said_at):
            if _is_sure(match, text, fact) and (new := _changed(fact, match["new"], sentence, said_at)):
                return new
    bare = _BARE.fullmatch(text)
    word = bare["new"] if bare else ""
    if not word or (len(word.split()) > MAX_BARE and not is_when(word)):
        return []
    before = [] if is_asked or not _WRONG.search(text) else _only(earlier, word)
    changes = (_changed(fact, word, sentence, said_at) for fact in _written(found, word) or before)
    return next(filter(None, changes), [])


def _plain(sentence: str) -> str:
    return _WHAT.sub("", set_apart(spelled_out(sentence)).strip(" .!"))


def _is_name(match: re.Match[str]) -> bool:
    return bool((match["called"] or _NAME.search(match["about"])) and names.sure_name(match["new"]))


def _is_sure(match: re.Match[str], text: str, fact: Fact) -> bool:
    """ "Actually it's Madrid" corrects, "actually it's raining" does not; nor does "oh, it's Monday" an exam's day."""
    if events.is_event(fact) and not match["old"]:
        return _WRONG.search(text) is not None
    is_slip = _MEANS.fullmatch(text) is not None and match["new"][0].isupper() == fact.object[:1].isupper()
    return bool(match["old"] or _is_known(match["new"], fact) or "meant" in text.lower() or is_slip)


def _is_known(new: str, fact: Fact) -> bool:
    """As what it is: by a capital or a number, or as one that everybody knows."""
    return _is_listed(new, fact) or any(each.isupper() or each.isdigit() for each in new)


def _is_listed(new: str, fact: Fact) -> bool:
    """Also in small letters. Which words are no towns nobody can list, so those are that are."""
    about, said = _about(fact), new.lower()
    return (about in _PLACES and said in TOWNS) or (about == f"{_FAVOURITE}colour" and said in COLOURS)


def _about(fact: Fact) -> str:
    return (fact.key or "").partition("|")[2]


def _meant(told: Sequence[Fact], long_ago: Sequence[Fact], match: re.Match[str], said_at: datetime) -> list[Fact]:
    if match["old"] is None:
        return _likely(told, match["new"])
    return (_named(told, match["old"], said_at) or _named(long_ago, match["old"], said_at))[:1]


def _named(told: Sequence[Fact], old: str, said_at: datetime) -> list[Fact]:
    """The facts with the old object, the last one first."""
    wanted = old.strip(" .!").casefold()
    return [each for each in reversed(told) if each.object.casefold() == wanted or events.is_on(each, wanted, said_at)]


def _likely(told: Sequence[Fact], new: str) -> list[Fact]:
    """Where nothing old is named: the last one of the kind. A day corrects what was told of a day, whichever can be on
    it, for a birthday is on no Friday; nothing else does."""
    is_day = is_when(new)
    alike = [each for each in reversed(told) if _tells_when(each) == is_day] or told[::-1]
    return list(alike if is_day else alike[:1])


def _written(found: Sequence[Fact], new: str) -> list[Fact]:
    """What is corrected in the very message that told it; "no, thanks" names no town."""
    is_day = is_when(new)
    return [each for each in _likely(found, new) if is_day or _is_known(new, each)]


def _only(earlier: Sequence[Fact], new: str) -> list[Fact]:
    """The one of another message that can be meant: of several nobody knows which, and "no, Anna" may only speak to
    somebody."""
    is_day = is_when(new) and new.lower() not in _NOT_DAYS
    alike = [each for each in earlier if (_tells_when(each) if is_day else _is_alike(new, each))]
    return alike if len(alike) == 1 else []


def _is_alike(new: str, fact: Fact) -> bool:
    return _is_listed(new, fact) or (new.isdigit() and fact.object.isdigit())


def _tells_when(fact: Fact) -> bool:
    return events.is_event(fact) or _about(fact) in _DAYS


def _changed(fact: Fact, text: str, sentence: str, said_at: datetime) -> list[Fact]:
    """Only facts of which one holds at a time, and names: of several tastes nobody knows which is meant."""
    if events.is_event(fact):
        return events.moved(fact, text, sentence, said_at)
    if fact.is_negation or fact.valid_to:
        return []
    if other := kin.corrected(fact, text, sentence) or diets.corrected(fact, text, sentence):
        return other
    meaning = _meaning(fact)
    read = meaning.read(text) if meaning else []
    if not meaning or len(read) != 1:
        return []
    shown = shown_of(meaning, read[0], said_at)
    return [replace(fact, text=_ending(fact, shown), object=read[0].value, valid_from=None, sentence=sentence)]


def _meaning(fact: Fact) -> Meaning | None:
    """What it says, if a word alone can say it of something else."""
    about = _about(fact)
    if about.startswith(_FAVOURITE):
        return Meaning("", about, _favourite)
    if ":" in about:
        return None
    said = (each for each in MEANINGS.values() if predicate_of(each) == fact.predicate and each.key == about)
    return next(said, None)


def _favourite(text: str) -> list[Object]:
    words = text.split()
    is_name = text == text.lower() or all(not word[0].islower() for word in words)  # "it's Netflix only" is none
    return thing(text) if is_name and len(words) <= MAX_BARE and not is_when(text) else []


def _ending(fact: Fact, shown: str) -> str:
    """What it says, of the new object."""
    said = re.match(rf"(.*) {re.escape(fact.object)}(?!\w)", fact.text)
    return f"{said[1]} {shown}." if said else fact.text
