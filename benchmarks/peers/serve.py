"""Serves one peer as fast as it can be served: python -m benchmarks.peers.serve NAME, in the peers' environment.

One process, uvloop and httptools, no access log, and what start-up made is never looked at again by the collector of
garbage: as our own server does it. Prints its address once it answers.
"""

import gc
import importlib
import sys
from socket import socket

import uvicorn


class Server(uvicorn.Server):
    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"The peer is at http://127.0.0.1:{port}", flush=True)


def main() -> None:
    app = importlib.import_module(f"benchmarks.peers.{sys.argv[1]}").app
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, loop="uvloop", http="httptools", access_log=False, log_level="warning"
    )
    Server(config).run()


if __name__ == "__main__":
    main()
