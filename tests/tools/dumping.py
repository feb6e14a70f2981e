"""All that a database holds, as pg_dump writes it, and in which forms a text may be in there."""

import base64
import subprocess

import psycopg

from chatServer.store import pgtools
from tests.conftest import Urls, owner_connection


def whole_dump(urls: Urls) -> bytes:
    """Every schema, the queue's too; in lower case, as search has it."""
    with owner_connection(urls.owner) as connection:
        tool = pgtools.pg_dump(connection.info.server_version // 10_000)
    address, environment = pgtools.target(urls.owner)
    done = subprocess.run([str(tool), f"--dbname={address}"], env=environment, capture_output=True, check=True)
    return done.stdout.lower()


def forms_of(text: str) -> set[bytes]:
    """As it is, in the hexadecimal of bytes, and in base64 wherever it may begin."""
    raw = {text.encode().lower(), text.encode().hex().encode(), text.lower().encode().hex().encode()}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + text.encode())
        raw.add(encoded[4 if shift else 0 : -4].lower())
    return raw


def traces_of(text: str, urls: Urls) -> list[bytes]:
    """The lines of a dump that hold it in any form, cut short."""
    forms = forms_of(text)
    return [line[:200] for line in whole_dump(urls).splitlines() if any(form in line for form in forms)]


def tables_of_users(connection: psycopg.Connection) -> list[str]:
    """Every table with a user's rows, from the catalogue."""
    rows = connection.execute(
        """select format('%I.%I', n.nspname, c.relname)
           from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
           where a.attname = 'user_id' and c.relkind in ('r', 'p') and not a.attisdropped
               and n.nspname not in ('pg_catalog', 'information_schema')"""
    ).fetchall()
    return sorted(row[0] for row in rows)


def rows_of(urls: Urls) -> dict[str, list[str]]:
    """Every row of every table of ours, the queue's too, and how far each sequence has counted: to compare."""
    with owner_connection(urls.owner) as connection:
        found = connection.execute(
            """select format('%I.%I', n.nspname, c.relname), c.relkind
               from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where c.relkind in ('r', 'S') and n.nspname in ('chat', 'public', 'procrastinate')"""
        ).fetchall()
        texts = {"r": "t::text", "S": "last_value::text || is_called"}
        return {
            name: [row for (row,) in connection.execute(f"select {texts[kind]} from {name} t order by 1")]
            for name, kind in found
        }
