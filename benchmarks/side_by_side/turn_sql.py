"""The statements of one turn of ours as a script for pgbench, read from the log of Postgres: with parameters where ours
have them, so that pgbench prepares them as our server does."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
PLACE = re.compile(r"\$(\d+)")
KNOWN_TO = re.compile(r"\bplace > \$(\d+)")  # messages up to there are known to recall
TIMEOUT = re.compile(r"statement_timeout = \d+")  # recall's is short, and nobody waits here
# SET takes no parameters, and who asks is in this one.
CLAIMS = re.compile(r"^set local (request\.\S+) = '(.*)'$")
VARIABLE = re.compile(r"(?<!:):[a-zA-Z_]")  # for pgbench, also where Postgres sees none
INTERVAL = re.compile(r"^\d+ days?$")  # ours say of what type it is, pgbench does not, and Postgres guesses wrong
TURNS = 4
VALUES_OF_CLIENT = "select * from public.bench_values where n = :client_id \\gset"
VIEW = """
create view public.bench_values as
select n, {values}
from (
    select n, array[user_id::text, session_id, place] || newest || oldest || array[{minted}]::text[] as ids
    from public.bench_clients c
    cross join lateral (
        select array(select message_id::text from chat.message_index i where i.user_id = c.user_id
                     order by i.place desc limit {newest}) as newest,
            (select i.place::text from chat.message_index i where i.user_id = c.user_id
             order by i.place desc offset {newest} limit 1) as place) m) known
"""


@dataclass(frozen=True, slots=True)
class Said:
    """A statement, and the values of its places; None is NULL."""

    text: str
    values: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def ids(self) -> set[str]:
        return set(UUID.findall(" ".join([self.text, *filter(None, self.values.values())])))


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose turns were captured, with what had been said before the last of them: id and place, the newest first."""

    user_id: str
    session_id: str
    messages: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Script:
    """For pgbench, with the view from which it has its values; `oldest` messages of each client stand for those that
    were found."""

    text: str
    view: str
    oldest: int


def captured(world: World, stack: Stack, log: Path, session: str, user: str) -> list[list[Said]]:
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


def statements(logged: str, database: str) -> Iterator[Said]:
    """With their values. Several connections speak at once: what one says stays together, in the order in which their
    transactions began."""
    transactions: list[list[Said]] = []
    open_ones: dict[str, list[Said]] = {}
    for entry in re.split(r"\n(?!\t)", logged):
        found = LINE.match(entry.replace("\n\t", "\n"))
        if not found or found[2] != database:
            continue
        process, said = found[1], found[3]
        if statement := STATEMENT.match(said):
            if process not in open_ones or BEGINS.match(statement[1]):
                open_ones[process] = []
                transactions.append(open_ones[process])
            open_ones[process].append(Said(statement[1].strip().rstrip(";")))
        elif process in open_ones and (given := VALUES.match(said)):
            values = {place: _unquoted(value) for place, value in VALUE.findall(given[1])}
            open_ones[process][-1] = Said(open_ones[process][-1].text, values)
    for one in transactions:
        yield from one


def script(turns: Sequence[Sequence[Said]], asker: Asker) -> Script:
    """Of the second turn. Who asks depends on the client, and so do the messages that recall knows and finds; ids that
    the first turn did not have, and that are no message's, are minted for each turn."""
    [before, now] = [set().union(*(each.ids for each in some)) for some in turns]
    said = {message_id for message_id, _ in asker.messages}
    newest = [message_id for message_id, place in asker.messages if place > _known_to(turns[1])]
    oldest = sorted(now & said - set(newest))
    minted = sorted(now - before - said - {asker.user_id, asker.session_id})
    places = {each: place for place, each in enumerate([*newest, *oldest, *minted], start=4)}
    places |= {asker.user_id: 1, asker.session_id: 2}
    names: dict[str, str] = {}  # of the values, by their templates
    lines = [VALUES_OF_CLIENT]
    for each in map(_with_parameters, turns[1]):
        if VARIABLE.search(each.text):
            raise ValueError(f"pgbench would put a value of its own into {each.text}")
        templates = _templates(each, places)
        for template in templates.values():
            names.setdefault(template, f"v{len(names)}")
        lines.append(_written(each, {place: names[template] for place, template in templates.items()}) + ";")
    values = ", ".join(f"format({_quoted(each)}, variadic ids) as {name}" for each, name in names.items())
    mints = ", ".join(["gen_random_uuid()"] * len(minted))
    view = VIEW.format(values=values, minted=mints, newest=len(newest))
    return Script("\n".join(lines) + "\n", view, len(oldest))


def _known_to(turn: Sequence[Said]) -> int:
    found = {int(each.values[place] or 0) for each in turn for place in KNOWN_TO.findall(each.text)}
    return max(found, default=0)


def _with_parameters(each: Said) -> Said:
    claims = CLAIMS.match(each.text)
    return Said(f"select set_config('{claims[1]}', $1, true)", {"1": _unquoted(f"'{claims[2]}'")}) if claims else each


def _templates(each: Said, places: Mapping[str, int]) -> dict[str, str]:
    """Of its values, for Postgres' format()."""

    def template(value: str) -> str:
        return UUID.sub(lambda id_: f"%{places[id_[0]]}$s" if id_[0] in places else id_[0], value.replace("%", "%%"))

    found = {place: template(value) for place, value in each.values.items() if value is not None}
    return found | dict.fromkeys(KNOWN_TO.findall(each.text), "%3$s")


def _written(each: Said, names: Mapping[str, str]) -> str:
    """With variables of pgbench for places, which knows no NULL."""

    def variable(place: str) -> str:
        value = each.values[place]
        return "NULL" if value is None else f":{names[place]}{'::interval' if INTERVAL.match(value) else ''}"

    return TIMEOUT.sub("statement_timeout = 5000", PLACE.sub(lambda found: variable(found[1]), each.text))


def _unquoted(value: str) -> str | None:
    return None if value == "NULL" else value[1:-1].replace("''", "'")


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
