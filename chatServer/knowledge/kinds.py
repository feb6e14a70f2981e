"""What a file is: by its first bytes, which have to agree with its name. What a client says of it does not count."""

import unicodedata
from pathlib import PurePosixPath

from chatServer import errors
from chatServer.knowledge.sniff import HTML, MARKDOWN, PDF, TEXT, found_in
from chatServer.messages import clean_text
from chatServer.messages.text import one_line

ENDINGS = {
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".csv", ".tsv"), TEXT),
    **dict.fromkeys((".md", ".markdown", ".mdx"), MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    ".pdf": PDF,
}
MAX_NAME = 255
UNPRINTED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # they move a cursor, turn a line around or hide


def kind_of(name: str, head: bytes) -> str:
    """The media type of a file with this name and these first bytes; raises FileRefused."""
    if not head:
        raise errors.EmptyFile("The file is empty.")
    found = found_in(head)
    named = ENDINGS.get(PurePosixPath(name).suffix.lower())
    if named is None:
        if found is None:
            raise errors.UnsupportedFile("This cannot be read here: send text, Markdown, HTML or PDF.")
        return found
    if found is None or (named == PDF) != (found == PDF):
        raise errors.MislabelledFile("The file is not what its name says. Give it the ending of what it is.")
    return named


def clean_name(given: str) -> str:
    """A name that can be shown, kept and compared. It is never a path, whatever it looks like."""
    shown = unicodedata.normalize("NFC", clean_text(given[: 8 * MAX_NAME]))
    letters = (" " if unicodedata.category(letter) in UNPRINTED else letter for letter in shown)
    return one_line("".join(letters))[:MAX_NAME].strip() or "untitled"
