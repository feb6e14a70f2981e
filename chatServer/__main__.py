"""The command's front door: Ctrl-C ends it quietly, also while everything else is still being imported."""

import gc
import os
import signal
import sys

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

_before = signal.getsignal(signal.SIGINT)
if _before is signal.default_int_handler:  # else somebody wants it ignored
    # No exception, which would come out of the middle of somebody's import. Nothing is open that had to be closed.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

gc.disable()  # nothing of what is imported is garbage: looking took 20 % of it, 0.4 s of 2 (2026-11-16, N = 5)
if sys.argv[1:2] == ["memory"]:  # in a third of the time that the server takes to be imported
    from chatServer.commands.memory import main as run
else:
    from chatServer.cli import main as run
gc.freeze()  # nor looked at again, nor at the end: 1.9 s of CPU for a command, not 2.8 (2026-11-18, N = 10)
gc.enable()

signal.signal(signal.SIGINT, _before)


def main() -> None:
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
