"""One summary at a time: a session says until when somebody makes its own."""

from migrations.plain_sql import run

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    run("0015_one_summary_at_a_time.sql")
