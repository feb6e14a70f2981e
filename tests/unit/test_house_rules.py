"""Files and functions stay small enough to be read at once, and a name in a room says one thing."""

import ast
from collections import Counter
from pathlib import Path

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


def doubled_names(room: Path) -> list[str]:
    """The classes of a room that share their name with another one there."""
    trees = [ast.parse(path.read_text()) for path in sorted(room.glob("*.py"))]
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    return [name for name, count in names.items() if count > 1]


def test_one_name_is_one_thing_in_the_agents_room(tmp_path):
    assert doubled_names(ROOT / "chatServer" / "agent") == []
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(f"class Given:\n    pass\n\n\nclass {name.upper()}:\n    pass\n")
    assert doubled_names(tmp_path) == ["Given"]
