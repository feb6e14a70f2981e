"""Images as data: URIs. Only library use reads files; the server takes what the client sent, or nothing."""

import base64
import binascii
import mimetypes
import re
from pathlib import Path

from chatServer.errors import MessageError

MAX_IMAGE_BYTES = 5_000_000
SIGNATURES = {  # of the types that every provider takes
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


def data_uri(media_type: str, data: bytes) -> str:
    """The data: URI that holds these bytes."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


def parse_data_uri(uri: str) -> tuple[str, bytes]:
    """The media type and the bytes of a base64 data: URI."""
    head, comma, payload = uri.partition(",")
    scheme, _, description = head.partition(":")
    media_type, *parameters = description.split(";")
    if scheme.lower() != "data" or not comma or not _MEDIA_TYPE.fullmatch(media_type):
        raise MessageError("An image has to be a data: URI such as data:image/png;base64,...")
    if not parameters or parameters[-1].strip().lower() != "base64":
        raise MessageError("The data: URI of an image has to be encoded in base64.")
    try:
        return media_type.lower(), base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MessageError("The base64 of an image's data: URI is broken.") from error


def checked_image(uri: str) -> None:
    """Refuse what a client calls an image and is none: a path, a URL, another type, other bytes, too many of them."""
    media_type, content = parse_data_uri(refuse_file_images(uri))
    if media_type not in SIGNATURES:
        raise MessageError(f"An image has to be of type {', '.join(SIGNATURES)}.")
    if len(content) > MAX_IMAGE_BYTES:
        raise MessageError(f"An image may have {MAX_IMAGE_BYTES:,} bytes at most.")
    if not any(content.startswith(start) for start in SIGNATURES[media_type]):
        raise MessageError("An image is not what its media type says.")
    if media_type == "image/webp" and content[8:12] != b"WEBP":
        raise MessageError("An image is not what its media type says.")


def encode_image_file(path: str) -> str:
    """Read an image file into a data: URI; an address that is no path stays as it is."""
    if path.lower().startswith(("data:", "image:", "http://", "https://")):
        return path
    media_type, _ = mimetypes.guess_type(path, strict=False)
    if media_type is None or not media_type.startswith("image/"):
        raise MessageError(f"The name {path!r} does not look like that of an image.")
    try:
        return data_uri(media_type, Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise MessageError(f"The image {path!r} cannot be read.") from error


def refuse_file_images(image: str) -> str:
    """Let data: URIs and references to stored images pass; a client names no path and no URL here."""
    if image.lower().startswith(("data:", "image:")):
        return image
    raise MessageError("An image has to be sent as a data: URI; paths and URLs are not read.")
