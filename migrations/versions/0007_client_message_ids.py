"""A turn keeps what its client calls the question, so that it can be edited under that name."""

from migrations.plain_sql import run

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    run("0007_client_message_ids.sql")
