"""A claim on a session's summary says whether a job holds it."""

from migrations.plain_sql import run

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    run("0018_who_summarises.sql")
