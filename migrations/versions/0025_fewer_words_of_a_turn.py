"""What a turn asks of Postgres is less."""

from migrations.plain_sql import run

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    run("0025_fewer_words_of_a_turn.sql")
