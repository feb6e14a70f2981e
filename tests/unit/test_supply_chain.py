"""The checks of `make lint` on what we ship: each turns red when it should."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chatServer.config import ROOT
from tools import licences, npm_licences, scan_secrets
from tools.licences import is_fine, licence_of, problems
from tools.package import Package, row


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_lint_looks_through_all_that_we_ship():
    """Which takes half a minute, and so is not done here, too."""
    _, _, recipes = Path("Makefile").read_text().partition("\nlint:")
    done = recipes.partition("\n\n")[0].splitlines()
    whole = "bandit --quiet --configfile pyproject.toml --recursive chatServer"
    for check in (whole, "python -m tools.scan_secrets", "python -m tools.licences"):
        assert f"\t$(BIN)/{check}" in done
    assert re.search(r"^make .*\blint\b", Path(".ci/run").read_text(), re.MULTILINE)


# In pieces, so that this file does not look like the leak that it plants.
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("settings.py", 'API_KEY = "' + "q8Zr" + "T3vLw9XbY2nKd7Hf" + '"'),
        ("notes.md", "AKIA" + "Z7QX3MWB5TKD2LRE"),
        ("tests/test_x.py", "ghp_" + "a1B2c3D4e5F6" * 3),
        ("key.pem", "-----BEGIN " + "PRIVATE KEY-----"),
        ("compose.yml", "DATABASE_URL: postgresql://chat_app:" + "hunter2hunter2" + "@db/chat"),
    ],
)
def test_a_planted_secret_turns_the_scan_red(tmp_path, monkeypatch, capsys, name, line):
    monkeypatch.setattr(scan_secrets, "BASELINE", ROOT / ".secrets.baseline")
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(f"first line\n{line}\n")
    assert scan_secrets.main([name]) == 1
    said = capsys.readouterr().out
    assert f"{name}:2:" in said
    assert line not in said


def test_an_accepted_example_may_move_but_not_change(tmp_path, monkeypatch):
    monkeypatch.setattr(scan_secrets, "BASELINE", tmp_path / "baseline")
    monkeypatch.setattr(scan_secrets, "tracked_files", lambda: [Path("notes.md")])
    monkeypatch.chdir(tmp_path)
    example = "AKIA" + "Z7QX3MWB5TKD2LRE"
    Path("notes.md").write_text(example)
    assert scan_secrets.main(["--accept"]) == 0
    Path("notes.md").write_text(f"\n\n{example}\n")
    assert scan_secrets.main([]) == 0
    Path("notes.md").write_text(example[:-1] + "F")
    assert scan_secrets.main([]) == 1


def test_lock_files_pin_by_hash_and_name_no_registry():
    for name, package in json.loads(Path("tests/contract/package-lock.json").read_text())["packages"].items():
        assert "resolved" not in package, name
        assert "integrity" in package or not name
    for lock in ("requirements.lock", "requirements-dev.lock", "benchmarks/peers/requirements.lock"):
        assert "://" not in Path(lock).read_text()


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"License-Expression": ["MIT"]}, "MIT"),
        ({"License": ["Apache 2.0"]}, "Apache-2.0"),
        (
            {"License": ["Copyright\n\nall of the text"], "Classifier": ["License :: OSI Approved :: MIT License"]},
            "MIT",
        ),
        ({"License": ["MIT License\n\nCopyright, all of the text"]}, "MIT"),
        ({"License": ["Their Licence\n\nCopyright, all of the text"]}, ""),
        ({"Classifier": ["Programming Language :: Python"]}, ""),
        ({"License": ["UNKNOWN"]}, ""),
        ({"License": ["UNKNOWN"], "Classifier": ["License :: OSI Approved :: ISC License (ISCL)"]}, "ISC"),
        ({}, ""),
    ],
)
def test_a_licence_is_found_however_it_is_written(fields, found):
    assert licence_of(fields) == found


@pytest.mark.parametrize(
    ("name", "licence", "fine"),
    [
        ("a", "MIT", True),
        ("a", "MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("psycopg", "LGPL-3.0-only", True),
        ("a", "LGPL-3.0-only", False),
        ("a", "GPL-3.0-or-later", False),
        ("a", "AGPL-3.0-only", False),
        ("a", "MIT AND AGPL-3.0-only", False),
        ("a", "GNU General Public License v3 (GPLv3)", False),
        ("a", "Some Licence Of Their Own", False),
        ("a", "", False),
    ],
)
def test_copyleft_and_the_unknown_are_refused(name, licence, fine):
    assert is_fine(Package(name, licence)) is fine


def test_a_package_must_be_listed_and_weak_copyleft_named_in_the_notice():
    package = Package("certifi", "MPL-2.0")
    assert list(problems([package], [], listed=row(package), notice="certifi is under the MPL")) == []
    assert "Name it in NOTICE" in next(problems([package], [], listed=row(package), notice="certifi-like"))
    assert "make licences" in next(problems([package], [], listed="", notice="certifi"))
    assert "no longer" in next(problems([], [], listed="| long-gone | MIT |\n", notice=""))
    assert "Replace it" in next(problems([], [Package("tool", "AGPL-3.0-only")], listed="", notice=""))


def test_a_bad_licence_in_the_web_client_turns_the_check_red():
    lock = json.loads(Path("webApp/package-lock.json").read_text())
    lock["packages"] |= {
        "node_modules/react/node_modules/@planted/one": {"license": "GPL-3.0-only"},
        "node_modules/weak": {"license": "MPL-2.0"},
        "node_modules/silent": {},
        "node_modules/a-tool": {"license": "AGPL-3.0-only", "dev": True},
    }
    planted = npm_licences.shipped(lock, [])
    listed = "".join(map(row, planted)) + "| long-gone | MIT |\n"
    said = list(npm_licences.problems(planted, listed))
    assert [line.split()[0] for line in said] == ["@planted/one", "silent", "weak", "long-gone"]
    taken_in = npm_licences.shipped(lock, ["a-tool"])
    assert "a-tool (npm): AGPL" in "".join(npm_licences.problems(taken_in, listed))
    assert "make licences" in next(npm_licences.problems([Package("react", "MIT")], ""))


def test_bandit_reads_our_settings_and_finds_a_planted_fault(tmp_path):
    (tmp_path / "planted.py").write_text("import subprocess\nsubprocess.run('ls ' + input(), shell=True)\n")
    command = [sys.executable, "-m", "bandit", "-q", "-c", "pyproject.toml", "-r", str(tmp_path)]
    planted = subprocess.run(command, capture_output=True, check=False, text=True)
    assert planted.returncode == 1
    assert "B602" in planted.stdout


def test_what_bandit_may_overlook_says_which_test_and_why():
    for path in (ROOT / "chatServer").rglob("*.py"):
        for line in path.read_text().splitlines():
            assert "nosec" not in line or re.search(r"# nosec B\d{3} # \w+", line), (path.name, line)
    assert "skips" not in (ROOT / "pyproject.toml").read_text().partition("[tool.bandit]")[2].partition("\n[")[0]


def test_the_bill_of_materials_names_every_locked_package(tmp_path):
    bill = tmp_path / "sbom.json"
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", "--output-reproducible", "-o", str(bill)]
    subprocess.run([*command, "requirements.lock"], check=True, capture_output=True)
    text = bill.read_text()
    assert '"bomFormat": "CycloneDX"' in text
    for name in licences.locked(ROOT / "requirements.lock"):
        assert f'"pkg:pypi/{name}@' in text


def test_nothing_that_only_tests_need_makes_each_server_slow_to_start():
    """Every server imports jsonschema, which takes in whatever of this kind is installed beside it."""
    imported = "import sys, jsonschema; print(*{name.partition('.')[0] for name in sys.modules})"
    found = subprocess.run([sys.executable, "-c", imported], check=True, capture_output=True, text=True).stdout.split()
    slow = {"rfc3987_syntax", "lark"} & set(found)
    assert "jsonschema" in found
    assert not slow, "installed from an older lock: pip uninstall rfc3987-syntax lark"


def test_what_is_locked_is_installed_as_it_is_and_nothing_is_resolved():
    recipes = (ROOT / "Makefile").read_text() + (ROOT / "Dockerfile").read_text().replace("\\\n", "")
    installs = [line for line in recipes.splitlines() if "pip install" in line and "--require-hashes" in line]
    assert len(installs) == 4
    assert [line for line in installs if "--no-deps" not in line] == []
