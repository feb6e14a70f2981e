"""Operations on generated pages against a plain model: lines, headers outside fences, nothing else."""

import re
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.memory.notes.page import MAX_BYTES, Operation, apply

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
LINES = [
    "# A", "# B", "## A", "## B", "### A", "### C ###", "## C d", "#A", "text", "more text", "", "", "- item",
    "> quote",
    "```\n# A\n```", "~~~\n## B\n\n```\n~~~", "````\n# C\n```\n````", "é 😀",
]  # fmt: skip
HEADERS = ["A", "B", "C", "C d", "a", "## A", "#B", " A ", "D", "(A+)+", "", None]
CONTENTS = [None, "", " \n", "x", "\nx\n\ny\n", "# A\nnew", "- a\n- b"]
# Drawn as bytes, which choose from the lists: ten times as fast as drawing each choice.
choices = st.binary(min_size=3, max_size=20)


def chosen(data: bytes) -> tuple[str, Operation, str | None, str | None]:
    """A page, an operation, its content and its header."""
    operation, header, content = OPERATIONS[data[0] % len(OPERATIONS)], HEADERS[data[1] % len(HEADERS)], data[2]
    lines = [LINES[each % len(LINES)] for each in data[3:]]
    if content < 128:
        return "\n".join(lines), operation, CONTENTS[content % len(CONTENTS)], header
    middle = content % (len(lines) + 1)
    return "\n".join(lines[:middle]), operation, "\n".join(lines[middle:]), header


def model_headers(lines: list[str]) -> list[tuple[int, int, str]]:
    """Line, level and text of every header, as one would find them by hand."""
    found = []
    fence = ""
    for number, line in enumerate(lines):
        mark = re.match(r"`{3,}|~{3,}", line)
        if fence:
            fence = "" if mark and mark[0].startswith(fence) and line == mark[0] else fence
        elif mark:
            fence = mark[0]
        elif header := re.match(r"(#{1,6}) (.*)", line):
            found.append((number, len(header[1]), header[2].rstrip("# ")))
    return found


def model_join(*parts: list[str]) -> list[str]:
    """With one blank line between those that are not blank."""
    joined: list[str] = []
    for part in parts:
        if "".join(part).strip():
            first = next(number for number, line in enumerate(part) if line.strip())
            while joined and not joined[-1].strip():
                joined.pop()
            joined += ["", *part[first:]] if joined else part[first:]
    return joined


def model_is_noted(lines: list[str], added: list[str]) -> bool:
    """One line, which the last section has."""
    told = [line.rstrip() for line in added if line.strip()]
    start = max((number + 1 for number, *_ in model_headers(lines)), default=0)
    return len(told) == 1 and told[0] in [line.rstrip() for line in lines[start:]]


def model(page: str, operation: str, content: str | None, header: str | None) -> str:
    """The page that is expected, but for blank lines at its ends."""
    lines, added = page.split("\n"), (content or "").split("\n")
    is_blank = not (content or "").strip()
    if operation == "append" and model_is_noted(lines, added):
        return page
    if operation in ("overwrite", "append", "prepend"):
        order = {"overwrite": [added], "append": [lines, added], "prepend": [added, lines]}[operation]
        return page if is_blank else "\n".join(model_join(*order))
    if operation == "delete_all_notes":
        return ""
    wanted = (header or "").strip().lstrip("#").strip()
    if operation == "read" or not wanted or (operation == "replace_section_by_header" and is_blank):
        return page
    headers = model_headers(lines)
    for number, level, text in headers:
        if text == wanted:
            end = next((line for line, other, _ in headers if line > number and other <= level), len(lines))
            if operation == "delete_section_by_header":
                return "\n".join(model_join(lines[:number], lines[end:]))
            return "\n".join([*lines[:number], *model_join([lines[number]], added, lines[end:])])
    return page


def squeezed(page: str) -> str:
    """What joins may add or take is blank lines only: of those the model is a judge between parts, not within."""
    return re.sub(r"\n{2,}", "\n\n", page).strip("\n ")


def agrees(page: str, operation, content: str | None, header: str | None) -> None:
    change = apply(page, operation, content, header)
    assert squeezed(change.notes) == squeezed(model(page, operation, content, header))
    assert change.text
    assert not change.is_error or change.notes == page


@settings(max_examples=10_000, deadline=None)
@given(data=choices)
def test_operations_do_what_one_would_do_by_hand(data):
    agrees(*chosen(data))


@pytest.mark.long
@pytest.mark.timeout(1_800)
@settings(max_examples=100_000, deadline=None)
@given(data=choices)
def test_operations_do_what_one_would_do_by_hand_at_length(data):
    agrees(*chosen(data))


odd = st.text(st.one_of(st.sampled_from("#=-`~> \t\r\n\0\ud800[]<a"), st.characters()), max_size=60)


@settings(max_examples=500, deadline=None)
@given(
    page=odd, operation=st.sampled_from(OPERATIONS), content=st.one_of(st.none(), odd), header=st.one_of(st.none(), odd)
)
def test_no_text_is_too_odd(page, operation, content, header):
    page = apply("", "overwrite", page).notes
    change = apply(page, operation, content, header)
    assert len(change.notes.encode()) <= MAX_BYTES, "it can be stored"
    assert "\0" not in change.notes
    if operation in ("append", "prepend") and not change.is_error:
        assert page.strip(" \t\r\n") in change.notes, "nothing is lost"
