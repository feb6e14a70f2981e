"""A backup is the rows of our tables and the revision that they were written for; the schema is in the migrations."""

import contextlib
import fcntl
import glob
import os
import re
import subprocess  # nosec B404 # runs Postgres' own tools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from chatServer.errors import StartupError
from chatServer.store import pgtools, queries
from chatServer.store.migrate import connect_as_owner

OURS = ("chat.*", *(f"public.{name}" for name in queries.PUBLIC_TABLES))
SQL = queries.load("backup.sql")
DRAFT = ".draft"
LEFT = re.compile(rf"\..+\.(?:\d+|.{{8}}{re.escape(DRAFT)})")  # a process' number was the end of it once
MAGIC = b"PGDMP"
TRIES = 100  # each fails only if another backup removes the file between its creation and our lock


def backup(owner_url: str, file: Path, *, force: bool = False) -> int:
    """Write all rows of all users into one file that only its owner can read; its size in bytes."""
    if file.is_dir():
        raise StartupError(f"{file} is a folder. Name the file that is to be written.")
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise StartupError(f"{file} is a link, a pipe or a device. Name a file that may be replaced.")
    if file.exists() and not force:
        raise StartupError(f"{file} is there already. Choose another name, or say --force to replace it.")
    with connect_as_owner(owner_url) as connection:
        refuse_a_bound_owner(connection)
        if connection.execute(SQL["has_our_tables"]).fetchone() == (False,):
            raise StartupError("There is nothing to back up: our tables are missing in this database.")
        tool = pgtools.pg_dump(connection.info.server_version // 10_000)
    _forget_drafts(file)
    with _draft(file) as draft:
        _dump(tool, owner_url, draft)
        draft.replace(file)
    return file.stat().st_size


def refuse_a_bound_owner(connection: psycopg.Connection) -> None:
    """Forced row level security binds an owner too: his backup would be empty, his restore refused."""
    if connection.execute(SQL["sees_all_rows"]).fetchone() == (False,):
        user = connection.info.user
        raise StartupError(
            f"The role {user} does not see the rows of users, so it can neither save nor restore them. Let "
            f"MIGRATION_DATABASE_URL be a superuser, or run as one: alter role {user} bypassrls"
        )


@contextlib.contextmanager
def _draft(file: Path) -> Iterator[Path]:
    """Beside the file, so that taking its name is one step; private from its first byte on, and locked to its end."""
    try:
        descriptor, name = _locked(file)
    except OSError as error:
        raise StartupError(f"Cannot write to {file.parent}: {error.strerror}") from error
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
        os.close(descriptor)


def _locked(file: Path) -> tuple[int, str]:
    """A new file that nobody takes away: another backup may do so before the lock is ours, but not after."""
    for _ in range(TRIES):
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=DRAFT, dir=file.parent)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, name
        os.close(descriptor)
        Path(name).unlink(missing_ok=True)
    raise StartupError(
        f"Cannot hold a file in {file.parent}: it is taken away at once, or its file system counts no links. Name a "
        "file on another file system."
    )


def _forget_drafts(file: Path) -> None:
    """What backups of this name have left that were killed; who writes one now holds its lock."""
    for left in file.parent.glob(f".{glob.escape(file.name)}.{'?' * 8}{DRAFT}"):
        with contextlib.suppress(OSError), left.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def left_behind(folder: Path) -> list[Path]:
    """What killed backups have left under other names, also under those that earlier versions gave: rows of everybody,
    which nobody writes now. It may be a file of somebody's own, so it is only told."""
    return [each for each in sorted(folder.glob(".*")) if LEFT.fullmatch(each.name) and _is_idle_dump(each)]


def _is_idle_dump(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return opened.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _dump(tool: Path, owner_url: str, draft: Path) -> None:
    address, environment = pgtools.target(owner_url)
    tables = [f"--table={pattern}" for pattern in OURS]
    command = [str(tool), "--format=custom", "--data-only", *tables, f"--file={draft}", f"--dbname={address}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # nosec B603 # a list of arguments, none of a client's
    if done.returncode != 0:
        raise StartupError(f"The backup failed; nothing was written. pg_dump says: {done.stderr.strip()}")
