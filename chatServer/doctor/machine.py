"""This machine and its environment."""

import os
import shutil
from pathlib import Path

from chatServer.doctor.finding import Case, Finding
from chatServer.tracing import PREFIXES

MIN_FREE_BYTES = 1024**3


def tracing(case: Case) -> Finding:
    """Variables that make LangChain send every conversation to a service."""
    name = "tracing"
    found = sorted(variable for variable in case.environment if variable.upper().startswith(PREFIXES))
    if not found:
        return Finding(name, "ok", "no LangSmith variable is set")
    if case.settings.allow_langsmith:
        return Finding(name, "ok", f"{', '.join(found)}: allowed by ALLOW_LANGSMITH; conversations leave this server")
    return Finding(name, "ok", f"{', '.join(found)}: set, and ignored unless ALLOW_LANGSMITH is true")


def disk(case: Case) -> Finding:
    """A database without room stops taking messages; one without a folder does not start."""
    name, folder = "disk", case.settings.chat_data_dir.absolute()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    is_needed = case.settings.embedded or case.settings.auth_mode == "dev"
    if is_needed and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        remedy = "Let CHAT_DATA_DIR name a folder that belongs to whoever runs this, or one that can be made"
        return Finding(name, "problem", f"{there} is no folder that we may write to", remedy)
    free = _free_bytes(there)
    if free < MIN_FREE_BYTES:
        remedy = "Make room, or let CHAT_DATA_DIR name a folder on a larger disk"
        return Finding(name, "problem", f"{free / 1e9:.1f} GB free at {there}", remedy)
    return Finding(name, "ok", f"{free / 1e9:.1f} GB free at {there}")


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
