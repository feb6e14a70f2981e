"""Read version: an article says of which upload its chunks are, for whoever keeps them."""

from migrations.plain_sql import run

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    run("0016_read_version.sql")
