"""read: a file becomes text, in a process of its own that may take only so much (reader.py)."""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import astuple
from typing import IO, Any

from chatServer.config import PACKAGES
from chatServer.knowledge.reading import Allowed, Reading, Unreadable
from chatServer.messages import clean_text
from chatServer.messages.text import one_line

WALL_S = 90.0
MAX_TITLE = 200
PROGRAM = ("-m", "chatServer.knowledge.reader")

FAULTS = {
    "encrypted_file": "The file is encrypted. Take the password off, and upload it again.",
    "broken_file": "The file is damaged, or not what its name says: it cannot be read.",
    "no_text": "There is no text in the file. Pictures of pages have to go through text recognition first.",
    "too_many_pages": "The file has too many pages. Upload it in parts.",
    "text_too_long": "The file has too much text. Upload it in parts.",
    "too_complex": "The file takes too much time or memory to be read.",
    "too_many_chunks": "With it you would have more text in documents than you may. Delete some, or upload less.",
    "gave_up": "The file could not be read, though it was tried several times. Upload it again.",
}


async def read(file: IO[bytes], media_type: str, allowed: Allowed | None = None, *, wall_s: float = WALL_S) -> Reading:
    """The text of a file; raises Unreadable. No path of anybody's is opened: the file is handed over as it is."""
    told = await _told(file, media_type, allowed or Allowed(), wall_s)
    return await asyncio.to_thread(_understood, told)  # five million characters take 0.3 s


def _understood(told: bytes) -> Reading:
    try:
        said: dict[str, Any] = json.loads(told)
        if fault := said.get("fault"):
            raise Unreadable(fault if fault in FAULTS else "broken_file")
        starts = tuple(int(start) for start in said["page_starts"])
        return Reading(one_line(clean_text(said["title"]))[:MAX_TITLE], clean_text(said["text"]), starts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # it was ended while it wrote
        raise Unreadable("too_complex") from error


async def _told(file: IO[bytes], media_type: str, allowed: Allowed, wall_s: float) -> bytes:
    file.seek(0)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *PROGRAM,
        media_type,
        json.dumps(astuple(allowed)),
        stdin=file,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        # Nothing of ours: no address, no secret. Python finds its packages by its own place, and us by this path; and
        # nothing in the folder that somebody happens to be in, which may be full of strangers' files.
        env={"PYTHONPATH": str(PACKAGES), "PYTHONSAFEPATH": "1", "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        start_new_session=True,  # Ctrl-C is for us
    )
    try:
        async with asyncio.timeout(wall_s):
            told, _ = await process.communicate()
            return told
    except TimeoutError as error:
        raise Unreadable("too_complex") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
