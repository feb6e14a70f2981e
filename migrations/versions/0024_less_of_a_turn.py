"""What every statement of a turn does anew takes Postgres less."""

from migrations.plain_sql import run

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    run("0024_less_of_a_turn.sql")
