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


def types_in(source: str) -> list[str]:
    """Its classes, and other types that it gives a name, as in `Rows = Sequence[str]`."""
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            found += [each.id for each in node.targets if isinstance(each, ast.Name) and not each.id.isupper()]
    return found


def doubled_names(room: Path) -> list[str]:
    """The types of a room that share their name with another one there."""
    names = Counter(name for path in sorted(room.glob("*.py")) for name in types_in(path.read_text()))
    return [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize(
    "room", sorted({path.parent for path in (ROOT / "chatServer").rglob("*.py")}), ids=lambda room: room.name
)
def test_one_name_is_one_thing_in_a_room(room):
    assert doubled_names(room) == []


def test_the_check_finds_a_name_for_two_things(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(f"class Given:\n    pass\n\n\nclass {name.upper()}:\n    pass\n")
    (tmp_path / "c.py").write_text('Kind = Literal["x"]\nVALUE = VALUES[0]\n')
    (tmp_path / "d.py").write_text("class Kind:\n    pass\n\n\nVALUE = VALUES[1]\n")
    assert doubled_names(tmp_path) == ["Given", "Kind"]


SAID_ONCE = ("SEAM_TOKENS", "MAX_TOKENS_A_CHARACTER", "LONG_CHARS", "one_line")


def meant_twice(source: str) -> list[str]:
    """Numbers about tokens, and how a text becomes one line, that this says anew: others would go on with theirs."""
    tree = ast.parse(source)
    names = [
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    ]
    names += [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in SAID_ONCE if {name, f"_{name}", name.removesuffix("_TOKENS")} & set(names)]


def test_what_is_known_of_tokens_is_said_in_one_place():
    found = Counter(name for path in (ROOT / "chatServer").rglob("*.py") for name in meant_twice(path.read_text()))
    assert found == dict.fromkeys(SAID_ONCE, 1)
    assert meant_twice("SEAM = 4\n\n\ndef _one_line(text):\n    pass\n") == ["SEAM_TOKENS", "one_line"]


def threaded(source: str) -> list[str]:
    """Routes and dependencies that FastAPI would run in a thread: 0.3 ms for each, and another user's in between."""
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    wanted = [
        argument.id
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("Depends", "Security")
        for argument in call.args
        if isinstance(argument, ast.Name)
    ]
    routes = [name for name, node in functions.items() if any("router." in ast.unparse(d) for d in node.decorator_list)]
    return [name for name in functions if name in [*wanted, *routes]]


@pytest.mark.parametrize("path", sorted((ROOT / "chatServer" / "api").glob("*.py")), ids=lambda path: path.stem)
def test_no_request_needs_a_thread(path):
    assert threaded(path.read_text()) == []


def test_the_check_finds_what_needs_a_thread():
    assert threaded("def a(): ...\nasync def b(): ...\nA = Annotated[int, Depends(a)]\nB = Depends(b)") == ["a"]
    assert threaded('@router.get("/x")\ndef x(): ...\n@router.get("/y")\nasync def y(): ...') == ["x"]


def taken_from_tests(source: str) -> list[str]:
    """The files of tests that another one takes something from: what several use is a tool, or a fixture."""
    found = [node.module or "" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return [name for name in found if name.rpartition(".")[2].startswith("test_")]


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_no_test_takes_anything_from_another(path):
    assert taken_from_tests(path.read_text()) == []


def test_the_check_finds_what_is_taken_from_a_test():
    assert taken_from_tests("from tests.unit.test_a import b\nfrom tests.tools.a import c") == ["tests.unit.test_a"]
