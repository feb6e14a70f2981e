"""Settings: all problems at once, and no way to open development sign-in to a network by accident."""

import re

import pytest

from chatServer.config import ROOT, Settings, load_settings
from chatServer.errors import StartupError


@pytest.fixture(autouse=True)
def _away_from_any_env_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_defaults_run_without_any_setting():
    settings = load_settings()
    assert (settings.host, settings.port, settings.embedded) == ("127.0.0.1", 8000, True)


def test_all_problems_are_reported_at_once_and_without_the_values(monkeypatch):
    monkeypatch.setenv("PORT", "eighty-secret")
    monkeypatch.setenv("LOG_LEVEL", "LOUD-secret")
    monkeypatch.setenv("DATABASE_POOL_SIZE", "0")
    with pytest.raises(StartupError) as caught:
        load_settings()
    said = str(caught.value)
    assert all(name in said for name in ("PORT", "LOG_LEVEL", "DATABASE_POOL_SIZE"))
    assert "secret" not in said


@pytest.mark.parametrize("name", ["HOST", "DATABASE_URL", "METRICS_TOKEN", "AUTH_ISSUER", "PORT", "MODEL"])
def test_an_empty_value_is_none(monkeypatch, name):
    monkeypatch.setenv(name, "")
    assert load_settings() == Settings.model_construct()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MODEL_BASE_URL", "localhost:11434", "begins with http:// or https://"),
        ("MODEL_BASE_URL", "http://host/\n", "begins with http:// or https://"),
        ("EMBEDDER", "foo", "PROVIDER:MODEL"),
        ("GUARD", "foo", "MODULE:NAME"),
        ("METRICS_TOKEN", "short", "at least 16 characters"),
        ("MODEL_TIMEOUT_S", "nan", "finite"),
        ("SHUTDOWN_GRACE_S", "nan", "finite"),
        ("CHAT_DATA_DIR", "~nosuchuser/x", "no such user"),
        ("PORT", "abc", "a whole number"),
        ("PORT", "9" * 5_000, "a whole number"),
        ("PORT", "65536", "at most 65535"),
        ("RETENTION_DAYS", "1.5", "a whole number"),
        ("RECALL_CACHE_MB", "1000001", "at most 1000000"),
        ("MODEL_TIMEOUT_S", "soon", "a number, such as"),
        ("MODEL_TIMEOUT_S", "0", "more than 0"),
        ("MODEL_TIMEOUT_S", "3601", "at most 3600"),
        ("DATABASE_POOL_SIZE", "0", "at least 1"),
        ("ALLOW_LANGSMITH", "perhaps", "true or false"),
        ("LOG_LEVEL", "LOUD", "one of these: 'DEBUG', 'INFO'"),
    ],
)
def test_a_value_that_cannot_be_is_a_sentence_of_what_can(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(StartupError, match=f"{name}.*{re.escape(said)}") as caught:
        load_settings()
    assert "Input" not in str(caught.value), "the words of a library"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_development_sign_in_refuses_a_host_that_others_reach(monkeypatch, host):
    monkeypatch.setenv("HOST", host)
    with pytest.raises(StartupError, match="loopback"):
        load_settings()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.7", "::1", "localhost"])
def test_loopback_hosts_are_fine(monkeypatch, host):
    monkeypatch.setenv("HOST", host)
    assert load_settings().host == host


def test_a_url_is_a_pooler_unless_it_is_declared_direct(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://chat_app@pooler/chat")
    assert not load_settings().database_url_is_direct
    monkeypatch.setenv("DATABASE_DIRECT_URL", "postgresql://chat_app@db/chat")
    assert not load_settings().database_url_is_direct
    monkeypatch.setenv("DATABASE_URL", "postgresql://chat_app@db/chat")
    assert load_settings().database_url_is_direct


def test_recall_is_patient_where_everything_shares_one_machine_unless_it_is_told(monkeypatch):
    assert load_settings().recall_ms == 1_000
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/d")
    assert load_settings().recall_ms == 50
    monkeypatch.setenv("RECALL_DEADLINE_MS", "70")
    assert load_settings().recall_ms == 70


def test_secrets_do_not_show_when_settings_are_printed(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://chat_app:hush@db/chat")
    assert "hush" not in repr(load_settings())


def test_the_example_names_every_setting_once():
    lines = (ROOT / ".env.example").read_text().splitlines()
    assert len(lines) < 40
    named = re.findall(r"\b([A-Z_]+)=", "\n".join(lines))
    assert sorted(named) == sorted(name.upper() for name in Settings.model_fields)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"AUTH_MODE": "supabase"}, ["SUPABASE_URL"]),
        ({"AUTH_MODE": "secret"}, ["SUPABASE_URL", "AUTH_JWT_SECRET"]),
        ({"AUTH_MODE": "secret", "SUPABASE_URL": "https://x.example", "AUTH_JWT_SECRET": "short"}, ["32 characters"]),
        ({"AUTH_MODE": "magic"}, ["AUTH_MODE"]),
        ({"SUPABASE_URL": "file:///etc/passwd"}, ["SUPABASE_URL"]),
        ({"AUTH_JWKS_URL": "http://user:hush@host/"}, ["AUTH_JWKS_URL"]),
        (
            {
                "AUTH_MODE": "secret",
                "SUPABASE_URL": "https://x.example",
                "HOST": "0.0.0.0",
                "AUTH_JWT_SECRET": "super-secret-jwt-token-with-at-least-32-characters-long",
            },
            ["placeholder"],
        ),
    ],
)
def test_an_identity_that_cannot_work_is_refused(monkeypatch, environment, said):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StartupError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in said)
    assert "hush" not in str(caught.value)


def test_issuer_and_keys_follow_from_the_project(monkeypatch):
    monkeypatch.setenv("AUTH_MODE", "supabase")
    monkeypatch.setenv("SUPABASE_URL", "https://x.supabase.co/")
    monkeypatch.setenv("HOST", "0.0.0.0")
    settings = load_settings()
    assert settings.issuer == "https://x.supabase.co/auth/v1"
    assert settings.jwks_url == "https://x.supabase.co/auth/v1/.well-known/jwks.json"
    monkeypatch.setenv("AUTH_ISSUER", "https://auth.example")
    monkeypatch.setenv("AUTH_JWKS_URL", "http://auth:9999/.well-known/jwks.json")
    settings = load_settings()
    assert (settings.issuer, settings.jwks_url) == ("https://auth.example", "http://auth:9999/.well-known/jwks.json")
