"""Words as memories compare them: folded, with contractions spelled out, and stems that keep a word's tense."""

import re

from chatServer.messages import searchable


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def any_of(*lines: str) -> str:
    """A pattern for any of the phrases, which stand in lines by what they have in common, "|" between them."""
    return f"(?:{'|'.join(lines)})"


def phrases(*lines: str) -> frozenset[str]:
    """Words and several words together, "|" between them."""
    return frozenset("|".join(lines).split("|"))


# The capitals of Latin, Greek and Cyrillic letters: Zoë, Łucja and Øyvind are names, too.
CAPITAL = f"[{''.join(chr(code) for code in range(0x41, 0x530) if chr(code).isupper())}]"
# A name as it is written after who somebody is: Anne-Marie, O'Brien, Mrs N'Diaye; the "'s" behind it is none of it.
_TITLE = "(?:Mrs?|Ms|Miss|Dr|Prof|Professor)"
NAME = rf"(?:{_TITLE} (?={CAPITAL}))?(?!{_TITLE}\b){CAPITAL}(?:[\w-]|'(?!s\b)(?=\w))+"
NEGATIONS = word_set("not no never without cannot nor neither none nobody nothing hardly")
# Words that carry nothing of what a sentence says. Pronouns, tenses and negations are not among them.
FILLERS = word_set(
    "a an the this that these those is am are be been being it its of to in on at for and or as with by from"
    " so very really quite just also too please well oh hey hi hello ok okay yes yeah actually basically"
    " honestly personally now currently btw by way fyi s d ll ve re m there here then than some any more do"
    " does have has got about lot much lol haha tbh"
)
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())}
_CONTRACTIONS = {
    "can't": "can not",
    "won't": "will not",
    "cannot": "can not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "cant": "can not",
    "im": "i am",
    "ive": "i have",
    "w/": "with",
    "tmrw": "tomorrow",
}
_ENDINGS = {"n't": " not", "'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}
_SPELLINGS = {"favorite": "favourite", "color": "colour", "my": "i", "me": "i", "mine": "i", "his": "he", "her": "she"}
_TOKEN = re.compile(r"\S+")
_AGE = re.compile(r"\b(was|were) (\d+ years old) on \d{4}-\d\d-\d\d")
# What is not so, at the end: beside something that is written alike, or that somebody is called.
_NOT_LAST = re.compile(r"\b(?:(?:[A-Z][\w'-]+|\d+)(?= not [A-Z\d])|(?i:called|named) [\w'-]+) not (?=[\w'-]+[.!\s]*\Z)")
MIN_STEM = 3


def counted(text: str, otherwise: int = 0) -> int:
    """What "three" counts, or "3". Python takes more for digits than it reads, "²" for one: that is no number."""
    digits = NUMBERS.get(text.lower(), text)
    return int(digits) if digits.isdecimal() else otherwise


def straight(text: str) -> str:
    """Typographic apostrophes as typed ones."""
    return text.replace("’", "'").replace("‘", "'").replace("ʼ", "'")


def undated(text: str) -> str:
    """An age as somebody says it himself: without the day with which a memory tells it."""
    if " years old on " not in text:
        return text
    return _AGE.sub(lambda age: f"{'is' if age[1] == 'was' else 'are'} {age[2]}", text)


def spelled_out(text: str) -> str:
    """Contractions as the words that they stand for; what is no contraction stays as it is written."""
    text = straight(text)
    if "'" not in text and _CONTRACTIONS.keys().isdisjoint(text.lower().split()):
        return text  # as most are: a twentieth of what the rest takes (2026-11-18)
    return _TOKEN.sub(lambda token: _spelled_out(token.group()), text)


def set_apart(text: str) -> str:
    """ "Max not Rex" with its comma, as most write it: what is not so is no part of what is."""
    return _NOT_LAST.sub(lambda found: f"{found.group().removesuffix(' not ')}, not ", text)


def _spelled_out(token: str) -> str:
    lower = token.lower()
    if lower in _CONTRACTIONS:
        return _like(token, _CONTRACTIONS[lower])
    for ending, words in _ENDINGS.items():
        if lower.endswith(ending) and len(lower) > len(ending):
            return token[: -len(ending)] + words
    return token


def _like(written: str, words: str) -> str:
    return words[0].upper() + words[1:] if written[0].isupper() else words


def folded_words(text: str) -> list[str]:
    """The words as search cuts them, one spelling for each."""
    return [_SPELLINGS.get(word, word) for word in searchable(spelled_out(text)).split()]


def stem(word: str) -> str:
    """Without plural and -ing: "likes", "like" and "liking" are one, "liked" is another."""
    if word.endswith("ing") and _is_stem(word[:-3]):
        word = word[:-3]
        return word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word  # swimming, falling
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > MIN_STEM:
        word = word[:-1]
    if len(word) <= MIN_STEM or word.endswith("ee"):
        return word
    return word[:-1] if word.endswith("e") else word[:-1] + "i" if word.endswith("y") else word  # movie, city


def spellings(stemmed: str) -> list[str]:
    """The stem of a folded word, and those of the words that are folded to it."""
    return [stemmed, *_FOLDED.get(stemmed, ())]


def _is_stem(word: str) -> bool:
    return len(word) >= MIN_STEM and any(letter in "aeiouy" for letter in word)


_FOLDED: dict[str, list[str]] = {}
for _written, _word in (*_SPELLINGS.items(), *NUMBERS.items()):
    _FOLDED.setdefault(stem(_word), []).append(stem(_written))
