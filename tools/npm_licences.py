"""The licences of the npm packages in the built web client: permissive ones only, as anybody gets a copy."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.package import PERMISSIVE, Package, parts, row

LOCK = Path("webApp/package-lock.json")
BUNDLED = Path("webApp/dist/.vite/packages.json")  # what the last build took in; webApp/vite.config.ts writes it
TITLE = "## Licences of the npm packages in the web client\n"
HEADER = f"""
{TITLE}
Of what `webApp/package-lock.json` has beside tools for development, and of what a build takes in nevertheless. The
notices of their authors stand in each package's own files, at npm.

| package | licence |
|---|---|
"""
# Of what is offered under several, the one that we take.
CHOSEN = {"(AFL-2.1 OR BSD-3-Clause)": "BSD-3-Clause"}


def shipped(lock: Mapping[str, Any], bundled: Iterable[str]) -> list[Package]:
    """Every package that is not for development only, and those that a build took in although they are."""
    taken = set(bundled)
    found = {
        Package(name, CHOSEN.get(licence, licence))
        for place, each in lock["packages"].items()
        if (name := place.rpartition("node_modules/")[2])
        and (name in taken or not (each.get("dev") or each.get("devOptional")))
        for licence in [each.get("license", "")]
    }
    return sorted(found, key=lambda each: (each.name, each.licence))


def read() -> list[Package]:
    bundled = json.loads(BUNDLED.read_text()) if BUNDLED.exists() else []
    return shipped(json.loads(LOCK.read_text()), bundled)


def problems(packages: Iterable[Package], listed: str) -> Iterator[str]:
    """Everything that is wrong, each as a sentence; `listed` is the chapter of ours."""
    rows = {row(each) for each in packages}
    for each in packages:
        if not each.licence or not parts(each.licence) <= PERMISSIVE:
            yield f"{each.name} (npm): {each.licence or 'no licence'}. Only permissive ones go to browsers: replace it."
        if row(each) not in listed:
            yield f"{each.name} (npm) is not in the list, or differently: make licences"
    for line in listed.splitlines(keepends=True):
        if line.startswith("| ") and line not in rows and line != "| package | licence |\n":
            yield f"{line.split()[1]} (npm) is listed and no longer in {LOCK}: make licences"
