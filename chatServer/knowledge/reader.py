"""A program of its own that makes text of one file: `python -m chatServer.knowledge.reader`, the file at its input.

A file is anybody's, and those who write such files know what parsers cannot bear. So this process has little memory,
little time and nothing of ours in its environment; whatever becomes of it, whoever started it goes on."""

import contextlib
import ctypes
import json
import logging
import os
import resource
import signal
import sys
from typing import BinaryIO

from chatServer.knowledge import pdfs, web_pages
from chatServer.knowledge.reading import Allowed, Reading, Unreadable, plain
from chatServer.knowledge.sniff import FEW, HEAD_BYTES, HTML, PDF, encoding_of

MAX_TITLE = 1_000  # characters; the rest of a title is nobody's
UNREAD, MAX_UNREAD = "\ufffd", 0.01  # what stands for bytes that are no letter, and how much of a text it may be
PARENT_DEATH_SIGNAL = 1  # as linux/prctl.h has it: PR_SET_PDEATHSIG


def main() -> None:
    """Say what was read, or why not, as one JSON document."""
    media_type, allowed = sys.argv[1], Allowed(*json.loads(sys.argv[2]))
    _be_modest(allowed, allowed.cpu_s if media_type == PDF else allowed.text_cpu_s)
    _end_with_parent()
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may print what they like
    logging.disable()
    try:
        found = read(sys.stdin.buffer, media_type, allowed)
        told = {"title": found.title[:MAX_TITLE], "text": found.text, "page_starts": found.page_starts}
    except Unreadable as error:
        told = {"fault": error.fault}
    except (MemoryError, RecursionError):
        told = {"fault": "too_complex"}
    except Exception:  # noqa: BLE001  a parser may raise anything about a broken file
        told = {"fault": "broken_file"}
    answer.write(json.dumps(told).encode())
    answer.close()


def read(file: BinaryIO, media_type: str, allowed: Allowed) -> Reading:
    """The text of a file; raises Unreadable, or whatever a library does."""
    if media_type == PDF:
        found = pdfs.read(file, allowed)
    else:
        content = file.read()
        said = web_pages.encoding_in(content[:HEAD_BYTES]) if media_type == HTML else "cp1252"
        text = _decoded(content, said)
        found = web_pages.read(text) if media_type == HTML else Reading("", text)
    if len(found.text) > allowed.characters:
        raise Unreadable("text_too_long")
    if not found.text.strip():
        raise Unreadable("no_text")
    return found


def _decoded(content: bytes, otherwise: str) -> str:
    """As Unicode if it is any, else as the page says of itself."""
    encoding = encoding_of(content[:HEAD_BYTES])
    if encoding is None:
        raise Unreadable("broken_file")
    candidates = ("utf-8", otherwise) if encoding in ("utf-8", "cp1252") else (encoding,)
    for each in candidates:
        with contextlib.suppress(UnicodeDecodeError):
            return plain(content.decode(each))
    text = content.decode(candidates[-1], "replace")
    if text.count(UNREAD) > max(FEW, MAX_UNREAD * len(text)):
        raise Unreadable("broken_file")  # it began as a text, and did not go on as one
    return plain(text)


def _be_modest(allowed: Allowed, cpu_s: int) -> None:
    """Where a system does not know one of these limits, the others and the clock of our caller hold."""
    memory = allowed.memory_mb * 1_000_000
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_FSIZE, 0))
    for which, most in limits:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (most, most))
    with contextlib.suppress(OSError):
        os.nice(10)


def _end_with_parent() -> None:
    """Nobody waits for what a killed server has begun. Linux alone knows this."""
    library = ctypes.CDLL(None)
    if hasattr(library, "prctl"):
        library.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main()
