"""The queue's schema is procrastinate's own but for one trigger and how jobs are fetched; a newer package that needs
another turns this red."""

import pytest
from procrastinate.schema import SchemaManager

from tests.conftest import cloned, owner_connection
from tests.tools.schema import dump

DISABLED = (
    "ALTER TABLE procrastinate.procrastinate_jobs DISABLE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1;\n"
)
# Of 0021: without these a plan that was made while the queue was empty reads all of it for every job.
IN_ORDER = [f"    SET enable_{each} TO 'off'" for each in ("seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin")]


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


def test_it_is_the_schema_of_the_installed_package_with_one_trigger_disabled_and_jobs_fetched_in_order(ours, theirs):
    assert DISABLED in ours
    found = lines(ours.replace(DISABLED, ""))
    assert [line for line in found if line in IN_ORDER] == IN_ORDER
    assert [line for line in found if line not in IN_ORDER] == lines(theirs)
