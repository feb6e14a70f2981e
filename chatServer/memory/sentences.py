"""Which sentences of a message are the user's own statements. Everything else is left alone: code, quotations,"
" pasted
letters, verse, questions, what others said, what would be, and play.
"""

import re

from chatServer.memory.words import straight

MAX_TOLD = 4_000  # characters; nobody types more of himself at once: it is pasted
MAX_SENTENCE = 300
MAX_LINES = 60
HOLE = "\ufffc"  # where something was taken out
_INLINE_CODE = re.compile(r"`[^`\n]{0,400}`")
_QUOTED = re.compile(r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|(?<!\w)'[^'\n]{1,300}'(?!\w)")
_OWN_WORDS = re.compile(r"\b(?:i|my|me|im|ive)\b", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(St|Dr|Mr|Mrs|Ms|Mt|Ft|Jr|vs|etc|e\.g|i\.e)\.(?= )")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_END = re.compile(r"(?<=[.!?…])[\"')]?\s+")
# Letters, forwarded mail, transcripts, logs.
_PASTE = re.compile(
    r"^\s*(?:from|to|cc|subject|sent|date|re|fwd?)\s?:|^\s*-{3,}|forwarded message|original message"
    r"|^on .{4,60} wrote:"
    r"|^\s*(?:dear|to whom) |^\s*(?:best|kind|warm)? ?regards|^\s*(?:sincerely|yours truly|yours faithfully"
    r"|cheers,$)"
    r"|^\s*(?:traceback|caused by:|at \w+[.(])|^\s*file \"|^\d{4}-\d\d-\d\d[ t]\d\d:"
    r"|^\[?\d\d:\d\d(?::\d\d)?\]?\s|^\s*(?:chapter|verse"
    r"|chorus|abstract|transcript)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER = re.compile(r"^\s*(?:\*\*)?[A-Z][\w ]{0,20}(?:\*\*)?:\s+\S", re.MULTILINE)
_PLAY = re.compile(
    r"\b(?:pretend|pretending|imagine|imagining|role-?play|role play|act as|acting as|let's play|we play"
    r"|in this (?:story|scenario|game)"
    r"|you are now|you're now|from now on you|my character|fictional|hypothetical(?:ly)?|suppose|let's say"
    r"|let us say|say that i|in character"
    r"|for example|for instance|e\.g|as an example|sample text|lorem ipsum|lyrics|screenplay|short story"
    r"|story so far|in the game|in my dreams?|in the movie|the sentence|the phrase"
    r"|test message|placeholder|prompt)\b",
    re.IGNORECASE,
)
# Somebody's text to be worked on, the user's own or not: it is not said to us.
_WORK_PIECE = re.compile(
    r"\b(?:sounds? better|how does (?:this|that|it) sound|is (?:this|that|it) (?:correct|right)|check (?:my"
    r"|this|the)|grammar|spelling"
    r"|proofread|make (?:this|it) (?:sound|better|shorter|longer)|feedback on|rate (?:my|this)|(?:this"
    r"|that) sentence|(?:a|the|this|of the) (?:song|poem)"
    r"|(?:here is|here's|this is) (?:my|the|a|his|her) (?:story|essay|bio|draft|letter|e-?mail|text|speech"
    r"|intro|poem|message|post|article|cv"
    r"|paragraph|cover letter|resume|diary))\b",
    re.IGNORECASE,
)
_TEXT_WORK = re.compile(
    r"^(?:please |can you |could you |would you |will you |kindly |now |help me |i need you to |i want you to "
    r"|hey ){0,4}"
    r"(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|edit|improve|shorten|fix|polish"
    r"|grade|continue|complete"
    r"|write|draft|compose|analy[sz]e|review|classify|extract|reply|respond|convert|format|generate|create"
    r"|repeat|say|read)\b",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(
    r"\b(?:this|that|these|it|above|text|sentences?|paragraph|essay|e-?mail|letter|message|bio)\b", re.IGNORECASE
)
_UNSURE = re.compile(
    r"\b(?:if|unless|whether|wish|as though|maybe|perhaps|probably|possibly|not sure|i guess|i think|i suppose"
    r"|supposedly|apparently"
    r"|allegedly|in a dream|dreamt|dreamed|joking|just kidding|kidding|sarcasm|what would|would be|someone who"
    r"|people who)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?<!\bi )\b(?:said|says|saying|told|tells|claims|claimed|wrote|writes|asked|asks|replied|replies|thinks"
    r"|thought|believes"
    r"|heard|quote|quoting|quoted|according to|shouted|whispered|insists|calls himself|calls herself"
    r"|the article|the book|the text|read that)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?!(?:btw|fyi|note|ps|p\.s|about me|correction|remember|please remember|please note|update"
    r"|facts about me|reminder|edit|info)\b)[\w' ]{1,30}:(?=\s|$)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{}<>=|\\\[\]]|//|::|->|\w\(|;$|https?:")


def statements(text: str, *, is_reply: bool = False) -> list[str]:
    """The sentences that may tell something of the user, in order; a reply may do so without "I" or "my"."""
    if len(text) > MAX_TOLD or not (is_reply or _OWN_WORDS.search(straight(text))):
        return []
    lines = _prose_lines(straight(text))
    prose = "\n".join(lines)
    if (
        len(lines) > MAX_LINES
        or _is_pasted(prose)
        or _PLAY.search(prose)
        or _WORK_PIECE.search(prose)
        or _is_verse(lines)
    ):
        return []
    kept: list[str] = []
    for sentence in _sentences(prose):
        if _TEXT_WORK.match(sentence):
            return [] if _BACKWARDS.search(sentence) else kept
        if _LABEL.match(sentence):
            return kept  # what follows belongs to it
        if _is_own(sentence):
            kept.append(sentence)
    return kept


def _prose_lines(text: str) -> list[str]:
    """Without code and quoted lines; what is quoted within a line leaves a hole."""
    kept, is_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif (
            not is_code and not line.startswith(("    ", "\t", ">")) and not line.lstrip().startswith((">", "|", "$ "))
        ):
            kept.append(_QUOTED.sub(_unquoted, _INLINE_CODE.sub(HOLE, line)).replace("**", ""))
    return kept


def _unquoted(quoted: re.Match[str]) -> str:
    """A title in quotes is part of what is said; a sentence in quotes is somebody's."""
    inner = quoted.group()[1:-1]
    return inner if len(inner.split()) <= 4 and not _OWN_WORDS.search(inner) else HOLE


def _is_pasted(prose: str) -> bool:
    return bool(_PASTE.search(prose)) or len(_SPEAKER.findall(prose)) > 1


def _is_verse(lines: list[str]) -> bool:
    """Four lines or more that end without a full stop, and are no list."""
    open_lines = [line for line in lines if line.strip() and not _BULLET.match(line)]
    return len(open_lines) >= 4 and sum(not line.rstrip().endswith((".", "!", "?", ":")) for line in open_lines) >= 3


def _sentences(prose: str) -> list[str]:
    lines = [_BULLET.sub("", line) for line in _ABBREVIATION.sub(r"\1", prose).splitlines()]
    return [part.strip() for line in lines for part in _END.split(line) if part.strip()]


def _is_own(sentence: str) -> bool:
    if len(sentence) > MAX_SENTENCE or HOLE in sentence:
        return False
    return not (_UNSURE.search(sentence) or _OTHERS.search(sentence) or _CODE.search(sentence))
