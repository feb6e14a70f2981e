"""What is drawn of the house is what stands there: the rooms in CONTRIBUTING.md, and the errors in errors.py."""

import ast

from chatServer import errors
from chatServer.config import ROOT


def test_every_room_is_on_the_map():
    rooms = {path.parent.name for path in (ROOT / "chatServer").glob("*/__init__.py")}
    map_of_it = (ROOT / "CONTRIBUTING.md").read_text()
    assert [room for room in sorted(rooms) if f"{room}/`" not in map_of_it] == []


def test_every_error_is_in_the_tree():
    source = (ROOT / "chatServer" / "errors.py").read_text()
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    drawn = (errors.__doc__ or "").split()
    assert len(names) > 20
    assert [name for name in names if name not in drawn] == []
