"""What a death, a divorce or a lost job ends of what was told before, though nobody says so."""

import pytest

from chatServer.memory.facts import facts_in, given_up, partings, unnamed
from chatServer.memory.forget.whose import facts_told
from tests.tools.telling import SAID_AT, told


@pytest.mark.parametrize(
    ("before", "text", "ended"),
    [
        ("my mum lives in leeds", "my mum passed away in 2019", "The user's mother used to live in Leeds."),
        ("my mum is a nurse", "my mum died of cancer last year", "The user's mother used to work as a nurse."),
        ("My mum Ruth lives in Leeds", "my mum passed away in 2019", "The user's mother Ruth used to live in Leeds."),
        ("My wife Eva works at Bosch", "Eva died last year", "The user's wife Eva used to work at Bosch."),
        ("My dog Rex lives in Leeds", "my dog Rex died in 2019", "The user's dog Rex used to live in Leeds."),
        ("I'm married to Tom", "got divorced in april", "The user used to be married to Tom."),
        ("I'm married to Tom", "Tom and I got divorced in April", "The user used to be married to Tom."),
        ("I'm married to Tom", "We got a divorce last year", "The user used to be married to Tom."),
        ("I work at Lidl", "i lost my job in march", "The user no longer works at Lidl."),
        ("I work at Lidl", "I got laid off last month", "The user no longer works at Lidl."),
    ],
)
def test_what_was_told_before_is_over_from_then_on(before, text, ended):
    held = told(before)
    (over,) = [fact for fact in facts_in(text, said_at=SAID_AT, held=held) if fact.text == ended]
    assert over.key == held[-1].key
    assert over.valid_to < SAID_AT


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("my dad lives in leeds", "my mum passed away in 2019"),
        ("my mum lives in leeds", "my mum nearly died in 2019"),
        ("my sister is married to Tom", "I got divorced in april"),
        ("I'm married to Tom", "Tom and I are getting divorced"),
        ("I'm married to Tom", "Anna and Ben got divorced in April"),
        ("I work at Lidl", "my brother lost his job"),
        ("I work at Lidl", "I lost my job application"),
    ],
)
def test_what_is_of_others_goes_on(before, text):
    held = told(before)
    assert not [fact for fact in facts_in(text, said_at=SAID_AT, held=held) if fact.key == held[-1].key]


def test_what_may_end_is_looked_for_by_the_words_that_memories_have():
    assert partings.words_told_before("my mum passed away") == ["mother"]
    assert partings.words_told_before("got divorced in april") == ["married", "engaged"]
    assert partings.words_told_before("we got a divorce") == ["married", "engaged"]
    assert given_up.words_told_before("i lost my job in march") == ["work"]
    assert not partings.words_told_before("my mum lives in Leeds") + given_up.words_told_before("I work at Lidl")


GONE = "The user no longer has a {}."


@pytest.mark.parametrize(
    ("before", "text", "ended"),
    [
        ("My girlfriend Anna is from Rome", "we broke up", "girlfriend called Anna"),
        ("My girlfriend Anna is from Rome", "Sadly, we've just split up. I'm so sad.", "girlfriend called Anna"),
        ("My girlfriend Anna is from Rome", "Anna and I split up last month", "girlfriend called Anna"),
        ("My girlfriend Anna is from Rome", "my girlfriend broke up with me :(", "girlfriend called Anna"),
        ("My boyfriend is called Tim", "My boyfriend left me yesterday.", "boyfriend called Tim"),
        ("My boyfriend is called Tim", "I've broken up with my boyfriend", "boyfriend called Tim"),
        ("My wife is called Eva. My boyfriend is called Tim", "me and Tim broke up", "boyfriend called Tim"),
        ("I have a girlfriend", "my girlfriend and I broke up", "girlfriend"),
        ("I have a dog called Rex", "our dog died yesterday", "dog called Rex, who died"),
        ("I have a cat called Miso", "my cat had to be put down", "cat called Miso, who died"),
        ("I have a dog", "Our dog has died.", "dog"),
        ("I have a dog called Rex", "we lost our dog last year", "dog called Rex, who died"),
        ("I have a dog called Rex", "Sadly, I lost my dog in March.", "dog called Rex, who died"),
        ("I have a cat called Miso", "we've just lost our cat to kidney failure", "cat called Miso, who died"),
        ("I have a dog", "we lost our dog two years ago", "dog"),
    ],
)
def test_who_is_gone_need_not_be_named_where_one_was_told_of(before, text, ended):
    assert [fact.text for fact in facts_in(text, said_at=SAID_AT, held=told(before))] == [GONE.format(ended)]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("My wife is called Eva. My boyfriend is called Tim", "we broke up"),
        ("My girlfriend is called Anna", "my band split up"),
        ("My girlfriend is called Anna", "Hanna and I broke up"),
        ("My girlfriend is called Anna", "my sister and I broke up"),
        ("My girlfriend is called Anna", "we split up the bill"),
        ("My girlfriend is called Anna", "we split up in two groups"),
        ("My girlfriend is called Anna", "we almost broke up"),
        ("My girlfriend is called Anna", "Should I tell my mum that we broke up?"),
        ("I have a dog called Rex", "my dog died laughing"),
        ("I have a dog called Rex", "my neighbour's dog died"),
        ("I have a dog called Rex", "my phone died"),
        ("I have two dogs. I have a dog called Rex", "our dog died"),
        ("I have two cats", "my cat died"),
        ("I have a dog called Rex", "we lost our dog"),
        ("I have a dog called Rex", "we lost our dog in the park"),
        ("I have a dog called Rex", "we lost our dog last night"),
        ("I have a dog called Rex", "we nearly lost our dog last year"),
        ("I have a dog called Rex", "my sister lost her dog last year"),
        ("I have two dogs. I have a dog called Rex", "we lost our dog last year"),
    ],
)
def test_who_may_be_another_is_there_still(before, text):
    assert not [fact for fact in facts_in(text, said_at=SAID_AT, held=told(before)) if fact.is_negation]


def test_who_is_gone_is_looked_for_by_what_he_is_called():
    assert unnamed.words_told_before("Our dog died. I miss him.") == ["dog"]
    assert unnamed.words_told_before("my mum cried when I split up with my boyfriend") == []
    assert unnamed.words_told_before("I split up with my boyfriend") == ["boyfriend"]
    assert {"girlfriend", "husband"} < set(unnamed.words_told_before("we broke up"))
    assert unnamed.words_told_before("my phone died") == []
    assert unnamed.words_told_before("we lost our dog last year") == ["dog"]


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("my rent is 900 euros", "my rent is 950 now, not 900", "950"),
        ("i grew up in Lagos", "Not Lagos, Accra", "Accra"),
        ("my dog is a labrador", "my dog is not a labrador, it's a poodle", "a poodle"),
        ("my son is in year 5", "my son is in year 6 now", "year 6"),
    ],
)
def test_of_what_is_one_at_a_time_the_new_one_replaces_the_old(before, text, now):
    (old,) = told(before)
    (new,) = told(text, [old])
    assert (new.key, new.object) == (old.key, now)


@pytest.mark.parametrize(
    "text",
    [
        "my mum passed away in 2019",
        "i take metformin",
        "i can't swim",
        "i grew up in lagos",
        "i hold a french passport",
        "i cycle to work",
        "i go to the gym twice a week",
        "i'm on a keto diet",
        "i'm on a low-carb diet",
        "i'm gluten-free",
        "we bought a house in Utrecht",
        "I'm getting divorced",
        "I'm moving to Oslo",
        "i'm afraid of spiders",
        "i work part time",
        "i work in a nursing home",
        "i have a phd in chemistry",
        "my shoe size is 42",
        "i had knee surgery",
        "i run a bakery",
    ],
)
def test_a_memory_is_read_as_what_it_was_made_of(text):
    (fact,) = told(text)
    assert [each.key for each in facts_told(fact.text)] == [fact.key]
