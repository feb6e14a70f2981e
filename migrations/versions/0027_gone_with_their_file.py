"""The job of a file that is deleted goes with it."""

from migrations.plain_sql import run

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    run("0027_gone_with_their_file.sql")
