"""The compose files: valid, pinned, closed to the network, without a secret in them. No engine is needed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from chatServer.config import ROOT, Settings
from tools.write_secrets import NAMES, write_secrets

FILES = ["docker-compose.yml", "docker-compose.hosted.yml"]
VARIABLE = re.compile(r"\$\{(\w+)(:[-?])?")
# What a health check may call, by image: things that were seen to be there.
PROGRAMS = {"pgvector/pgvector": "pg_isready", "supabase/auth": "wget", "chatserver": "python"}
SECRET_NAME = re.compile(r"PASSWORD|SECRET|DATABASE_URL|DIRECT_URL")


def services(text: str) -> dict[str, dict]:
    return yaml.safe_load(text)["services"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text()


def problems(text: str, explained: str) -> list[str]:
    """What a careful reader would object to."""
    found = [f"{name} is not explained" for name in unexplained(text, explained)]
    for name, service in services(text).items():
        image, _, tag = service["image"].partition(":")
        if not re.search(r"\d+\.\d+", tag):
            found.append(f"{name}: {image} is not pinned")
        found += [f"{name}: {port} is open" for port in service.get("ports", []) if not port.startswith("127.0.0.1:")]
        found += [f"{name}: {key} is a secret in the file" for key in literal_secrets(service)]
        if service["restart"] != "no":
            program = service.get("healthcheck", {}).get("test", ["", ""])[1]
            if program != PROGRAMS[image]:
                found.append(f"{name}: no health check that {image} can run")
    return found


def unexplained(text: str, explained: str) -> set[str]:
    """Variables without a default that the example does not name."""
    code = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    with_default = {name for name, kind in VARIABLE.findall(code) if kind == ":-"}
    return {name for name, _ in VARIABLE.findall(code)} - with_default - set(re.findall(r"\b[A-Z_]{4,}\b", explained))


def literal_secrets(service: dict) -> list[str]:
    environment = service.get("environment", {}).items()
    return [key for key, value in environment if SECRET_NAME.search(key) and "${" not in str(value)]


@pytest.mark.parametrize("name", FILES)
def test_the_file_follows_the_official_schema(name):
    assert schema_says(ROOT / name).returncode == 0


def test_the_schema_refuses_a_mistake(tmp_path):
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(text_of(FILES[0]).replace("depends_on:", "depends-on:"))
    assert schema_says(wrong).returncode == 1


def schema_says(path: Path) -> subprocess.CompletedProcess[bytes]:
    """The schema that check-jsonschema carries; nothing is fetched."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.parametrize("name", FILES)
def test_nobody_objects(name):
    assert problems(text_of(name), text_of(".env.example")) == []


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("NEW_ONE is not explained", "LOG_LEVEL: ${LOG_LEVEL:-INFO}", "LOG_LEVEL: ${NEW_ONE}"),
        ("is not pinned", "supabase/auth:v2.196.0", "supabase/auth:latest"),
        ("is open", '"127.0.0.1:${PORT', '"${PORT'),
        ("AUTH_JWT_SECRET is a secret", "AUTH_JWT_SECRET: ${AUTH_JWT_SECRET}", "AUTH_JWT_SECRET: hush"),
        ("no health check", "pg_isready", "curl"),
    ],
)
def test_a_planted_fault_is_found(said, right, wrong):
    text = text_of(FILES[0])
    assert right in text
    assert any(said in each for each in problems(text.replace(right, wrong), text_of(".env.example")))


@pytest.mark.parametrize("name", FILES)
def test_the_server_gets_settings_that_exist_and_never_the_owner(name):
    found = services(text_of(name))
    known = {field.upper() for field in Settings.model_fields}
    assert set(found["chatserver"]["environment"]) <= known
    assert "MIGRATION_DATABASE_URL" not in found["chatserver"]["environment"]
    assert found["chatserver"]["environment"]["AUTH_MODE"] != "dev"
    assert set(found["migrate"]["environment"]) <= known


def test_the_worker_that_is_documented_starts_with_what_it_is_given(monkeypatch):
    """In the image, whose HOST is 0.0.0.0, and with no secret of sign-in: it reads strangers' files."""
    worker = services((ROOT / "docs" / "knowledge.md").read_text().split("```yaml\n")[1].split("```")[0])["worker"]
    given = {"HOST": "0.0.0.0", **worker["environment"]}
    for name in [field.upper() for field in Settings.model_fields]:
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = Settings(_env_file=None)
    assert settings.database_url
    assert settings.database_direct_url
    assert settings.auth_jwt_secret is None


@pytest.mark.parametrize("name", FILES)
def test_the_server_waits_for_the_migrations(name):
    waits = services(text_of(name))["chatserver"]["depends_on"]
    assert waits["migrate"] == {"condition": "service_completed_successfully"}


def test_tokens_name_the_issuer_that_the_server_expects():
    found = services(text_of(FILES[0]))
    auth, server = found["auth"]["environment"], found["chatserver"]["environment"]
    assert auth["GOTRUE_JWT_ISSUER"] == server["AUTH_ISSUER"]
    assert auth["GOTRUE_JWT_AUD"] == Settings.model_fields["auth_audience"].default
    assert server["AUTH_INTERNAL_URL"].endswith(":" + auth["GOTRUE_API_PORT"])
    assert auth["GOTRUE_RATE_LIMIT_HEADER"] == "X-Forwarded-For"  # the one that api/auth_proxy.py sets


def test_make_secrets_writes_what_compose_asks_for(tmp_path):
    path = tmp_path / ".env"
    path.write_text("PORT=8001\nAUTH_JWT_SECRET=mine")
    mine_kept = [name for name in NAMES if name != "AUTH_JWT_SECRET"]
    assert write_secrets(path) == mine_kept
    assert write_secrets(path) == []
    lines = path.read_text().splitlines()
    assert lines[:2] == ["PORT=8001", "AUTH_JWT_SECRET=mine"]
    assert path.stat().st_mode & 0o077 == 0
    assert all(re.fullmatch(r"[A-Z_]+=[0-9a-f]{64}", line) for line in lines[2:])
    asked = {name for name, kind in VARIABLE.findall(text_of(FILES[0])) if kind == ":?"}
    assert asked == set(NAMES)


def test_the_recipe_copies_what_is_there_and_runs_as_nobody_special():
    recipe = text_of("Dockerfile")
    final = recipe[recipe.rindex("\nFROM ") :]
    sources = [
        source for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE) for source in line.split()
    ]
    assert {"chatServer", "migrations", "agents", "alembic.ini", "ddl.sql", "requirements.lock"} <= set(sources)
    assert all((ROOT / source).exists() for source in sources)
    let_through = {line[1:] for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    assert let_through == {source.partition("/")[0] for source in sources}
    assert re.search(r"^USER chatserver$", final, re.MULTILINE)
    assert "--require-hashes" in recipe
    assert not re.search(r"apt-get|gcc|curl", recipe)
    pinned = ["node:20.20.2-bookworm-slim", *["python:3.11.15-slim-bookworm"] * 2]
    assert re.findall(r"^FROM (\S+)", recipe, re.MULTILINE) == pinned


def test_the_health_check_of_the_image_is_python_that_compiles():
    command = json.loads(re.search(r"HEALTHCHECK.*?CMD (\[.*?\])\n", text_of("Dockerfile"), re.DOTALL)[1])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    assert "/healthz" in command[2]
