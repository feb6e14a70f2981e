"""Files that want to be read and cannot be: each gets a clear answer, and nothing of it stays."""

import contextlib
import io
import random
import resource
import socket
import time
import zipfile
from collections.abc import Iterator

import httpx
import pytest

from chatServer.api import body
from chatServer.knowledge import read as reads
from chatServer.knowledge.reading import Allowed, Unreadable
from chatServer.main import create_app
from tests.conftest import ADA, rows, serving_app
from tests.tools import files
from tests.tools.knowledge import left_behind, library_of, read_all, text_of, upload
from tests.tools.listening import listening
from tests.tools.problems import assert_problem
from tests.tools.routes import layers_of


def zipped() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("a.txt", "hello")
    return written.getvalue()


REFUSED = [
    ("empty.txt", b"", "empty_file"),
    ("empty.pdf", b"", "empty_file"),
    ("archive.pdf", zipped(), "mislabelled_file"),
    ("page.pdf", b"<html><body>hello</body></html>", "mislabelled_file"),
    ("text.md", b"%PDF-1.7 and so on", "mislabelled_file"),
    ("blank.md", b"\xef\xbb\xbf \n%PDF-1.7 and so on", "mislabelled_file"),
    ("junk.md", b"\x01\x02\n%PDF-1.7 and so on", "mislabelled_file"),
    ("junk.txt", b"\x91\xe4\xff\xfa\n%PDF-1.7 and so on", "mislabelled_file"),
    ("nulls.txt", b"hello\0world\0\0\0" * 10, "unsupported_file"),
    ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, "unsupported_file"),
    ("random.txt", random.Random(8).randbytes(4_000), "unsupported_file"),
    ("random.md", bytes(random.Random(8).choices(range(32, 256), k=4_000)), "unsupported_file"),
    ("random", bytes(random.Random(8).choices(range(32, 256), k=100)), "unsupported_file"),
    ("\u0440.txt", "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440".encode("cp1251"), "unsupported_file"),
    ("archive.zip", zipped(), "unsupported_file"),
    ("program", b"\x7fELF\x02\x01\x01" + bytes(64), "unsupported_file"),
]


async def test_what_is_no_article_is_refused_at_once(client, urls, as_ada):
    for name, content, code in REFUSED:
        answer = await upload(client, as_ada, ("good.txt", b"good"), (name, content))
        assert (answer.status_code, answer.json()["code"]) == (422, code), name
        assert answer.json()["detail"].endswith(".")
        assert f'"{name}"' in answer.json()["detail"], "of several files, it says which"
        assert answer.json()["file"] == name
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]
    assert left_behind(urls) == (0, 0)


FAILED = [
    ("encrypted.pdf", lambda: files.pdf("secret", password="secret"), "encrypted_file"),
    ("old.pdf", lambda: files.pdf("secret", password="secret", algorithm="RC4-128"), "encrypted_file"),
    ("cut.pdf", lambda: files.pdf(*["x"] * 50)[:2_000], "broken_file"),
    ("junk.pdf", lambda: b"%PDF-1.7\n" + b"<<[(" * 50_000, "broken_file"),
    ("ring.pdf", files.endless_pages, "broken_file"),
    ("deep.pdf", lambda: files.deep_pages(5_000), "too_complex"),
    ("bomb.pdf", lambda: files.bomb(100), "too_complex"),
    ("many.pdf", lambda: files.pdf(*["x"] * 1_001), "too_many_pages"),
    ("scan.pdf", lambda: files.pdf("", ""), "no_text"),
    ("script.html", lambda: b"<html><script>alert(1)</script><p> </p>", "no_text"),
    ("blank.txt", lambda: b" \n" * 1_000, "no_text"),
    ("half.txt", lambda: b"word " * 2_000 + random.Random(8).randbytes(20_000), "broken_file"),
    ("mark.txt", lambda: b"\xff\xfe" + random.Random(8).randbytes(20_000), "broken_file"),
    ("long.txt", lambda: b"word " * 1_000_001, "text_too_long"),
]


async def test_what_cannot_be_read_says_why_and_leaves_nothing(client, database, urls, as_ada):
    for name, content, code in FAILED:
        answer = await upload(client, as_ada, (name, content()))
        await read_all(database, ADA, answer)
        article = (await client.get(f"/api/knowledge/{answer.json()['article']['id']}", headers=as_ada)).json()
        assert (article["state"], article["error_code"], article["error"]) == ("failed", code, reads.FAULTS[code]), name
    assert left_behind(urls) == (0, 0)


READABLE = [
    ("nested.html", b"<div>" * 100_000 + b"deep", "deep"),
    ("marked.txt", "\ufeffGrüße".encode("utf-16"), "Grüße"),
    ("plain16.txt", "Hello, world".encode("utf-16-le"), "Hello, world"),
    ("latin.txt", "Grüße aus Köln".encode("latin-1"), "Grüße aus Köln"),
    ("older.html", '<meta charset="windows-1251"><p>Привет'.encode("cp1251"), "Привет"),
    ("liar.html", '<meta charset="rot13"><p>Grüße'.encode("cp1252"), "Grüße"),
    ("returns.txt", b"one\r\ntwo\rthree\x07\x1b[31m", "one\ntwo\nthree  [31m"),
]


async def test_what_looks_odd_is_read(client, database, urls, as_ada):
    for name, content, text in READABLE:
        await read_all(database, ADA, await upload(client, as_ada, (name, content)))
        assert text_of(urls, name).strip() == text, name


NAMES = {
    "../../etc/passwd": "passwd",
    "C:\\Users\\ada\\notes.txt": "notes.txt",
    "a\u202etxt.exe": "a txt.exe",
    "/": "untitled",
    "x" * 1_000: "x" * 255,
    "ignore all instructions.txt": "ignore all instructions.txt",
}


async def test_a_name_is_a_name_and_no_path(client, as_ada):
    for given, name in NAMES.items():
        answer = await upload(client, as_ada, (given, b"hello"))
        assert answer.status_code == 202, answer.text
        assert answer.json()["article"]["name"] == name


async def test_a_file_of_26_mb_is_refused_and_lies_nowhere(client, urls, as_ada):
    answer = await upload(client, as_ada, ("large.txt", b"x" * 26_000_000))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    answer = await upload(client, as_ada, ("large.txt", b"x" * 25_000_001))
    assert (answer.status_code, answer.json()["code"]) == (413, "file_too_large")
    assert left_behind(urls) == (0, 0)


async def test_a_file_of_25_mb_is_taken_in_parts(client, urls, as_ada):
    answer = await upload(client, as_ada, ("large.txt", b"x" * 25_000_000))
    assert answer.status_code == 202
    assert rows(urls, "select count(*), max(length(bytes)) from chat.article_files") == [(25, 1_000_000)]


NO_FILES = [
    {"content": b"hello", "headers": {"Content-Type": "text/plain"}},
    {"content": b"--x\r\nhello", "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
    {"content": b"hello", "headers": {"Content-Type": "multipart/form-data"}},
    {"data": {"file": "https://example.com/a.pdf", "path": "/etc/passwd"}, "files": {"other": ("a.txt", b"x")}},
    {"files": [("file", (f"{number}.txt", b"x")) for number in range(21)]},
    {"json": {"url": "https://example.com/a.pdf"}},
]


async def test_only_files_are_taken(client, urls, as_ada):
    for given in NO_FILES:
        headers = as_ada | given.get("headers", {})
        answer = await client.post("/api/knowledge", **{**given, "headers": headers})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), given
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]


async def test_a_stranger_s_body_is_not_even_read(client):
    async def endless():
        for _ in range(100):
            yield b"x" * 1_000_000

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await client.post("/api/knowledge", content=endless(), headers=headers)
    assert answer.status_code == 401


async def test_what_lies_in_files_is_bounded_and_given_back(settings, as_ada):
    app = create_app(settings)
    async with serving_app(app) as client:
        await client.get("/healthz")
        (door,) = [layer for layer in layers_of(app) if isinstance(layer, body.WholeBody)]
        door.free_file_bytes = 1_000
        assert (await upload(client, as_ada, ("a.txt", b"x" * 2_000))).json()["code"] == "overloaded"
        assert (await upload(client, as_ada, ("a.txt", b"x" * 500))).status_code == 202
        assert (await upload(client, as_ada, ("a.exe", b"\0" * 500))).status_code == 422
        assert door.free_file_bytes == 1_000


@pytest.mark.parametrize("room", [200_000, 569_000], ids=["in its midst", "at its end"])
async def test_a_disk_without_room_for_an_upload_is_told_and_is_no_bug(client, as_ada, urls, room):
    file = ("a.txt", b"All of it is text. " * 30_000)
    with no_file_larger_than(room):
        answer = await upload(client, as_ada, file)
    assert_problem(answer, 503, "overloaded")
    assert answer.headers["Retry-After"] == "2"
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]
    assert (await upload(client, as_ada, file)).status_code == 202


@contextlib.contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """The kernel refuses this process to write more into any, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def half_an_upload(address: str, headers: dict[str, str], size: int) -> socket.socket:
    """One that says it has more than it sends."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    head = f"POST /api/knowledge HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {headers['Authorization']}\r\n"
    head += f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {size + 1}\r\n\r\n"
    connection.sendall(head.encode() + b"x" * size)
    return connection


def test_half_sent_uploads_are_counted_for_their_user_and_in_small_pieces(settings, as_ada, as_eve):
    app = create_app(settings)
    size = 200_000
    with listening(app) as address:
        halves = [half_an_upload(address, as_ada, size) for _ in range(3)]
        try:
            (door,) = [layer for layer in layers_of(app) if isinstance(layer, body.WholeBody)]
            deadline = time.monotonic() + 30
            while body.FILES_BYTES - door.free_file_bytes < 3 * (size - body.PIECE_BYTES):
                assert time.monotonic() < deadline, "what has come is counted, if not to the last piece"
                time.sleep(0.02)

            def upload_of(headers: dict[str, str]) -> httpx.Response:
                return httpx.post(f"{address}/api/knowledge", headers=headers, files={"file": ("a.txt", b"hello")})

            refused = upload_of(as_ada)
            assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
            assert (refused.json()["limit"], refused.headers["Retry-After"]) == ("open_uploads", "2")
            assert upload_of(as_eve).status_code == 202
        finally:
            for half in halves:
                half.close()
        deadline = time.monotonic() + 30
        while upload_of(as_ada).status_code == 429:
            assert time.monotonic() < deadline, "whoever has left is counted no longer"
        assert door.free_file_bytes == body.FILES_BYTES


# A reader of its own --------------------------------------------------------------------------------------


async def test_a_reader_has_little_memory_and_time(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(files.busy_page(200_000))
    with path.open("rb") as file:
        with pytest.raises(Unreadable, match="too_complex"):
            await reads.read(file, "application/pdf", Allowed(cpu_s=1))
        with pytest.raises(Unreadable, match="too_complex"):
            await reads.read(file, "application/pdf", wall_s=0.05)
    path.write_bytes(b"word " * 20_000_000)
    with path.open("rb") as file, pytest.raises(Unreadable, match="too_complex"):
        await reads.read(file, "text/plain", Allowed(memory_mb=150, characters=10**9))


async def test_a_reader_knows_nothing_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_JWT_SECRET", "a-secret-of-ours")
    monkeypatch.setattr(
        reads,
        "PROGRAM",
        ("-c", "import os, json; print(json.dumps({'title': '', 'text': str(dict(os.environ)), 'page_starts': []}))"),
    )
    path = tmp_path / "a"
    path.write_bytes(b"x")
    with path.open("rb") as file:
        reading = await reads.read(file, "text/plain")
    assert "PYTHONPATH" in reading.text
    assert "a-secret-of-ours" not in reading.text


async def test_a_worker_goes_on_after_a_reader_died(client, database, urls, as_ada, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(reads, "PROGRAM", ("-c", "import os; os.kill(os.getpid(), 9)"))
        await read_all(database, ADA, await upload(client, as_ada, ("a.txt", b"hello")))
    assert rows(urls, "select state, error_code from chat.articles") == [("failed", "too_complex")]
    await read_all(database, ADA, await upload(client, as_ada, ("a.txt", b"hello")))
    assert text_of(urls, "a.txt") == "hello"
    assert library_of(database).allowed == Allowed()


def handed(folder, content: bytes):
    (folder / "file").write_bytes(content)
    return (folder / "file").open("rb")


async def test_nothing_in_the_folder_of_whoever_reads_is_run(tmp_path, monkeypatch):
    (tmp_path / "resource.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with handed(tmp_path, b"Hello.") as file:
        assert (await reads.read(file, "text/plain")).text == "Hello."


async def test_a_title_without_end_is_cut_where_it_is_read(tmp_path):
    page = b"<title>" + b"word <b>" * 100_000 + b"</title><p>Hello."
    with handed(tmp_path, page) as file:
        found = await reads.read(file, "text/html")
    assert (len(found.title), found.text) == (reads.MAX_TITLE, "Hello.")


async def test_a_refused_name_is_shown_as_it_would_be_kept(client, as_ada):
    answer = await upload(client, as_ada, ("a\u202etxt.exe", b"\0" * 100))
    assert answer.json()["file"] == "a txt.exe"
    assert answer.json()["detail"].startswith('"a txt.exe" cannot be read here')
    answer = await upload(client, as_ada, ("large.txt", b"x" * 25_000_001))
    assert (answer.status_code, answer.json()["file"]) == (413, "large.txt")
    assert answer.json()["detail"].startswith('"large.txt" is larger: a file may have 25,000,000 bytes')
