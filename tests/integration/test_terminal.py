"""Sessions at a terminal: of one user, readable, and harmless to the terminal."""

import json

import pytest

from chatServer import errors
from chatServer.api.dev_users import dev_user_id
from chatServer.config import Settings
from chatServer.conversation import sessions
from chatServer.conversation.sessions import SessionKey
from chatServer.errors import StartupError
from chatServer.messages.message import Message
from chatServer.records import Session
from chatServer.store.history import ChatMessageHistory
from chatServer.terminal import sessions as terminal
from chatServer.terminal.text import user_of
from tests.conftest import ADA, EVE

TITLE = "Volcanoes \x1b[2Jof \u202eIceland"


@pytest.fixture
async def thread(database) -> Session:
    key = SessionKey.parse("my-thread")
    made, _ = await sessions.create(database, ADA, agent_name="coder", default_agent="assistant", key=key, title=TITLE)
    async with database.transaction(ADA) as connection:
        said = [Message(role="user", content="Hello\x07"), Message(role="assistant", content="Hi, Ada")]
        await ChatMessageHistory(connection, ADA.user_id, made.session_id).append(said)
    return made


async def test_a_list_is_a_table_without_anything_that_moves_the_cursor(database, thread):
    listed = await terminal.list_sessions(database, ADA, None)
    header, row = listed.splitlines()
    assert header.split() == ["ID", "AGENT", "LAST", "USED", "OWN", "NAME", "TITLE"]
    assert row.startswith(f"{thread.session_id}  coder  ")
    assert row.endswith("my-thread  Volcanoes [2Jof Iceland")


async def test_a_list_is_filtered_by_agent_and_can_be_read_by_programs(database, thread):
    found = json.loads(await terminal.list_sessions(database, ADA, "coder", as_json=True))
    assert [(each["session_id"], each["title"]) for each in found] == [(thread.session_id, TITLE)]
    assert json.loads(await terminal.list_sessions(database, ADA, "assistant", as_json=True)) == []


async def test_a_list_goes_on_beyond_one_page(database, monkeypatch):
    monkeypatch.setattr(terminal, "PAGE", 2)
    for _ in range(5):
        await sessions.create(database, ADA, agent_name=None, default_agent="assistant", key=None)
    assert len(json.loads(await terminal.list_sessions(database, ADA, None, as_json=True))) == 5


def test_of_an_answer_what_is_no_word_of_it_is_not_shown():
    missing = {"type": "data-recall", "data": {"status": "degraded", "reason": "timeout"}}
    parts = [{"type": "step-start"}, missing, {"type": "text", "text": "Hello"}]
    assert terminal._spoken({"role": "assistant", "parts": parts}) == "assistant: Hello"


async def test_a_session_is_shown_with_what_was_said(database, thread):
    shown = await terminal.show_session(database, ADA, "my-thread")
    assert shown.endswith("user: Hello\nassistant: Hi, Ada")
    assert thread.session_id in shown
    as_json = json.loads(await terminal.show_session(database, ADA, thread.session_id, as_json=True))
    assert [message["role"] for message in as_json["messages"]] == ["user", "assistant"]


async def test_another_user_sees_shows_and_deletes_nothing(database, thread):
    assert await terminal.list_sessions(database, EVE, None) == "This user has no sessions, or only archived ones."
    assert "no sessions with this agent" in await terminal.list_sessions(database, ADA, "assistant")
    for verb in (terminal.show_session, terminal.delete_session):
        for session_id in ("my-thread", thread.session_id):
            with pytest.raises(errors.SessionNotFound):
                await verb(database, EVE, session_id)
    assert "my-thread" in await terminal.delete_session(database, ADA, "my-thread")
    with pytest.raises(errors.SessionNotFound):
        await terminal.show_session(database, ADA, "my-thread")


def test_only_development_knows_users_by_name(tmp_path):
    dev = Settings(chat_data_dir=tmp_path, _env_file=None)
    real = Settings(auth_mode="supabase", supabase_url="https://x.example", _env_file=None)
    user_id = dev_user_id("ada")
    assert user_of(dev, "ada").user_id == user_of(real, str(user_id)).user_id == user_id
    with pytest.raises(StartupError, match="give the user's id"):
        user_of(real, "ada")
