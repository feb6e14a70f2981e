"""What the built-in responder says, in the language that it is spoken to: the words by which it tells them apart."""

from collections.abc import Iterable
from itertools import chain

from chatServer.agent.builtin.wordings import INTRODUCTION, PHRASES
from chatServer.memory.facts.words import word_set

# Words that say nothing about what a question is about; they also tell the languages apart.
COMMON: dict[str, frozenset[str]] = {
    "en": word_set(
        "a about all am an and any are as at be been but by can could did do does for from had has have he her his"
        " how hows i if in is it its me my of on or our please s she should so t tell than that the their them then"
        " there they this to us was we were what whats when whens where wheres which who whom whos whose why will with"
        " would you your"
    ),
    "de": word_set(
        "aber als am an auch auf aus bei bin bist bitte da das dass dein deine dem den der des die dir du ein eine"
        " einen einer es für hat habe haben hast ich ihr im in ist kann man mein meine meinen meiner mich mir mit"
        " nicht noch oder sag sie sind so über um und uns von war warum was wann weißt weisst wem wen wer wie will"
        " wir wo zu zum zur"
    ),
    "ru": word_set(
        "а без бы был была были было в вам вас вы где да для до его ее её если есть ещё же за и из или их к как"
        " какая какой какие когда кто ли мне мной моё мои мой моя моего моей мы на не него нет но о об он она они"
        " от по почему при про с сколько скажи со та так такой там то ты у уже чем что чтобы это этот я"
    ),
    "es": word_set(
        "a al cómo como con cuál cuando cuándo de del dime dónde donde el ella en era es eres esta está este esto"
        " favor ha has hay he la las le lo los me mi mis mucho muy no nos o para pero por porque qué que quién se ser"
        " si sobre son soy su sus te tengo tiene tu tus un una y ya yo"
    ),
    "fr": word_set(
        "à ai alors as au aux avec c ce ces cette comment d dans de des dis du elle en es est et eu il ils j je l"
        " la le les leur lui m ma mais me mes moi mon n ne nous on ou où par pas plaît pour pourquoi qu quand que"
        " quel quelle quelles quels qui s sa se ses si son sont suis sur t ta te tes toi ton tu un une vos votre"
        " vous y"
    ),
}
EVERY_COMMON = frozenset().union(*COMMON.values())

# Words that say something, and are often all that a short message has to tell its language by.
_TELLING: dict[str, frozenset[str]] = {
    "en": word_set("cant dont hello ive not now thanks today tomorrow yes"),
    "de": word_set("danke gern hallo heiße heute ja jetzt kein keine mag morgen müde nein nichts uhr wohne"),
    "ru": word_set("привет спасибо сегодня завтра меня тебя живу люблю хочу"),
    "es": word_set(
        "ahora aquí entiendo están estoy estás gracias gusta gustan hola hoy llamo mañana mudado mudé mí nada puedo"
        " quiero sé sí también tú vivo"
    ),
    "fr": word_set("aime bonjour demain habite merci oui rien sais salut veux"),
}
_MET = {language: COMMON[language] | _TELLING[language] for language in COMMON}
# As people type English: "im tired", "no, tuesday", "um", "yo", "la la land".
_ENGLISH_TOO = COMMON["en"] | word_set("ha im la man no o um ya yo")
_DECIDING = {language: words - _ENGLISH_TOO for language, words in _MET.items()}
_DECIDING["en"] = _MET["en"].difference(*(words for language, words in _MET.items() if language != "en"))


# Nothing is said in Italian here; who speaks it is not to be answered in French or Spanish for the words they share.
_ITALIAN = word_set(
    "a al alla alle che chi chiama chiamo ciao come con cosa da del della di dimentica dove e è figlia figlio gli"
    " grazie ho hai il io l la le lo mi mia mie miei mio nel non per perché qual quale quando ricorda ricordami sai"
    " sei si sono sta tu un una vive vivo"
)


def language_of(words: Iterable[str], before: Iterable[Iterable[str]] = ()) -> str:
    """The language whose words are met most. Where each of them may be English as well as another one, that of the
    first that tells of what was said `before`; else English."""
    for said in chain([words], before):
        met = set(said)
        decided = [language for language, words in _DECIDING.items() if met & words]
        if decided:
            best = max("en", *decided, key=lambda language: len(met & _MET[language]))
            return "en" if len(met & _ITALIAN) > len(met & _MET[best]) else best
    return "en"


def phrase(language: str, name: str, *values: str) -> str:
    """One sentence; values are put in as they are."""
    text = PHRASES[language][name].replace("{introduction}", INTRODUCTION[language])
    for number, value in enumerate(values):
        text = text.replace(f"{{{number}}}", value)
    return text


_QUOTED = tuple(said[kind] for said in PHRASES.values() for kind in ("notes", "memories", "articles", "summary"))
_QUOTING = tuple(f"{each}{more}" for each in _QUOTED for more in (" (", ": “"))  # as an answer repeats a sentence
_LISTED = (*_QUOTED, *(said["said"] for said in PHRASES.values()))
_HEADINGS = frozenset(f"{each}:" for each in _LISTED)  # as it lists all that is known
_FORGOTTEN = tuple(said["forgotten"].removesuffix("{0}").rstrip() for said in PHRASES.values())  # what it names is gone


def says_forgotten(text: str) -> bool:
    """Whether an answer tells that something was forgotten."""
    return text.startswith(_FORGOTTEN)


def without_quotes(text: str) -> str:
    """An answer without what it quotes: an article or a note may be another by now, or gone; what was forgotten is. A
    list of all that is known ends where the answer does, for notes have lines of every kind."""
    kept: list[str] = []
    for line in text.split("\n"):
        if line in _HEADINGS or line.startswith(_FORGOTTEN):
            break
        if not line.startswith(_QUOTING):
            kept.append(line)
    return "\n".join(kept)
