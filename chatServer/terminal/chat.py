"""`chatserver chat`: a conversation at a terminal, as one user, through the same turns as over HTTP."""

import argparse
import contextlib
import getpass
import os
import readline  # noqa: F401  gives input() its line editing and what was typed before
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from anyio.from_thread import BlockingPortal, start_blocking_portal

from chatServer import errors, logs
from chatServer.api.state import State
from chatServer.config import Settings
from chatServer.conversation import sessions, transcript
from chatServer.conversation.sessions import SessionKey
from chatServer.errors import StartupError
from chatServer.main import running
from chatServer.messages import Message, UIMessage, clean_text
from chatServer.records import Principal, TurnEvent, new_id
from chatServer.terminal.context import drawn
from chatServer.terminal.screen import Screen
from chatServer.terminal.text import user_name, user_of
from chatServer.turn.ask import Ask
from chatServer.turn.events import ENDINGS, Numbered
from chatServer.turn.turns import Place

RECALL_MS = 5_000
EARLIER_MESSAGES = 6
EARLIER_ROWS = 24  # an answer with tools is several
MAX_PIPED_BYTES = 8_000_000  # as over HTTP
INTERRUPTED = 130
BROKEN_OFF = "The answer was broken off. Ask again."
HELP = (
    "/new: a new session · /context MESSAGE: what would be sent with it · /quit, Ctrl-D: the end · Ctrl-C: stop the "
    "answer · anything else is said to the agent"
)


def chat(settings: Settings, parsed: argparse.Namespace) -> None:
    """Answer once where a message or a pipe is given, else talk."""
    logs.install("ERROR")
    user = _user(settings, parsed.user)
    talks = parsed.message is None and sys.stdin.isatty() and sys.stdout.isatty()
    question = None if talks else _question(parsed.message)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    try:
        # The turns have a thread of their own: a terminal that stands still (Ctrl-S) must not hold up their leases.
        with start_blocking_portal() as portal:
            # What turns leave to be done is for servers and workers: it is everybody's, not this person's alone.
            # One question of a process that has just begun: nobody minds if recall has to load everything for it.
            opened = running(settings.model_copy(update={"worker": "off", "recall_deadline_ms": RECALL_MS}))
            with portal.wrap_async_context_manager(opened) as state:
                talk = Talk(portal, state, user, _screen(talks=talks))
                if question is not None:
                    talk.once(question, parsed.session, parsed.agent)
                else:
                    talk.enter(parsed.session, parsed.agent)
                    talk.converse()
    except errors.ChatError as error:
        raise StartupError(error.detail) from error
    except BrokenPipeError:  # whoever read us has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@dataclass(slots=True)
class Thread:
    """Where the conversation is; a session that is not there yet is made by its first message."""

    key: SessionKey | None
    agent_name: str | None
    title: str | None = None


class Talk:
    """Reads, asks and shows; what it asks runs in the portal's thread."""

    def __init__(self, portal: BlockingPortal, state: State, user: Principal, screen: Screen) -> None:
        self._portal = portal
        self._state = state
        self._user = user
        self._screen = screen
        self._thread = Thread(None, None)

    def once(self, question: str, session_id: str | None, agent_name: str | None) -> None:
        """One answer; nothing but an answer is a success."""
        self._thread = Thread(SessionKey.parse(session_id) if session_id is not None else None, agent_name)
        ending = self._ask(question)
        if ending is None:
            raise StartupError(BROKEN_OFF)
        if ending.kind == "error":
            raise StartupError(ending.text)
        if ending.kind == "abort":
            sys.exit(INTERRUPTED)

    def enter(self, session_id: str | None, agent_name: str | None) -> None:
        """Go on with a session: its last exchanges, and the answer that is being written there."""
        self._thread = thread = self._portal.call(find_thread, self._state, self._user, session_id, agent_name)
        assert thread.key is not None  # nosec B101 # narrows a type
        self._greet()
        for message in self._portal.call(read_earlier, self._state, self._user, thread.key):
            self._screen.show_earlier(message, thread.agent_name or "")
        place = self._portal.call(self._state.turns.find, self._user, thread.key, None)
        if place is not None:
            self._judge(self._follow(place))

    def converse(self) -> None:
        """Until the person has had enough."""
        while True:
            try:
                said = input("you> ")
            except (EOFError, KeyboardInterrupt):
                self._screen.sentence("")
                return
            match said.strip():
                case "":
                    continue
                case "/quit":
                    return
                case "/help":
                    self._screen.sentence(HELP)
                case "/new":
                    self._thread = Thread(SessionKey(str(new_id()), is_uuid=True), self._thread.agent_name)
                    self._greet()
                case command if command.split()[0] == "/context":
                    self._try(self._look, command.removeprefix("/context").strip())
                case command if command.startswith("/") and command[1:].isalpha():
                    self._screen.sentence(f"There is no {command}. {HELP}")
                case _:
                    self._try(self._say, said)

    def _try(self, verb: Callable[[str], None], text: str) -> None:
        try:
            verb(text)
        except errors.ChatError as error:
            self._screen.sentence(error.detail)

    def _say(self, said: str) -> None:
        self._judge(self._ask(said))

    def _judge(self, ending: TurnEvent | None) -> None:
        if ending is None:
            self._screen.sentence(BROKEN_OFF)
        elif ending.kind == "error":
            self._screen.sentence(ending.text)

    def _greet(self) -> None:
        thread = self._thread
        assert thread.key is not None  # nosec B101 # narrows a type
        title = thread.title or "a session without a title yet"
        self._screen.aside(f"{thread.agent_name} · {title} · {thread.key.value} · /help")

    def _ask(self, said: str) -> TurnEvent | None:
        message = Message(role="user", content=clean_text(said))
        ask = Ask(message, session=self._thread.key, agent_name=self._thread.agent_name)
        place = self._portal.call(self._state.turns.begin, self._user, ask)
        self._thread.key = SessionKey.parse(place.turn.session_id)
        return self._follow(place)

    def _look(self, text: str) -> None:
        """What would be sent with a text, or with nothing yet."""
        ask = Ask(Message(role="user", content=clean_text(text)), self._thread.key, self._thread.agent_name)
        self._screen.sentence(drawn(self._portal.call(self._state.turns.preview, self._user, ask)))

    def _follow(self, place: Place) -> TurnEvent | None:
        """Show an answer as it comes; how it ended, or None where it fell silent."""
        ending = None
        self._screen.begin(place.turn.agent_name)
        batches = self._state.turns.follow(self._user, place)
        with self._stopping_at_ctrl_c(place):
            while (batch := self._portal.call(_next, batches)) is not None:
                for _, event in batch:
                    self._screen.show(event)
                    ending = event if event.kind in ENDINGS else ending
                self._screen.flush()
        self._screen.end_line()
        return ending

    @contextlib.contextmanager
    def _stopping_at_ctrl_c(self, place: Place) -> Iterator[None]:
        """The first one stops the answer, and what was said stays; a second one ends the command."""
        key = SessionKey.parse(place.turn.session_id)

        def stop(*_: object) -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._portal.start_task_soon(self._state.turns.stop, self._user, key)

        before = signal.getsignal(signal.SIGINT)
        if before is signal.default_int_handler:  # else somebody wants it ignored
            signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


async def find_thread(state: State, user: Principal, session_id: str | None, agent_name: str | None) -> Thread:
    """The named session, or the active one with this agent."""
    if agent_name is not None:
        state.agents.get(agent_name)
    default = state.agents.default
    if session_id is None:
        session = await sessions.resolve(state.database, user, agent_name=agent_name, default_agent=default, hint=None)
        return Thread(SessionKey.parse(session.session_id), session.agent_name, session.title)
    key = SessionKey.parse(session_id)
    try:
        session = await sessions.get(state.database, user, key)
    except errors.SessionNotFound:
        return Thread(key, agent_name or default)
    if agent_name not in (None, session.agent_name):
        raise errors.SessionAgentMismatch(session.agent_name)
    return Thread(key, session.agent_name, session.title)


async def read_earlier(state: State, user: Principal, key: SessionKey) -> list[UIMessage]:
    """The last exchanges; of a session that is not there yet, none."""
    try:
        page = await transcript.read(state.database, user, key, limit=EARLIER_ROWS)
    except errors.SessionNotFound:
        return []
    return page.messages[-EARLIER_MESSAGES:]


async def _next(batches: AsyncIterator[list[Numbered]]) -> list[Numbered] | None:
    return await anext(batches, None)


def _user(settings: Settings, name: str | None) -> Principal:
    """Who talks: in development, unless they say otherwise, whoever is logged in to this machine."""
    if name is not None:
        return user_of(settings, name)
    if settings.auth_mode != "dev":
        raise StartupError("Say whose conversation this is: --user ID.")
    try:
        return user_of(settings, getpass.getuser())
    except (OSError, KeyError) as error:  # a user without a name, as in some containers
        raise StartupError("Say who you are: --user NAME.") from error


def _question(message: str | None) -> str:
    if message is None:
        piped = sys.stdin.buffer.read(MAX_PIPED_BYTES + 1)
        if len(piped) > MAX_PIPED_BYTES:
            raise StartupError(f"A message may have {MAX_PIPED_BYTES:,} bytes at most.")
        message = piped.decode(errors="replace").removesuffix("\n")
    if not message.strip():
        raise StartupError("The message is empty.")
    return message


def _screen(*, talks: bool) -> Screen:
    """Where somebody reads only the answer, all else goes where errors go."""
    if talks:
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # half a letter typed is no reason to end
    return Screen(sys.stdout, sys.stdout if talks else sys.stderr, names_speakers=talks)


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Say how it is called."""
    parser = commands.add_parser("chat", help="talk to an agent here, or get one answer for a MESSAGE or a pipe")
    parser.add_argument("message", nargs="?", metavar="MESSAGE")
    parser.add_argument(
        "--user",
        metavar="ID|NAME",
        type=user_name,
        help="with AUTH_MODE=dev: you, unless you say otherwise",
    )
    parser.add_argument("--session", metavar="ID", help="an id, or your own name for it; else the active session")
    parser.add_argument("--agent", metavar="NAME", type=user_name, help="else the session's, or the default")
    parser.set_defaults(command=chat)
