"""Names in small letters, as many people type them: "my son leo is 4". Which words are no names nobody can list, so
those are that are; what is more often something else ("will", "may", "sunny") is not among them."""

import re

from chatServer.memory.facts.vocabulary import KIN, PLURALS
from chatServer.memory.facts.words import word_set

GIVEN = word_set(
    "aaron abdul abigail adam adrian ahmad ahmed aisha aiden ajay alan albert alejandro aleksandra alex alexander"
    " alexandra alfie ali alice alicia alina alison amal amanda amara amelia amelie amir amira amit amy ana anders"
    " andre andrea andreas andrew andy angela anika anita ann anna anne annie anton antonio anya arjun arthur arun"
    " asha ashley astrid aurora ava aya ayesha barbara beatrice becky bella ben benjamin bernard beth bianca bob boris"
    " brandon brenda brian bruno camila carl carla carlos carmen caroline catherine cecilia charles charlie charlotte"
    " chen chiara chloe chris christian christina christine christopher claire clara claudia connor daniel daniela"
    " dave david deborah deepa denise dennis diana diego dimitri dmitri dominik donna dorothy dylan edith eduardo"
    " edward elena eleanor elias elif elijah elisa elizabeth ella ellie elsa emil emilia emily emma eric erik erika"
    " esther ethan eva evan evelyn evie fatima felix fernando finn fiona florian francesca francesco francis frank"
    " freddie frida gabriel gareth gary george georgia gerald gina giulia giovanni gloria gordon greg greta gustav"
    " hamza hana hanna hannah hans harper harry hassan heather hector heidi helen helena henrik henry hiroshi holger"
    " hugo hussein ian ibrahim ida imran ines ingrid irina isaac isabel isabella isla ivan jackson jacob jake james"
    " jamie jan jana jane janet jasmine jason javier jayden jean jeff jennifer jenny jens jeremy jessica jill jim joan"
    " joe joel johan johanna john johnny jonas jonathan jorge jose josef joseph josh joshua juan judith julia julian"
    " julie june jürgen kai karen karin karl karla kate katherine kathleen katie katrin keith ken kenji kevin khalid"
    " kim kumar kyle lara lars laura lauren layla lea leah leila lena leo leon leonie leonard lewis li liam lily lina"
    " linda ling lisa logan lola lorenzo louis louise lottie luca lucas lucia lucy luis luisa lukas luke luna lydia"
    " maddie magnus maja malik manuel marco marcus margaret maria mariam marie marina mario marion mark marta martha"
    " martin mary mateo mathilda matt matteo matthew maya megan mehmet mei melanie melissa mia michael michelle miguel"
    " mike mila milo mina miriam mohamed mohammed mohammad moritz muhammad mustafa nadia naomi natalia natalie natasha"
    " nathan neha neil nicholas nick nicola nicole niklas nikolai nils nina noah noor nora oleg olga oliver olivia"
    " omar oscar otto owen pablo patricia patrick paul paula paulo pavel pedro peter petra philip phoebe pia pierre"
    " piotr priya rachel rahul raj rajesh ralph ramon raquel rashid ravi rebecca renata ricardo richard rita robert"
    " roberto robin rodrigo roger rohan roland roman ronald rory rosa rosie roy ruben ruby rudolf ruth ryan sabine"
    " sabrina sai salma sam samantha samir samira samuel sandra sanjay sara sarah sasha scott sean sebastian selma"
    " serena sergei sergio sergey shaun sheila shreya sienna silvia simon simone sofia sofie sonia sophia sophie"
    " stefan stella stephan stephanie stephen steve steven sue sunita susan susanne suresh sven svetlana sylvia tamara"
    " tanja tanya tara tariq teresa theo theresa thomas tiago tim timothy tina tobias todd tom tomas tommy tony tracy"
    " tyler ulrike uma ursula valentina vanessa vera veronica victor victoria viktor vikram vincent violeta vivian"
    " vladimir walter wei wendy werner wilhelm william willow xavier yara yasmin yasmine yuki yuna yusuf yvonne"
    " zachary zainab zara zoe zoé"
    # Of animals
    " bailey biscuit buddy coco daisy fluffy garfield jerry kitty loki lulu maggie max miso mittens mochi molly nala"
    " oreo pepper poppy rex rocky rufus simba smokey tigger whiskers"
    # Short ones, that are names after who somebody is
    " al bea ed ana jo mo pam tess"
)
_WHO = "|".join(sorted(KIN - frozenset(PLURALS), key=len, reverse=True))
_NAMED = re.compile(
    rf"(?P<who>\b(?:my|our|My|Our) (?:\w+ )?(?:{_WHO}),?) (?P<name>[^\W\d_A-Z]+)"
    r"(?='s |,? (?:who )?(?:is|has|was|lives|lived|works|worked|loves|likes|hates|plays|studies|speaks|drives|turned"
    r"|turns|died|passed|moved|got|started|starts|eats|does|can|just|takes|prefers|goes)\b|,? \d)"
)
_CALLED = re.compile(
    r"(?<= called )[a-z]+(?:(?:, |,? and )[a-z]+)+(?=[.,;!]|$)|(?<= named )[a-z]+(?:(?:, |,? and )[a-z]+)+(?=[.,;!]|$)"
)
_NAME = re.compile(r"[a-z]+")


def with_capitals(text: str) -> str:
    """ "My son Leo is 4"."""
    text = _CALLED.sub(lambda said: _NAME.sub(lambda name: _titled(name.group()), said.group()), text)
    return _NAMED.sub(lambda said: f"{said['who']} {_titled(said['name'])}", text)


def _titled(word: str) -> str:
    return word.title() if word in GIVEN else word
