"""Whether a message is a question and nothing else, also without its mark, in five languages. By how it begins, and
only where that is plain: what is stated beside it, or could be, makes it none."""

import re

MAX_CHARACTERS = 200  # what is longer says more

_BE = r"(?:is|are|was|were|am)"
_DO = r"(?:do|does|did|can|could|will|would|should|shall|has|have|had|may|might|must)"
_NO_CLAUSE = r"(?!(?:i|we|you|he|she|it|they|my|our|your|a|an|the|this|that)\b)"  # "what I like is tea"
_ONE = r"(?:i|you|we|he|she|it|they|my|your|our)\b"
_NOT_TOLD = (
    r"(?!you (?:please )?(?:remember|note|memori[sz]e|keep|write|save|store|make|take)\b)"  # "can you note that"
)
_BEGINNINGS = (
    # English. "Did my taxes" and "was my best day" tell something.
    rf"(?:who|whom|what|where|when|why|how|which)(?:'?s| {_BE}| {_DO}| about)\b",
    rf"how (?:\w+ ){{1,3}}(?:{_BE}|{_DO})\b",
    rf"(?:what|which|whose) (?:{_NO_CLAUSE}\w+ ){{1,3}}{_DO} {_ONE}",
    rf"(?:what|which|whose) {_NO_CLAUSE}\w*(?<!s)(?<!ed)(?: of \w+)? {_BE}\b",
    rf"(?:is|are|does|can|could|will|would|should|shall) {_NOT_TOLD}{_ONE}",
    r"(?:do|did|have|am|was|were|may) (?!you know (?:that|i|we)\b)(?:i|you|we|he|she|they)\b",
    # German. "Was ich mag", "wie gesagt" and "habe mein Auto verkauft" tell something.
    r"(?:wer|wen|wem|wessen|was|wo|wohin|woher|wann|warum|wieso|weshalb|wie(?! (?:gesagt|schon|immer|bereits)\b)"
    r"|welche[rsmn]?)(?: (?!(?:ich|du|er|sie|es|wir|ihr|man|mir|mich|mein\w*|der|die|das|ein\w*)\b)\w+){0,2}"
    r" (?:ist|sind|war|waren|bin|bist|habe|hast|hat|haben|hatte|heiße|heißt|heisst|wohne|wohnt|lebe|lebt|arbeite"
    r"|arbeitet|mag|magst|kann|kannst|können|soll|sollte|muss|werde|wird|weißt|weisst|komme|kommt|mache|macht|gibt|geht"
    r"|esse)\b",
    r"(?:bin|bist|habe|hast|kann|kannst|soll|darf|muss|mag|magst|weißt|weisst|kennst|wohne|lebe|heiße) (?:ich|du)\b",
    r"(?:ist|sind|hat|haben|kann|können) (?:mein|meine|meinen|dein|deine|unser|unsere)\b",
    # Russian. "Как я люблю чай" and "какой хороший день" tell something.
    r"(?:кто|где|куда|откуда|почему|зачем|сколько|чей|чья|чьё|чьи) \w",
    r"(?:как (?:зовут|звали|называется|называют|мне|дела)|что (?:я|ты|вы|у меня|мне|такое))\b",
    r"(?:когда|как(?:ой|ая|ое|ие)(?: \w+)?) (?:у|мой|моя|моё|мое|мои|твой|твоя)\b",
    # Spanish and French, whose questions have their own accents, hyphens and words.
    r"¿",
    r"(?:quién(?:es)?|dónde|cuándo|cuál(?:es)?|cómo|por qué|qué|cuánt[oa]s?(?: \w+)?) (?:es|son|soy|eres|está|están"
    r"|estoy|vivo|vive|tengo|tiene|hay|puedo|puedes|fue|era|trabajo|trabaja|(?:me|se) llam\w+)\b",
    r"qué \w+ (?:tengo|tiene|tienes|hay)\b",
    r"(?:(?:qui|où|quand|comment|pourquoi|combien) )?(?:qu')?est-ce qu",
    r"(?:qui|où|quand|comment|quel(?:le)?s?(?: \w+)?) (?:est|sont|suis|a|ont|s'appelle|m'appelle)\b",
    r"(?:(?:qui|que|où|quand|comment|pourquoi|combien|quel(?:le)?s?)(?: [\w']+){0,3} )?"
    r"(?!rendez)\w+-(?:t-)?(?:je|tu|il|elle|nous|vous|ils|elles)\b",
)
_FIRST = "hi|hello|hey|ok|okay|so|and|but|now|please|well|um|wait|sorry|btw|by the way|und|bitte|и|а|y|et"
_ASKING = re.compile(rf"(?:(?:{_FIRST})[,!]? ){{0,3}}(?:{'|'.join(_BEGINNINGS)})", re.IGNORECASE)
# Another sentence or clause, a comma with more than a word behind it, or what would be told of oneself.
_STATED = re.compile(
    r"[.!?;:…]\s+\w|,\s*\S+\s+\S|\s[-–—]+\s"
    r"|\b(?:that|because|since|and|but|dass|weil|und|aber|que|qu'|pero|mais|что|но)\s+"
    r"(?:i|my|we|our|ich|mein\w*|wir|unser\w*|je|j'|mon|ma|mes|yo|mi|mis|я|мой|моя|мои|мы)\b",
    re.IGNORECASE,
)
_BE_AGAIN = re.compile(r"\b(?:is|are|was|were|ist|sind|war)\b", re.IGNORECASE)  # "what is important to me is that"
_CLEFT = re.compile(r"(?:what|where|who|how|was|wo|wer|wie)\b", re.IGNORECASE)


def asks(text: str) -> bool:
    """Whether it asks, and tells nothing."""
    if len(text) > MAX_CHARACTERS or "\n" in text.strip():
        return False
    line = " ".join(text.replace("’", "'").split()).rstrip(" .!…?？؟")
    asking = _ASKING.match(line)
    if asking is None or _STATED.search(line, asking.end()):
        return False
    return not (_CLEFT.match(asking.group()) and _BE_AGAIN.search(line, asking.end()))
