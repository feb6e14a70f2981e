"""Events of a user are numbered in the order in which they appear."""

from migrations.plain_sql import run

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    run("0005_user_event_heads.sql")
