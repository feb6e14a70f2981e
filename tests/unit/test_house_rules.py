"""Files and functions stay small enough to be read at once."""

import ast

import pytest

from chatServer.config import ROOT

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60


def too_long(source: str) -> list[str]:
    found = ["the file"] if len(source.splitlines()) > MAX_FILE_LINES else []
    for node in ast.walk(ast.parse(source)):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES:
            found.append(node.name)
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "chatServer").rglob("*.py")), ids=lambda path: path.stem)
def test_nothing_is_too_long(path):
    assert too_long(path.read_text()) == []


def test_the_check_finds_what_is_too_long():
    assert too_long("x = 1\n" * 301) == ["the file"]
    assert too_long("def f():\n" + "    x = 1\n" * 60) == ["f"]
