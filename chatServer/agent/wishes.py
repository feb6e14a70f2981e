"""Plain wishes about notes, in five languages: remember, forget, what do you know about me; and greetings."""

import re
from dataclasses import dataclass
from typing import Literal

from chatServer.memory.recall import about_me
from chatServer.messages.asking import asks

Kind = Literal["remember", "remind", "forget", "forget_all", "know", "articles", "hello", "thanks", "fine"]
READ_CHARACTERS = 60_000  # notes cannot hold more
BEFORE = ' "«¡¿'  # what a wish may begin with; each pattern by itself took 1.2 s of 60,000 quotes (2026-11-17)
TELLS_NOTHING: tuple[Kind, ...] = ("forget", "forget_all", "know", "articles")  # of who wishes it


@dataclass(frozen=True, slots=True)
class Wish:
    kind: Kind
    language: str
    what: str = ""


_GREETINGS = [
    (
        "en",
        r"(?:hi|hello|hey|hiya|heya|good (?:morning|afternoon|evening|night))(?: there| again| everyone| all)?",
        r"(?:how are you(?: doing)?(?: today)?|how's it going|how do you do|what's up|nice to meet you)",
    ),
    (
        "de",
        r"(?:hallo|guten (?:tag|morgen|abend)|gute nacht|moin|servus|grüß gott)",
        r"wie geht(?:'s| es)(?: dir| ihnen)?",
    ),
    (
        "ru",
        r"(?:привет|здравствуй(?:те)?|добрый (?:день|вечер)|доброе утро)",
        r"как (?:дела|ты|вы|поживаешь|поживаете)",
    ),
    ("es", r"¡?(?:hola|buenos días|buenas(?: tardes| noches)?)", r"¿?(?:qué tal|cómo estás?)"),
    ("fr", r"(?:bonjour|salut|bonsoir|coucou)", r"(?:comment (?:ça va|vas-tu|allez-vous)|ça va)"),
]

_END = r"(?:,? (?:please|bitte|пожалуйста|por favor|s'il (?:te|vous) plaît))?[\s.!]*$"
# In this order: what is more special comes first. Each begins where the message begins, so that a text which merely
# contains such words (a quotation, an article) wishes nothing.
_WISHES: list[tuple[Kind, str, str]] = [
    *(("know", language, asked) for language, asked in about_me.ASKED),
    (
        "articles",
        "en",
        r"(?:which|what) (?:documents|articles|files|sources)(?: can| do| did| have| are)?"
        r"(?: (?:you|i|there)){0,1}(?: (?:have|know|know of|read|see|look into|available|uploaded|upload))?\s*[?.!]*$",
    ),
    (
        "articles",
        "en",
        r"(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| my| your)? (?:documents|articles|files)\s*[?.!]*$",
    ),
    (
        "articles",
        "de",
        r"welche (?:dokumente|artikel|dateien|unterlagen)(?: (?:hast du|kennst du|gibt es|habe ich))?"
        r"(?: hochgeladen)?\s*[?.!]*$",
    ),
    (
        "articles",
        "ru",
        r"какие (?:у (?:тебя|вас|меня) )?(?:есть )?(?:документы|статьи|файлы)(?: у (?:тебя|вас|меня))?"
        r"(?: есть)?\s*[?.!]*$",
    ),
    ("articles", "es", r"qué (?:documentos|artículos|archivos) (?:tienes|hay|conoces)\s*[?.!]*$"),
    (
        "articles",
        "fr",
        r"quels (?:documents|articles|fichiers) (?:as-tu|avez-vous|connais-tu|connaissez-vous)\s*[?.!]*$",
    ),
    # Nothing may follow: "forget everything about cats" is about cats, and "about me and Paul" about Paul, too.
    ("forget_all", "en", rf"forget (?:everything|all)(?: about me)?{_END}"),
    (
        "forget_all",
        "en",
        r"(?:forget (?:everything|all)|(?:delete|remove|erase) (?:everything|all|what)) (?:that )?you"
        rf" (?:know|remember){_END}",
    ),
    (
        "forget_all",
        "en",
        r"(?:forget|delete|remove|erase|stop remembering) (?:(?:everything|all|anything|what) (?:that )?you"
        rf" (?:know|remember)|(?:everything|all|anything) (?:that )?i (?:said|told you)) about (?:me|myself){_END}",
    ),
    ("forget_all", "en", rf"(?:delete|clear|erase) (?:all )?(?:of )?(?:my|your) notes{_END}"),
    ("forget_all", "de", rf"vergiss alles(?:,? was du)?(?: über mich)?(?: weißt)?{_END}"),
    (
        "forget_all",
        "de",
        r"(?:vergiss|lösche?)(?: bitte)?(?: alles,? was|,? was) du (?:alles )?(?:über mich|von mir) (?:weißt|weisst)"
        rf"{_END}",
    ),
    ("forget_all", "de", rf"lösche?(?: bitte)? alles über mich{_END}"),
    ("forget_all", "de", rf"lösche? (?:alle )?(?:meine|deine) notizen{_END}"),
    ("forget_all", "ru", rf"забудь(?:те)? вс[её](?:,? что (?:ты |вы )?(?:знаешь|знаете))?{_END}"),
    (
        "forget_all",
        "ru",
        r"(?:забудь|удали|сотри)(?:те)?,? (?:(?:вс[её]|то),? )?что (?:ты |вы )?(?:(?:знаешь|знаете|помнишь|помните)"
        rf" (?:обо мне|про меня)|(?:обо мне|про меня) (?:знаешь|знаете|помнишь|помните)){_END}",
    ),
    ("forget_all", "ru", rf"(?:забудь|удали|сотри)(?:те)? вс[её] (?:обо мне|про меня){_END}"),
    ("forget_all", "ru", rf"(?:удали|сотри)(?:те)? (?:все )?(?:мои |свои )?заметки{_END}"),
    ("forget_all", "es", rf"olvida todo(?: lo que sabes)?{_END}"),
    (
        "forget_all",
        "es",
        rf"(?:olvida|borra) (?:todo|(?:todo )?lo que (?:sabes|recuerdas)) (?:de|sobre|acerca de) m[íi]{_END}",
    ),
    ("forget_all", "es", rf"borra (?:todas )?(?:mis|tus) notas{_END}"),
    ("forget_all", "fr", rf"oublie(?:z)? tout(?: ce que (?:tu sais|vous savez))?{_END}"),
    (
        "forget_all",
        "fr",
        rf"(?:oublie|efface)(?:z)? (?:tout|(?:tout )?ce que (?:tu sais|vous savez)) (?:de|sur|à propos de) moi{_END}",
    ),
    ("forget_all", "fr", rf"efface(?:z)? (?:toutes )?(?:mes|tes|vos) notes{_END}"),
    (
        "forget",
        "en",
        r"(?:forget|delete|remove|erase|stop remembering) (?:everything|all|anything|what)"
        r" (?:that )?(?:you (?:know|remember)|i (?:said|told you)) about (?P<what>.+)$",
    ),
    ("forget", "en", r"(?:forget|stop remembering) (?:about |that )?(?P<what>.+)$"),
    # Of oneself: "delete that line" means something else.
    ("forget", "en", r"(?:delete|remove|erase) that (?=(?:i|i'm|im|i've|ive|my|we|our)\b)(?P<what>.+)$"),
    # Whoever asks, or leaves out his "I", does not remember it himself.
    (
        "forget",
        "en",
        r"(?:don't|do not) remember (?:anything about |that (?=(?:i|i'm|my|we|our)\b))(?P<what>[^?]+)$",
    ),
    ("forget", "de", r"lösche?,? (?:alles,? )?was du (?:über|von) (?P<what>.+?) weißt[\s.!]*$"),
    ("forget", "de", r"lösche?,? (?:bitte,? )?dass (?P<what>.+)$"),
    ("forget", "de", r"merke? dir nicht(?: mehr)?,? (?:dass )?(?P<what>.+)$"),
    ("remember", "de", r"vergiss,? (?:bitte,? )?nicht,? (?:dass )?(?P<what>.+)$"),
    ("forget", "de", r"vergiss,? (?:bitte,? )?(?:dass |das mit )?(?P<what>.+)$"),
    ("forget", "ru", r"забудь(?:те)?,? (?:про |о том,? что |что |об? )?(?P<what>.+)$"),
    ("forget", "ru", r"(?:удали|сотри)(?:те)? (?:вс[её],? )?что (?:ты |вы )?зна(?:ешь|ете) (?:про|об?) (?P<what>.+)$"),
    ("forget", "ru", r"(?:удали|сотри)(?:те)?,? (?:то,? )?что (?P<what>.+)$"),
    ("forget", "ru", r"не запоминай(?:те)?,? (?:про |о том,? что |что )?(?P<what>.+)$"),
    ("forget", "es", r"borra (?:todo )?lo que sabes (?:de|sobre) (?P<what>.+)$"),
    ("forget", "es", r"borra que (?P<what>.+)$"),
    ("forget", "es", r"no recuerdes (?:que |lo de )?(?P<what>.+)$"),
    ("forget", "fr", r"efface(?:z)? (?:tout )?ce que (?:tu sais|vous savez) (?:de|sur) (?P<what>.+)$"),
    ("forget", "fr", r"efface(?:z)? (?:que |qu')(?P<what>.+)$"),
    ("forget", "fr", r"ne (?:retiens|retenez) pas (?:que |qu')?(?P<what>.+)$"),
    ("forget", "es", r"olvida (?:que |lo de )?(?P<what>.+)$"),
    ("forget", "fr", r"oublie(?:z)? (?:que |qu'|ce que j'ai dit sur )?(?P<what>.+)$"),
    # Italian: understood where nothing may be misunderstood, and answered in English.
    ("forget", "en", r"dimentica (?:che |di )?(?P<what>.+)$"),
    ("remember", "en", r"(?:ricorda(?:ti)?|annota) che (?P<what>.+)$"),
    # Nobody is called upon at a time: it is noted, and that is said.
    ("remind", "en", r"remind me (?:that|to) (?P<what>.+)$"),
    ("remind", "de", r"erinnere? mich,? (?:bitte,? )?(?:daran,? )?dass (?P<what>.+)$"),
    ("remind", "ru", r"напомни(?:те)?(?: мне)?,? что (?P<what>.+)$"),
    ("remind", "es", r"recu[ée]rdame que (?P<what>.+)$"),
    ("remind", "fr", r"rappelle(?:z)?-moi (?:que |qu')(?P<what>.+)$"),
    (
        "remember",
        "en",
        r"(?:remember|memori[sz]e|note(?! que | qu')|take (?:a )?note|make a note|write down|keep in mind|don't forget)"
        r"(?:(?: that| of)?\s*[:,]\s*| this\s*[:,]\s*| that | of | down | to | )(?P<what>.+)$",
    ),
    (
        "remember",
        "de",
        r"(?:merk(?:e)? dir|notiere?(?: dir)?|behalte|denk daran|schreib(?:e)? (?:dir )?auf)(?: bitte)?"
        r"(?:\s*[:,]\s*(?:dass )?| dass | )(?P<what>.+)$",
    ),
    (
        "remember",
        "ru",
        r"(?:запомни(?:те)?|запиши(?:те)?|отметь(?:те)?|заметь(?:те)?|имей в виду)(?: пожалуйста)?"
        r"(?:\s*[:,]\s*(?:что )?| что | )(?P<what>.+)$",
    ),
    ("remember", "es", r"(?:recuerda|anota|apunta|ten en cuenta)(?:\s*[:,]\s*| que | )(?P<what>.+)$"),
    (
        "remember",
        "fr",
        r"(?:retiens|retenez|note(?:z)?|rappelle-toi|souviens-toi|n'oublie(?:z)? pas)"
        r"(?:\s*[:,]\s*| que | qu'| de | )(?P<what>.+)$",
    ),
    *(("hello", language, rf"(?:{hello}[\s,.!]*(?:{how})?|{how})[\s,.!?]*$") for language, hello, how in _GREETINGS),
    ("thanks", "en", r"(?:thanks|thank you|thx|cheers)\b.{0,20}$"),
    ("thanks", "de", r"(?:danke|vielen dank)\b.{0,20}$"),
    ("thanks", "ru", r"(?:спасибо|благодарю)(?!\w).{0,20}$"),
    ("thanks", "es", r"(?:muchas )?gracias\b.{0,20}$"),
    ("thanks", "fr", r"merci\b.{0,20}$"),
    (
        "fine",
        "en",
        r"(?:ok(?:ay)?|cool|great|nice|fine|all right|alright|got it|i see|yes|no|sure|bye|goodbye)[\s,.!]*$",
    ),
    ("fine", "de", r"(?:gut|alles klar|verstanden|super|ja|nein|tschüss|bis später)[\s,.!]*$"),
    ("fine", "ru", r"(?:хорошо|ладно|понятно|ясно|да|нет|пока|отлично)[\s,.!]*$"),
    ("fine", "es", r"(?:vale|bien|de acuerdo|entendido|sí|adiós)[\s,.!]*$"),
    ("fine", "fr", r"(?:d'accord|bien|très bien|compris|oui|non|au revoir)[\s,.!]*$"),
]
_PATTERNS = [
    (kind, language, re.compile(about_me.POLITE[language] + pattern, re.IGNORECASE))
    for kind, language, pattern in _WISHES
]


def _any_of(language: str) -> str:
    wishes = "|".join(pattern for _, spoken, pattern in _WISHES if spoken == language)
    return f"{about_me.POLITE[language]}(?:{wishes})".replace("?P<what>", "?:")


# Most messages wish nothing: to see that takes 7 µs, and 36 where each wish begins with what is polite (2026-11-19).
_ANY = re.compile("|".join(map(_any_of, about_me.POLITE)), re.IGNORECASE)
_QUESTION = re.compile(r"\?\s*$")


def wish_in(text: str) -> Wish | None:
    """What a message plainly wishes, if it does."""
    text = " ".join(text[:READ_CHARACTERS].replace("’", "'").split()).lstrip(BEFORE)
    for kind, language, pattern in _PATTERNS if _ANY.match(text) else ():
        if found := pattern.match(text):
            what = found["what"] if "what" in pattern.groupindex else ""
            if kind in ("remember", "remind", "forget") and not what.strip(" .!?,;:"):
                continue
            if kind in ("remember", "remind") and _QUESTION.search(what):
                continue  # "Remember when we met?" asks
            return Wish(kind, language, what)
    return None


def tells_nothing(text: str) -> bool:
    """Whether it only asks, or wishes something to be told or forgotten: then it answers no question."""
    wish = wish_in(text)
    return wish.kind in TELLS_NOTHING if wish else asks(text)
