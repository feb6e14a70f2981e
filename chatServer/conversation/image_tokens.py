"""How many tokens an image takes: OpenAI's rule of tiles, by the size that its first bytes tell. Nothing is decoded."""

import base64
import struct
from math import ceil

BASE = 85
PER_TILE = 170
TILE = 512
LONGEST_SIDE = 2_048
SHORT_SIDE = 768
FLAT = BASE + 8 * PER_TILE  # the most that the rule can give: for what cannot be read, and for image:<id>

HEAD_CHARS = 400_000  # of base64: a JPEG may carry a preview and colour tables in front of its size
MAX_SEGMENTS = 1_000
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset(range(0xD0, 0xD9)) | {0x01}  # markers without a length

Size = tuple[int, int]


def count_image(image: str) -> int:
    """The tokens of an image: a data: URI by its size, everything else by the flat rate."""
    size = _size_of_uri(image)
    return FLAT if size is None else count_tiles(*size)


def count_tiles(width: int, height: int) -> int:
    """Shrunk to fit 2048 x 2048, then to a short side of 768, and cut into tiles of 512."""
    shrink = min(1.0, LONGEST_SIDE / max(width, height))
    shrink = min(shrink, SHORT_SIDE / min(width, height))
    tiles = ceil(max(1.0, width * shrink) / TILE) * ceil(max(1.0, height * shrink) / TILE)
    return BASE + PER_TILE * tiles


def image_size(head: bytes) -> Size | None:
    """Width and height, as the first bytes of a PNG, GIF, WebP or JPEG tell; None for anything else."""
    try:
        size = _read_size(head)
    except (struct.error, IndexError):  # it ends too early
        return None
    return size if size and min(size) > 0 else None


def _size_of_uri(image: str) -> Size | None:
    head, comma, payload = image[: HEAD_CHARS + 200].partition(",")
    if not comma or not head.lower().startswith("data:image/") or not head.lower().endswith(";base64"):
        return None
    whole = payload[: min(len(payload), HEAD_CHARS) // 4 * 4]
    try:
        return image_size(base64.b64decode(whole))
    except ValueError:
        return None


def _read_size(head: bytes) -> Size | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _pair(">II", head, 16)
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _pair("<HH", head, 6)
    if head.startswith(b"\xff\xd8"):
        return _jpeg(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return None


def _jpeg(head: bytes) -> Size | None:
    place = 2
    for _ in range(MAX_SEGMENTS):
        if head[place] != 0xFF:
            break
        marker = head[place + 1]
        if marker in _JPEG_SIZES:
            height, width = _pair(">HH", head, place + 5)
            return width, height
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _JPEG_BARE:
            place += 2
        else:
            place += 2 + max(2, *struct.unpack_from(">H", head, place + 2))
    return None


def _webp(head: bytes) -> Size | None:
    match head[12:16]:
        case b"VP8 " if head[23:26] == b"\x9d\x01\x2a":
            width, height = _pair("<HH", head, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L" if head[20] == 0x2F:
            (bits,) = struct.unpack_from("<I", head, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(head) >= 30:
            return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    return None


def _pair(form: str, head: bytes, place: int) -> Size:
    first, second = struct.unpack_from(form, head, place)
    return first, second
