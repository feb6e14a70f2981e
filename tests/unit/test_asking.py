"""What begins like a question is one without its mark; what tells something beside it is none."""

import time

import pytest

from chatServer.messages.asking import MAX_CHARACTERS, asks

ASKED = """
how old is my dog
what's my phone number
Whats my name
wheres ana living
whos my boss
hows my cat called
whens my exam
how old am i
can i eat shrimp
what is my sister called
Who am I
where do I live
when is my birthday
why did I move to Berlin
which city do I live in
what time is it
what colour is my car
what kind of dog is Rex
whose birthday is next
how many kids do I have
ok, and how old is she
what's my phone number, please
do you know my name
did I tell you where I live
is my dog older than four
does my sister live in Rome
can you guess where I live
am I allergic to nuts
will my plants survive
what about my cat
wie alt ist mein Hund
wer bin ich
was mag ich
wo wohne ich
wann habe ich Geburtstag
wie viele Kinder habe ich
welche Farbe hat mein Auto
ist mein Hund älter als vier
weißt du wie ich heiße
где я живу
как зовут мою собаку
сколько лет моей собаке
какой у меня номер
когда мой день рождения
¿dónde vivo
cómo se llama mi perro
cuántos años tiene mi perro
cuál es mi número
où est-ce que j'habite
quel âge a mon chien
comment s'appelle mon chien
sais-tu où j'habite
combien d'enfants ai-je
quel âge a-t-il
What is my name?
"""
TOLD = """
My dog is four
What I like is tea
What matters most is family
What is important to me is honesty
What's great is my new job
What happened was my fault
When I lived in Rome I ate pasta
When is over the party I sleep, I live in Bonn
Where I live it rains a lot
How I met my wife is a long story
What a nice day
Which reminds me to call my mother
Did my taxes today
Was my best day ever
Had my first coffee at ten
Do my parents proud every day
Will is my husband
Did you know that I have a sister
Do you know I have a sister
Can you remember that my door code is 12
Could you note my new number
What's my name, I forgot, it is Ada
How old is my dog. He is four
What is my name and I live in Berlin
Is my dog old - he is twelve
Who is that? My sister is called Ana
Ich wohne in Bonn
Was ich mag ist Tee
Was Spaß macht, ist mein Garten
Wo ich wohne regnet es
Habe mein Auto verkauft
Wann immer ich kann lese ich
Habe ich erwähnt dass ich in Bonn wohne
Когда я жил в Риме, я ел пасту
Где-то я это слышал
Как я люблю чай
Какой хороший день
Qué bonito día
Cómo me gusta el té
Où j'habite il pleut
Quand je suis à Paris je marche
J'ai un rendez-vous demain
Rendez-vous demain chez le dentiste
Wie gesagt ist mein Hund vier
Has the flu again
Is the best dog ever
"""


@pytest.mark.parametrize("text", ASKED.strip().splitlines())
def test_what_begins_like_a_question_is_one(text):
    assert asks(text)
    assert asks(f"  {text}\n")
    assert not asks(f"{text}. I live in Berlin")


@pytest.mark.parametrize("text", TOLD.strip().splitlines())
def test_what_tells_something_is_none(text):
    assert not asks(text)


def test_what_is_long_is_not_looked_at():
    began = time.process_time()
    for junk in ("how old ", "what is, ", "a-", "so, and ", "qui est-", "что ", "w"):
        for size in (MAX_CHARACTERS, 200_000):
            asks((junk * size)[:size])
    assert time.process_time() - began < 0.5
    assert not asks("how old is my dog " + "x" * MAX_CHARACTERS)


def test_what_is_said_on_another_line_is_said():
    assert asks("how are you\n")
    assert not asks("how are you\nI parked the car on level 3")
