"""`chatserver chat` as a real process, at a real terminal and in a pipe."""

import getpass
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from chatServer.api.dev_users import dev_user_id
from tests.conftest import Urls, owner_connection
from tests.tools import prepared
from tests.tools.running import CHATSERVER, agents_of_one_session, say, server, wait_for_turn
from tests.tools.typing_in import CTRL_C, CTRL_D, terminal
from tests.tools.waiting import wait_until

PROMPT = "you> "  # what was said before has it too: there, wait for all of it
WAITING_STOPS = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%coalesce(stop_requested_at%'"
)
SLOWLY = " ".join(f"word{i}" for i in range(100))
RULES = [
    {"match": "^slowly", "reply": SLOWLY, "delay_ms": 50},
    {"match": "^for ages", "reply": " ".join(f"word{i}" for i in range(500)), "delay_ms": 50},
    {"match": "^evil", "reply": "a\x1b[2Jb\x07c\x9b31m\rd\u202ee\n\tf"},
    {"match": "^breaks", "reply": "I was about to say", "fail_after_words": 3},
    {"match": "what did I say", "reply": "{messages}"},
    {
        "match": "^note (.+)",
        "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "- {1}"}}],
        "then": "Noted: {1}.",
    },
    {"match": ".+", "reply": "You said: {0}"},
]


@pytest.fixture
def script(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"rules": RULES}))
    agents = {"AGENTS_DIR": agents_of_one_session(tmp_path), "RECALL_DEADLINE_MS": "5000"}
    return {"MODEL": f"script:{file}", "CHAT_DATA_DIR": str(tmp_path), **agents}


@pytest.fixture
def where(script: dict[str, str], urls: Urls) -> dict[str, str]:
    """A database that is there already, which saves each process its start."""
    return script | {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app}


def chat(
    where: dict[str, str], *arguments: str, piped: str = "", user: str = "ada"
) -> subprocess.CompletedProcess[str]:
    command = ["chat", "--user", user, *arguments]
    return prepared.run(command, environment={**os.environ, **where}, cwd=Path(where["CHAT_DATA_DIR"]), piped=piped)


def at_a_terminal(where: dict[str, str], *arguments: str, is_prepared: bool = True):
    command = [CHATSERVER, "chat", "--user", "ada", *arguments]
    return terminal(command, Path(where["CHAT_DATA_DIR"]), is_prepared=is_prepared, **where)


def test_one_message_gets_one_answer_and_only_that_is_printed(where):
    done = chat(where, "note I like tea")
    assert (done.returncode, done.stdout) == (0, "Noted: I like tea.\n")
    assert done.stderr == "· manage_long_term_memory\n· noted (undo: version 0)\n"
    done = chat(where, piped="first line\nsecond line\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "You said: first line\n", "")
    told = chat(where, "what did I say?").stdout
    assert "user: first line\nsecond line" in told, "it goes on in the active session, with all that was piped"
    assert "I like tea" in told
    foreign = chat(where, "what did I say?", user="eve").stdout
    assert foreign.strip() == "user: what did I say?", "another user is elsewhere"
    evil = chat(where, "evil")
    assert (evil.returncode, evil.stdout) == (0, "a[2Jbc31mde\n\tf\n")


def test_a_conversation_streams_stops_at_ctrl_c_and_goes_on_when_one_returns(where, urls):
    with at_a_terminal(where, "--agent", "coder", is_prepared=False) as person:
        assert "· coder · " in person.until(PROMPT)
        person.say("hello")
        assert "coder> You said: hello\n" in person.until(PROMPT)
        person.say("note tea")
        assert "· manage_long_term_memory\n· noted (undo: version 0)\ncoder> Noted: tea." in person.until(PROMPT)
        person.say("slowly")
        person.until("word1 ")
        assert newest_turn(urls)[0] == "running", "the first words are here before the last ones are said"
        person.type(CTRL_C)
        assert "· stopped\n" in person.until(PROMPT)
        state, text, is_marked = newest_turn(urls)
        assert (state, is_marked) == ("stopped", True)
        assert text.startswith("word0 word1 ")
        assert len(text) < len(SLOWLY)
        person.say("evil")
        assert "coder> a[2Jbc31mde\n        f\n" in person.until(PROMPT).expandtabs()
        person.type(CTRL_D)
        assert person.end()[0] == 0
    with at_a_terminal(where, "--agent", "coder") as person:
        seen = person.until(r"you> evil\ncoder> a.+\n.+f\nyou> ")
        assert "you> note tea\n· manage_long_term_memory\ncoder> Noted: tea.\nyou> slowly\ncoder> word0 word1" in seen
        assert "· stopped\nyou> evil\n" in seen, "in the order in which it was said"
        assert "you> hello" not in seen, "six messages"
        person.say("what did I say?")
        assert "user: hello" in person.until(PROMPT)
        person.say("/new")
        assert "· coder · a session without a title yet" in person.until(PROMPT)
        person.say("what did I say?")
        assert "coder> user: what did I say?\n" in person.until(PROMPT)
        person.say("/context what did I say?")
        drawn = person.until(PROMPT)
        assert re.search(r"question +\d+  [▏▎▍▌▋▊▉█]+ +Your message\.\n", drawn), drawn
        assert re.search(r"history +\d+  [▏▎▍▌▋▊▉█]+ +All that was said in this session\.\n", drawn), drawn
        person.say("/nonsense")
        assert "There is no /nonsense." in person.until(PROMPT)
        person.say("/quit")
        assert person.end()[0] == 0
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat.sessions").fetchone() == (2,)


def newest_turn(urls: Urls) -> tuple[str, str | None, bool | None]:
    """Its state; once its reply is stored, the words of that, and whether it is marked as stopped."""
    with owner_connection(urls.owner) as connection:
        return connection.execute(
            """
            select t.state, m.message #>> '{data,content}', jsonb_path_exists(m.message, '$.**.stopped ? (@ == true)')
            from chat.turns t left join chat_message_history m
                on m.user_id = t.user_id and m.message_id = t.reply_message_id
            order by t.turn_id desc limit 1"""
        ).fetchone()


def test_ctrl_c_at_the_prompt_ends_and_twice_ends_also_in_an_answer(where, urls):
    with at_a_terminal(where, is_prepared=False) as person:
        person.until(PROMPT)
        person.interrupt_prompt()
        assert person.end() == (0, "")
    with at_a_terminal(where, is_prepared=False) as person:
        person.until(PROMPT)
        person.say("slowly")
        person.until("word1 ")
        with (
            owner_connection(urls.owner) as watching,  # a transaction would see one and the same moment
            owner_connection(urls.owner) as connection,
            connection.transaction(),
        ):
            connection.execute("select from chat.turns for update")  # so that the first one has to wait
            person.type(CTRL_C)
            wait_until(lambda: watching.execute(WAITING_STOPS).fetchone() == (1,))
            person.type(CTRL_C)
            person.until(r"\^C[^^]*\^C")  # a word may still come between them
        code, shown = person.end()
        assert (code, "Traceback" in shown) == (130, False)
        assert newest_turn(urls)[0] in ("stopped", "interrupted")


def test_a_closed_terminal_frees_the_turn_for_others(where, urls):
    with at_a_terminal(where) as person:
        person.until(PROMPT)
        person.say("slowly")
        person.until("word1 ")
        person.process.send_signal(signal.SIGHUP)
        assert person.end()[0] == 128 + signal.SIGHUP
    assert newest_turn(urls)[0] == "interrupted"
    assert chat(where, "hello").stdout == "You said: hello\n"


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (("hi", "--agent", "nobody"), {}, "There is no such agent. Known agents: assistant, coder.\n"),
        (("hi", "--session", "a b"), {}, "A session id has 1 to 128 characters"),
        (("  ",), {}, "The message is empty.\n"),
        (("hi",), {"MODEL": "openai:gpt-5-mini", "OPENAI_API_KEY": ""}, "MODEL_API_KEY"),
        (("breaks",), {}, "The model "),
        (("hi",), {"AUTH_MODE": "supabase", "SUPABASE_URL": "https://x.example"}, "give the user's id.\n"),
    ],
)
def test_a_refusal_is_a_sentence_and_an_exit_code(where, arguments, environment, said):
    done = chat({**where, **environment}, *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ("I was about \n" if arguments == ("breaks",) else "")


def test_a_session_of_another_agent_is_refused_once_and_at_the_terminal(where):
    assert chat(where, "hello", "--session", "thread", "--agent", "coder").returncode == 0
    done = chat(where, "hello", "--session", "thread", "--agent", "assistant")
    assert (done.returncode, done.stderr) == (1, "This session is a conversation with the agent coder.\n")
    with at_a_terminal(where, "--session", "thread", "--agent", "assistant") as person:
        assert person.end() == (1, "This session is a conversation with the agent coder.\n")
    with at_a_terminal(where, "--session", "thread") as person:
        person.until("you> hello\ncoder> You said: hello\nyou> ")


def test_an_error_in_a_conversation_is_a_sentence_and_the_conversation_goes_on(where):
    with at_a_terminal(where) as person:
        person.until(PROMPT)
        person.say("breaks")
        assert "assistant> I was about \nThe model " in person.until(PROMPT)
        person.say("hello")
        assert "assistant> You said: hello\n" in person.until(PROMPT)


def test_it_shares_the_embedded_database_and_its_conversations_with_a_running_server(script, tmp_path):
    with server(tmp_path, **script) as running:
        session = say(running, "I like volcanoes")["session_id"]
        assert "user: I like volcanoes" in chat(script, "what did I say?").stdout
        answers: list[dict] = []
        thread = threading.Thread(target=lambda: answers.append(say(running, "for ages", session_id=session)))
        thread.start()
        wait_for_turn(running, session)
        with at_a_terminal(script) as person:
            person.until("you> for ages\nassistant> word0 word1 ")  # what another device waits for, from its start
            person.type(CTRL_C)
            person.until("· stopped\nyou> ")
            person.type(CTRL_D)
            assert person.end()[0] == 0
        thread.join(30)
        assert [each["state"] for each in answers] == ["stopped"]
        assert running.resolve() == session, "and the server goes on"


def test_it_is_the_user_of_the_machine_who_talks_unless_told_otherwise(where, urls):
    done = prepared.run(["chat", "hello"], environment={**os.environ, **where}, cwd=Path(where["CHAT_DATA_DIR"]))
    assert (done.returncode, done.stdout) == (0, "You said: hello\n"), done.stderr
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select user_id from chat.sessions").fetchall() == [(dev_user_id(getpass.getuser()),)]
