"""chatserver doctor: what is wrong with this installation, and what to do about each thing.

A room that has something to look at adds its check to CHECKS: a function of a Case that returns a Finding.
"""

from collections.abc import Iterator

from chatServer.doctor import database, identity, machine, model
from chatServer.doctor.finding import Case, Check, Finding

__all__ = ["CHECKS", "Case", "Check", "Finding", "examine"]

CHECKS: list[Check] = [
    database.reachable,
    database.vector,
    database.login_role,
    database.migrations,
    database.grants,
    database.embedding_size,
    database.database_clock,
    identity.issuer,
    identity.issuer_name,
    identity.issuer_clock,
    identity.development_key,
    model.models,
    machine.tracing,
    machine.disk,
]


def examine(case: Case) -> Iterator[Finding]:
    """Every check in turn; one that is a problem does not stop the others."""
    for check in CHECKS:
        yield check(case)
