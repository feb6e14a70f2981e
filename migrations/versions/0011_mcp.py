"""Personal tokens, and memories that come through MCP."""

from migrations.plain_sql import run

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    run("0011_mcp.sql")
