"""The text of a PDF, page by page."""

import importlib
from typing import Any, BinaryIO

from chatServer.knowledge.reading import Allowed, Reading, Unreadable, plain

BETWEEN_PAGES = "\n\n"


def read(file: BinaryIO, allowed: Allowed) -> Reading:
    """Its text and title; a page that cannot be read is left out, as long as others can."""
    pypdf: Any = importlib.import_module("pypdf")  # by name: nobody else has to load it
    try:
        document = pypdf.PdfReader(file)
        # Many are encrypted with an empty password, so that a program asks before it lets you print.
        if document.is_encrypted and not document.decrypt(""):
            raise Unreadable("encrypted_file")
        if len(document.pages) > allowed.pages:
            raise Unreadable("too_many_pages")
        return _read_pages(document, allowed, pypdf.errors.LimitReachedError)
    except pypdf.errors.LimitReachedError as error:  # pypdf has limits of its own: of nesting, of what is unpacked
        raise Unreadable("too_complex") from error


def _read_pages(document: Any, allowed: Allowed, too_much: type[Exception]) -> Reading:
    texts: list[str] = []
    starts: list[int] = []
    place = failed = 0
    for number in range(len(document.pages)):
        starts.append(place)
        text = _text_of(document, number, too_much)
        failed += text is None
        texts.append(_tidy(text or ""))
        place += len(texts[-1]) + len(BETWEEN_PAGES)
        if place > allowed.characters:
            raise Unreadable("text_too_long")
    if failed and not any(texts):
        raise Unreadable("broken_file")
    return Reading(_title_of(document), BETWEEN_PAGES.join(texts), tuple(starts))


def _text_of(document: Any, number: int, too_much: type[Exception]) -> str | None:
    try:
        return str(document.pages[number].extract_text())
    except (MemoryError, RecursionError, too_much):
        raise
    except Exception:  # noqa: BLE001  pypdf raises what it meets in a broken page
        return None


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in plain(text).split("\n")).strip()


def _title_of(document: Any) -> str:
    try:
        return str((document.metadata or {}).get("/Title") or "")
    except Exception:  # noqa: BLE001  the title is the least of it
        return ""
