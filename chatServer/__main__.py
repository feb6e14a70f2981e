"""The command's front door: Ctrl-C ends it quietly, also while everything else is still being imported."""

import os
import signal
import sys

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

_before = signal.getsignal(signal.SIGINT)
if _before is signal.default_int_handler:  # else somebody wants it ignored
    # No exception, which would come out of the middle of somebody's import. Nothing is open that had to be closed.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

from chatServer import cli  # noqa: E402  not before the line above

signal.signal(signal.SIGINT, _before)


def main() -> None:
    try:
        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
