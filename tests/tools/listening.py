"""The app behind a real uvicorn on a real port, in a thread of this process."""

import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator

import httpx
import uvicorn
from starlette.types import ASGIApp

from chatServer.api.patience import LimitedPatience
from chatServer.main import create_app

START_S = 20


@contextlib.contextmanager
def listening(app: ASGIApp, protocol: type[LimitedPatience] = LimitedPatience) -> Iterator[str]:
    """Serve until the block ends; gives the address."""
    taken = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=protocol, log_config=None, access_log=False, server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([taken],))
    thread.start()
    try:
        deadline = time.monotonic() + START_S
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(START_S)
        taken.close()


@contextlib.asynccontextmanager
async def servers(settings, count: int = 1) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Clients of so many servers on one database."""
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                httpx.AsyncClient(base_url=stack.enter_context(listening(create_app(settings))), timeout=30)
            )
            for _ in range(count)
        ]
