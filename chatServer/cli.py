"""The command chatserver: serve, worker, migrate, doctor, chat, session, memory, knowledge, export and so on."""

import argparse
import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from types import FrameType

import uvicorn
import uvloop

from chatServer import __version__, heap, logs
from chatServer.agent.catalog import Catalog
from chatServer.agent.models import Models
from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.api.patience import LimitedPatience
from chatServer.api.state import State
from chatServer.commands import account, command, knowledge, memory, operations
from chatServer.config import Settings
from chatServer.errors import StartupError
from chatServer.main import create_app, running
from chatServer.store import migrate as migrations
from chatServer.terminal import bar, chat
from chatServer.terminal.text import user_name

SERVE_HELP = (
    "Run the server until SIGTERM or Ctrl-C. It has no options: its settings are environment variables, or lines of "
    ".env in this folder; .env.example lists them. Without any it listens on 127.0.0.1 port 8000 (HOST, PORT), keeps a "
    "Postgres of its own in .data (CHAT_DATA_DIR; DATABASE_URL names another), and answers by rules (MODEL)."
)
AFTER_THE_GRACE_S = 1  # for answers that are being written when the grace ends


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command of all."""
    command.run(_parser(), arguments)


def serve(settings: Settings, _: argparse.Namespace) -> None:
    logs.install(settings.log_level)
    told = _signals()
    command.end_with_terminal()
    loop = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with _listen(settings) as listening, contextlib.suppress(KeyboardInterrupt), loop as runner:
        try:
            runner.run(_serve(settings, listening, told))
        except StartupError:
            if not told:  # a Ctrl-C ends what is being started, too: initdb
                raise
    print("Stopped.")


def _signals() -> list[int]:
    """Those that come before uvicorn listens to them, for `Server` to heed once everything has started. An error that
    their handler raises can be lost: one was in a callback of the garbage collector, and the server ran on
    (2026-11-18). So only the second one is an error, for who does not want to wait."""
    told: list[int] = []

    def note(sig: int, frame: FrameType | None) -> None:
        if told:
            signal.default_int_handler(sig, frame)
        told.append(sig)

    for each in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, note)
    return told


def _listen(settings: Settings) -> socket.socket:
    """The port first: if it is taken, nothing else has to be started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        why = (error.strerror or "").partition(" (while")[0]  # Python says the address once more
        is_ports = error.errno in (errno.EADDRINUSE, errno.EACCES)
        remedy = f"For another port: PORT={8001 + (settings.port == 8001)}" if is_ports else "Name another HOST."
        raise StartupError(f"Cannot listen on {settings.host} port {settings.port}: {why}. {remedy}") from error


async def _serve(settings: Settings, listening: socket.socket, told: Sequence[int]) -> None:
    # The state is built before uvicorn starts, so that a refusal is a sentence and not a traceback of uvicorn's.
    async with running(settings, when_loaded=heap.settle) as state:
        config = uvicorn.Config(
            create_app(settings, state),
            http=LimitedPatience,
            log_config=None,
            access_log=False,  # it would write down what people search for
            server_header=False,
            timeout_graceful_shutdown=AFTER_THE_GRACE_S,
        )
        await Server(config, settings, state, told).serve([listening])


class Server(uvicorn.Server):
    """uvicorn, that says where it is once it is there, and that goes on listening while it finishes its work:
    whoever asks in that time is told so, and does not find a closed port."""

    def __init__(self, config: uvicorn.Config, settings: Settings, state: State, told: Sequence[int]) -> None:
        super().__init__(config)
        self.told = told
        self.settings = settings
        self.agents = state.agents
        self.ending = state.shutdown
        self.loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """As uvicorn's own, which also raises the signal once more in the end, before the database is closed."""
        self.force_exit = self.force_exit or (self.should_exit and sig == signal.SIGINT)
        self.should_exit = True
        self.loop.call_soon_threadsafe(self.ending.begin)

    async def on_tick(self, counter: int) -> bool:
        if self.told and not self.should_exit:
            self.handle_exit(self.told[0], None)
        must_end = await super().on_tick(counter)
        return must_end and (self.force_exit or self.ending.may_end)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            warnings = _warnings(self.settings, self.agents)
            print(_welcome(self.settings, self._address()), *warnings, sep="\n", flush=True)

    def _address(self) -> str:
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def migrate(settings: Settings, _: argparse.Namespace) -> None:
    bar.begin("Bringing the database to the newest revision")
    with operations.owner_url(settings) as url:
        applied = migrations.migrate(url)
        app_url = settings.database_url.get_secret_value() if settings.database_url else ""
        if app_url and migrations.set_login_password(url, app_url):
            print("The role chat_app has the password of DATABASE_URL.")
        revision = migrations.revision_of(url)
    print(f"Revisions that ran: {', '.join(applied)}." if applied else "Nothing was missing.")
    print(f"The database is at revision {revision}.")
    if not migrations.knows(revision):
        print(
            f"That is newer than this code, which ends at {migrations.newest_revision()}. It can serve from it, and "
            "changes nothing: to migrate further, run the newer code."
        )


def token(settings: Settings, parsed: argparse.Namespace) -> None:
    if settings.auth_mode != "dev":
        raise StartupError("Tokens are signed here with AUTH_MODE=dev only; otherwise your issuer signs them.")
    print(DevKey.of(settings.chat_data_dir).sign(dev_user_id(parsed.user)))


def _parser() -> argparse.ArgumentParser:
    parser, commands = command.parser()
    commands.add_parser("serve", help="run the server", description=SERVE_HELP).set_defaults(command=serve)
    commands.add_parser("migrate", help="bring the database to the newest revision").set_defaults(command=migrate)
    chat.add(commands)
    operations.add(commands)
    memory.add(commands)
    account.add(commands)
    knowledge.add(commands)
    token_parser = commands.add_parser("token", help="print an access token for development")
    token_parser.add_argument("--user", required=True, metavar="NAME", type=user_name, help="any name, or a user id")
    token_parser.set_defaults(command=token)
    return parser


def _welcome(settings: Settings, address: str) -> str:
    where = settings.chat_data_dir.resolve() if settings.embedded else "the database of DATABASE_URL"
    told = f"\nchatServer {__version__} is at {address}   (API: {address}/docs, data: {where})\n"
    if settings.auth_mode != "dev":
        return f"{told}\nIt takes tokens of {settings.issuer}."
    return f"""{told}
Sign in for development, under any name:
  curl -s {address}/api/dev/token -H 'Content-Type: application/json' -d '{{"user": "ada"}}'
or: {sys.argv[0]} token --user ada
"""


def _warnings(settings: Settings, agents: Catalog) -> Iterator[str]:
    """Which agents cannot answer, for whoever looks at the first lines alone."""
    unable = Models(settings).unable(agents)
    for missing in dict.fromkeys(unable.values()):
        names = ", ".join(name for name in unable if unable[name] == missing)
        yield f"WARNING: {names} cannot answer. {missing}"


if __name__ == "__main__":
    main()
