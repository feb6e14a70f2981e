"""What counts as told before, and what never does."""

import time

import pytest

from chatServer.memory.alike import are_alike, signature

ALIKE = [
    ("I like tea", "I like tea."),
    ("I like tea", "i like TEA!"),
    ("I like tea", "Well, I really like tea"),
    ("I like tea", "I just like tea, actually"),
    ("I like tea", "I like tea a lot"),
    ("I like tea", "I do like tea very much :)"),
    ("I like tea", "Just so you know, I like tea"),
    ("I like tea", "Please remember that I like tea!"),
    ("I like tea", "As I said, I like tea."),
    ("I live in Berlin", "i'm living in berlin now"),
    ("I live in Berlin.", "I live in Berlin, by the way"),
    ("I'm allergic to peanuts", "I am allergic to peanuts"),
    ("I'm allergic to peanuts", "im allergic to peanuts"),
    ("I don't like tea", "I do not like tea"),
    ("I don't like tea", "I dont like tea"),
    ("I can't eat gluten", "I cannot eat gluten"),
    ("My favourite colour is green", "my favorite color is green"),
    ("I have 2 cats", "I have two cats"),
    ("I've got two cats", "I have 2 cats."),
    ("My sister Anna lives in Rome", "my sister anna lives in rome"),
    ("My sister Anna lives in Rome", "My sister, Anna, lives in Rome!"),
    ("I work at Google", "I'm working at Google"),
    ("I love hiking", "I love to hike"),
    ("He lives in Paris", "He lives in Paris now"),
    ("The deploy runs every night", "The deploys run every night"),
    ("Use tabs, not spaces", "use tabs not spaces"),
    ("The user lives in Berlin.", "The user lives in Berlin"),
    ("I prefer short answers", "I prefer short answers, please"),
    ("My birthday is 3 May", "my birthday's 3 may"),
    ("The release is planned for 2027", "The release is planned for 2027!"),
    (
        "The billing service reads its settings from the environment once when it starts and passes them down to"
        " every room that needs one of them",
        "The billing service reads its settings from the environment once when it begins and passes them down to"
        " every room that needs one of them",
    ),
    ("Ich wohne in Köln", "ich wohne in Köln."),
    ("Я живу в Берлине", "я живу в берлине!"),
    ("我喜欢茶", "我喜欢茶。"),
    ("Failed tools: invalid_tool", "failed tools: invalid_tool"),
]
DIFFERENT = [
    ("I have 2 cats", "I have 3 cats"),
    ("I have two cats", "I have three cats"),
    ("I like tea", "I don't like tea"),
    ("I like tea", "I never like tea"),
    ("I like tea", "I like coffee"),
    ("I like tea", "She likes tea"),
    ("I like tea", "You like tea"),
    ("I like tea", "I hate tea"),
    ("I like tea", "I liked tea"),
    ("I like tea", "I like green tea"),
    ("I live in Berlin", "I live in Madrid"),
    ("I live in Berlin", "I lived in Berlin"),
    ("I live in Berlin", "I used to live in Berlin"),
    ("I live in Berlin", "I will live in Berlin"),
    ("I live in Berlin", "I don't live in Berlin any more"),
    ("I moved from Berlin to Madrid", "I moved from Madrid to Berlin"),
    ("i moved from berlin to madrid", "i moved from madrid to berlin"),
    ("Anna loves Tom", "Tom loves Anna"),
    ("My sister Anna lives in Rome", "My sister Eva lives in Rome"),
    ("My sister Anna lives in Rome", "My brother Anna lives in Rome"),
    ("My sister lives in Rome", "My sister's friend lives in Rome"),
    ("My birthday is 3 May", "My birthday is 4 May"),
    ("My birthday is 3 May", "My birthday is 3 June"),
    ("Use tabs, not spaces", "Use spaces, not tabs"),
    ("Use tabs", "Don't use tabs"),
    ("Coffee with sugar", "Coffee without sugar"),
    ("I don't like tea but I like coffee", "I like tea but I don't like coffee"),
    ("The port is 8080", "The port is 8081"),
    ("The meeting is at 3", "The meeting is at 3 on Friday the 13"),
    ("The deploy runs every night on the big server", "The deploy runs every morning on the big server"),
    ("Successfully used tools: a, b (total time: 150ms)", "Failed tools: a, b"),
    ("I am allergic to nuts", "I am not allergic to nuts"),
    ("My wife works at the hospital in Berlin Mitte", "My wife works at the hospital in Berlin"),
    ("No pets allowed", "Pets allowed"),
    ("Remember the milk", "Remember the tea"),
    ("", ""),
    ("?!", "?!"),
    ("I work at Google", "I worked at Google"),
    ("My dog is called Rex", "My dog is called Max"),
    ("The server in room 4 is slow", "The server in room 5 is slow"),
    ("Only Anna may deploy", "Anna may deploy"),
    ("I could live in Rome with my sister Anna and her cat", "I live in Rome with my sister Anna and her cat"),
    ("我喜欢茶", "我喜欢咖啡"),
]


def test_the_tables_are_long_enough_to_mean_something():
    assert len(ALIKE) + len(DIFFERENT) >= 60


@pytest.mark.parametrize(("a", "b"), ALIKE)
def test_the_same_in_nearly_the_same_words_is_alike(a, b):
    assert are_alike(a, b)
    assert are_alike(b, a)
    assert set(signature(a).keys) & set(signature(b).keys)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_what_changes_the_meaning_is_never_folded_away(a, b):
    assert not are_alike(a, b)
    assert not are_alike(b, a)


@pytest.mark.parametrize("who", ["The user was", "The user's twins were"])
def test_an_age_is_the_same_whichever_day_it_was_told(who):
    told = [
        f"{who} {years} years old on {day}." for years, day in ((3, "2026-11-18"), (3, "2027-01-02"), (4, "2027-01-02"))
    ]
    first, again, older = told
    assert are_alike(first, again)
    assert not are_alike(first, older)


def test_a_signature_is_bounded_and_quick_on_junk():
    began = time.process_time()
    for junk in ("a" * 100_000, "not " * 25_000, "don't,but" * 11_000, "A b" * 33_000, "'" * 100_000, "\n" * 100_000):
        assert len(signature(junk).keys) <= 4
    assert time.process_time() - began < 1
