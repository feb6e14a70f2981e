"""Images count by OpenAI's tiles; the size is read from the first bytes, and what cannot be read costs the most."""

import base64
import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.conversation.image_tokens import FLAT, count_image, count_tiles, image_size
from chatServer.conversation.tokens import count_message
from chatServer.messages import Message, data_uri


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x06\0\0\0"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\xf7\0\0"


def jpeg(width: int, height: int, *, before: int = 0, frame: int = 0xC0) -> bytes:
    preview = b"\xff\xe1" + struct.pack(">H", before + 2) + b"\xff\xc0" * (before // 2)
    tables = b"\xff\xc4\x00\x05abc" + b"\xff\xff\xdb\x00\x04xy"
    size = bytes([0xFF, frame]) + struct.pack(">HBHHB", 17, 8, height, width, 3)
    return b"\xff\xd8" + preview + tables + size + b"\x01\x22\0"


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


def webp_lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", width | 0x4000, height))


def webp_lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14 | 1 << 28))


def webp_extended(width: int, height: int) -> bytes:
    return webp(b"VP8X", b"\x10\0\0\0" + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3])


KINDS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(1, 1), (640, 480), (1025, 3000), (16_000, 9)])
def test_the_size_is_read_from_the_first_bytes(kind, size):
    assert image_size(kind(*size)) == size


def test_the_size_of_a_jpeg_is_found_behind_its_preview():
    assert image_size(jpeg(800, 600, before=60_000)) == (800, 600)
    assert image_size(jpeg(800, 600, frame=0xC2)) == (800, 600)


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ((1024, 1024), 765),  # this and the next are OpenAI's own examples
        ((2048, 4096), 1105),
        ((1, 1), 255),
        ((512, 512), 255),
        ((513, 512), 425),
        ((100_000, 1), 85 + 170 * 4),
        ((2048, 768), FLAT),
        ((65_535, 24_575), FLAT),
    ],
)
def test_tiles_are_counted_as_openai_documents(size, count):
    assert count_tiles(*size) == count


@given(st.integers(1, 70_000), st.integers(1, 70_000))
def test_no_image_costs_more_than_the_flat_rate(width, height):
    assert 255 <= count_tiles(width, height) <= FLAT


@pytest.mark.parametrize(
    "image",
    [
        "image:0192f0c8-0000-7000-8000-000000000000",
        "https://example.com/a.png",
        "/etc/passwd",
        "data:image/png;base64,!!!",
        "data:image/png;base64,",
        "data:image/svg+xml,<svg/>",
        "data:image/png,plain",
        data_uri("image/png", png(0, 5)),
        data_uri("image/png", png(5, 5)[:20]),
        data_uri("image/jpeg", jpeg(8, 8)[:-14]),
        data_uri("image/jpeg", b"\xff\xd8" + b"\xff" * 400_000),
        data_uri("image/jpeg", b"\xff\xd8" + b"\xff\xe0\0\0" * 100_000),
        data_uri("image/webp", webp(b"VP8Z", b"abc" * 9)),
        "",
    ],
)
def test_what_cannot_be_read_costs_the_flat_rate_and_no_time(image):
    start = time.process_time()
    assert count_image(image) == FLAT
    assert time.process_time() - start < 0.1


@given(st.sampled_from(KINDS), st.integers(0, 40), st.binary(max_size=30))
@settings(max_examples=500, deadline=None)
def test_no_bytes_are_too_odd_to_be_counted(kind, length, rest):
    broken = kind(300, 200)[:length] + rest
    assert 255 <= count_image("data:image/png;base64," + base64.b64encode(broken).decode()) <= FLAT


def test_the_images_of_a_message_are_counted():
    text = count_message(Message(role="user", content="look"))
    images = [data_uri("image/png", png(1024, 1024)), "image:unknown"]
    assert count_message(Message(role="user", content="look", images=images)) == text + 765 + FLAT
