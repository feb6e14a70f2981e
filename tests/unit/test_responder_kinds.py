"""builtin finds what was asked for by its kind or in another form, and nothing that holds no longer."""

import pytest
from langchain_core.messages import AIMessage

from chatServer.agent.builtin.kinds import others_for
from chatServer.agent.given import QuotedMessage
from chatServer.messages.fence import fence
from tests.tools.answering import answer


def remembered(*lines: str) -> QuotedMessage:
    return QuotedMessage(fence("memories", "\n".join(f"- ({_who(line)}, 2026-11-17) {line}" for line in lines)))


def _who(line: str) -> str:
    return "remembered" if line.startswith("The user") else "the user said"


def _whence(line: str) -> str:
    return "remembered" if line.startswith("The user") else "you said"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What pets do I have?", "The user has a cat called Miso."),
        ("What car do I have?", "The user drives a red Toyota."),
        ("What are my kids called?", "The user has a daughter called Aoife."),
        ("What is my diet?", "The user is vegan."),
        ("What are my hobbies?", "The user likes crosswords."),
        ("Which medicine is mine?", "The user takes metformin."),
        ("What are my fears?", "The user is afraid of spiders."),
        ("Where did I grow up?", "The user was raised in Lagos."),
        ("Is my mum alive?", "The user's mother died in 2019."),
        ("what am I studying?", "The user studies marine biology."),
        ("who's my manager", "The user has a boss called Priya."),
        ("How do I get to work?", "I cycle to the office every morning."),
        ("Who is my employer?", "The user works at Bosch."),
        ("Which films do I dislike?", "The user dislikes horror movies."),
        ("When do we move?", "We're moving to Galway on 14 December."),
        ("What is my dog called?", "The user has a puppy called Biscuit."),
        ("Who is my husband?", "The user is married to Tom."),
        ("Who is my fiancée?", "The user is engaged to Sofie."),
        ("When does my passport run out?", "My passport expires in May 2027."),
    ],
)
async def test_who_asks_by_the_kind_or_in_another_form_is_told(asked, told):
    known = [
        "The user has a cat called Miso.",
        "The user drives a red Toyota.",
        "The user has a daughter called Aoife.",
        "The user has 2 children.",
        "The user is vegan.",
        "The user likes crosswords.",
        "The user studies marine biology.",
        "The user has a boss called Priya.",
        "I cycle to the office every morning.",
        "The user takes metformin.",
        "The user is afraid of spiders.",
        "The user was raised in Lagos.",
        "The user's mother died in 2019.",
        "The user works as a nurse.",
        "The user works at Bosch.",
        "The user dislikes horror movies.",
        "We're moving to Galway on 14 December.",
        "My passport expires in May 2027.",
        "The user has a puppy called Biscuit.",
        "The user is married to Tom.",
        "The user is engaged to Sofie.",
    ]
    said = await answer(remembered(*known), asked)
    assert f"“{told}”" in said.content.split("\n\n")[0]


@pytest.mark.parametrize(
    "asked",
    ["What should I not eat?", "what can't I eat", "Which foods should I avoid?", "What am I not allowed to eat?"],
)
async def test_who_asks_what_he_must_not_eat_is_told_of_all_of_it(asked):
    known = ["The user has a cat called Miso.", "The user is allergic to peanuts.", "The user does not eat pork."]
    said = await answer(remembered(*known), asked)
    assert "peanuts" in said.content
    assert "pork" in said.content
    assert "Miso" not in said.content


async def test_what_was_said_before_it_changed_is_not_quoted_beside_what_holds():
    known = remembered("The user's brother Tom lives in Dublin.", "My brother Tom lives in Cork.")
    said = await answer(known, "Where does my brother live?")
    assert "Dublin" in said.content
    assert "Cork" not in said.content


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what is tom's job?", "I live with my husband tom"),
        ("How old is my father?", "The user's father works as a pilot."),
        ("What is my wife's birthday?", "The user has a wife called Meera."),
        ("what's my wife's name?", "Names Pete, 45, plumber from Cardiff"),
        ("what's ruth's email", "i moved in with ruth"),
        ("What's my phone number?", "My student number is 874412"),
        ("what is my wifi code", "the garage code is 9903"),
    ],
)
async def test_what_only_names_whom_is_asked_for_is_told_as_what_is_nearest(asked, told):
    said = (await answer(remembered(told), asked)).content.split("\n\n")
    assert said[0] == "I find nothing that says just that. Nearest to it is:"
    assert f"“{told}”" in said[1]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how old is mia", "mia is 7"),
        ("What is my phone number?", "my number is 555 1234"),
        ("When is my next appointment?", "My dentist appointment is at ten"),
        ("What is my husband's name?", "I live with my husband tom"),
        ("What happened to my dog?", "my dog died last week"),
        ("What does my dad do?", "The user's father works as a pilot."),
        ("What's my address?", "I live at 14 Rosenweg"),
        ("Where is Mum?", "My mother is in Porto"),
    ],
)
async def test_what_says_more_than_whom_is_an_answer(asked, told):
    said = (await answer(remembered(told, "The user's sister Eva works as a nurse."), asked)).content
    assert said == f"From your memories ({_whence(told)}, 2026-11-17): “{told}”"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When is my sister's birthday?", "my sister is Anna. Her birthday is on 3 May."),
        ("When did Harold die?", "My late husband was called Harold. He died in 2016."),
        ("what breed is my dog", "we have a dog, a big one. he's of a strange breed."),
    ],
)
async def test_what_is_said_of_somebody_in_the_next_sentence_is_told_with_who_it_is(asked, told):
    said = (await answer(remembered(f"{told} I live in Oslo."), asked)).content
    assert said == f"From your memories (you said, 2026-11-17): “{told}”"


@pytest.mark.parametrize("asked", ["What is our budget?", "How much can we spend on a flat?"])
async def test_what_somebody_says_is_not_so_is_not_quoted(asked):
    known = ["we're looking for a flat, budget is 1800 euro max", "actually the budget is 2000 now, not 1800"]
    said = (await answer(remembered(*known, "I was born in 1800"), asked)).content
    assert said == f"From your memories (you said, 2026-11-17): “{known[1]}”"


async def test_what_holds_is_told_also_where_what_was_said_before_has_more_of_the_question():
    old = "I'm doing a PhD in biology and my supervisor is Prof. Brandt"
    said = (await answer(remembered(old, "The user's supervisor is Prof Keller."), "who supervises my phd")).content
    assert said == "From your memories (remembered, 2026-11-17): “The user's supervisor is Prof Keller.”"
    known = ["i live in leeds with my husband tom", "we have a dog, his name is Rex", "The user lives in York."]
    assert "tom" in (await answer(remembered(*known), "whats my husbands name")).content


async def test_what_was_said_after_it_was_denied_is_quoted():
    lines = ["- (the user said, 2026-11-17) I drink coffee", "- (the user said, 2026-11-01) I drink tea, not coffee"]
    said = (await answer(QuotedMessage(fence("memories", "\n".join(lines))), "Do I drink coffee?")).content
    assert "“I drink coffee”" in said


async def test_what_is_not_so_needs_no_comma():
    known = ["I go to yoga on mondays and wednesdays", "sorry, yoga is on tuesdays and wednesdays not mondays"]
    said = (await answer(remembered(*known), "which days do i do yoga?")).content
    assert said == f"From your memories (you said, 2026-11-17): “{known[1]}”"


async def test_what_was_asked_once_is_quoted_as_no_answer():
    known = ["what food does sean hate", "whats seans food", "sean hates olives as a food"]
    said = (await answer(remembered(*known), "Which food does Sean hate?")).content
    assert said == f"From your memories (you said, 2026-11-17): “{known[2]}”"


async def test_what_is_not_so_of_one_says_nothing_of_another():
    known = ["our kids are Mia and Ben, mia is 7 and ben is 4", "mia is 8, not 7"]
    assert "ben is 4" in (await answer(remembered(*known), "how old is ben")).content


@pytest.mark.parametrize("told", ["I don't have a motorbike.", "Tom broke his leg skiing.", "If I won I'd buy a boat."])
async def test_who_tells_something_is_not_told_something_else(told):
    said = await answer(remembered("I don't like coriander.", "My friend Tim lives in Rome."), told)
    assert said.content.startswith("Thank you")


async def test_who_asks_for_whom_he_works_is_told_that_first_and_a_son_is_a_word():
    known = ["I take the bus to work.", "The user works as a nurse.", "The user's friend Tom works as a chef."]
    known += ["The user works at Bosch.", "The user has a son called Rory."]
    said = await answer(remembered(*known), "Who do I work for?")
    assert "works at Bosch" in said.content.split("\n\n")[0]
    assert "Rory" in (await answer(remembered(*known), "Do I have a son?")).content


async def test_who_asks_for_his_job_is_not_told_first_where_it_is():
    known = ["The user works as a nurse.", "The user works at Bosch."]
    said = await answer(remembered(*known), "What do I work as?")
    assert "works as a nurse" in said.content.split("\n\n")[0]


async def test_who_asks_for_all_of_a_kind_is_told_of_each_and_not_of_what_is_over_in_part():
    kids = [f"The user has a child called {name}." for name in ("Ann", "Bo", "Cy", "Di")]
    old = "- (the user said, 2026-11-01, in part no longer so, in “A chat”) We have a cat and a child called Max."
    given = QuotedMessage(fence("memories", "\n".join([old, *(f"- (remembered, 2026-11-17) {each}" for each in kids)])))
    said = (await answer(given, "What are my kids called?")).content
    assert all(each in said for each in kids)
    given = remembered(*kids, "The user has a sister called Paula.")
    assert "Paula" not in (await answer(given, "What are my children called?")).content
    assert "Max" not in said


HYPOTHETICAL = "If I had a dog, I'd call him Rex."
LETTER = 'Here is an email I got: "Dear customer, my name is Kevin and I have a dog. I live in Dublin."'


@pytest.mark.parametrize("asked", ["What pets do I have?", "Which animals live with me?", "Do I have a cat or a dog?"])
async def test_who_asks_for_what_he_has_is_told_of_nothing_that_others_have_and_of_nothing_that_would_be(asked):
    known = ["The user has a cat called Miso.", "My neighbour has a huge dog called Bruno.", HYPOTHETICAL, LETTER]
    known += ["The people upstairs have a parrot and a dog.", "The user's friend Lars has a cat."]
    said = (await answer(remembered(*known), asked)).content
    assert "Miso" in said
    assert not any(each in said for each in ("Bruno", "Rex", "Kevin", "parrot", "Lars"))


async def test_who_asks_of_himself_is_not_told_what_he_quoted():
    assert "Kevin" not in (await answer(remembered(LETTER), "What am I called?")).content
    assert "Dublin" not in (await answer(remembered(LETTER), "Where do I live?")).content
    assert "Kevin" in (await answer(remembered(LETTER), "Who is Kevin?")).content


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Who is my physician?", "My doctor is Dr Patel."),
        ("What is my drug called?", "I take 50 mg of sertraline every evening."),
        ("Do I eat meat?", "The user is vegetarian."),
    ],
)
async def test_what_is_found_by_its_meaning_alone_is_told_as_what_is_nearest(asked, told):
    said = (await answer(remembered(told), asked)).content.split("\n\n")
    assert said[0] == "I find nothing that says just that. Nearest to it is:"
    assert f"2026-11-17): “{told}”" in said[1]


@pytest.mark.parametrize(
    "asked",
    ["Write me a poem", "How do I boil an egg?", "Should I leave?", "What is blood?", "What's my favourite band?"],
)
async def test_what_asks_for_nothing_that_was_told_is_told_nothing_near(asked):
    assert "Nearest" not in (await answer(remembered("My doctor is Dr Patel."), asked)).content


async def test_what_is_nearest_is_of_whom_it_is_asked():
    known = remembered("The user's sister Anna works as a nurse.", "The user does not eat pork.")
    assert "pork" not in (await answer(known, "What must my daughter avoid?")).content
    assert "Anna" not in (await answer(known, "Where do I live?")).content


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("I'm a developer, mostly Go.", "I'm left-handed."),
        ("Ich arbeite als Krankenschwester.", "Ich fahre mit dem Fahrrad zur Arbeit."),
        ("Wir fliegen nach Rom.", "Am 12. Mai fliegen wir nach Lissabon."),
    ],
)
async def test_who_tells_something_else_is_thanked_and_not_told_what_shares_a_word(before, told):
    assert (await answer(before, AIMessage("ok"), told)).content.startswith(("Thank you", "Danke"))


async def test_what_is_nearest_in_meaning_is_told_in_english_only():
    said = (await answer(remembered("Mein Mann Uwe ist Tischler."), "Was ist meine Blutgruppe?")).content
    assert said.startswith("Dazu finde ich nichts")


@pytest.mark.parametrize(("asked", "whose"), [("How old am I?", "user"), ("How old is my son Max?", "user's son Max")])
async def test_an_age_is_told_with_the_day_on_which_it_was_so(asked, whose):
    age = f"The {whose} was 34 years old on 2025-11-01."
    told = (await answer(remembered(age, "The user's sister Eva was 31 years old on 2025-11-02."), asked)).content
    assert told == f"From your memories (remembered, 2026-11-17): “{age}”"


async def test_an_age_that_was_said_before_is_not_told_beside_the_one_that_is_remembered():
    known = remembered("The user was 35 years old on 2026-11-17.", "I am 34 years old.")
    assert "34" not in (await answer(known, "How old am I?")).content


async def test_where_somebody_was_born_is_not_told_as_it_was_said_before_it_was_put_right():
    known = remembered("The user was born in Rome.", "I was born in Oslo.")
    told = (await answer(known, "Where was I born?")).content
    assert "Rome" in told
    assert "Oslo" not in told


def test_a_short_word_has_no_forms_without_its_end():
    assert "moved" in others_for(["move"])["move"]
    assert "be" not in others_for(["bed"])["bed"]


@pytest.mark.parametrize("asked", ["where am I from?", "Where do I come from?"])
async def test_where_somebody_is_from_is_said_by_what_tells_just_that(asked):
    given = remembered("The user lives in Berlin.", "The user's sister Eva is from Rome.", "The user is from Porto.")
    said = (await answer(given, asked)).content
    assert said == "From your memories (remembered, 2026-11-17): “The user is from Porto.”"


async def test_what_something_is_comes_before_what_it_is_not():
    given = remembered("The user does not have a sister called Hanna.", "The user has a sister called Anna.")
    said = (await answer(given, "What is my sister called?")).content
    assert said.index("Anna") < said.index("Hanna")


async def test_what_was_said_and_holds_no_longer_is_not_quoted_beside_what_does():
    over = "- (the user said, 2026-11-16, until 2026-11-17) My wedding is on 12 July."
    holds = "- (remembered, 2026-11-17) The user's wedding is on 2027-07-05."
    given = QuotedMessage(fence("memories", f"{over}\n{holds}"))
    now = (await answer(given, "When is my wedding?")).content
    assert now == "From your memories (remembered, 2026-11-17): “The user's wedding is on 2027-07-05.”"
    assert "12 July" in (await answer(given, "When was my wedding to be before?")).content


async def test_what_somebody_studies_is_not_told_as_it_was_before_he_changed_his_mind():
    known = remembered("The user studies chemistry.", "I study biology. Actually no, I switched to chemistry.")
    told = (await answer(known, "What do I study?")).content
    assert told == "From your memories (remembered, 2026-11-17): “The user studies chemistry.”"


async def test_what_is_remembered_is_not_quoted_again_as_it_was_said_here():
    known = remembered("The user has a cat called Miso.")
    said = (await answer(known, "We have a cat called Miso.", AIMessage("ok"), "What is my cat called?")).content
    assert said == "From your memories (remembered, 2026-11-17): “The user has a cat called Miso.”"
    more = "We have a lazy cat called Miso."
    assert more in (await answer(known, more, AIMessage("ok"), "What is my cat called?")).content
    denied = "We don't have a cat called Miso."
    assert denied in (await answer(known, denied, AIMessage("ok"), "What is my cat called?")).content
