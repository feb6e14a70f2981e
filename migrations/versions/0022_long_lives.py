"""What is asked of one user is planned as for one who has said much."""

from migrations.plain_sql import run

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    run("0022_long_lives.sql")
