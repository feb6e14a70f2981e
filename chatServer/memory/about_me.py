"""Whether somebody asks for all that is known of him, in five languages: then what matters most is wanted, and not what
shares a word with the question."""

import re

READ_CHARACTERS = 200  # such a question is short

POLITE = {
    "en": r"(?:please,?\s+|(?:can|could|will|would) you\s+|and\s+|ok(?:ay)?,?\s+|also\s+)*",
    "de": r"(?:bitte,?\s+|kannst du\s+|könntest du\s+|und\s+|ok(?:ay)?,?\s+)*",
    "ru": r"(?:пожалуйста,?\s+|можешь\s+|и\s+|ещё\s+)*",
    "es": r"(?:por favor,?\s+|puedes\s+|y\s+|también\s+)*",
    "fr": r"(?:s'il (?:te|vous) plaît,?\s+|peux-tu\s+|pouvez-vous\s+|et\s+)*",
}
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
