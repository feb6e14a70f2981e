"""What a file is: by its first bytes (sniff.py), which have to agree with its name. What a client says of it does not
count. Another kind has an ending here, a mark there, and whoever makes text of it in reader.py."""

import unicodedata
from pathlib import PurePosixPath

from chatServer import errors
from chatServer.knowledge.sniff import HTML, MARKDOWN, PDF, TEXT, found_in, has_pdf_mark, is_plausible
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
    """The media type of a file with this (clean) name and these first bytes; raises FileRefused."""
    if not head:
        raise errors.EmptyFile(f'"{name}" is empty.', file=name)
    named = ENDINGS.get(PurePosixPath(name).suffix.lower())
    found = PDF if named == PDF and has_pdf_mark(head) else found_in(head)
    if PDF in (found, named):
        if named in (found, None):
            return PDF
        raise errors.MislabelledFile(f'"{name}" is not what its name says. Give it the right ending.', file=name)
    if found is None or (HTML not in (found, named) and not is_plausible(head)):
        how = "it is no text in UTF-8, UTF-16 or Windows' Latin" if named else "send text, Markdown, HTML or PDF"
        raise errors.UnsupportedFile(f'"{name}" cannot be read here: {how}.', file=name)
    return named or found


def clean_name(given: str) -> str:
    """A name that can be shown, kept and compared. It is never a path, whatever it looks like."""
    shown = unicodedata.normalize("NFC", clean_text(given[: 8 * MAX_NAME]))
    letters = (" " if unicodedata.category(letter) in UNPRINTED else letter for letter in shown)
    return one_line("".join(letters))[:MAX_NAME].strip() or "untitled"
