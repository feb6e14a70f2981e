"""Which code this is: asked once, when the server starts."""

from pathlib import Path

from chatServer.config import ROOT

UNKNOWN = "unknown"


def commit(given: str, root: Path = ROOT) -> str:
    """The commit that an image was built from, which it is given, or that a checkout is at."""
    if given.strip():
        return given.strip()[:40]
    try:
        return _head(root)[:40] or UNKNOWN
    except (OSError, UnicodeDecodeError):
        return UNKNOWN


def _head(root: Path) -> str:
    """Read as files: where the server runs there may be no git."""
    folder = root / ".git"
    if folder.is_file():  # a worktree: the file says where its folder is
        folder = root / folder.read_text().removeprefix("gitdir:").strip()
    head = (folder / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    shared = folder / "commondir"
    common = folder / shared.read_text().strip() if shared.exists() else folder
    if (common / name).exists():
        return (common / name).read_text().strip()
    packed = (common / "packed-refs").read_text().splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), UNKNOWN)
