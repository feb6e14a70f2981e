"""Files to be read wait in a queue of their own, in which users take turns."""

from migrations.plain_sql import run

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    run("0015_turns_of_files.sql")
