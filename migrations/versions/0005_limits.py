"""What a user may do is counted in the database."""

from migrations.plain_sql import run

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    run("0005_limits.sql")
