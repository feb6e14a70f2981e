"""A server in whose environment LangSmith is switched on sends it nothing, unless ALLOW_LANGSMITH says so."""

import os
import socket
import subprocess
import sys
import threading

import pytest

from chatServer import tracing

# As `chatserver serve` starts: the settings, then everything that lives as long as the server; then a model's stand-in.
SCRIPT = """
import asyncio
from chatServer.config import load_settings
from chatServer.main import running
from langchain_core.runnables import RunnableLambda

async def main():
    async with running(load_settings()):
        print(await RunnableLambda(lambda text: text + "!").ainvoke("a conversation"))

asyncio.run(main())
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


class Collector:
    """Counts who connects, and answers nothing that is of use."""

    def __init__(self) -> None:
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self) -> None:
        while True:
            connection, _ = self.socket.accept()
            with connection:
                if connection.recv(65_536) == b"end":
                    return
                self.connections += 1
                connection.sendall(b"HTTP/1.1 400 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def close(self) -> None:
        with socket.create_connection(self.socket.getsockname()) as connection:
            connection.sendall(b"end")
        self.thread.join()
        self.socket.close()


@pytest.fixture
def collector():
    opened = Collector()
    yield opened
    opened.close()


def run(settings, collector: Collector, **environment: str) -> int:
    """The number of connections to the collector that one run makes."""
    address = f"http://127.0.0.1:{collector.socket.getsockname()[1]}"
    values = {
        **os.environ,
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "CHAT_DATA_DIR": str(settings.chat_data_dir),
        "LANGSMITH_ENDPOINT": address,
        "LANGCHAIN_ENDPOINT": address,
        "LANGSMITH_API_KEY": "lsv2_pt_nobody",
        "LANGSMITH_BATCH_INGEST_SIZE": "1",
        **environment,
    }
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command, env=values, capture_output=True, text=True, check=False, cwd=settings.chat_data_dir, timeout=90
    )
    assert done.stdout == "a conversation!\n", done.stderr
    return collector.connections


def test_nothing_is_sent_unless_it_is_allowed(settings, collector):
    each_of_them = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2")
    assert run(settings, collector, **dict.fromkeys(each_of_them, "true")) == 0


def test_the_collector_hears_what_is_sent_when_it_is_allowed(settings, collector):
    assert run(settings, collector, LANGSMITH_TRACING="true", ALLOW_LANGSMITH="1") > 0


def test_all_their_variables_are_forgotten_and_no_others(settings, monkeypatch):
    monkeypatch.setattr(os, "environ", {"LANGSMITH_API_KEY": "k", "LANGCHAIN_TRACING_V2": "true", "LANG": "C"})
    tracing.forget_tracing_variables(settings.model_copy(update={"allow_langsmith": True}))
    assert len(os.environ) == 3
    tracing.forget_tracing_variables(settings)
    assert os.environ == {"LANG": "C"}
