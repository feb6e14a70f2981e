"""An article cut into chunks: at headings and pages, then between paragraphs, sentences and words. Joined again they
are the article, letter by letter."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chatServer.knowledge.reading import Reading
from chatServer.records import Chunk

CHUNK_BYTES = 1_200  # about 300 tokens of most languages
SHORT_BYTES = 200  # what is shorter goes together with what stands under the next heading
MAX_TOKENS = 375  # of texts that take more tokens than most: Chinese, tables of numbers, junk
MAX_HEADING = 300
BETWEEN_HEADINGS = " > "

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = ("```", "~~~")

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """What stays together; `cuts`: a chunk may end before it though it has room."""

    text: str
    size: int  # bytes
    page: int | None
    heading: str
    cuts: bool


@dataclass(slots=True)
class Headings:
    """Those above a place."""

    first: str = ""
    _above: list[tuple[int, str]] = field(default_factory=list)

    def meet(self, level: int, title: str) -> None:
        title = title.rstrip("# \t")[:MAX_HEADING]
        self.first = self.first or title
        self._above = [each for each in self._above if each[0] < level]
        self._above.append((level, title))

    def __str__(self) -> str:
        return BETWEEN_HEADINGS.join(title for _, title in self._above)[:MAX_HEADING]


def split(reading: Reading, count: Count, *, has_headings: bool) -> tuple[str, list[Chunk]]:
    """The title that its headings give it, if any, and its chunks. Tokens are counted once for each chunk and not for
    each line: a line takes 25 us to count, and there may be millions of them (2026-11-15)."""
    headings = Headings()
    chunks: list[Chunk] = []
    for pieces in _groups(_pieces(reading, headings if has_headings else None)):
        for text, tokens in _counted([piece.text for piece in pieces], count):
            chunks.append(Chunk(len(chunks), text, tokens, pieces[0].page, pieces[0].heading))
    return headings.first, chunks


def _groups(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Those that go into one chunk."""
    held: list[Piece] = []
    size = 0
    for piece in pieces:
        is_full = size + piece.size > CHUNK_BYTES or (piece.cuts and size >= SHORT_BYTES)
        if held and (is_full or held[0].page != piece.page):
            yield held
            held, size = [], 0
        held.append(piece)
        size += piece.size
    if held:
        yield held


def _counted(texts: list[str], count: Count) -> Iterator[tuple[str, int]]:
    """All of them together if they do not take too many tokens, else one half after the other."""
    text = "".join(texts)
    tokens = count(text)
    if tokens <= MAX_TOKENS or len(text) == 1:
        yield text, tokens
        return
    if len(texts) == 1:
        middle = text.rfind(" ", 0, len(text) // 2) + 1 or len(text) // 2
        texts = [text[:middle], text[middle:]]
    half = len(texts) // 2
    yield from _counted(texts[:half], count)
    yield from _counted(texts[half:], count)


def _pieces(reading: Reading, headings: Headings | None) -> Iterator[Piece]:
    for start, text in _pages(reading):
        page = bisect_right(reading.page_starts, start) or None
        for cuts, block in _blocks(text, headings):
            above = str(headings) if headings else ""
            for number, (part, size) in enumerate(_parts(block)):
                yield Piece(part, size, page, above, cuts and number == 0)


def _pages(reading: Reading) -> Iterator[tuple[int, str]]:
    """Each page with what stands between it and the next."""
    starts = [*reading.page_starts[1:], len(reading.text)]
    begin = 0
    for end in starts:
        if end > begin:
            yield begin, reading.text[begin:end]
        begin = max(begin, end)


def _blocks(text: str, headings: Headings | None) -> Iterator[tuple[bool, str]]:
    """Paragraphs, and whether each begins with a heading. Only Markdown has any, and code in it has none."""
    if headings is None:
        yield from ((False, paragraph) for paragraph in _cut(text, _PARAGRAPH))
        return
    block: list[str] = []
    is_code = is_headed = False
    for line in text.splitlines(keepends=True):
        found = None if is_code else _HEADING.match(line)
        if found:
            if block:
                yield from _paragraphs("".join(block), is_headed=is_headed)
            headings.meet(len(found[1]), found[2])
            block, is_headed = [], True
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
        block.append(line)
    if block:
        yield from _paragraphs("".join(block), is_headed=is_headed)


def _paragraphs(text: str, *, is_headed: bool) -> Iterator[tuple[bool, str]]:
    for number, paragraph in enumerate(_cut(text, _PARAGRAPH)):
        yield is_headed and number == 0, paragraph


def _parts(paragraph: str) -> Iterator[tuple[str, int]]:
    """The paragraph if it is short enough, else its sentences; where one of them is longer, its words."""
    if (size := len(paragraph.encode())) <= CHUNK_BYTES:
        yield paragraph, size
        return
    for sentence in _cut(paragraph, _SENTENCE):
        begin = 0
        while begin < len(sentence):
            part = sentence[begin : begin + CHUNK_BYTES]
            if begin + len(part) < len(sentence) and (blank := part.rfind(" ")) > 0:
                part = part[: blank + 1]
            yield part, len(part.encode())
            begin += len(part)


def _cut(text: str, between: re.Pattern[str]) -> Iterator[str]:
    """The pieces with what stands between them at their ends, so that nothing is lost."""
    begin = 0
    for found in between.finditer(text):
        if found.end() < len(text):
            yield text[begin : found.end()]
            begin = found.end()
    if begin < len(text):
        yield text[begin:]
