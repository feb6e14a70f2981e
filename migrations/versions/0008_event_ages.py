"""What has expired is found without reading all that has not."""

from migrations.plain_sql import run

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    run("0008_event_ages.sql")
