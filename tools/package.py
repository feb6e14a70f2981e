"""A package and its licence, and which licences ask nothing of us but to be named."""

import re
from dataclasses import dataclass

PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0",
    "PostgreSQL", "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Package:
    """One line of a lock, and what it says about its licence."""

    name: str
    licence: str  # an SPDX expression, or empty where it says nothing that we understand


def parts(expression: str) -> set[str]:
    return set(re.findall(r"[^\s()]+", expression)) - {"AND", "OR", "WITH"}


def row(package: Package) -> str:
    return f"| {package.name} | {package.licence} |\n"
