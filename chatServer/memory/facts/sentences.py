"""Which sentences of a message are the user's own statements.

Everything else is left alone: code, quotations, pasted letters, verse, what others said, what would be, and play.
"""

import re

from chatServer.memory.facts import first_person, moves
from chatServer.memory.facts.vocabulary import CHILDREN, PETS
from chatServer.memory.facts.when import MONTH_NAMES, SEASONS
from chatServer.memory.facts.words import NAME, any_of, straight

MAX_TOLD = 4_000  # characters; nobody types more of himself at once: it is pasted
MAX_SENTENCE = 300
MAX_LINES = 60
HOLE = "\ufffc"  # where something was taken out
_INLINE_CODE = re.compile(r"`[^`\n]{0,400}`")
_QUOTED = re.compile(r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|(?<!\w)'[^'\n]{1,300}'(?!\w)")
_OWN_WORDS = re.compile(r"\b(?:i|my|me|im|ive)\b", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(St|Dr|Prof|Mr|Mrs|Ms|Mt|Ft|Jr|vs|etc|e\.g|i\.e)\.(?= )")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_END = re.compile(r"(?<=[.!?…])[\"')]?\s+")
# Letters, forwarded mail, transcripts, logs.
_PASTE = re.compile(
    any_of(
        r"^[ \t]*(?:from|to|cc|subject|sent|date|re|fwd?)\s?:|^[ \t]*-{3,}|forwarded message|original message",
        r"^on .{4,60} wrote:|^[ \t]*(?:dear|to whom) |^[ \t]*(?:best |kind |warm )?regards|^[ \t]*cheers,$",
        r"^[ \t]*(?:sincerely|yours truly|yours faithfully)|^[ \t]*(?:chapter|verse|chorus|abstract|transcript)\b",
        r"^[ \t]*(?:traceback|caused by:|at \w+[.(])|^[ \t]*file \"",
        r"^\d{4}-\d\d-\d\d[ t]\d\d:|^\[?\d\d:\d\d(?::\d\d)?\]?\s",
    ),
    re.IGNORECASE | re.MULTILINE,
)
_WHOLE = r"(?!(?:i|i'm|i've|my|our|it|it's|that|that's|he|he's|she|she's|his|her|its|they|their|not)\b)"
_WAIT = re.compile(rf"^(?:no,? wait|wait,? no|or rather),? (?:in |at |from )?{_WHOLE}(?=\w)", re.IGNORECASE)
_SLIP = re.compile(r", (?=(?:sorry|i mean|i meant|no,? wait|wait,? no|actually|or rather),? \w)", re.IGNORECASE)
# A note to oneself: what is ahead, on which day, at what hour. Whose else would it be? A verb before it asks for one.
NOTE = re.compile(
    r"(?!.* (?:is|was|moved|cancell?ed)\b)"
    r"(?:(?:dentist|doctor|doctor's|job|team|client|work|zoom) )?(?:meeting|appointment|interview|exam|checkup) "
    r"[\w/' ]{3,60} (?:at )?\d{1,2}(?::\d\d)? ?(?:am|pm)[.!]?",
    re.IGNORECASE,
)
_OURS = "|".join(sorted(PETS | CHILDREN, key=len, reverse=True))
# What a couple has either of them has; of two brothers, or of cats without names, a riddle tells.
WE_HAVE = re.compile(
    r"\bwe(?:(?: have|'ve)(?: got| adopted| rescued)?| got| adopted| rescued) "
    r"(?=(?:no (?:kids|children|pets) but )?(?:an?|\d{1,2}|one|two|three|four|five) (?:\w+ )?"
    rf"(?:{_OURS})s?(?: (?:called|named) |[,:](?-i:(?: {NAME},?){{1,5}} and {NAME})))",
    re.IGNORECASE,
)
# Where somebody goes on a day, and that he marries: a flight, a trip and a wedding that he has ahead.
_WE_ARE = r"(?:i am|i'm|we are|we're|(?:i|we)(?:'ll| will) be)"
_A_WHILE = "|".join((*MONTH_NAMES, *SEASONS, "week", "month", "year"))
_LONG = r"(?=[^.!?]{2,60} for (?:\w+ ){1,3}(?:days?|weeks?|nights?|months?)\b)"
TRAVELS = (
    (re.compile(rf"{_WE_ARE} flying (?=to (?:(?-i:[A-Z])|(?:{moves.PLACE})\b))", re.IGNORECASE), "I have a flight "),
    (
        re.compile(
            rf"{_WE_ARE} (?:travell?ing|driving|going {_LONG})\b ?(?=to (?:(?-i:[A-Z])|(?:{moves.PLACE})\b))",
            re.IGNORECASE,
        ),
        "I have a trip ",
    ),
    (
        re.compile(
            rf"{_WE_ARE} having (?:my |an? |the )?(?=(?:[\w-]+ )?(?:surgery|operation|interview|exam|party|wedding)\b)",
            re.I,
        ),
        "I have a ",
    ),
    (
        re.compile(rf"{_WE_ARE} seeing (?:my|the|a) (?P<whom>doctor|gp|dentist|therapist|physio|lawyer)\b ?", re.I),
        "I have a \\g<whom> appointment ",
    ),
    (re.compile(r"i (?:am )?start(?:ing)? (?:my|a|the) new job (?=(?:on|in|next)\b)", re.I), "my new job starts "),
    (re.compile(rf"{_WE_ARE} going on (?:holiday|vacation) (?=to )", re.I), "I have a trip "),
    (re.compile(rf"{_WE_ARE} going (?=to (?:{moves.PLACE}) (?:in|next) (?:{_A_WHILE})\b)", re.I), "I have a trip "),
    (re.compile(rf"{_WE_ARE} getting married (?=(?:on|in|next|this)\b)", re.IGNORECASE), "my wedding is "),
)
# A child and an animal are of either of a couple.
_IS_OURS = r"'s (?:birthday|name|called)|,? [A-Z]\w+| is| was| plays| lives| works"
OUR = re.compile(rf"\b[Oo]ur (?=(?:{_OURS})(?:{_IS_OURS})\b)")
_SPEAKER = re.compile(r"^[ \t]*(?:\*\*)?[A-Z][\w ]{0,20}(?:\*\*)?:[ \t]+\S", re.MULTILINE)


def _words(*lines: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(*lines)}\b", re.IGNORECASE)


# Play and examples: nothing of such a message is the user's own life.
_PLAY = _words(
    "pretend|pretending|imagine|imagining|role-?play|role play|act as|acting as|let's play|we play|in character",
    "in this (?:story|scenario|game)|in the game|in the movie|story so far|my character|fictional",
    r"in (?:my|our) (?:\w+ )?(?:novel|story|stories|book|game|dream|screenplay|movie|film|fan ?fiction|comic)s?",
    "you are now|you're now|from now on you|hypothetical(?:ly)?|suppose|let's say|let us say|say that i",
    r"for example|for instance|e\.g|as an example|sample text|lorem ipsum|test message|placeholder|prompt",
    "lyrics|screenplay|short story|the sentence|the phrase",
)
# Somebody's text to be worked on, the user's own or not: it is not said to us.
_WORK_PIECE = _words(
    "sounds? better|how does (?:this|that|it) sound|is (?:this|that|it) (?:correct|right)|check (?:my|this|the)",
    "grammar|spelling|proofread|make (?:this|it) (?:sound|better|shorter|longer)|feedback on|rate (?:my|this)",
    "(?:this|that) sentence|(?:a|the|this|of the) (?:song|poem)",
    "(?:here is|here's|this is) (?:my|the|a|his|her) (?:story|essay|bio|draft|letter|e-?mail|text|speech|intro|poem"
    "|message|post|article|cv|paragraph|cover letter|resume|diary)",
)
_WORK_VERBS = any_of(
    "translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|edit|improve|shorten|fix|polish|grade|format",
    "write|draft|compose|continue|complete|analy[sz]e|review|classify|extract|reply|respond|convert|generate|create",
    "repeat|say|read",
)
_TEXT_WORK = re.compile(
    r"(?:please |can you |could you |would you |will you |kindly |now |help me |i need you to |i want you to ){0,4}"
    rf"{_WORK_VERBS}\b",
    re.IGNORECASE,
)
_BACKWARDS = _words("this|that|these|it|above|text|sentences?|paragraph|essay|e-?mail|letter|message|bio")
_UNSURE = _words(
    "if|unless|whether|wish|as though|maybe|perhaps|probably|possibly|not sure|i guess|i think|i suppose|supposedly",
    "apparently|allegedly|in a dream|dreamt|dreamed|joking|kidding|sarcasm|would be|someone who|people who",
)
_TAKEN_BACK = re.compile(
    r"(?:(?!.*(?:\bnot|n't)\b.*, not really).*, (?:well,? |but )?not really|.*, (?:on paper|sort of|kind of|in a way)"
    r"|.* (?:in (?:theory|principle|my (?:head|mind|dreams))|theoretically))[.!… ]*",
    re.IGNORECASE,
)
_KIDDING = re.compile(  # by itself, of the sentence before
    r"(?:no,? |nah,? )?(?:(?:i am|i'm|im) )?(?:just |only |totally )?(?:kidding|joking|messing(?: with you)?)"
    r"|j/?k|sike|not really|(?:that|it) (?:was|is|'s) (?:just )?a (?:joke|lie)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?<!\bi )\b"
    + any_of(
        "said|says|saying|told|tells|claims|claimed|wrote|writes|asked|asks|replied|replies|thinks|thought|believes",
        "heard|quote|quoting|quoted|shouted|whispered|insists|according to|read that|the article|the book|the text",
        "calls himself|calls herself",
    )
    + r"\b",
    re.IGNORECASE,
)
_OWN_LABELS = any_of(
    r"btw|fyi|note|please note|ps|p\.s|about me|facts about me|correction|update|edit|info",
    "remember|please remember|reminder|i (?:have |just )?moved|(?:good|bad|big|great|sad) news|guess what",
)
_LABEL = re.compile(rf"(?!{_OWN_LABELS}\b)[\w' ]{{1,30}}:(?=\s|$)", re.IGNORECASE)
_CODE = re.compile(r"[{}<>=|\\\[\]]|//|::|->|\w\(|;$|https?:")


def statements(text: str, *, is_reply: bool = False) -> list[str]:
    """The sentences that may tell something of the user, in order; a reply may do so without "I" or "my"."""
    text = straight(text)
    if len(text) > MAX_TOLD or not (is_reply or _tells_of_oneself(text)):
        return []
    prose = _own_prose(text)
    kept: list[str] = []
    before = ""
    for sentence in sentences(prose):
        if _TEXT_WORK.match(sentence):
            return [] if _BACKWARDS.search(sentence) else kept
        if _LABEL.match(sentence):
            return kept  # what follows belongs to it
        if kept and before == kept[-1] and _KIDDING.fullmatch(sentence.strip(" .!…:;()")):
            kept.pop()
        elif _is_own(sentence):
            kept.append(sentence)
        before = sentence
    return kept


def said_for_oneself(text: str) -> str:
    """A message without what its writer quotes, pastes or plays, without what others said and what would be. As it is
    written, where that is all of it."""
    prose = _own_prose(straight(text))
    own = [each for each in sentences(prose) if _is_own(each)]
    return text if len(own) == len(sentences(straight(text))) else "\n".join(own)


def _own_prose(text: str) -> str:
    lines = _prose_lines(text)
    prose = "\n".join(lines)
    is_foreign = len(lines) > MAX_LINES or _is_pasted(prose) or _is_verse(lines)
    return "" if is_foreign or _PLAY.search(prose) or _WORK_PIECE.search(prose) else prose


def _tells_of_oneself(text: str) -> bool:
    if _OWN_WORDS.search(text) or NOTE.fullmatch(text.strip()) or WE_HAVE.search(text) or OUR.search(text):
        return True
    is_of_us = any(pattern.search(text) for pattern, _ in TRAVELS) or moves.tells_of_us(text)
    return is_of_us or first_person.tells(text)


def _prose_lines(text: str) -> list[str]:
    """Without code and quoted lines; what is quoted within a line leaves a hole."""
    kept, is_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code and not line.startswith(("    ", "\t")) and not line.lstrip().startswith((">", "|", "$ ")):
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


def sentences(prose: str) -> list[str]:
    """A slip of the tongue begins another one, which corrects the first."""
    lines = [_BULLET.sub("", line) for line in _ABBREVIATION.sub(r"\1", prose).splitlines()]
    parts = [part.strip() for line in lines for part in _END.split(line) if part.strip()]
    return [_WAIT.sub("I mean ", each) for part in parts for each in _SLIP.split(part)]


def _is_own(sentence: str) -> bool:
    if len(sentence) > MAX_SENTENCE or HOLE in sentence or _TAKEN_BACK.fullmatch(sentence):
        return False
    return not (_UNSURE.search(sentence) or _OTHERS.search(sentence) or _CODE.search(sentence))
