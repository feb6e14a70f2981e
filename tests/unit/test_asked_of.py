"""Of whom a question asks, and which sentences tell of somebody else."""

import pytest

from chatServer.memory.recall.asked_of import asked_in, is_beside

HOME = "The user lives in Lisbon."
SISTER = "The user's sister Mary lives in Porto."
FOOD = "The user's favourite food is lasagna."


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("Where do I live?", [SISTER]),
        ("Where does my sister live?", [HOME, FOOD]),
        ("Where does my younger brother live?", [HOME, SISTER, FOOD]),
        ("where does my mum live", [HOME, SISTER, FOOD]),
        ("Where do my children live?", [HOME, SISTER, FOOD]),
        ("Where does Mary live?", [HOME, FOOD]),
        ("Where does Peter live?", [HOME, SISTER, FOOD]),
        ("What's my favorite color?", [FOOD]),
        ("What is my favorite food?", []),
        ("What is my sister's favourite food?", [HOME, FOOD]),
    ],
)
def test_what_tells_of_somebody_else_is_beside_the_question(question, beside):
    asked = asked_in(question)
    assert asked is not None
    assert [each for each in (HOME, SISTER, FOOD) if is_beside(each, asked)] == beside


@pytest.mark.parametrize(
    "question",
    ["Do we eat fish?", "Where do Tom and Ann live?", "Who lives in Porto?", "What is the weather like?", ""],
)
def test_of_whom_a_question_asks_is_not_always_known(question):
    assert asked_in(question) is None


@pytest.mark.parametrize("told", ["It rains in Porto.", "My boss lives in Graz.", "My dentist is great."])
def test_what_may_be_of_whom_is_asked_for_is_not_beside_it(told):
    asked = asked_in("Where does Peter live?")
    assert asked is not None
    assert not is_beside(told, asked)


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What is my dog's name?", True),
        ("what's our dogs name", True),
        ("What is the name of my cat?", True),
        ("What's my wife's name?", True),
        ("What are my pets’ names?", True),
        ("What is my name?", False),
        ("What is my full name?", False),
        ("Do you know my name and my dog's name?", False),
        ("Does my dog know my name?", False),
    ],
)
def test_who_asks_for_anothers_name_knows_his_own(question, is_so):
    asked = asked_in(question)
    for own in ("The user's name is Ada.", "My name is Ada"):
        assert (asked is not None and is_beside(own, asked)) == is_so


@pytest.mark.parametrize(
    ("told", "is_so"),
    [
        ("My neighbour has a huge dog called Bruno.", True),
        ("The people upstairs have a dog.", True),
        ("The user's friend Lars has a dog.", True),
        ("My neighbour and I share a dog.", False),
        ("My boss gave me a dog.", False),
        ("The user has a dog called Rex.", False),
        ("The dog is called Rex.", False),
        ("My dog Rex is four.", False),
    ],
)
def test_who_asks_for_what_he_has_wants_nothing_that_others_have(told, is_so):
    asked = asked_in("Do I have a dog?")
    assert asked is not None
    assert is_beside(told, asked) == is_so
    asked = asked_in("Do I have a friend with a dog?")
    assert asked is None or not is_beside(told, asked)


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("what am i allergic to?", ["Tom is allergic to nuts so we eat none", "ruth can't eat nuts"]),
        ("what am I allergic to", ["we have no pets because ola is allergic to fur"]),
        ("What do I abstain from?", ["Ruth can't eat strawberries."]),
        ("where do i live", ["Ruth's parents live in Whitby"]),
        ("what's sean's email?", ["i work as a dentist, mail me at a@b.example"]),
        ("Which instrument does Ellie play?", ["Jack plays the drums in a band."]),
        ("what is tanja's shoe size?", ["my shoe size is 39", "I'm size 39"]),
        ("how old is tanja", ["I am 39", "my shoe size is 39"]),
        (
            "when is my dad's birthday?",
            ["my mum's birthday is on the 12th of june", "The user's mother's birthday is 12 June."],
        ),
        ("what are the names of my children?", ["we have a dog, his name is Biscuit"]),
        ("What's my cat called?", ["The user has a dog called Rex.", "our kids are called Mia and Ben"]),
        ("what's my brothers name", ["girlfriends name is chloe", "My sister is called Eva."]),
    ],
)
def test_what_begins_with_somebody_else_is_beside_the_question(question, beside):
    asked = asked_in(question)
    assert asked is not None
    assert [each for each in beside if not is_beside(each, asked)] == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what am i allergic to?", "Tom says my cat is allergic to me"),
        ("what's my dog called", "my puppy is called Rex"),
        ("what's my pet called", "my puppy is called Rex"),
        ("what do i love", "I love tea and Tom loves coffee"),
        ("where do i live", "It's Brighton where i live"),
        ("when do i do yoga", "Yoga is on Tuesdays"),
        ("when does school start", "I start at eight"),
        ("what is tanja's shoe size?", "My girlfriend has size 39"),
        ("what is huang's fee?", "my dentist takes 80"),
        ("where does my dad live", "My parents live in Hamburg"),
        ("how old is my daughter", "our kids are 4 and 7"),
        ("how old is my daughter", "my son is 9 and my daugther 12"),
        ("What is my brother's job?", "Jonas works at Siemens"),
    ],
)
def test_what_may_tell_of_whom_is_asked_for_is_not_beside_the_question(question, told):
    asked = asked_in(question)
    assert asked is None or not is_beside(told, asked)


def test_whom_people_have_several_words_for_is_whoever_is_told_of():
    asked = asked_in("Where does my wife work?")
    assert asked is not None
    assert not is_beside("My partner works at Bosch.", asked)
    assert is_beside("Tom's wife works at Bosch.", asked)


def test_junk_takes_no_time():
    for junk in ("my " * 100_000, "does " * 100_000, "favourite " * 100_000, "my a" * 100_000):
        asked = asked_in(junk)
        assert asked is None or not is_beside("my " * 1_000, asked)
    mine = asked_in("Where do my parents live?")
    assert mine is not None
    assert not is_beside("a's " * 20_000, mine)


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("Where do my parents live?", "Tom's parents live in Leeds.", True),
        ("Where do my parents live?", "My girlfriend's parents live in Lyon.", True),
        ("where do my parents live", "Her parents live in Lyon.", True),
        ("How old is my mother?", "Anna’s mother is 70.", True),
        ("Where do my parents live?", "My parents live in Cork.", False),
        ("Where do my parents live?", "The user's parents live in Cork.", False),
        ("Where do my parents live?", "Tom's parents live in Leeds, and my parents live in Cork.", False),
        ("Where do my parents live?", "My mother lives in Cork.", False),
        ("Where do Tom's parents live?", "Tom's parents live in Leeds.", False),
        ("Where does my wife's brother live?", "My wife's brother lives in Bath.", False),
        ("When is my mum coming?", "It's mum who comes on Friday.", False),
    ],
)
def test_who_asks_for_his_own_parents_is_not_told_of_somebody_elses(question, text, is_other):
    asked = asked_in(question)
    assert (asked is not None and is_beside(text, asked)) == is_other
