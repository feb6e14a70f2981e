"""The wheel has all that the server needs: what lies beside the package in a checkout is in it."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from chatServer import __version__
from chatServer.config import ROOT
from chatServer.store.migrate import newest_revision
from tests.conftest import owner_connection

PLACES = """
import json
from chatServer.config import PACKAGES, Settings
settings = Settings(_env_file=None)
print(json.dumps([str(each) for each in (PACKAGES, settings.agents_dir, settings.web_dir, settings.chat_data_dir)]))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As pip leaves it, but for the packages it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "packages")
    return folder / "packages"


def run(unpacked: Path, folder: Path, *arguments: str, **environment: str) -> str:
    """Elsewhere than in a checkout, with the unpacked package before any other."""
    environment |= {"PYTHONPATH": str(unpacked), "PYTHONSAFEPATH": "1", "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    program = [sys.executable, *arguments]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_has_the_agents_and_nothing_of_its_own_beside_other_packages(unpacked):
    assert {each.name for each in unpacked.iterdir()} == {"chatServer", f"chatserver-{__version__}.dist-info"}
    assert {each.name for each in (unpacked / "chatServer/beside/agents").iterdir()} == {
        each.name for each in (ROOT / "agents").iterdir()
    }


def test_it_finds_its_things_in_itself_and_keeps_its_data_at_home(unpacked, tmp_path):
    beside = unpacked / "chatServer/beside"
    expected = [unpacked, beside / "agents", beside / "webApp/dist", tmp_path / ".local/share/chatserver"]
    assert json.loads(run(unpacked, tmp_path, "-c", PLACES)) == [str(each) for each in expected]


def test_it_migrates(unpacked, tmp_path, postgres):
    with owner_connection(postgres.owner_url) as connection:
        connection.execute("create database from_a_wheel")
    url = postgres.url("postgres", "from_a_wheel")
    told = run(unpacked, tmp_path, "-m", "chatServer", "migrate", MIGRATION_DATABASE_URL=url)
    assert f"The database is at revision {newest_revision()}." in told
