"""How many messages a summary stands for, what revision takes, and how late it is."""

from migrations.plain_sql import run

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    run("0012_revision.sql")
