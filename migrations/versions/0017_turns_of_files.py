"""Files to be read wait in a queue of their own, in which users take turns."""

from migrations.plain_sql import run

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    run("0017_turns_of_files.sql")
