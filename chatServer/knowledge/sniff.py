"""Which kind of file bytes are, by the first of them. Nothing is imported here that a reader does not need."""

import codecs

TEXT, MARKDOWN, HTML, PDF = "text/plain", "text/markdown", "text/html", "application/pdf"
HEAD_BYTES = 8_192  # of which we judge
PDF_MARK = b"%PDF-"
PDF_WITHIN = 1_024  # its mark may come after some junk, as readers of PDF allow
MAX_CONTROLS = 0.02  # of a text, and a few in any
MAX_FOREIGN = 0.3  # of bytes that are no ASCII, in Windows' Latin: of German it is 4 %, of what is no text a half
FEW = 3
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def found_in(head: bytes) -> str | None:
    """The media type; None: none that we read."""
    if _is_pdf(head):
        return PDF
    encoding = encoding_of(head)
    if encoding is None:
        return None
    text = head.decode(encoding, "replace").lstrip("\ufeff \t\r\n").lower()
    return HTML if text.startswith(("<!doctype html", "<html", "<head", "<body")) else TEXT


def has_pdf_mark(head: bytes) -> bool:
    return PDF_MARK in head[:PDF_WITHIN]


def _is_pdf(head: bytes) -> bool:
    """Where it begins with the mark, or with junk before it: a text may mention the mark, too."""
    before, mark, _ = head[:PDF_WITHIN].partition(PDF_MARK)
    before = before.removeprefix(codecs.BOM_UTF8).strip()
    is_junk = any(map(_is_control, before)) or not is_plausible(before)
    return bool(mark) and (not before or is_junk)


def _is_control(byte: int) -> bool:
    return byte < 32 and byte not in b"\t\n\f\r\x1b"


def encoding_of(head: bytes) -> str | None:
    """How these bytes are text, judged by the first of them; None: they are none."""
    for mark, encoding in BOMS.items():
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        return _without_mark(head)
    controls = sum(map(_is_control, head))
    if controls > max(FEW, MAX_CONTROLS * len(head)):
        return None
    try:  # a letter that is cut in two at the end is fine
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def is_plausible(head: bytes) -> bool:
    """Whether what is no Unicode can be a text in Windows' Latin. In other alphabets it would be read as gibberish."""
    foreign = sum(byte > 127 for byte in head)
    return encoding_of(head) != "cp1252" or foreign <= max(FEW, MAX_FOREIGN * len(head))


def _without_mark(head: bytes) -> str | None:
    """UTF-16 of a text with ASCII in it: every other byte is mostly zero, and of the others none."""
    even, odd = head[0::2], head[1::2]
    if not even.count(0) and odd.count(0) > len(odd) * 0.3:
        return "utf-16-le"
    if not odd.count(0) and even.count(0) > len(even) * 0.3:
        return "utf-16-be"
    return None
