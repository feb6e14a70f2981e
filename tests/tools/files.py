"""Files as people upload them, and as those make them who want to see a server fall."""

import base64
import io
import zlib

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

PICTURE = f"data:image/png;base64,{base64.b64encode(bytes.fromhex('89504e470d0a1a0a') + b'pixels').decode()}"


def pdf(*pages: str, title: str = "", password: str = "", algorithm: str = "AES-256") -> bytes:
    """A line of text on each page."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(name): NameObject(value) for name, value in font.items()})
    fonts = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): named})})
    for text in pages:
        page = writer.add_blank_page(612, 792)
        page[NameObject("/Resources")] = fonts
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def pdf_of(*objects: bytes) -> bytes:
    """The first object is the catalog."""
    written, places = bytearray(b"%PDF-1.7\n"), [b"0000000000 65535 f \n"]
    for number, each in enumerate(objects, 1):
        places.append(b"%010d 00000 n \n" % len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"xref\n0 %d\n%s" % (len(places), b"".join(places))
    end = b"trailer\n<< /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF\n" % (len(places), len(written))
    return bytes(written) + table + end


def deep_pages(depth: int) -> bytes:
    """A tree of pages that is a chain."""
    links = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (number + 1) for number in range(2, depth + 2)]
    return pdf_of(b"<< /Type /Catalog /Pages 2 0 R >>", *links, b"<< /Type /Page /MediaBox [0 0 9 9] >>")


def endless_pages() -> bytes:
    """A tree of pages that is a ring."""
    return pdf_of(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
    )


def pdf_page(packed: bytes) -> bytes:
    """One page, of which this is the text."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return pdf_of(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 %s >> >> >>"
        % font,
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
    )


def bomb(megabytes: int) -> bytes:
    """A page whose text is a thousand times as large as the file."""
    packer = zlib.compressobj(9)
    return pdf_page(b"".join(packer.compress(b" " * 1_000_000) for _ in range(megabytes)) + packer.flush())


def busy_page(operators: int) -> bytes:
    """A page with more to do than anybody has time for."""
    return pdf_page(zlib.compress(b"BT /F1 12 Tf (x) Tj ET\n" * operators, 9))
