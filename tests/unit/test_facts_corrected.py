"""What a user told is corrected by what he says next, where that can mean nothing else."""

import pytest

from chatServer.memory.facts import facts_in, only_tells
from chatServer.memory.facts.corrections import speaks_of_old
from chatServer.memory.facts.sentences import MAX_TOLD
from tests.tools.steps import steps_of
from tests.tools.telling import SAID_AT, told


def test_what_is_denied_first_is_corrected_where_it_was_told():
    text = "My favourite colour is not blue, it's green."
    before = told("My favourite colour is blue.")
    assert [fact.text for fact in told(text, before)] == ["The user's favourite colour is green."]
    assert told(text) == told(text, told("I live in Berlin.")) == []
    assert facts_in(text, said_at=SAID_AT, held=before) == told(text, before)


@pytest.mark.parametrize(
    "text",
    [
        "Not Berlin, Madrid",
        "I meant Madrid",
        "No, I meant Madrid.",
        "Actually it's Madrid",
        "Madrid, not Berlin",
        "That's wrong, it's Madrid",
        "no, that's not right, it's Madrid",
    ],
)
def test_a_correction_replaces_what_was_told_before(text):
    before = told("I live in Berlin")
    (fact,) = told(text, before)
    assert (fact.text, fact.key, fact.object) == ("The user lives in Madrid.", "user|home", "Madrid")
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Her name is Anna, not Hanna",
        "No, she's called Anna, not Hanna.",
        "it's Anna, not Hanna",
        "I meant Anna",
        "Anna not Hanna",
        "no wait, my sister is called Anna not Hanna",
    ],
)
def test_a_corrected_name_denies_the_old_one(text):
    before = told("My sister is called Hanna.")
    assert [(fact.object, fact.is_negation) for fact in told(text, before)] == [("Anna", False), ("Hanna", True)]
    assert told("her name is Anna, not Eve", before) == []


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I love tea", "No, I meant coffee"),
        ("I live in Berlin", "Not Rome, Madrid"),
        ("I live in Berlin", "I mean it"),
        ("I live in Berlin", "Actually it's raining"),
        ("I live in Berlin", "No, thanks"),
        ("I was born in 1990", "I meant Madrid"),
        ("I don't live in Berlin", "I meant Madrid"),
        ("I live in Berlin", "no, I meant Thursday"),
        ("I work at Bosch and my exam is on Friday", "no, I meant 10am"),
        ("My exam is on Friday and I live in Berlin", "Oh, it's Monday"),
        ("My exam is on Friday", "oh, monday"),
        ("My exam is on Friday", "actually now"),
        ("My exam is on Friday and my test is on Monday", "no, tuesday"),
        ("i live in berlin", "no, thanks"),
        ("i live in berlin", "no, kidding"),
        ("i live in berlin", "oh, paris"),
        ("I live in Berlin", "No, Thanks"),
        ("I live in Berlin", "Sorry, Anna"),
        ("I live in Berlin and I was born in Rome", "no, madrid"),
        ("I work at Bosch", "Actually I do"),
        ("My favourite food is pizza", "Actually it's Monday"),
        ("My favourite film is Alien", "Actually it's Netflix only"),
        ("My favourite food is pizza", "no, thanks"),
    ],
)
def test_a_correction_that_does_not_fit_corrects_nothing(before, text):
    assert told(text, told(before)) == []


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("Sorry, it's Madrid, not Berlin", ["Madrid"]),
        ("That's wrong, it's Madrid, not Berlin.", ["Madrid"]),
        ("No, Madrid, not Berlin", ["Madrid"]),
        ("Sorry, it's Madrid, not Rome", []),
        ("Sorry, it's Monday, not Berlin", []),
        ("it's Madrid, not Berlin", []),
        ("Sorry, it's Madrid", []),
        ("Sorry, it's coffee, not tea", []),
    ],
)
def test_what_was_told_long_ago_is_corrected_where_it_is_named_and_said_to_be_wrong(text, now):
    held = told("I live in Berlin and I love tea")
    assert [fact.object for fact in facts_in(text, said_at=SAID_AT, held=held)] == now
    assert speaks_of_old(text) == ("not" in text and not text.startswith("it"))


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("i live in berlin", "no, madrid", "Madrid"),
        ("i live in berlin", "actually no, madrid", "Madrid"),
        ("I'm Ana and I live in Berlin", "No, in Madrid.", "Madrid"),
        ("My favourite colour is green", "sorry, blue", "blue"),
        ("My favourite food is pizza", "No, I meant sushi", "sushi"),
        ("I'm 34", "sorry, 35", "35"),
        ("My birthday is 3 March", "Sorry, 4 March", "4 March"),
    ],
)
def test_a_bare_word_corrects_the_last_message_where_it_can_mean_only_one_thing(before, text, now):
    (fact,) = told(text, told(before))
    assert fact.object == now
    assert "meant" in text or told(text, told(before), is_asked=True) == []


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("My dentist appointment is on Monday", "no, tuesday", "2026-11-17"),
        ("My dentist appointment is on Monday", "nope tuesday sorry", "2026-11-17"),
        ("My dentist appointment is on Monday at 9", "Sorry, 13 December at 10am", "2026-12-13 at 10am"),
        ("My dentist appointment is on Monday", "no, it's Tuesday, not Monday", "2026-11-17"),
        ("My dentist appointment is on Monday", "no, it's on tuesday", "2026-11-17"),
        ("My dentist appointment is on Monday", "The appointment was moved to Tuesday.", "2026-11-17"),
        ("I have a dentist appointment on Monday", "it's Tuesday at 4pm, not Monday", "2026-11-17"),
        ("My exam is on Friday", "sorry, I meant Thursday", "2026-11-19"),
        ("meeting w/ dave tmrw 3pm", "nope friday sorry", "2026-11-20 at 3pm"),
        ("My flight to Rome leaves on 12 December at 7am.", "Sorry, 13 December.", "2026-12-13 at 7am"),
        ("I have a flight to Rome on 3 December", "The flight is now on 4 December", "2026-12-04"),
        ("My wedding is on 5 June 2027", "The wedding is now on 12 June 2027 instead", "2027-06-12"),
        ("My wedding is on 5 June 2027", "The wedding is on 12 June 2027, not 5 June 2027", "2027-06-12"),
    ],
)
def test_what_is_ahead_is_put_on_another_day(before, text, now):
    (first,) = told(before)
    moved, was = told(text, [first])
    assert now in moved.text
    assert moved.valid_to > SAID_AT
    assert (was.key, was.object, was.valid_to) == (first.key, first.object, SAID_AT)
    assert "was to" in was.text


@pytest.mark.parametrize(
    "text",
    ["The appointment was moved to Tuesday", "my appointment is on tuesday now, they changed it, sorry"],
)
def test_what_was_told_long_ago_is_put_off_by_its_name(text):
    before = told("My dentist appointment is on Monday")
    told_now = facts_in(text.removesuffix(", sorry"), said_at=SAID_AT, held=[*told("I live in Rome"), *before])
    assert [fact.object for fact in told_now] == ["2026-11-17", "2026-11-16"]
    assert facts_in(text, said_at=SAID_AT, held=[*before, *told("I have an eye appointment on Friday")]) == []


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("the deadline got pushed to 30 April", "2027-04-30"),
        ("we postponed the deadline to Friday", "2026-11-20"),
        ("They've moved my thesis deadline to Friday instead", "2026-11-20"),
        ("My supervisor moved the deadline to the 26th", "2026-11-26"),
        ("My supervisor moved the deadline to the 31st", None),
        ("we had to bring the deadline forward to Tuesday", "2026-11-17"),
        ("The deadline has been delayed until 5 December", "2026-12-05"),
        ("they moved the deadline to the big hall", None),
        ("they moved Tom's deadline to Friday", None),
        ("the deadline got pushed back to Tuesday", "2026-11-24"),  # it was on Wednesday: not the Tuesday before
        ("the deadline got pushed back to tomorrow", None),
    ],
)
def test_it_is_put_off_by_whoever_does_so(text, now):
    told_now = facts_in(text, said_at=SAID_AT, held=told("My thesis deadline is on Wednesday"))
    assert [fact.object for fact in told_now] == ([now, "2026-11-18"] if now else [])


def test_what_is_no_more_is_denied_first():
    before = told("My favourite colour is green.")
    now = facts_in("My favourite colour isn't green any more, it's teal", said_at=SAID_AT, held=before)
    assert [fact.text for fact in now] == ["The user's favourite colour is teal."]


@pytest.mark.parametrize(
    "text",
    [
        "Oh, it's Monday",
        "no, it's raining",
        "The exam is on Monday",
        "The exam is on Monday, not Thursday",
        "I meant Rome",
        "The test is now on Monday",
    ],
)
def test_what_names_no_other_day_of_it_puts_nothing_off(text):
    assert told(text, told("My exam is on Friday")) == []


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("My sister Anna lives in Berlin", "Anna moved to Vienna", ["The user's sister Anna lives in Vienna."]),
        ("My sister Anna lives in Berlin", "No, Anna lives in Vienna now", ["The user's sister Anna lives in Vienna."]),
        ("My husband Tom is a nurse", "Tom's a teacher now", ["The user's husband Tom works as a teacher."]),
        (
            "My husband Tom is a nurse",
            "Tom is no longer a nurse, he's a teacher now",
            ["The user's husband Tom no longer works as a nurse.", "The user's husband Tom works as a teacher."],
        ),
        (
            "My husband Tom is a nurse",
            "My husband is a teacher now, not a nurse anymore",
            ["The user's husband Tom works as a teacher."],
        ),
        ("My son Max is 7", "Max is actually 8", ["The user's son Max was 8 years old on 2026-11-15."]),
        ("My son Max is 7", "Max is 8, not 7", ["The user's son Max was 8 years old on 2026-11-15."]),
        ("My cat is called Miso", "Miso died.", ["The user no longer has a cat called Miso, who died."]),
        ("My sister Anna lives in Berlin", "Anna is nice", []),
        ("My sister Anna lives in Berlin", "Anna lives in Paris in my novel", []),
        ("My sister Anna lives in Berlin", "Hanna moved to Vienna", []),
        ("My sister Anna lives in Berlin. My friend Anna lives in Rome.", "Anna moved to Vienna", []),
        ("My husband is called Tom", "My husband is called Tim now", ["The user has a husband called Tim."]),
        (
            "My sister Anna lives in Berlin. My wife Lena is a nurse.",
            "My wife is a teacher now",
            ["The user's wife Lena works as a teacher."],
        ),
        ("My sister Anna lives in Berlin", "My wife is a teacher now", ["The user's wife works as a teacher."]),
    ],
)
def test_who_was_named_once_is_known_by_his_name(before, text, now):
    assert [fact.text for fact in told(text, told(before))] == now
    assert facts_in(text, said_at=SAID_AT, held=told(before)) == told(text, told(before))


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("i live in berlin", True),
        ("I live in Berlin. My exam is on Friday.", True),
        ("I live in Berlin. What is new?", False),
        ("I live in Berlin, find me a hotel", False),
        ("I live in Berlin. Recommend hotels.", False),
        ("I live in Berlin. " * 20, False),
    ],
)
def test_a_message_that_wants_something_does_not_only_tell(text, is_so):
    assert only_tells(text, SAID_AT) is is_so


@pytest.mark.parametrize(
    ("before", "text", "fact"),
    [
        ("My husband is called Jean-Luc.", "Jean-Luc's birthday is on 9 July.", "Jean-Luc's birthday is 9 July."),
        ("I have a friend called Øyvind.", "Øyvind moved to Oslo.", "The user's friend Øyvind lives in Oslo."),
    ],
)
def test_who_was_named_before_is_known_by_any_name(before, text, fact):
    (said,) = facts_in(text, said_at=SAID_AT, held=told(before))
    assert said.text.endswith(fact)
    assert told(text) == []


@pytest.mark.parametrize(
    ("before", "text", "over"),
    [
        ("I'm vegetarian.", "I eat fish now.", ["The user is no longer vegetarian."]),
        ("I'm vegan.", "I started eating cheese again.", ["The user is no longer vegan."]),
        ("I eat smoked salmon.", "I'm vegetarian now.", ["The user does not eat smoked salmon."]),
        ("I'm vegetarian.", "I eat rice and cheese.", []),
        ("I'm pescatarian.", "I eat fish.", []),
        ("I'm vegetarian but I eat fish.", "I'm vegetarian.", []),
        ("My sister is vegetarian.", "I eat fish now.", []),
        ("I don't eat fish.", "I'm vegetarian now.", []),
    ],
)
def test_what_somebody_eats_ends_what_he_was_called_for_not_eating_it(before, text, over):
    said = facts_in(text, said_at=SAID_AT, held=told(before))
    assert [fact.text for fact in said if fact.is_negation] == over


@pytest.mark.parametrize(
    ("told", "put_right"),
    [
        ("My sister Anna{} lives in Rome. ", "No, on Friday. "),
        ("I like a{0}, b{0}, c{0}, d{0}, e{0} and f{0}. ", "Sorry, it's B{0}, not Z{0}. "),
    ],
)
def test_many_facts_and_many_corrections_of_them_are_read_in_few_steps(told, put_right):
    """The first took 7 million steps, a second, and 17 s of everybody's time in the turns that followed."""
    text = "".join(told.format(number) for number in range(1, 29)) + "".join(map(put_right.format, range(1, 60)))
    assert len(text) < MAX_TOLD
    assert steps_of(lambda: facts_in(text, said_at=SAID_AT)) < 700_000
