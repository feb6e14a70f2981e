"""Whether somebody asks for all that is known of him, in five languages: then what matters most is wanted, and not what
shares a word with the question."""

import re

READ_CHARACTERS = 200  # such a question is short

# What people say before what they wish; a few at most, so that a text of nothing else is read in no time. "No note was
# left" and "no recuerda" deny something.
_LEADS = {
    "en": r"please|can you|could you|will you|would you|and|also|ok(?:ay)?|no(?! note\b)|nope|oh|ah|hey|hi|hello"
    r"|actually|wait|well|sorry|hmm?|umm?|so|then|now|just",
    "de": r"bitte|kannst du|könntest du|und|auch|ok(?:ay)?|nein|nee?|oh|ach|ah|hey|hi|hallo|eigentlich|warte|moment"
    r"|doch|sorry|entschuldigung|also|dann|jetzt",
    "ru": r"пожалуйста|можешь|и|а|ещё|ок(?:ей)?|нет|ой|ах|эй|ну|привет|подожди(?:те)?|погоди(?:те)?|вообще-то"
    r"|на самом деле|извини(?:те)?|ладно|теперь",
    "es": r"por favor|puedes|y|también|ok|no(?=[,.!…])|oh|ah|ay|oye|hola|espera|en realidad|perdón|bueno|vale|pues"
    r"|entonces|ahora",
    "fr": r"s'il (?:te|vous) plaît|peux-tu|pouvez-vous|et|aussi|ok|non|oh|ah|hé|bonjour|salut|attends|attendez|en fait"
    r"|pardon|désolée?|bon|alors|maintenant",
}
POLITE = {language: rf"(?:(?:{leads})[,.!…]*\s+){{0,6}}" for language, leads in _LEADS.items()}
BEGINNING = r"^[\s\"«¡¿]*"
ASKED = [
    ("en", r"what (?:do|can) you (?:know|remember|recall)(?: about me)?(?: so far)?\s*[?.!]*$"),
    ("en", r"what (?:have i told you|did i tell you)(?: about (?:me|myself))?(?: so far)?\s*[?.!]*$"),
    ("en", r"(?:show me|read|tell me|list) (?:your|my) (?:notes|memories)(?: about me)?\s*[?.!]*$"),
    ("en", r"tell me (?:what|everything|all)(?: that)? you (?:know|remember) about me\s*[?.!]*$"),
    ("en", r"who am i\s*[?.!]*$"),
    ("de", r"was (?:weißt|weisst|merkst) du(?: dir)?(?: alles)?(?: schon)? über mich\s*[?.!]*$"),
    ("de", r"wer bin ich\s*[?.!]*$"),
    ("ru", r"что ты (?:обо мне )?(?:знаешь|помнишь)(?: обо мне)?\s*[?.!]*$"),
    ("ru", r"что вы (?:обо мне )?(?:знаете|помните)(?: обо мне)?\s*[?.!]*$"),
    ("ru", r"кто я\s*[?.!]*$"),
    ("es", r"¿?\s*qué (?:sabes|recuerdas) (?:de|sobre) mí\s*[?.!]*$"),
    ("es", r"¿?\s*quién soy\s*[?.!]*$"),
    ("fr", r"(?:que|qu'est-ce que (?:tu|vous)) (?:sais|savez)(?:-tu|-vous)? (?:de|sur) moi\s*[?.!]*$"),
    ("fr", r"qui suis-je\s*[?.!]*$"),
]
_PATTERNS = [re.compile(f"{BEGINNING}{POLITE[language]}{asked}", re.IGNORECASE) for language, asked in ASKED]


def asks_for_everything(question: str) -> bool:
    """Nothing else may be asked: "what do you know about me and Rome" is about Rome."""
    text = " ".join(question[: READ_CHARACTERS + 1].replace("’", "'").split())
    return len(text) <= READ_CHARACTERS and any(pattern.match(text) for pattern in _PATTERNS)
