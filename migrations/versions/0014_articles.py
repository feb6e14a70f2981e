"""Articles: what was uploaded, and its text in chunks that a search looks through."""

from migrations.plain_sql import run

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    run("0014_articles.sql")
