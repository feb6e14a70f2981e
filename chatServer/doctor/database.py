"""The database: can we get in, as whom, and is everything there?"""

from collections.abc import Callable

from chatServer.agent.embeddings import embedder_of
from chatServer.doctor.finding import Case, Finding, clock_finding
from chatServer.memory.embed import REMEDY, fault_of
from chatServer.store.diagnosis import DatabaseFacts, DatabaseFault, FaultyTable, Reason
from chatServer.store.migrate import OLDEST_SERVER, ROOM

OLDEST_VECTOR = (0, 7)
REMEDIES: dict[Reason, str] = {
    "address": "Write DATABASE_URL as postgresql://USER:PASSWORD@HOST:PORT/NAME",
    "password": "Correct the password in DATABASE_URL, or give chat_app the one that is there: chatserver migrate",  # nosec B105 # a sentence, not a password
    "database": "Correct the name at the end of DATABASE_URL, or create it (createdb NAME) and run chatserver migrate",
    "role": "Correct the user in DATABASE_URL; chatserver migrate makes the role chat_app",
    "unreachable": "Start the database, or correct host and port in DATABASE_URL; look at firewalls between us",
    "full": ROOM,
    "refused": "Check DATABASE_URL, pg_hba.conf and the log of the database",
    "hangs": "Its data are safe. Is the machine or its disk overwhelmed, or was the process stopped (kill -CONT)? Else "
    "end it (kill -9): the server starts it again",
    "embedded": "Look for room on the disk and at the rights of CHAT_DATA_DIR; restore a backup into a new folder",
}


def reachable(case: Case) -> Finding:
    """Wrong password, missing database, nobody there."""
    name = "database"
    match case.database:
        case None:
            return Finding(name, "ok", "an embedded one will be made by chatserver serve")
        case DatabaseFault() as fault:
            return Finding(name, "problem", str(fault), REMEDIES[fault.reason])
        case facts if facts.server_version < OLDEST_SERVER:
            return Finding(name, "problem", f"Postgres {facts.server_version // 10_000} is too old", "Use 15 or newer")
        case facts if facts.schema.is_read_only:
            remedy = "Let DATABASE_URL name the primary, or: alter database NAME reset default_transaction_read_only"
            return Finding(name, "problem", f"{facts.where} answers, and takes no writes", remedy)
        case facts:
            return Finding(name, "ok", f"{facts.where} answers, Postgres {facts.server_version // 10_000}")


def _on_facts(name: str) -> Callable[[Callable[[DatabaseFacts], Finding]], Callable[[Case], Finding]]:
    """A check that needs a database; without one there is nothing to be said."""

    def wrap(look: Callable[[DatabaseFacts], Finding]) -> Callable[[Case], Finding]:
        def check(case: Case) -> Finding:
            if not isinstance(case.database, DatabaseFacts):
                return Finding(name, "skipped", "needs the database")
            return look(case.database)

        return check

    return wrap


@_on_facts("pgvector")
def vector(facts: DatabaseFacts) -> Finding:
    found = facts.vector_installed
    if found is None and facts.vector_available is None:
        remedy = "Install pgvector 0.7 or newer on the database server, then run chatserver migrate"
        return Finding("pgvector", "problem", "the database server does not have it", remedy)
    if found is None:
        remedy = "As an administrator, in this database: create extension vector"
        return Finding("pgvector", "problem", "it is not in this database", remedy)
    if tuple(int(part) for part in found.split(".")[:2]) < OLDEST_VECTOR:
        remedy = "Install pgvector 0.7 or newer on the server, then: alter extension vector update"
        return Finding("pgvector", "problem", f"{found} is too old", remedy)
    return Finding("pgvector", "ok", found)


@_on_facts("login role")
def login_role(facts: DatabaseFacts) -> Finding:
    login = facts.login
    if login.power is not None:
        remedy = "Let DATABASE_URL log in as chat_app; the owner belongs in MIGRATION_DATABASE_URL"
        detail = f"{login.role_name} {login.power}, or may become such a role: row level security does not bind it"
        return Finding("login role", "problem", detail, remedy)
    return Finding("login role", "ok", f"{login.role_name} is bound by row level security")


@_on_facts("migrations")
def migrations(facts: DatabaseFacts) -> Finding:
    name, remedy = "migrations", "Run: chatserver migrate"
    if not facts.login.is_migrated:
        return Finding(name, "problem", "our tables are missing", remedy)
    if not facts.login.may_become_user:
        return Finding(name, "skipped", "only chat_user may read the revision; see grants")
    if facts.is_older:
        return Finding(
            name, "problem", f"the schema is at revision {facts.schema.revision}, older than this code", remedy
        )
    return Finding(name, "ok", f"at revision {facts.schema.revision}")


@_on_facts("grants")
def grants(facts: DatabaseFacts) -> Finding:
    """What the roles may do is what keeps users apart."""
    name, login = "grants", facts.login
    if not login.is_migrated:
        return Finding(name, "skipped", "needs our tables")
    if not login.may_become_user:
        detail = f"{login.role_name} cannot become chat_user"
        return Finding(name, "problem", detail, f"As the owner: grant chat_user to {login.role_name}")
    faults = [fault for table in facts.tables for fault in _faults(table)]
    if faults:
        return Finding(name, "problem", *(" and ".join(part) for part in zip(*faults, strict=True)))
    return Finding(name, "ok", f"{len(facts.tables)} tables, row level security forced, closed to browsers")


def _faults(table: FaultyTable) -> list[tuple[str, str]]:
    name, found = table.table_name, []
    if table.is_open:
        remedy = f"As the owner: revoke insert, update, delete, truncate on {name} from public, anon, authenticated"
        found.append((f"anon or authenticated may write {name}", remedy))
    if table.is_unforced:
        remedy = f"As the owner: alter table {name} enable row level security, force row level security"
        found.append((f"row level security is not forced on {name}", remedy))
    if table.is_closed:
        found.append((f"chat_user cannot read {name}", f"As the owner: grant its rights on {name} as ddl.sql says"))
    return found


@_on_facts("clock of the database")
def database_clock(facts: DatabaseFacts) -> Finding:
    return clock_finding("clock of the database", facts.clock_ahead_s, "the database's")


def embedding_size(case: Case) -> Finding:
    """Vectors of two embedders, or of two sizes, cannot be compared: the server does not start on them."""
    name, embedder = "embedding size", embedder_of(case.settings)
    if not isinstance(case.database, DatabaseFacts):
        return Finding(name, "skipped", "needs the database")
    found = case.database.embedding
    if fault := fault_of(found, embedder.name, embedder.size):
        return Finding(name, "problem", fault.rstrip("."), REMEDY.rstrip("."))
    if embedder.size == 0:
        return Finding(name, "ok", "EMBEDDER is off: recall goes by words")
    return Finding(name, "ok", f"{found.model}, {found.size} numbers" if found else f"no vectors yet, {embedder.name}")
