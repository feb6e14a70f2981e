"""What a text is about, how important that is, and the tags by which it is found: rules in a fixed order."""

import re
from collections import Counter
from dataclasses import dataclass

from chatServer.memory.facts.vocabulary import TECHNOLOGIES
from chatServer.memory.facts.words import FILLERS, NEGATIONS, word_set
from chatServer.memory.rules import importance_of, kind_of
from chatServer.messages import searchable
from chatServer.records import Category, Kind

MAX_READ = 8_000  # characters; what a text is about is said by then
MAX_TECHNOLOGIES = 4
MAX_TELLING = 3
MAX_TAG = 32

# The first category with a word or a phrase in the text is its category.
_WORDS: dict[Category, frozenset[str]] = {
    "error_pattern": word_set(
        "error errors exception exceptions traceback stacktrace bug bugs crash crashes crashed crashing failed"
        " failing fails failure failures broken segfault panic timeout deadlock undefined nullpointerexception"
        " typeerror valueerror keyerror importerror syntaxerror oom regression"
    ),
    "code_context": word_set(
        "code codebase function functions method methods variable variables module modules import imports"
        " refactor compile compiler api endpoint endpoints schema repository repo commit branch merge dockerfile"
        " regex async await sql query backend frontend debugger script library framework algorithm unittest pytest"
    ),
    "solution": word_set("solved solution solutions fixed resolved workaround fix solves fixes resolves remedy"),
    "user_preference": word_set(
        "prefer prefers preferred preference preferences favourite favorite dislike dislikes hate hates"
    ),
}
# fmt: off
_PHRASES: dict[Category, tuple[str, ...]] = {
    "error_pattern": (
        "does not work", "doesn t work", "did not work", "didn t work", "not working", "went wrong",
    ),
    "code_context": (
        "pull request", "stack overflow", "unit test", "unit tests", "source file",
    ),
    "solution": (
        "works now", "it works if", "the trick is", "the way to", "how to", "the answer was", "step 1",
    ),
    "user_preference": (
        "i like", "i love", "i enjoy", "i d rather", "i would rather", "i can t stand", "i don t like",
        "i do not like", "my favourite", "my favorite", "i always", "i never", "call me",
    ),
}
# fmt: on
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_SIGNED = re.compile(r"(?:\bdef |\bclass )\w+\s?[(:]|=>|\w\(\);|[{};]\s*$|</\w+>", re.MULTILINE)
_DULL = FILLERS | NEGATIONS | word_set(
        "i you he she we they my your his her our their me him us them was were will would can could should may"
        " might must what when where which who why how if but because out up down into over only one two all much"
        " many get make like want need know think said say thing things time good when while been had did not don"
        " doesn isn wasn"
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Classified:
    category: Category
    kind: Kind
    importance: float
    tags: tuple[str, ...]


def classify(text: str, *, has_tool_calls: bool = False) -> Classified:
    """The category by the first rule that holds, and what follows from it."""
    read = text[:MAX_READ]
    words = searchable(read).split()
    category = _category(read, words, has_tool_calls)
    return Classified(category, kind_of(category), importance_of(category), _tags(category, words))


def _category(text: str, words: list[str], has_tool_calls: bool) -> Category:
    known, spaced = set(words), f" {' '.join(words)} "
    for category, telling in _WORDS.items():
        if telling & known or any(f" {phrase} " in spaced for phrase in _PHRASES[category]):
            return category
        if category == "code_context" and (_FENCE.search(text) or _SIGNED.search(text)):
            return category
    return "task_history" if has_tool_calls else "knowledge"


def _tags(category: Category, words: list[str]) -> tuple[str, ...]:
    """The category, the technologies that are named, and the words that are said most, longer ones first."""
    technologies = [word for word in dict.fromkeys(words) if word in TECHNOLOGIES][:MAX_TECHNOLOGIES]
    counts = Counter(word for word in words if _tells(word) and word not in technologies)
    telling = sorted(counts, key=lambda word: (-counts[word], -len(word)))[:MAX_TELLING]
    return (category, *technologies, *telling)


def _tells(word: str) -> bool:
    return 3 < len(word) <= MAX_TAG and word.isalpha() and word not in _DULL
