"""The document of an export, read piece by piece: however long it is, one row of it is held at a time."""

import json
from collections.abc import Container, Iterator
from typing import Any, TextIO

from chatServer import errors

PIECE = 65_536  # characters
MAX_ROW = 4_000_000  # characters
MAX_PICTURED = 40_000_000  # of a message, whose pictures are in it
MAX_MARKS = 100_000  # brackets, commas and quotes of a row, but for those within its texts
MAX_ABOUT = 1_000  # of what the document says of itself, and of a name in it
SPACES = " \t\r\n"


class _Text:
    """A text of which only what is not read yet is kept."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._text = ""
        self._place = 0
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in SPACES:
                self._place += 1
            if self._place < len(self._text) or not self._read_more(PIECE):
                return self._text[self._place : self._place + 1]

    def expect(self, *wanted: str) -> str:
        found = self.peek()
        if found not in wanted:  # nor is the end
            raise errors.InvalidRequest("The document is not JSON of the shape that an export has, or it is cut off.")
        self._place += 1
        return found

    def value(self, limit: int) -> Any:
        """The next JSON value, of so many characters at most. Each time that not all of it is there, twice as much is
        read: so the work grows with its length, and not with the square of that."""
        self.peek()
        size = PIECE
        while True:
            have = self._text[self._place : self._place + size]
            part = before_a_crowd(have, MAX_MARKS)
            try:
                found, end = self._decoder.raw_decode(part)
            except RecursionError as error:
                raise errors.InvalidRequest("The document is nested too deeply.") from error
            except ValueError as error:
                if len(part) < len(have):
                    raise errors.InvalidRequest(f"The document has a row of more than {MAX_MARKS:,} values.") from error
                if len(part) > limit or not self._has_more(len(part)):
                    raise errors.InvalidRequest("The document is not JSON, or it is cut off.") from error
            else:
                # A number may go on behind what was read; nothing else can.
                if end < len(part) or not isinstance(found, int | float) or not self._has_more(len(part)):
                    if end > limit:
                        raise errors.InvalidRequest(f"The document has a part of more than {limit:,} characters.")
                    self._place += end
                    return found
            size *= 2

    def _has_more(self, than: int) -> bool:
        return len(self._text) - self._place > than or self._read_more(max(than, PIECE))

    def _read_more(self, characters: int) -> bool:
        try:
            more = self._source.read(characters)
        except UnicodeDecodeError as error:
            raise errors.InvalidRequest("The document is not UTF-8.") from error
        self._text, self._place = self._text[self._place :] + more, 0
        return bool(more)


def before_a_crowd(text: str, most: int) -> str:
    """As much of it as has no more than so many marks. Nothing interrupts the decoder, nor what frees its values: 38 MB
    of empty lists were 40 s and 2 GB (2026-11-16). What is long in a real row is a text, or the base64 of a picture."""
    if len(text) <= most:
        return text
    marks = end = 0
    pieces = text.replace("\\\\", "__").replace('\\"', "__").split('"', most)  # each second one is within quotes
    for number, piece in enumerate(pieces):
        marks += 1 if number % 2 else 1 + sum(piece.count(mark) for mark in "[{,")
        if marks > most:
            return text[:end]
        end += len(piece) + 1
    return text


def _refuse_constant(_: str) -> None:
    raise errors.InvalidRequest("The document has a number that is none.")


def read(source: TextIO, sections: Container[str], about: Container[str]) -> Iterator[tuple[str, Any]]:
    """Every field of the document, in order: the name and the value of what it says `about` itself, short texts and
    numbers; the name of a section with each of its items. Anything else is refused as soon as it is met."""
    text, names = _Text(source), set[str]()
    text.expect("{")
    while True:
        name = text.value(MAX_ABOUT) if text.peek() == '"' else None
        if name is None:
            text.expect("}")  # nothing in it at all
            return
        text.expect(":")
        if name in names or (name not in sections and name not in about):
            raise errors.InvalidRequest("The document has a part that no export has, or one of them twice.")
        names.add(name)
        if name in sections:
            for item in _items(text, MAX_PICTURED if name == "messages" else MAX_ROW):
                yield name, item
        elif text.peek() in ("[", "{"):
            raise errors.InvalidRequest(f'"{name}" of the document is no text and no number.')
        else:
            yield name, text.value(MAX_ABOUT)
        if text.expect(",", "}") == "}":
            return


def _items(text: _Text, limit: int) -> Iterator[Any]:
    text.expect("[")
    if text.peek() == "]":
        text.expect("]")
        return
    while True:
        yield text.value(limit)
        if text.expect(",", "]") == "]":
            return
