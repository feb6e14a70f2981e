"""Look for secrets in every file that git knows, with the detectors of detect-secrets, and without the network.

`.secrets.baseline` lists the examples that may stay: `python -m tools.scan_secrets --accept` writes it anew.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from detect_secrets.core.potential_secret import PotentialSecret
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings, get_settings

BASELINE = Path(".secrets.baseline")
HASHES_ALL_OVER = (".lock", "package-lock.json", BASELINE.name)
# Tests are full of made-up passwords. What has the shape of a real key is found there too.
GUESSES = {"KeywordDetector", "BasicAuthDetector", "Base64HighEntropyString", "HexHighEntropyString"}

Finding = tuple[str, str, str]  # where, what kind, its hash; no line number, so that lines may move


def findings(paths: Iterable[Path]) -> Iterator[tuple[Finding, PotentialSecret]]:
    """What looks like a secret in these files."""
    files = list(paths)
    with default_settings():
        yield from _scan(path for path in files if path.parts[0] != "tests")
        get_settings().disable_plugins(*GUESSES)
        yield from _scan(path for path in files if path.parts[0] == "tests")


def _scan(paths: Iterable[Path]) -> Iterator[tuple[Finding, PotentialSecret]]:
    for path in paths:
        for found in scan_file(str(path)):
            yield (path.as_posix(), found.type, found.secret_hash), found


def tracked_files() -> list[Path]:
    """What is in git, or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    paths = (Path(line) for line in listed.splitlines() if not line.endswith(HASHES_ALL_OVER))
    return [path for path in paths if path.is_file()]


def accepted() -> set[Finding]:
    return {(each["file"], each["kind"], each["hash"]) for each in json.loads(BASELINE.read_text())}


def main(arguments: list[str]) -> int:
    if arguments == ["--accept"]:
        known = sorted({finding for finding, _ in findings(tracked_files())})
        rows = [{"file": file, "kind": kind, "hash": digest} for file, kind, digest in known]
        BASELINE.write_text(json.dumps(rows, indent=1) + "\n")
        print(f"{len(rows)} examples accepted in {BASELINE}: look at the difference before you commit it.")
        return 0
    paths = [Path(argument) for argument in arguments] or tracked_files()
    allowed = accepted()
    red = [found for finding, found in findings(paths) if finding not in allowed]
    for found in red:
        print(f"{found.filename}:{found.line_number}: {found.type}")
    print(f"{len(paths)} files scanned for secrets, {len(red)} found that are not accepted.")
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
