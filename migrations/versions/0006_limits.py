"""What a user may do is counted in the database."""

from migrations.plain_sql import run

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    run("0006_limits.sql")
