"""The statements of one turn of ours as a script for pgbench, read from the log of Postgres."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx

from benchmarks.side_by_side import told
from benchmarks.side_by_side.world import Stack, World

PREFIX = "bench %p %d "  # the process, and the database's name
LINE = re.compile(r"^bench (\d+) (\S+) (?:LOG|DETAIL):  (.*)$", re.DOTALL)
STATEMENT = re.compile(r"^(?:execute [^:]*|statement): (.*)$", re.DOTALL)
VALUES = re.compile(r"^(?:Parameters|parameters): (.*)$", re.DOTALL)
VALUE = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*')")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
BEGINS = re.compile(r"^\s*begin\b", re.IGNORECASE)
TIMEOUT = re.compile(r"statement_timeout = \d+")  # recall's is short, and nobody waits here
TURNS = 4
WHO = "select user_id as u, session_id as s from public.bench_clients where n = :client_id \\gset"
MINT = "select {ids} \\gset"


def captured(world: World, stack: Stack, log: Path, session: str, user: str) -> list[list[str]]:
    """What the last turns of a session said to Postgres, transaction after transaction; the first fill the caches."""
    world.run("postgres", f"alter system set log_line_prefix = '{PREFIX}'")
    found = []
    with httpx.Client(base_url=stack.address, headers=stack.headers(user), timeout=60) as client:
        for text in told.texts(seed=1)[:TURNS]:
            world.wait_until_idle()
            world.run("postgres", "alter system set log_statement = 'all'")
            world.run("postgres", "select pg_reload_conf()")
            world.wait_until_idle()
            start = log.stat().st_size
            client.post("/api/chat", json={"message": text, "session_id": session}).raise_for_status()
            world.wait_until_idle()
            world.run("postgres", "alter system reset log_statement")
            world.run("postgres", "select pg_reload_conf()")
            with log.open("rb") as lines:
                lines.seek(start)
                found.append(list(statements(lines.read().decode(), stack.database)))
    return found[-2:]


def statements(logged: str, database: str) -> Iterator[str]:
    """With their values in their places. Several connections speak at once: what one says stays together, in the order
    in which their transactions began."""
    transactions: list[list[str]] = []
    open_ones: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?!\t)", logged):
        found = LINE.match(entry.replace("\n\t", "\n"))
        if not found or found[2] != database:
            continue
        process, said = found[1], found[3]
        if statement := STATEMENT.match(said):
            if process not in open_ones or BEGINS.match(statement[1]):
                open_ones[process] = []
                transactions.append(open_ones[process])
            open_ones[process].append(statement[1].strip().rstrip(";"))
        elif process in open_ones and (given := VALUES.match(said)):
            open_ones[process][-1] = filled_in(open_ones[process][-1], dict(VALUE.findall(given[1])))
    for one in transactions:
        yield from one


def filled_in(statement: str, values: dict[str, str]) -> str:
    return re.sub(r"\$(\d+)", lambda place: values[place[1]], statement)


def script(turns: Sequence[Sequence[str]], user_id: str, session: str) -> str:
    """Of the second turn; ids that the first did not have are minted anew, and who asks depends on the client."""
    [before, now] = ["\n".join(some) for some in turns]
    minted = sorted(set(UUID.findall(now)) - set(UUID.findall(before)))
    lines = [WHO]
    if minted:
        lines.append(MINT.format(ids=", ".join(f"gen_random_uuid() as m{place}" for place in range(len(minted)))))
    for statement in turns[1]:
        one = TIMEOUT.sub("statement_timeout = 5000", re.sub(r"\s*\n\s*", " ", statement))
        one = one.replace(user_id, ":u").replace(session, ":s")
        for place, each in enumerate(minted):
            one = one.replace(each, f":m{place}")
        lines.append(f"{one};")
    return "\n".join(lines) + "\n"
