"""Of jobs that make the same vectors, one waits."""

from migrations.plain_sql import run

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    run("0026_one_that_waits.sql")
