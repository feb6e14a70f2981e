"""A receipt of an erasure that lies ahead, since the clock was set back, refuses nobody."""

from migrations.plain_sql import run

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    run("0023_clocks_set_back.sql")
