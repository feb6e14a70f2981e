"""A revision's SQL lives in a file of its name, and runs as it is written."""

from pathlib import Path

from alembic import op


def run(file_name: str) -> None:
    """Execute a whole file; the driver's own connection leaves % and : alone."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None
    connection.execute((Path(__file__).parent / "versions" / file_name).read_bytes())
