"""What is drawn of the house is what stands there: rooms, the files in them, where changes begin, and the errors."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatServer import errors
from chatServer.config import ROOT

HOUSE = ROOT / "chatServer"
MANY = 15  # files: more than these nobody reads through for the one that is wanted
MAP = re.compile(r"^Which file for which question:\n(?P<rows>(?:[- ] .+\n)+)", re.MULTILINE)
NAMED = re.compile(r"(?<![\w/.*-])(?P<path>(?:\w+/)*\w+\.py|(?:\w+/)+\w+\.(?:sql|ts))\b(?:: (?P<name>\w+)`)?")
MADE = ("node_modules", "dist", "__pycache__")  # by tools, like what begins with a dot


def test_every_room_is_on_the_map():
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    map_of_it = (ROOT / "CONTRIBUTING.md").read_text()
    assert [room for room in sorted(rooms) if f"{room}/`" not in map_of_it] == []


def test_every_error_is_in_the_tree():
    source = (HOUSE / "errors.py").read_text()
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    drawn = (errors.__doc__ or "").split()
    assert len(names) > 20
    assert [name for name in names if name not in drawn] == []


def contents(room: Path) -> list[str]:
    files = [path.stem for path in room.glob("*.py") if path.stem != "__init__"]
    return sorted([*files, *(path.parent.name for path in room.glob("*/__init__.py"))])


def drawn_in(room: Path) -> list[str]:
    """The names on the map of a room; none: it has no map."""
    found = MAP.search(ast.get_docstring(ast.parse((room / "__init__.py").read_text())) + "\n")
    rows = re.sub(r"\n  ", " ", found["rows"]).splitlines() if found else []
    return sorted(name for row in rows for name in row.rpartition(": ")[2].split(", "))


LARGE = [path.parent for path in sorted(HOUSE.rglob("*/__init__.py")) if len(contents(path.parent)) > MANY]


@pytest.mark.parametrize("room", LARGE, ids=lambda room: room.name)
def test_a_room_of_many_files_has_a_map_with_each_of_them_once(room):
    assert drawn_in(room) == contents(room)


def test_the_check_of_maps_finds_what_is_missing_and_what_is_gone(tmp_path):
    (tmp_path / "__init__.py").write_text('"""A.\n\nWhich file for which question:\n- b: c, d,\n  gone\n- e: f\n"""\n')
    assert drawn_in(tmp_path) == ["c", "d", "f", "gone"]
    (tmp_path / "c.py").touch()
    assert contents(tmp_path) == ["c"]
    (tmp_path / "__init__.py").write_text('"""A."""\n')
    assert drawn_in(tmp_path) == []


def all_files() -> Iterator[Path]:
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in MADE and not each.startswith(".")]
        yield from (Path(folder, each) for each in files)


FILES = {path.as_posix(): path for path in all_files()}


def lost(text: str) -> list[str]:
    """Files that a text names and that are nowhere, and names that are not in the file before them."""
    found = []
    for each in NAMED.finditer(text):
        there = [path for name, path in FILES.items() if name.endswith(f"/{each['path']}")]
        if not there:
            found.append(each["path"])
        elif each["name"] and not any(each["name"] in re.findall(r"\w+", path.read_text()) for path in there):
            found.append(f"{each['path']}: {each['name']}")
    return found


@pytest.mark.parametrize("document", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda path: path.stem)
def test_documents_name_files_that_are_there(document):
    assert lost(document.read_text()) == []


def test_files_name_files_that_are_there():
    named = {path: lost(path.read_text()) for path in HOUSE.rglob("*.py")}
    assert {path.name: names for path, names in named.items() if names} == {}


def test_the_check_of_names_finds_what_is_gone():
    assert lost("`config.py: Settings`, `turn/limits.py`, agent/gone.py and `errors.py: Gone`") == [
        "agent/gone.py",
        "errors.py: Gone",
    ]
