"""A turn ends in one round trip: an attempt that no longer counts fails by itself."""

from migrations.plain_sql import run

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    run("0019_still_counts.sql")
