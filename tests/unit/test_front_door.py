"""What `chatserver` does before it knows its command."""

import json
import subprocess
import sys

from chatServer.config import ROOT

LOOK = "import gc, json, chatServer.__main__; print(json.dumps([gc.isenabled(), gc.get_stats()]))"
A_FEW = 100  # Python's own start takes some; importing everything took 567


def test_garbage_is_looked_for_after_the_imports_and_not_amid_them():
    said = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    is_enabled, generations = json.loads(said)
    assert is_enabled
    assert sum(each["collections"] for each in generations) < A_FEW
