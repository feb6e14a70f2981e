"""A question for a job is also one for what somebody works as; another question stays as it is."""

import pytest

from chatServer.memory.recall.reworded import in_a_search, in_one_word, in_other_words, reworded


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What is my job?", "What is my work as?"),
        ("What is Mary's profession?", "What is Mary's work as?"),
        ("What do I do for a living?", "What do I work as?"),
        ("what does my dad do", "what does my dad work as"),
        ("what does Tom do for work?", "what does Tom work as?"),
        ("Who is my employer?", "Who is my work at?"),
        ("What's my home address?", "What's my live at?"),
        ("And my sister, what does she do for a living?", "And my sister, what does she work as?"),
    ],
)
def test_a_job_is_what_somebody_works_as(asked, said):
    assert reworded(asked) == said
    assert in_other_words(asked) == f"{asked} {said}"


@pytest.mark.parametrize(
    "asked",
    [
        "Where do I live?",
        "Which jobs are queued?",
        "What should I do?",
        "What does Jon say he will not do?",
        "My email address?",
        "The job failed",
        "my job " * 100,
    ],
)
def test_what_is_not_about_it_stays(asked):
    assert reworded(asked) == in_other_words(asked) == asked


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("What pets do I have?", "cat dog puppy"),
        ("Which animals do I have?", "cat dog puppy"),
        ("Who are my children?", "son daughter"),
        ("My car?", "drive"),
        ("My movies?", "film"),
    ],
)
def test_who_asks_for_a_kind_of_his_own_looks_for_its_names_too(asked, names):
    assert in_other_words(asked) == f"{asked} {names}"
    assert reworded(asked) == asked
    assert in_other_words("What pets does Ann have?") == "What pets does Ann have?"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("pet", "my pet cat dog puppy"),
        (" Pets ", "my Pets cat dog puppy"),
        ("job", "my job my work as"),
        ("my job", "my job my work as"),
        ("siblings", "my siblings brother sister"),
        ("Porto", "Porto"),
        ("Ann's pets", "Ann's pets"),
        ("failed jobs", "failed jobs"),
        ("", ""),
    ],
)
def test_a_single_word_in_a_search_asks_for_ones_own(asked, found):
    assert in_a_search(asked) == found


@pytest.mark.parametrize("asked", ["Is my chıld here?", "What is my ſport?", "my sıblıngs?"])
def test_who_types_letters_that_python_takes_for_others_asks_for_no_kind(asked):
    assert in_other_words(asked) == asked
    assert in_other_words("Which \u212aids have I?") == "Which \u212aids have I? son daughter"


def test_who_asks_for_his_way_to_work_does_not_ask_for_his_work():
    assert in_one_word("How do I get to work?") == "How do I commute to work?"
    assert in_other_words("How do I get to the office?").startswith("How do I commute to work? cycle bike bus")
    for asked in ("When do I get to work with Ann?", "How do I get to the station?", "how do i get to work " * 100):
        assert in_one_word(asked) == asked


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What should I not eat?", "what do I abstain from?"),
        ("What can’t my sister eat?", "what does my sister abstain from?"),
        ("So which foods must Tom avoid?", "So what does Tom abstain from?"),
    ],
)
def test_who_asks_what_somebody_must_not_eat_asks_for_more_than_one_thing(asked, said):
    assert in_one_word(asked) == said


@pytest.mark.parametrize("asked", ["What should I eat?", "What should I avoid at work?", "What can I not see?"])
def test_who_asks_for_something_else_is_asked_no_diet(asked):
    assert in_one_word(asked) == asked


@pytest.mark.parametrize("asked", ["Where am I from?", "where are we originally from"])
def test_who_asks_in_common_words_where_he_is_from_looks_for_how_it_is_said(asked):
    assert in_other_words(asked) == f"{asked} come from city country"
