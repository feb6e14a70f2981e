"""Words of everyday life: what somebody fears, can, does, runs and has. What is not listed may be anything."""

import re

from chatServer.memory.facts.names import employer
from chatServer.memory.facts.objects import Object, fitting, subject, things, titled, trimmed
from chatServer.memory.facts.vocabulary import (
    COUNTRIES,
    JOBS,
    LANDS,
    LANGUAGES,
    PLAYED,
    TECHNOLOGIES,
    TOWNS,
    WORKPLACES,
)
from chatServer.memory.facts.words import any_of, phrases, word_set

TRAITS = phrases(
    "left-handed|left handed|right-handed|ambidextrous|colour blind|color blind|colourblind|colorblind|dyspraxic",
    "an only child|a night owl|an early bird|a morning person|an early riser|a late riser|an introvert|an extrovert",
    "hard of hearing|deaf in one ear|blind in one eye|partially sighted|visually impaired|legally blind",
    "a light sleeper|a heavy sleeper|a picky eater|short-sighted|short sighted|a wheelchair user|a blood donor",
    "a stay at home mum|a stay at home mom|a stay at home dad|a stay-at-home mum|a stay-at-home mom",
    "a stay-at-home dad|a single mum|a single mom|a single dad|a single parent|a single mother|a single father",
    "double-jointed|a freelancer|a carer|a foster parent|a widow|a widower",
)
WEARS = phrases("glasses|contacts|braces|dentures|contact lenses|hearing aids|a hearing aid|a prosthesis")
ABILITIES = (
    "swim|drive|ski|cook|ride a bike|ride a bicycle|ride a horse|dance|sing|whistle|sew|knit|juggle|touch type"
    "|read music|sign language|drive a manual|drive stick|snowboard|surf|ice skate"
)
LEARNT = PLAYED | phrases(
    "to " + "|to ".join(ABILITIES.split("|")), "sign language|to code|the drums|how to drive|how to swim"
)
WORKING_TIMES = phrases("part time|part-time|full time|full-time")
_WORKS_HOW = re.compile(
    r"(?P<what>nights|weekends|remotely|freelance|from home|(?:(?:night|day|early|late|rotating|the night) )?shifts?)"
    r"(?: (?:on \w+days?(?: and \w+days?)?|(?:two|three|four|\d) days a week|most days))?",
    re.IGNORECASE,
)
_BUSINESSES = WORKPLACES | word_set(
    "cafe café shop store salon farm company startup business agency pub bar studio bookshop hostel barbershop"
)
_BUSINESS = re.compile(
    rf"(?:an?|my own) (?:(?!lemonade|drug)[\w-]+ ){{0,3}}(?:{'|'.join(sorted(_BUSINESSES))})", re.IGNORECASE
)
OFFICES = "|".join(
    sorted(
        WORKPLACES
        | word_set("bank shop cafe café hotel bar pub salon studio garage lab laboratory nursery")
        | {"nursing home", "care home", "call centre", "call center", "coffee shop", "law firm", "gp practice"}
    )
)
_DEVICES = (
    r"(?:iphone|ipad|macbook(?: pro| air)?|mac(?: mini)?|imac|thinkpad|chromebook|laptop|gaming pc|pc|steam ?deck"
    r"|ps[345]|playstation(?: \d)?|xbox(?: one| series [xs])?|nintendo switch|kindle|android(?: phone)?"
    r"|google pixel|pixel"
    r"|samsung galaxy|galaxy|apple watch|garmin|fitbit|3d printer|drone|e-?bike|bike|bicycle|motorbike|motorcycle"
    r"|scooter|campervan|camper|caravan|motorhome|boat|sailboat|garden|allotment|greenhouse|balcony|piano|guitar|violin"
    r"|telescope|driving licen[cs]e|driver's licen[cs]e)"
)
_DEVICE = re.compile(
    rf"an? (?:(?:small|big|large|new|old|road|mountain|electric|gaming|vegetable|balcony|used|second-hand) ){{0,2}}"
    rf"{_DEVICES}(?: \d{{1,2}}(?: pro| max| plus| mini| ultra){{0,2}}| s\d\d)?",
    re.IGNORECASE,
)
HOUSE = "(?:house|flat|apartment|cottage|bungalow|condo)"
_HOUSE = re.compile(rf"an? {HOUSE} in (?:the )?(?:{'|'.join(TOWNS | COUNTRIES | LANDS)})", re.IGNORECASE)
SYSTEMS = (TECHNOLOGIES - word_set("word excel notion cursor spring node yarn swift spark rails")) | phrases(
    "a wheelchair|a walker|a walking stick|a cane|a cpap machine|a screen reader|a mac|a pc|an iphone|an android phone"
    "|arch linux|linux mint|vs code|public transport"
)
_SPORTS = any_of(
    "running|jogging|swimming|climbing|bouldering|hiking|cycling|fishing|hunting|dancing|skiing|surfing|sailing|rowing",
    "horse ?riding|skating|snowboarding|kayaking|camping|birdwatching|to the gym|for a run|for a walk|for a swim",
)
_DONE = (
    "yoga|pilates|karate|judo|crossfit|ballet|gymnastics|taekwondo|tai chi|martial arts|boxing|zumba|parkour|jiu ?jitsu"
)
_OFTEN = (
    r"(?: (?:(?:once|twice|(?:two|three|four|five|six|\d) (?:times|days)) (?:a|per) (?:week|month|day)"
    r"|every (?:\w+ )?(?:day|morning|evening|night|week|weekend|\w+day)|on (?:\w+day|weekend)s?(?: and \w+days)?"
    r"|(?:in|at) (?:the )?(?:mornings?|evenings?|weekends?)|daily|regularly|before work|after work|a lot))"
)
_SPORT_OF = {
    "run": "running", "jog": "jogging", "swim": "swimming", "cycle": "cycling", "climb": "climbing", "hike": "hiking",
    "dance": "dancing", "fish": "fishing", "row": "rowing",
}  # fmt: skip
SPORT = rf"(?:{'|'.join(_SPORT_OF)}){_OFTEN}"
COMMUTE = (
    "cycle|bike|walk|drive|ride (?:my|a) (?:bike|bicycle|scooter|motorbike)|take (?:the|a) (?:bus|train|tram|metro"
    "|subway|ferry)|(?:commute|travel|go) by (?:bus|train|tram|metro|subway|bike|car|ferry)"
)
ACTIVITY = rf"{_SPORTS}{_OFTEN}"
PRACTICE = rf"(?:{_DONE}){_OFTEN}?"
_ACTIVITY = re.compile(rf"(?P<what>{_SPORTS}|{_DONE})(?P<often>{_OFTEN})?", re.IGNORECASE)
COLLECTED = phrases(
    "stamps|coins|vinyl|records|comics|postcards|sneakers|watches|lego|figurines|mugs|minerals|rocks|fossils|antiques"
    "|perfumes|dolls|vinyl records|pokemon cards|trading cards|football shirts|action figures|fridge magnets"
)
CLOCK = (
    r"(?:about |around )?\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)?(?: (?:every day|every morning|on weekdays|for work))?"
)
_VOLUNTEERS = re.compile(
    r"(?:the|an?|my|our) (?:(?:local|animal|food|homeless|youth|soup|red|charity|community|old people's|village) ){0,2}"
    r"(?:bank|shelter|kitchen|church|club|centre|center|hospice|shop|school|library|hospital|cross|garden|museum)",
    re.IGNORECASE,
)
_CURRENCY = r"(?:euros?|dollars?|pounds?|francs?|eur|usd|gbp|€|\$|£|kr|rupees|yen|quid)"
_AMOUNT = re.compile(
    rf"(?:about |around )?(?:[€$£] ?)?\d[\d.,]*k? ?(?:{_CURRENCY}|kg|kilos?|lbs?|cm|m|metres|meters)?"
    rf"(?: (?:a|per) (?:month|week|year|person))?|(?:uk|us|eu) \d{{1,2}}(?:\.5)?",
    re.IGNORECASE,
)
_GRADE = re.compile(
    r"(?:the )?(?:\d{1,2}(?:st|nd|rd|th)) (?:grade|class)|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
    r"|tenth) grade|(?:year|grade|class) \d{1,2}|(?:primary|elementary|middle|high|secondary|nursery) school"
    r"|kindergarten|preschool|(?:my|the) (?:first|second|third|fourth|final|last) year(?: (?:of|at) "
    r"(?:uni|university|college|medical school|law school|high school))?",
    re.IGNORECASE,
)
_DOGS = (
    "labrador|golden retriever|retriever|poodle|beagle|german shepherd|border collie|collie|dachshund|bulldog"
    "|french bulldog|husky|chihuahua|corgi|rottweiler|terrier|jack russell|yorkshire terrier|pug|spaniel|cocker spaniel"
    "|greyhound|whippet|dalmatian|labradoodle|cockapoo|shih tzu|great dane|mongrel|schnauzer|maltese"
    "|australian shepherd"
)
_CATS = "maine coon|siamese|persian|ragdoll|bengal|british shorthair|tabby|tuxedo cat|sphynx"
DOG, CAT = rf"(?:{_DOGS})", rf"(?:{_CATS.replace('|persian', '')})"
_BREED = re.compile(rf"an? (?:\w+ )?(?:{_DOGS}|{_CATS})(?: (?:mix|cross|puppy))?", re.IGNORECASE)
_NATIONS = (LANGUAGES | word_set(
    "american british canadian australian austrian swiss belgian brazilian mexican indian pakistani nigerian kenyan"
    " egyptian moroccan israeli iranian iraqi syrian argentinian chilean colombian cuban filipino taiwanese scottish"
    " eu us uk european"
)) - word_set("latin esperanto mandarin cantonese")  # fmt: skip
_FEARED = word_set("flying driving swimming drowning spiders speaking")


_WHERE = re.compile(r" (?:in|near|with|from) .*")


def business(text: str) -> list[Object]:
    return fitting(_BUSINESS)(_WHERE.sub("", trimmed(text)))


def possession(text: str) -> list[Object]:
    """What is kept for years: a phone, a bicycle, a garden, a house in a known place."""
    found = (
        _DEVICE.fullmatch(text.strip(" .!")) or _DEVICE.fullmatch(trimmed(text)) or _HOUSE.fullmatch(text.strip(" .!"))
    )
    article, _, what = found.group().partition(" ") if found else ("", "", "")
    return [Object(what, f"{'an' if what[0].lower() in 'aeio' else article} {what}")] if what else []


def activity(text: str) -> list[Object]:
    found = _ACTIVITY.fullmatch(text.strip(" .!"))
    return [Object(found["what"], found.group())] if found else []


def fear(text: str) -> list[Object]:
    """Of "losing my job" one may be afraid this week."""
    found = things(text)
    return [each for each in found if not each.value.split()[0].endswith("ing") or each.value.split()[0] in _FEARED]


def citizen(text: str) -> list[Object]:
    word = text.strip(" .!").lower()
    shown = word.upper() if len(word) == 2 else titled(word)
    return [Object(shown, f"{'an' if word[0] in 'aeio' and word != 'european' else 'a'} {shown} citizen")] * (
        word in _NATIONS
    )


def breed(text: str) -> list[Object]:
    return fitting(_BREED)(trimmed(text))


def degree(text: str) -> list[Object]:
    return [each for each in subject(text) if each.value.lower() not in JOBS]


def works_how(text: str) -> list[Object]:
    found = _WORKS_HOW.fullmatch(text.strip(" .!"))
    return [Object(found["what"].lower(), found.group().lower())] if found else []


def commute(text: str) -> list[Object]:
    by = text.rpartition(" ")[2].lower()
    if by in ("walk", "foot"):
        return [Object("foot", "on foot")]
    by = {"cycle": "bike", "drive": "car"}.get(by, by)
    return [Object(by, f"by {by}")]


def sport(text: str) -> list[Object]:
    """ "Running every morning", of who runs every morning."""
    verb, _, often = text.strip(" .!").partition(" ")
    return activity(f"{_SPORT_OF.get(verb.lower(), '')} {often}")


def grade(text: str) -> list[Object]:
    found = fitting(_GRADE)(text)
    return [Object(each.value, re.sub(r"\Amy ", "the ", each.value, flags=re.IGNORECASE)) for each in found]


def volunteering(text: str) -> list[Object]:
    return fitting(_VOLUNTEERS)(trimmed(text)) or employer(text)


def amount(text: str) -> list[Object]:
    """ "950 now, not 900"."""
    return fitting(_AMOUNT)(text.partition(", not ")[0].strip(" .!").removesuffix(" now"))
