"""Definitions of links at the start of a paragraph, `[label]: address "title"`: they are no text of it."""

import re

# Possessive, so that an unclosed title is tried once.
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_END = r"[ \t]*+(?:\r\n|\r|\n|\Z)"
_DEFINITION = re.compile(
    r"[ \t]*+\[(?=[^\]]*[^\s\]])(?:[^\[\]\\]|\\.){1,999}+\]:\s*+(?:<(?:[^<>\\\r\n]|\\.)*+>|[^\s<]\S*+)"
    rf"(?:\s++{_TITLE}{_END}|{_END})",
    re.S,
)


def count_lines(paragraph: str) -> int:
    """How many of the first lines of a paragraph are definitions."""
    end = 0
    while end < len(paragraph) and (found := _DEFINITION.match(paragraph, end)):
        end = found.end()
    return len(re.findall(r"\r\n|\r|\n", paragraph[:end]))
