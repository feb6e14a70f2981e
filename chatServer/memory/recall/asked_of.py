"""Of whom a question asks, in English: who wants to know where he himself lives is not told where his sister does, and
who asks for his brother is told neither."""

import re
from collections.abc import Collection
from typing import NamedTuple

from chatServer.memory.facts import Fact
from chatServer.memory.facts.clauses import SAME_KIN, SINGULAR
from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.kin import is_relation
from chatServer.memory.facts.vocabulary import CHILDREN, JOBS, KIN, LOOSE_KIN, PARTNERS, PEOPLE, PETS, PLURALS
from chatServer.memory.facts.words import NAME, any_of, folded_words, word_set
from chatServer.memory.forget.whose import facts_told
from chatServer.memory.recall.past import READ_CHARACTERS
from chatServer.messages import searchable

_OF_ONESELF = re.compile(
    r"\b"
    + any_of(
        "(?:do|did) i (?:still |really |currently |use to )?(?:live|work|study|speak|learn|like|love|hate|dislike|enjoy"
        "|prefer|eat|drink|smoke|play|drive|come|do|abstain)",
        "am i|was i born|my (?:own|name|birthday|age|job|profession|occupation|employer|home|hometown|diet)",
    )
    + r"\b",
    re.IGNORECASE,
)
_OF_OTHERS = KIN | word_set(
    "who whom whose anyone anybody someone somebody everyone everybody nobody family relatives people know we our"
    " he him his she her they them their"
)
_NO_ANIMALS = _OF_OTHERS - PETS - {word for word, one in PLURALS.items() if one in PETS} - {"we", "our"}
# Those for whom people have other words, too, may be meant by what is told of another.
_MINE = re.compile(rf"\bmy (?:\w+ )?({'|'.join(sorted(PEOPLE - PARTNERS - {'baby', 'child'}))})s?\b", re.IGNORECASE)
_RELATIVES = "|".join(sorted(PEOPLE | {word for word, one in PLURALS.items() if one in PEOPLE} | {"parents", "kids"}))
_MY_OWN = re.compile(rf"\bmy (?:\w+ )?({_RELATIVES})\b(?!['’])", re.IGNORECASE)
# "Tom's parents", "her mother", and "it's mum", who is nobody else's.
_THEIRS = re.compile(
    rf"(?:\b(?:(?P<whose>[^\W\d_]+)'s|(?P<their>his|her|their|your)) (?:\w+ )?)?\b(?P<kin>{_RELATIVES})\b",
    re.IGNORECASE,
)
_NOBODY = word_set("user it that this there here what who he she let")
_MY_CHILDREN = re.compile(r"\bmy (?:\w+ )?(?:children|kids)\b", re.IGNORECASE)
_CHILDREN = CHILDREN | word_set("twin stepson stepdaughter grandson granddaughter")
# Also as people type it: "does anna live here", "how old is anna", "what is anna's job". "When does school start" asks
# of nobody.
_NAMED = re.compile(
    r"\b(?:does|did|how old (?:is|was)) (?P<who>[^\W\d_]{2,})\b"
    r"(?! (?:start|begin|end|open|close|cost|take|mean|expire|leave|arrive|last)\b)"
    r"|(?:^|\b(?:is|are|was|were|about|what's|when's|where's|who's|how's) )"
    r"(?!(?:what|when|where|who|how)')(?P<whose>[^\W\d_]{2,})'s\b",
    re.IGNORECASE,
)
_NO_NAMES = word_set(
    "does did i we you it the a an this that these those there my our your its what when where how today one some any"
    " every each"
)
_FOR_OWN = re.compile(
    rf"\b(?:do|did) (?:i|we) (?:\w+ )?(?:have|own|keep)\b|\b(?:my|our) (?:{'|'.join(sorted(PETS))}|animal)s?\b"
    r"|\b(?:live|lives|living) with (?:me|us)\b",
    re.IGNORECASE,
)
_SOMEBODY = "|".join(sorted(KIN, key=len, reverse=True))
_NAME_OF_ANOTHER = re.compile(
    rf"\b(?:my|our) (?:\w+ )?(?:{_SOMEBODY})(?:['’]s|s['’]|s)? names?\b"
    rf"|\bnames? of (?:my|our) (?:\w+ )?(?:{_SOMEBODY})\b",
    re.IGNORECASE,
)
_MY_NAME = re.compile(r"\bmy (?:\w+ )?name\b", re.IGNORECASE)
_PERSON = "|".join(sorted(PEOPLE | {"kids"} | {word for word, one in PLURALS.items() if one in PEOPLE}))
# Somebody has it, or does it, who is not the user.
_OF_SOMEBODY = re.compile(
    rf"(?:(?:my|our|the user's|the|some) (?:\w+ ){{0,2}}(?:{_PERSON}|people|folks|guys?|man|woman|lady|family|couple)"
    r"|he|she|they|his|her|their)\b(?!.*\b(?:i|we|me|us)\b)",
    re.IGNORECASE,
)
# Of these one is not another; a friend may be a neighbour, and a partner is called by many words.
_APART = PEOPLE - LOOSE_KIN
_OF_KIN = re.compile(
    r"(?:(?:my|our|the user's|(?:i|we)(?:'ve| have)(?: got)? an?) )?(?:\w+ )?"
    rf"(?:{'|'.join(sorted(_APART | PETS))})(?:s|'s)?\b(?!.*\b(?:my|our)\b)",
    re.IGNORECASE,
)
_OF_USER = re.compile(r"(?:i|im|ive|my)\b", re.IGNORECASE)
_MY = re.compile(r"\bmy ((?:[\w-]+ ?){1,2})", re.IGNORECASE)
_ROLES = KIN | JOBS
# "Ruth's parents live in Whitby"
_OF_WHOSE = re.compile(rf"(?!(?:It|That|This|There|Here|What|Who|He|She|Let|Today|Tomorrow)'s){NAME}'s \w")
# "Tom is allergic to nuts", where nothing says who Tom is: not the user.
_OWN = re.compile(r"\b(?:i|im|ive|me|my)\b", re.IGNORECASE)
_OF_NAMED = re.compile(
    r"(?:^|\b(?:because|since|but|and|so) )"
    r"(?!(?:i|we|you|it|this|that|there|who|what|which|my|our|the|everything|nothing)\b)[^\W\d_]{2,} "
    rf"(?:(?:also|now|really|still|always|never) )?(?:{'|'.join(sorted(SINGULAR))}|(?:is|isn't) (?:not )?"
    r"(?:allergic|vegetarian|vegan|from|born|married|\w+[ -]intolerant)"
    r"|(?:does not|doesn'?t|cannot|can'?t) \w+)\b",
    re.IGNORECASE,
)
_GROWN = {"puppy": "dog", "kitten": "cat", "goldfish": "fish"}
_FAVOURITE = re.compile(r"\bfavou?rite (\w+)", re.IGNORECASE)


class Asked(NamedTuple):
    """What a question asks for, as far as that can be told."""

    words: frozenset[str]
    is_of_oneself: bool
    others: frozenset[str]  # the words for them, and their names
    names: frozenset[str]  # among these
    favourites: frozenset[str]
    is_for_own: bool = False  # for what he has: an animal, a car
    animals: frozenset[str] = frozenset()  # of which kind, where it says so
    mine: frozenset[str] = frozenset()  # who are the user's own
    is_for_a_name: bool = False  # of somebody else


def asked_in(question: str) -> Asked | None:
    """None where it is not known of whom, or what, it asks."""
    read = question[:READ_CHARACTERS]
    words = frozenset(searchable(read).split())
    is_of_oneself = bool(_OF_ONESELF.search(read)) and _OF_OTHERS.isdisjoint(words)
    named = {(found["who"] or found["whose"]).lower() for found in _NAMED.finditer(read.replace("’", "'"))}
    names = frozenset(named - _OF_OTHERS - _NO_NAMES)
    others = names | {_one(word.lower()) for word in _MINE.findall(read)}
    if _MY_CHILDREN.search(read):
        others |= _CHILDREN
    is_for_own = bool(_FOR_OWN.search(read)) and _NO_ANIMALS.isdisjoint(words)
    animals = _animals(words) if is_for_own else frozenset()
    mine = frozenset(_one(word.lower()) for word in _MY_OWN.findall(read))
    is_for_a_name = bool(_NAME_OF_ANOTHER.search(read)) and not _MY_NAME.search(_NAME_OF_ANOTHER.sub("", read))
    asked = Asked(
        words, is_of_oneself, frozenset(others), names, _favourites(read), is_for_own, animals, mine, is_for_a_name
    )
    is_known = is_of_oneself or others or asked.favourites or is_for_own or mine or is_for_a_name
    return asked if is_known else None


def is_beside(text: str, asked: Asked) -> bool:
    """Whether a sentence tells something, and only of others than those who are asked for."""
    favourites = _favourites(text)
    if asked.favourites and favourites and favourites.isdisjoint(asked.favourites):
        return True
    words = set(searchable(text).split())
    is_of_other_animals = asked.animals and (animals := _animals(words)) and animals.isdisjoint(asked.animals)
    told = facts_told(text)
    is_own_name = asked.is_for_a_name and bool(told) and all(map(_is_own_name, told))
    if is_of_other_animals or is_own_name or (asked.mine and _is_of_theirs(text, asked)):
        return True
    if asked.is_for_own:
        return all(_is_of_person(fact) for fact in told) if told else bool(_OF_SOMEBODY.match(text))
    if asked.is_of_oneself:
        return all(_is_of_another(fact, asked.words) for fact in told) if told else _is_of_named(text)
    if not asked.others or not asked.others.isdisjoint(map(_one, words)):
        return False
    is_known = bool(told) and all(map(_is_of_known, told))
    return is_known or _begins_with_another(text, asked)


def _is_of_theirs(text: str, asked: Asked) -> bool:
    """Whether the only parents, or whoever is asked for, that it names are somebody else's."""
    named = [each for each in _THEIRS.finditer(text.replace("’", "'")) if _one(each["kin"].lower()) in asked.mine]
    return bool(named) and all(each["their"] or _is_owner(each["whose"], asked) for each in named)


def _is_owner(whose: str | None, asked: Asked) -> bool:
    return whose is not None and whose.lower() not in _NOBODY | asked.words


def _is_of_named(text: str) -> bool:
    """Whether it tells of somebody by his name, and of the user nothing."""
    return bool(_OF_WHOSE.match(text) or (_OF_NAMED.search(text) and not _OWN.search(text)))


def _begins_with_another(text: str, asked: Asked) -> bool:
    """Whether it speaks first of somebody who cannot be meant."""
    if not asked.names:
        return bool(_OF_KIN.match(text))
    return bool(_OF_NAMED.match(text) or (_OF_USER.match(text) and not _names_a_role(text)))


def _names_a_role(text: str) -> bool:
    """ "My dentist" may be whom a name is of; "my shoe size" is the user's own, and that he works as a dentist, too."""
    return any(not _ROLES.isdisjoint(found.lower().split()) for found in _MY.findall(text))


def _is_of_another(fact: Fact, asked: frozenset[str]) -> bool:
    """That the user has a sister Anna is of her."""
    name = fact.object if is_relation(fact) else fact.subject.partition(":")[2]
    is_other = is_relation(fact) or not is_the_user(fact.subject)
    return is_other and asked.isdisjoint(name.lower().split())


def _is_own_name(fact: Fact) -> bool:
    return is_the_user(fact.subject) and fact.predicate == "name"


def _is_of_person(fact: Fact) -> bool:
    """That the user has a friend Lars is of him."""
    kin = fact.predicate.rpartition(" ")[2] if is_relation(fact) else fact.subject.partition(":")[0]
    return kin in PEOPLE


def _is_of_known(fact: Fact) -> bool:
    """Of the user, or of somebody of whom it is said who he is; Peter may be the boss of whom no name is known."""
    kin, _, name = fact.subject.partition(":")
    return is_the_user(fact.subject) or (kin in KIN and bool(name))


def _animals(words: Collection[str]) -> frozenset[str]:
    """A puppy is a dog, and a dog no cat."""
    return frozenset(_GROWN.get(one, one) for word in words if (one := PLURALS.get(word, word)) in PETS - {"pet"})


def _favourites(text: str) -> frozenset[str]:
    return frozenset(_one(word) for found in _FAVOURITE.findall(text) for word in folded_words(found))


def _one(word: str) -> str:
    word = PLURALS.get(word, word)
    return SAME_KIN.get(word, word)
