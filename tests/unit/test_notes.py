"""Notes as text: each operation, and each sentence of the contract about them."""

from typing import get_args

import pytest

from chatServer.memory.notes.outline import MAX_PIECES
from chatServer.memory.notes.page import MAX_BYTES, NOTED, Operation, apply

PAGE = """# Person

Name: Ada

## Food

- tea

### Sweets

- cake

## Work

Engines

# Person

second
"""


def changed(page: str, operation, content=None, header=None) -> str:
    change = apply(page, operation, content, header)
    assert not change.is_error, change.text
    return change.notes


def refused(page: str, operation, content=None, header=None) -> str:
    change = apply(page, operation, content, header)
    assert change.is_error
    assert change.notes == page, "an error changes nothing"
    return change.text


def test_read_gives_the_page_and_changes_nothing():
    assert apply(PAGE, "read").text == apply(PAGE, "read").notes == PAGE
    assert apply("", "read").text == "The notes are empty."


def test_overwrite_replaces_everything_as_it_is_given():
    assert changed(PAGE, "overwrite", "\n new \n") == "\n new \n"


@pytest.mark.parametrize("page", ["a", "a\n", "a\n\n", "a\n \n\n", "a\r\n\r\n"])
@pytest.mark.parametrize("content", ["b", "\nb", "\n \n\nb"])
def test_append_and_prepend_join_with_exactly_one_blank_line(page, content):
    assert changed(page, "append", content) == "a\n\nb"
    assert changed(content, "prepend", page) == "a\n\nb"


@pytest.mark.parametrize("page", ["", "\n", "  \n\n"])
@pytest.mark.parametrize("operation", ["append", "prepend"])
def test_what_is_added_to_an_empty_page_is_the_page(page, operation):
    assert changed(page, operation, "b") == "b"


def test_appending_keeps_the_indentation_of_the_first_line():
    assert changed("a", "append", "\n    code") == "a\n\n    code"


@pytest.mark.parametrize("page", ["- tea", "- tea\n\n- milk", "# Drinks\n- coffee\n- tea  \n", "- tea\r\n- milk"])
@pytest.mark.parametrize("content", ["- tea", "\n- tea\n"])
def test_a_line_that_is_there_is_not_appended_again(page, content):
    change = apply(page, "append", content)
    assert (change.notes, change.text, change.is_error) == (page, NOTED, False)


@pytest.mark.parametrize(
    ("page", "content"),
    [("- tea\n# Food\n- cake", "- tea"), ("- green tea", "tea"), ("- tea", "- Tea"), ("- tea", "- tea\n- milk")],
)
def test_what_is_in_another_section_or_is_another_line_is_appended(page, content):
    assert changed(page, "append", content) == f"{page}\n\n{content}"


def test_delete_all_leaves_an_empty_page():
    assert changed(PAGE, "delete_all_notes") == ""


def test_a_section_runs_to_the_next_header_of_the_same_or_a_higher_level():
    assert changed(PAGE, "delete_section_by_header", header="Food") == PAGE.replace(
        "## Food\n\n- tea\n\n### Sweets\n\n- cake\n\n", ""
    )
    assert changed(PAGE, "delete_section_by_header", header="Sweets") == PAGE.replace("### Sweets\n\n- cake\n\n", "")
    assert changed(PAGE, "delete_section_by_header", header="Work") == PAGE.replace("## Work\n\nEngines\n\n", "")


def test_the_first_match_wins():
    assert changed(PAGE, "delete_section_by_header", header="Person") == "# Person\n\nsecond\n"


def test_a_header_matches_at_any_level():
    for level in range(1, 7):
        assert changed(f"{'#' * level} A\n\na", "replace_section_by_header", "b", "A") == f"{'#' * level} A\n\nb"


def test_replace_keeps_the_header_and_what_comes_after():
    done = changed("# A\nold\n## Sub\n\n# B\nb\n", "replace_section_by_header", "new", "A")
    assert done == "# A\n\nnew\n\n# B\nb\n"
    assert changed("Two\nlines\n=====\n\nold", "replace_section_by_header", "new", "Two lines") == (
        "Two\nlines\n=====\n\nnew"
    )
    assert changed("# A ##", "replace_section_by_header", "new", "A") == "# A ##\n\nnew"


@pytest.mark.parametrize("given", ["Food", " Food ", "## Food", "#Food", "## Food ##", "###### Food"])
def test_a_header_may_be_given_with_or_without_its_number_signs(given):
    assert "tea" not in changed(PAGE, "delete_section_by_header", header=given)


def test_a_header_that_begins_with_a_number_sign_is_found():
    assert changed("# #chat\n\na\n\n# B", "delete_section_by_header", header="#chat") == "# B"


def test_headers_compare_by_stripped_text():
    assert changed("#    A  b   ###   \n\na", "replace_section_by_header", "c", "A  b").endswith("\n\nc")
    refused("# A  b", "replace_section_by_header", "c", "A b")


@pytest.mark.parametrize("given", ["food", "FOOD", "Foo", "Food!", "Fo.d", "F(o+)+d", ".*", "tea", "Name: Ada"])
def test_headers_compare_case_and_all_and_are_no_patterns(given):
    said = refused(PAGE, "delete_section_by_header", header=given)
    assert "The headers are: Person; Food; Sweets; Work; Person." in said


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n# A\n```",
        "~~~ md\n# A\n```\n~~~",
        "````\n```\n# A\n````",
        "    # A",
        "\t# A",
        "- one\n\n  # A",
        "> # A",
        "> text\n> # A",
        "1. one\n   # A",
        "<!--\n# A\n-->",
        "<div>\n# A\n</div>",
        "<pre>\n\n# A\n</pre>",
        "#A",
        "####### A",
        "\\# A",
        "> A\n===",
        "- A\n===",
        "[A]: there\n===",
        "```\n# A",
    ],
)
def test_what_is_no_header_of_the_page_is_not_found(hidden):
    refused(hidden, "delete_section_by_header", header="A")


@pytest.mark.parametrize(
    "shown",
    [
        "# A",
        "   # A",
        "#\tA",
        "# A #",
        "A\n=",
        "A\n---",
        "   A\n  ====  ",
        "text\n# A",
        "- item\n# A",
        "> quote\n# A",
        "```\ncode\n```\n# A",
        "- ```\n# A",
        "> ```\n# A",
        "<div>\n\n# A",
        "<!-- x -->\n# A",
        "***\n# A",
        "[x]: y\nA\n===",
        "a\r\n# A\r\n",
        "a\r# A\r",
        "- item\n\nA\n===",
        "`` ` ``\n# A",
    ],
)
def test_what_is_a_header_of_the_page_is_found(shown):
    change = apply(f"{shown}\n\nbody", "delete_section_by_header", None, "A")
    assert not change.is_error, change.text
    assert "body" not in change.notes


@pytest.mark.parametrize("operation", ["overwrite", "append", "prepend", "replace_section_by_header"])
@pytest.mark.parametrize("content", [None, "", " \n\t"])
def test_missing_content_is_an_error(operation, content):
    assert f"{operation} needs content" in refused(PAGE, operation, content, "Food")


@pytest.mark.parametrize("operation", ["delete_section_by_header", "replace_section_by_header"])
@pytest.mark.parametrize("header", [None, "", "  ", "##", " # "])
def test_a_missing_header_is_an_error(operation, header):
    assert f"{operation} needs a section_header" in refused(PAGE, operation, "x", header)


def test_an_unknown_header_is_an_error_that_names_the_known_ones():
    assert "have no headers" in refused("text", "delete_section_by_header", header="A")
    many = "\n".join(f"# {'h' * 200}{number}" for number in range(30))
    said = refused(many, "delete_section_by_header", header="A")
    assert said.count("h" * 80) == 20
    assert len(said) < 2_000


@pytest.mark.parametrize("operation", ["overwrite", "append", "prepend", "replace_section_by_header"])
def test_a_page_above_64_kb_is_refused_with_its_size(operation):
    page = "# A\n\n" + "é" * 32_000
    assert "would have " in refused(page, operation, "é" * 33_000, "A")
    assert apply("", "overwrite", "x" * MAX_BYTES).is_error is False
    assert "65,537 bytes" in refused("", "overwrite", "x" * (MAX_BYTES + 1))
    assert "65,538 bytes" in refused("", "overwrite", "é" * (MAX_BYTES // 2 + 1))


def test_text_is_made_fit_for_the_database():
    assert changed("", "overwrite", "a\0b\ud800c") == "a\ufffdb\ufffdc"
    assert changed("# a\ufffd\n\nx", "replace_section_by_header", "y", "a\0") == "# a\ufffd\n\ny"


def test_deleting_never_glues_what_is_around_the_section():
    """Without a blank line the paragraph would run into the next header's, or the list would swallow it."""
    done = changed("text\n# A\na\n\nB\n===\nb", "delete_section_by_header", header="A")
    assert done == "text\n\nB\n===\nb"
    done = changed("- item\n# A\na\n  # B\nb", "delete_section_by_header", header="A")
    assert changed(done, "delete_section_by_header", header="B") == "- item"


def test_sections_of_a_page_in_too_many_pieces_are_an_error_that_says_so():
    page = "# A\n" + "- \n" * (MAX_PIECES // 2)
    assert f"among {MAX_PIECES:,} at most" in refused(page, "delete_section_by_header", header="A")
    assert changed(page, "append", "x").endswith("\n\nx"), "the others work all the same"


def test_a_full_page_of_short_items_is_not_in_too_many_pieces():
    page = "# A\n" + "- likes tea, not coffee\n" * 2_700
    assert len(page) > 64_000
    assert changed(page, "delete_section_by_header", header="A") == ""


def test_every_operation_is_one_of_the_seven():
    assert len(get_args(Operation)) == 7
