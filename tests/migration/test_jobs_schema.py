"""The queue's schema is procrastinate's own but for one trigger; a newer package that needs another turns this red."""

import pytest
from procrastinate.schema import SchemaManager

from tests.conftest import cloned, owner_connection
from tests.migration.test_ddl import dump

DISABLED = (
    "ALTER TABLE procrastinate.procrastinate_jobs DISABLE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1;\n"
)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture
def ours(urls) -> str:
    return dump(urls.owner, 18, "--schema=procrastinate", "--no-privileges")


@pytest.fixture
def theirs(postgres, template) -> str:
    with cloned(postgres, template) as urls:
        with owner_connection(urls.owner) as connection, connection.transaction():
            connection.execute("drop schema procrastinate cascade")
            connection.execute("create schema procrastinate")
            connection.execute("set local search_path = procrastinate")
            connection.execute(SchemaManager.get_schema().encode())
        return dump(urls.owner, 18, "--schema=procrastinate", "--no-privileges")


def test_it_is_the_schema_of_the_installed_package_with_one_trigger_disabled(ours, theirs):
    assert DISABLED in ours
    assert lines(ours.replace(DISABLED, "")) == lines(theirs)
