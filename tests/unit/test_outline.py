"""The headings of a page: those that markdown-it finds, in little time whatever the page."""

import logging
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatServer.memory.notes.outline import MAX_PIECES, count_pieces, read_headings, split_lines
from chatServer.memory.notes.page import apply
from tests.tools.hostile_pages import hostile_pages

LIMIT_MS = 50
logging.getLogger("markdown_it").setLevel(logging.WARNING)  # it has a line for every line
# What follows a definition of a link without a blank line is where parsers differ among themselves.
PIECES = [
    "# a", "## b ##", "a", "b", "", "  ", "===", "---", "- a", "  - b", "-", "* * *", "> a", ">", "> # x", "- # y",
    "```", "~~~", "```py", "    code", "\tcode", "1. a", "2. b", "   c", "  # z", "<div>", "</div>", "<!--", "-->",
    "<b>", "   ===", "  ---", "- ```", "  ```", "> ```", ">     a", "-     a", "  a", "####### x", "#x", "+ a", "10) a",
    "- - a", "> - a", "_ _ _", "<pre>", "</pre>", "#", "-\ta", " \t# q", "\\# a", "`a`", "<?php", "?>", "<!X", "]]>",
    "<![CDATA[", "<b c='d' e>", "</b >", "<b c=>", "- > a", ">\ta", "  > a", "[a]: b\n", "[a]: b\n===\n",
    "[a]: b\nT\n===", "[a]: <b> 'c'\n===\n", "[a]: b\n'c\nd'\nT\n---", "[]: b\n===",
]  # fmt: skip
pages = st.binary(max_size=9).map(lambda data: "\n".join(PIECES[each % len(PIECES)] for each in data))
_parser = MarkdownIt("commonmark", {"maxNesting": 100})
_parser.core.ruler.enableOnly(["normalize", "block"])


def found_by_markdown_it(page: str) -> list[tuple[int, int, int]]:
    opened = [token for token in _parser.parse(page) if token.type == "heading_open" and token.level == 0]
    return [(int(token.tag[1]), *token.map) for token in opened]


def found_by_us(page: str) -> list[tuple[int, int, int]]:
    return [(heading.level, heading.start, heading.end) for heading in read_headings(split_lines(page))]


@settings(max_examples=5_000, deadline=None)
@given(page=pages)
def test_headings_are_where_markdown_it_finds_them(page):
    assert found_by_us(page) == found_by_markdown_it(page)


@pytest.mark.long
@pytest.mark.timeout(1_800)
@settings(max_examples=100_000, deadline=None)
@given(page=pages)
def test_headings_are_where_markdown_it_finds_them_at_length(page):
    assert found_by_us(page) == found_by_markdown_it(page)


@settings(max_examples=500, deadline=None)
@given(page=st.text(st.sampled_from("a#=-> \t\r\n\x0b\u2028")))
def test_lines_are_the_page_and_end_as_markdown_says(page):
    lines = split_lines(page)
    assert "".join(lines) == page
    assert all(line.rstrip("\r\n").count("\n") + line.rstrip("\r\n").count("\r") == 0 for line in lines)
    assert list(read_headings(lines)) is not None


def cut_to_the_limit(page: str) -> str:
    """As much of it as sections are looked for in."""
    low, high = 0, len(page)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_pieces(page[:middle]) <= MAX_PIECES - 20 else (low, middle - 1)
    return page[:low]


def cpu_ms(page: str, operation, content: str | None, header: str | None) -> float:
    """The least of three: what others do on the machine only ever adds."""
    taken = []
    for _ in range(3):
        start = time.thread_time()
        apply(page, operation, content, header)
        taken.append((time.thread_time() - start) * 1_000)
    return min(taken)


def test_no_operation_on_a_hostile_page_takes_longer_than_50_ms():
    worst: list[tuple[float, str]] = []
    for page in hostile_pages():
        for each in {page, cut_to_the_limit(page)}:
            ended = each[: 65_536 - 20] + "\n\n# wanted"
            worst.append((cpu_ms(ended, "delete_section_by_header", None, "wanted"), page[:30]))
            worst.append((cpu_ms(ended, "replace_section_by_header", "x", "(a+)+$"), page[:30]))
        worst.append((cpu_ms("# a\n" + page[:30_000], "replace_section_by_header", page, "a"), page[:30]))
        worst.append((cpu_ms(page[:30_000], "append", page[:30_000], None), page[:30]))
    worst.sort(reverse=True)
    print(f"{len(worst)} operations, CPU in ms, the slowest: {worst[:5]}")
    assert worst[0][0] < LIMIT_MS


def test_a_page_that_is_read_to_its_end_is_really_read():
    """The check above is about work that is done, not about pages that are turned away."""
    at_the_limit = [cut_to_the_limit(page) for page in hostile_pages()]
    assert sum(len(page) > 10_000 for page in at_the_limit) > 50
    page = cut_to_the_limit("- a\n+ b\n" * 8_000) + "\n# wanted"
    assert apply(page, "delete_section_by_header", None, "wanted").is_error is False


def test_the_comparison_finds_a_planted_bug(monkeypatch):
    """A reader that takes every line with a number sign for a header is found out."""
    naive = re.compile(r"^ {0,3}(#{1,6}) ", re.M)
    monkeypatch.setitem(
        globals(),
        "found_by_us",
        lambda page: [
            (len(each[1]), page[: each.start()].count("\n"), page[: each.start()].count("\n") + 1)
            for each in naive.finditer(page)
        ],
    )
    with pytest.raises(AssertionError):
        test_headings_are_where_markdown_it_finds_them()
