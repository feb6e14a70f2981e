"""What was erased of whom, and that nothing which began before comes after it."""

from migrations.plain_sql import run

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    run("0013_rights.sql")
