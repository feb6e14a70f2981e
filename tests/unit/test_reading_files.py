"""What a file is by its first bytes, and what is read of a web page; all without the process that bears with them."""

import time
from html.parser import HTMLParser

import pytest

from chatServer import errors
from chatServer.knowledge import web_pages
from chatServer.knowledge.kinds import kind_of
from tests.tools.files import pdf

PAGES = [
    ("<!doctype html><html><head><title>T1</title><p>Hello", "T1", "Hello"),
    ("<html><head><title>T1</title>Hello <b>you", "T1", "Hello you"),
    ("<head><noscript><img src=x>no</noscript><title>T1</title></head>Hello", "T1", "Hello"),
    ("<title>T1</title><svg><title>T2</title><text>x</text></svg><p>Hello", "T1", "Hello"),
    ("<svg><title>T2</title></svg><title>T1</title><p>Hello", "T1", "Hello"),
    ("<title>T1</title><p>Hello<title>T2</title>", "T1", "Hello"),
    ("<p>Hello<iframe src=x> you", "", "Hello you"),
    ("<p>Hello<noscript> you", "", "Hello you"),
    ("<p>Hello<svg><object><template> you", "", "Hello you"),
    ("<title>T1<p>Hello", "", "T1\n\nHello"),
    ("<p>Hello<iframe>in</iframe><noscript>in</noscript> you <iframe>too", "", "Hello you too"),
    ("<svg><svg>in</svg>in</svg><p>Hello", "", "Hello"),
    ("<p>Hello<script>in it <p>", "", "Hello"),
]


@pytest.mark.parametrize("python", ["this", "newer"])
@pytest.mark.parametrize(("page", "title", "text"), PAGES)
def test_a_page_is_read_though_ends_are_missing(page, title, text, python, monkeypatch):
    if python == "newer":  # which take what is in such a frame for text
        monkeypatch.setattr(HTMLParser, "CDATA_CONTENT_ELEMENTS", ("script", "style", "iframe"))
    found = web_pages.read(page)
    assert (found.title, found.text) == (title, text)


def test_ends_that_are_missing_take_no_time():
    for piece in ("<iframe>", "<svg><title>", "<head>", "</title>", "<noscript></iframe>", "<head>x"):
        began = time.thread_time()
        web_pages.read(piece * (100_000 // len(piece)))
        assert time.thread_time() - began < 2


def test_a_text_may_mention_the_mark_of_a_pdf():
    said = b"# Files\n\nA PDF begins with `%PDF-1.7`, and ends with `%%EOF`.\n"
    assert kind_of("files.md", said) == "text/markdown"
    assert kind_of("files.txt", "Grüße: %PDF-".encode("cp1252")) == "text/plain"
    assert kind_of("files.html", b"<p>%PDF-") == "text/html"


def test_a_pdf_may_begin_with_junk_whatever_it_is_called():
    for before in (b"", b" \r\n", b"\xef\xbb\xbf", b"\0\0\x01", b"\xff\xd8\x99\xaa junk "):
        assert kind_of("a.pdf", before + pdf("Hello.")[:1_000]) == "application/pdf"
        assert kind_of("a", before + pdf("Hello.")[:1_000]) == "application/pdf"
        with pytest.raises(errors.MislabelledFile):
            kind_of("a.md", before + pdf("Hello.")[:1_000])
    assert kind_of("a.pdf", b"HTTP/1.1 200 OK\n\n" + pdf("Hello.")[:1_000]) == "application/pdf"
