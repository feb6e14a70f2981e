"""The licences of the locked packages: lists them in docs/licences.md, and refuses what we may not ship.

`python -m tools.licences` checks, `python -m tools.licences --write` writes the list anew.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import npm_licences
from tools.package import PERMISSIVE, Package, parts, row

LIST = Path("docs/licences.md")
NOTICE = Path("NOTICE")
SERVER_LOCK = Path("requirements.lock")
DEVELOPMENT_LOCK = Path("requirements-dev.lock")

# Weak copyleft: fine when used unmodified, and named in NOTICE.
NAMED_IN_NOTICE = {"LGPL-3.0-only", "MPL-2.0"}
LGPL_ALLOWED = {"psycopg", "psycopg-binary", "psycopg-pool"}

# How packages from before licence expressions spell them.
SPELLINGS = {
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd license": "BSD",
    "modified bsd license": "BSD-3-Clause",
    "mit license": "MIT",
    "mit, bsd": "MIT AND BSD",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "isc license (iscl)": "ISC",
    "the unlicense (unlicense)": "Unlicense",
    "unknown": "",
}

HEADER = """# Licences of the packages in `requirements.lock`

Written by `make licences` from what the installed packages say about themselves; `make lint` checks it.
Packages for other platforms than the one it was written on are missing.

| package | licence |
|---|---|
"""


def locked(lock: Path) -> Iterator[str]:
    """The packages of a lock that this platform installs."""
    for line in lock.read_text().splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.rstrip("\\ "))
            if requirement.marker is None or requirement.marker.evaluate():
                yield canonicalize_name(requirement.name)


def installed(names: Iterator[str]) -> Iterator[Package]:
    """Each with its licence; one that is not installed is an error: `make` installs the locks."""
    for name in names:
        found = metadata.metadata(name)
        fields = {key: found.get_all(key, []) for key in ("License-Expression", "License", "Classifier")}
        yield Package(name, licence_of(fields))


def licence_of(fields: Mapping[str, list[str]]) -> str:
    """The expression, else the short text, else the classifiers."""
    for text in [*fields.get("License-Expression", []), *fields.get("License", [])]:
        if known := _normal(text):
            return known
    prefix = "License :: OSI Approved :: "
    classifiers = [each for each in fields.get("Classifier", []) if each.startswith("License :: ")]
    spelled = [_normal(each.removeprefix(prefix)) for each in classifiers if each.startswith(prefix)]
    return " AND ".join(sorted(spelled)) if spelled and all(spelled) else ""


def _normal(text: str) -> str:
    """What was written, in the words of SPDX where we know them; of a whole licence text, its title if we know that."""
    title, _, rest = text.strip().partition("\n")
    if rest and title.lower() in SPELLINGS:
        return SPELLINGS[title.lower()]
    text = SPELLINGS.get(text.strip().lower(), text.strip())
    return text if len(text) < 100 and "\n" not in text else ""


def is_fine(package: Package) -> bool:
    """Whether we may ship it. Every part must be known: who offers GPL or MIT is decided by hand."""
    allowed = PERMISSIVE | {"MPL-2.0"} | ({"LGPL-3.0-only"} if package.name in LGPL_ALLOWED else set())
    return bool(package.licence) and parts(package.licence) <= allowed


def problems(server: list[Package], development: list[Package], *, listed: str, notice: str) -> Iterator[str]:
    """Everything that is wrong, each as a sentence."""
    for package in {*server, *development}:
        if not is_fine(package):
            yield f"{package.name}: {package.licence or 'no licence'}. Replace it, or decide in tools/licences.py."
    for package in server:
        if NAMED_IN_NOTICE & parts(package.licence) and package.name not in re.findall(r"[\w-]+", notice):
            yield f"{package.name}: {package.licence}. Name it in {NOTICE}."
        if row(package) not in listed:
            yield f"{package.name} is not in {LIST}, or differently: make licences"
    for name in re.findall(r"^\| ([a-z0-9-]+) \| ", listed, re.MULTILINE):
        if name != "package" and name not in _every_name(SERVER_LOCK):
            yield f"{name} is in {LIST} and no longer in {SERVER_LOCK}: make licences"


def _every_name(lock: Path) -> set[str]:
    lines = [line for line in lock.read_text().splitlines() if line[:1].isalnum()]
    return {canonicalize_name(Requirement(line.rstrip("\\ ")).name) for line in lines}


def main(arguments: list[str]) -> int:
    server = sorted(installed(locked(SERVER_LOCK)), key=lambda each: each.name)
    development, web = list(installed(locked(DEVELOPMENT_LOCK))), npm_licences.read()
    if arguments == ["--write"]:
        LIST.write_text(HEADER + "".join(map(row, server)) + npm_licences.HEADER + "".join(map(row, web)))
    ours, _, theirs = LIST.read_text().partition(npm_licences.TITLE)
    found = sorted(problems(server, development, listed=ours, notice=NOTICE.read_text()))
    found += npm_licences.problems(web, theirs)
    print("\n".join([*found, f"{len({*server, *development, *web})} licences looked at, {len(found)} problems."]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
