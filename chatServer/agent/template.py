"""The texts of a script: `{0}` the whole match, `{1}` a group, a few names, `{{` and `}}` for braces themselves."""

import re
from collections.abc import Callable
from typing import Any

NAMES = ("question", "system", "messages", "results")
_MARK = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")


def problem_in(template: str, groups: int) -> str | None:
    """Why a text cannot be filled, or None."""
    for mark in _MARK.finditer(template):
        name = mark[1]
        if name is None:
            if mark[0] in "{}":
                return f"a single {mark[0]} in a text is written {mark[0] * 2}"
        elif name.isdecimal():
            if int(name) > groups:
                return f"{{{name}}}: the pattern has {groups} groups"
        elif name not in NAMES:
            return f"{{{name}}}: there is no such name; they are {{0}}, {{1}}, {{{'}, {'.join(NAMES)}}}"
    return None


def fill(template: str, look_up: Callable[[str], str]) -> str:
    """The text with every mark replaced, once: what is put in is never looked at again."""
    if "{" not in template and "}" not in template:
        return template
    return _MARK.sub(lambda mark: mark[0][0] if mark[1] is None else look_up(mark[1]), template)


def fill_all(value: Any, look_up: Callable[[str], str]) -> Any:
    """The same for every text in a JSON value, keys excepted."""
    if isinstance(value, str):
        return fill(value, look_up)
    if isinstance(value, dict):
        return {key: fill_all(item, look_up) for key, item in value.items()}
    if isinstance(value, list):
        return [fill_all(item, look_up) for item in value]
    return value
