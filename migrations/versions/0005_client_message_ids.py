"""A turn keeps what its client calls the question, so that it can be edited under that name."""

from migrations.plain_sql import run

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    run("0005_client_message_ids.sql")
