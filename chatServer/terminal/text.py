"""What every command at a terminal needs: who is meant, and texts that harm no terminal. It imports little, so that a
command which only reads is there at once."""

import argparse
import json
import re
from collections.abc import Sequence
from uuid import UUID

from chatServer.api.dev_users import dev_user_id
from chatServer.config import Settings
from chatServer.errors import StartupError
from chatServer.messages import clean_text
from chatServer.records import Principal

# What anybody wrote must not move the cursor, name the window or turn lines around: ESC and all other controls but
# newline and tab, line separators, controls of the writing direction, halves of characters. Emoji keep their joiners.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def user_name(text: str) -> str:
    if not text.strip() or clean_text(text) != text:
        raise argparse.ArgumentTypeError("a name has at least one letter, and only letters that can be written")
    return text


def user_of(settings: Settings, text: str) -> Principal:
    """A user id; or, where sign-in is that of development, a name."""
    try:
        return Principal(UUID(text))
    except ValueError as error:
        if settings.auth_mode != "dev":
            raise StartupError("Only with AUTH_MODE=dev have users names: give the user's id.") from error
        return Principal(dev_user_id(text))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [header, *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = ("  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def plain(value: object) -> str:
    """A text that does nothing to a terminal but stand there."""
    return _UNSHOWN.sub("", str(value))


def as_text(value: object) -> str:
    return json.dumps(value, indent=2)


def _cell(value: object) -> str:
    return "" if value is None else re.sub(r"[\n\t]", " ", plain(value))
