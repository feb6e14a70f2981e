"""Content blocks: the list form in which providers and LangChain send text and images."""

from collections.abc import Iterable, Sequence
from typing import Any

MEDIA = frozenset((
    "image", "image_url", "input_image", "audio", "audio_url", "input_audio", "video", "video_url", "media",
    "file", "input_file", "document",
))  # fmt: skip
ADDRESSES = frozenset((
    "url", "uri", "image_url", "audio_url", "video_url", "file_url", "file_uri", "fileUri", "file_data", "file_id",
    "path",
))  # fmt: skip


def text_in(block: object) -> str | None:
    """The text of a text block; None for every other block."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    return None


def image_in(block: object) -> str | None:
    """The address of an image block; None for every other block."""
    if not isinstance(block, dict) or block.get("type") != "image_url":
        return None
    image = block.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) and url else None


def names_an_address(block: object, *, by_anybody: bool) -> bool:
    """Whether a provider would have to fetch it, from a URL, a path or its own store: whoever wrote the message would
    see through its eyes what is not his. Of blocks that a model has made, only files and pictures are meant."""
    if not isinstance(block, dict) or text_in(block) is not None:
        return False
    return (by_anybody or block.get("type") in MEDIA) and _has_address(block)


def _has_address(value: object, under: str = "") -> bool:
    if isinstance(value, dict):
        is_stored_there = value.get("source_type") == "id"  # LangChain's name for a provider's own file
        return is_stored_there or any(_has_address(item, key) for key, item in value.items())
    if isinstance(value, list):
        return any(_has_address(item, under) for item in value)
    return isinstance(value, str) and under in ADDRESSES and value[:5].lower() != "data:"


def split_blocks(blocks: Iterable[object], *, joint: str) -> tuple[str | None, list[str], int]:
    """The joined text, the images, and how many blocks are neither."""
    texts: list[str] = []
    images: list[str] = []
    others = 0
    for block in blocks:
        if (text := text_in(block)) is not None:
            texts.append(text)
        elif (image := image_in(block)) is not None:
            images.append(image)
        else:
            others += 1
    return (joint.join(texts) if texts else None), images, others


def join_blocks(text: str | None, images: Sequence[str]) -> str | list[str | dict[Any, Any]]:
    """Plain text where there are no images, else a list of blocks (providers refuse empty text blocks)."""
    if not images:
        return text or ""
    blocks: list[str | dict[Any, Any]] = [{"type": "text", "text": text}] if text else []
    return blocks + [{"type": "image_url", "image_url": {"url": image}} for image in images]
