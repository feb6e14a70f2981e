"""What of a message is worth a memory beside the facts in it. Most is not: of 10,134 memories that another product had
made of whole messages, 97.8 % were junk.

Kept is a single sentence, never a message: one that the user asks to be remembered, else a short standing instruction,
else the most important of the user's own statements that report a failure, a solution, a preference, or a fact of his
own code. A question is no statement, nor is a wish, a request, code, a quotation or a paste; and a statement has at
least four words that tell something. What is not kept is still found: recall searches the messages themselves.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chatServer.memory.alike import signature
from chatServer.memory.facts.sentences import statements
from chatServer.memory.remember.classify import Classified, classify
from chatServer.memory.rules import FACT_INCREMENT, MAX_IMPORTANCE, MIN_CHARACTERS, kind_of
from chatServer.records import Category

MAX_CHARACTERS = 300
MAX_INSTRUCTION = 160
MIN_TELLING = 4
_REPORTS: tuple[Category, ...] = ("error_pattern", "solution", "user_preference", "code_context")
_ASKED = re.compile(
    r"(?:please )?(?:remember|keep in mind|don't forget|do not forget|make a note|note)(?: that\b|:)\s*(?P<what>\S.*)",
    re.IGNORECASE,
)
_STANDING = re.compile(r"(?:please )?(?:always|never|from now on)\b[^\n]+", re.IGNORECASE)
_WISH = re.compile(
    r"\b(?:please|help me|can you|could you|would you"
    r"|i (?:want|need|wish|would|will|wonder|hope|plan|have to|must|should)"
    r"|i'd|i'll|i am (?:trying|looking|going|planning|wondering)|i'm (?:trying|looking|going|planning|wondering)"
    r"|let me|let's|tell me|show me|give me)\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:my|our|we)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Worth:
    text: str
    rules: Classified


def worth_keeping(
    text: str,
    told: Collection[str] = (),
    *,
    has_tool_calls: bool = False,
    said: Sequence[str] | None = None,
) -> Worth | None:
    """The sentence to keep, if there is one; `told`: sentences whose facts are kept already. What is said in a turn
    with tools, and is of no other kind, is how a task went. `said`: the text's statements, where they are known."""
    text = text.strip()
    if len(text) < MIN_CHARACTERS:
        return None
    asked = _asked_for(text, told, has_tool_calls) or _standing(text)
    return asked or _reported(statements(text) if said is None else said, told)


def _asked_for(text: str, told: Collection[str], has_tool_calls: bool) -> Worth | None:
    for line in text[:MAX_CHARACTERS].splitlines():
        found = _ASKED.match(line.strip())
        if found and not any(found["what"][:40] in sentence for sentence in told):
            return _worth(found["what"].strip(), None, is_asked=True, has_tool_calls=has_tool_calls)
    return None


def _standing(text: str) -> Worth | None:
    """How the assistant is to behave: the message says nothing else."""
    if len(text) > MAX_INSTRUCTION or not _STANDING.fullmatch(text) or text.endswith("?"):
        return None
    return _worth(text, "user_preference", is_asked=True)


def _reported(said: Sequence[str], told: Collection[str]) -> Worth | None:
    found = [_worth(each) for each in said if each not in told and _is_report(each)]
    worth = [each for each in found if each.rules.category in _REPORTS and _is_about_his_own(each)]
    return max(worth, key=lambda each: each.rules.importance, default=None)


def _is_report(sentence: str) -> bool:
    if sentence.endswith("?") or len(sentence) > MAX_CHARACTERS or _WISH.search(sentence):
        return False
    return len(signature(sentence).words) >= MIN_TELLING


def _is_about_his_own(worth: Worth) -> bool:
    return worth.rules.category != "code_context" or bool(_OURS.search(worth.text))


def _worth(
    text: str, category: Category | None = None, *, is_asked: bool = False, has_tool_calls: bool = False
) -> Worth:
    rules = classify(text, has_tool_calls=has_tool_calls)
    category = category or rules.category
    importance = rules.importance
    if is_asked:
        importance = min(MAX_IMPORTANCE, round(importance + FACT_INCREMENT, 2))
    tags = (category, *(tag for tag in rules.tags if tag != rules.category))
    return Worth(text, Classified(category, kind_of(category), importance, tags))
