"""Node, with the packages of tests/contract beside it: the official clients of what we speak."""

import os
import shutil
import subprocess

import pytest

from chatServer.config import ROOT

CONTRACT = ROOT / "tests" / "contract"


def node_with(package: str) -> str:
    """Node, if this package is installed: `make test` does that where there is Node."""
    found = shutil.which("node")
    if found is None or not (CONTRACT / "node_modules" / package).is_dir():
        if os.environ.get("CI"):
            pytest.fail("Node or tests/contract/node_modules is missing: make contract")
        pytest.skip(f"Node 20 with {package} is not installed: it cannot be asked")
    return found


def told_by(node: str, *arguments: str, given: str) -> str:
    """What a program beside those packages writes."""
    done = subprocess.run(
        [node, *arguments], cwd=CONTRACT, input=given, capture_output=True, text=True, timeout=240, check=False
    )
    if done.returncode:
        pytest.fail(f"{arguments[-1]} ended with {done.returncode}:\n{last_lines(done.stdout + done.stderr)}")
    return done.stdout


def last_lines(text: str, most: int = 60) -> str:
    """Node says at the end what went wrong, TypeScript all along."""
    return "\n".join(text.splitlines()[-most:])
