"""`builtin`: the model that needs no key. It takes notes on plain wishes, answers by quoting what it was given, and
says what it is. It decides by rules on the user's own last message; texts that it was given are only ever quoted.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk

from chatServer.agent import speech
from chatServer.agent.extract import Source, best
from chatServer.agent.forgetting import EMPTY, Unreadable, arguments_to_forget
from chatServer.agent.phrases import language_of, phrase
from chatServer.agent.prompts import NOTHING_YET
from chatServer.agent.speech import SpokenCall, said_in
from chatServer.agent.statements import is_statement, tells_a_fact
from chatServer.agent.wishes import Wish, wish_in
from chatServer.conversation.assemble import SUMMARY_PREFIX
from chatServer.conversation.quote import MEMORIES_PREFIX, NOT_ALL
from chatServer.memory.label import OF_TOOLS
from chatServer.memory.notes import NOTHING
from chatServer.memory.past import without_before
from chatServer.messages import searchable
from chatServer.messages.fence import all_unfenced, unfenced, without_blocks
from chatServer.messages.sources import QUOTED

NOTES_TOOL = "manage_long_term_memory"
FORGET_TOOL = "forget_memories"
ARTICLES_TOOL = "retrieve_context"
SURE = 0.75  # of a question's weight that a sentence has: then articles need not be asked
BLOCKS = ("memories", "articles", "summary")
FRAMES = frozenset((SUMMARY_PREFIX, MEMORIES_PREFIX, NOT_ALL, ""))  # lines that stand around such blocks
READ = {"operation": "read"}
UNREADABLE = "The notes cannot be read whole here, and so no line is taken out of them. Name a section, or edit them."
MAX_EARLIER = 50
MAX_QUOTED = 4_000
MAX_NAMED = 500  # characters of what is to be forgotten


@dataclass(frozen=True, slots=True)
class Reply:
    text: str = ""
    call: dict[str, Any] | None = None  # arguments for a tool
    tool: str = NOTES_TOOL
    quoted: tuple[str, ...] = ()  # the labels of passages that the text repeats


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt, taken apart."""

    question: str
    question_id: str | None
    notes: str | None  # None: they are not in the prompt
    blocks: tuple[Source, ...]
    is_all: bool  # what is remembered could be looked up
    earlier: tuple[str, ...]  # what the user said before, the newest first
    calls: tuple[dict[str, Any], ...]  # arguments of our own calls since the question, but for those of articles
    results: tuple[ToolMessage, ...]
    tools: frozenset[str]
    has_looked: bool = False  # into the articles

    @property
    def can_note(self) -> bool:
        """Which also says that this session is remembered."""
        return NOTES_TOOL in self.tools


class BuiltinModel(speech.SpeakingModel):
    """The zero-key default."""

    @property
    def _llm_type(self) -> str:
        return "builtin"

    async def _astream(
        self,
        messages: list[BaseMessage],
        *_: Any,
        tools: list[Any] | None = None,
        tool_choice: str | None = None,
        **__: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        given = take_apart(messages, frozenset(map(speech.tool_name, tools or [])))
        answer = answer_to(given) if tool_choice is None else _asked_for(given, tool_choice)
        for word in speech.words(answer.text):
            await asyncio.sleep(0)
            yield speech.text_chunk(word)
        if answer.call is not None:
            id_ = speech.call_id(given.question_id, f"{len(messages)}|{given.question}", len(given.calls), 0)
            for chunk in speech.call_chunks([SpokenCall(answer.tool, answer.call, id_)]):
                yield chunk
        quoted = {QUOTED: list(answer.quoted)} if given.has_looked else {}
        yield speech.last_chunk("builtin", messages, answer.text, is_calling=answer.call is not None, **quoted)


def take_apart(messages: list[BaseMessage], tools: frozenset[str]) -> Prompt:
    """Find the question: the last user message that is more than blocks of recalled text."""
    said = [(place, without_blocks(BLOCKS, said_in(m))) for place, m in enumerate(messages) if _is_user(m)]
    framing = [text for _, text in said if FRAMES.issuperset(text.splitlines())]
    said = [(place, text) for place, text in said if not FRAMES.issuperset(text.splitlines())]
    place, question = said[-1] if said else (len(messages), "")
    system = "\n".join(said_in(m) for m in messages if isinstance(m, SystemMessage))
    notes = unfenced("notes", system)
    since = messages[place + 1 :]
    results = [m for m in since if isinstance(m, ToolMessage)]
    read = [m for m in results if m.name == ARTICLES_TOOL]
    return Prompt(
        question=question,
        question_id=messages[place].id if said else None,
        notes="" if notes is None and NOTHING_YET in system else notes,
        blocks=(*_blocks(messages), *_passages(read)),
        is_all=not any(NOT_ALL in text for text in framing),
        earlier=tuple(text for _, text in reversed(said[-MAX_EARLIER - 1 : -1])),
        calls=tuple(
            call["args"]
            for m in since
            if isinstance(m, AIMessage)
            for call in m.tool_calls
            if call["name"] != ARTICLES_TOOL
        ),
        results=tuple(m for m in results if m.name != ARTICLES_TOOL),
        tools=tools,
        has_looked=bool(read),
    )


def _is_user(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage)


def _blocks(messages: list[BaseMessage]) -> Iterator[Source]:
    for message in messages:
        if isinstance(message, HumanMessage | SystemMessage):
            text = said_in(message)
            for kind in BLOCKS:
                if (inside := unfenced(kind, text)) is not None:
                    yield from _lines(inside) if kind == "memories" else [Source(kind, inside)]


def _passages(read: Iterable[ToolMessage]) -> Iterator[Source]:
    """Each by itself; its first line says where it is from."""
    for message in read:
        for block in all_unfenced("articles", said_in(message)):
            label, _, text = block.partition("\n")
            yield Source("articles", text, label)


def _lines(memories: str) -> Iterator[Source]:
    """Each line by itself, with where it is from."""
    for line in memories.splitlines():
        label, ends, text = line.removeprefix("- (").partition(") ")
        yield Source("memories", text, label) if ends else Source("memories", line)


def answer_to(given: Prompt) -> Reply:
    """What is said, or which note is taken."""
    wish = wish_in(given.question)
    if wish is None:
        return _extracted(given)
    if wish.kind in ("hello", "thanks"):
        return Reply(phrase(wish.language, wish.kind))
    if given.results and given.results[-1].status == "error":
        return Reply(phrase(wish.language, "failed", said_in(given.results[-1])[:MAX_QUOTED]))
    if wish.kind == "know":
        return _known(given, wish)
    if not given.can_note:
        return Reply(phrase(wish.language, "no_tool"))
    return _remembered(given, wish) if wish.kind == "remember" else _forgotten(given, wish)


def _asked_for(given: Prompt, tool: str) -> Reply:
    """What the agent wants to be called first, with the question."""
    return Reply(call={"query": given.question[:MAX_QUOTED]}, tool=tool)


def _remembered(given: Prompt, wish: Wish) -> Reply:
    if given.results:
        return Reply(phrase(wish.language, "noted", wish.what))
    return Reply(call={"operation": "append", "content": f"- {wish.what}"})


def _forgotten(given: Prompt, wish: Wish) -> Reply:
    """First the memories, then the page of notes; said is what is gone."""
    done = given.calls[-1].get("operation") if given.calls and given.results else None
    if wish.kind == "forget_all":
        return Reply(phrase(wish.language, "all_forgotten")) if done else Reply(call=EMPTY)
    if FORGET_TOOL in given.tools and not given.calls:
        return Reply(call={"what": wish.what[:MAX_NAMED]}, tool=FORGET_TOOL)
    gone = _memories_forgotten(given)
    if done and done != "read":
        return Reply(phrase(wish.language, "forgotten", "\n".join([wish.what, *gone])))
    page = _page_read(given)
    if page is None:  # the prompt's copy may be old by now, and the page is written back whole
        return Reply(call=READ)
    return _line_forgotten(wish, page, gone)


def _line_forgotten(wish: Wish, page: str, gone: list[str]) -> Reply:
    try:
        arguments = arguments_to_forget(wish.what, page)
    except Unreadable:
        return Reply("\n".join([*gone, phrase(wish.language, "failed", UNREADABLE)]))
    if arguments:
        return Reply(call=arguments)
    return Reply(phrase(wish.language, "forgotten" if gone else "nothing_to_forget", "\n".join(gone)))


def _memories_forgotten(given: Prompt) -> list[str]:
    """As the tool has told, a line for each."""
    told = [
        result
        for arguments, result in zip(given.calls, given.results, strict=False)
        if "operation" not in arguments and result.status != "error"
    ]
    return [line for result in told for line in said_in(result)[:MAX_QUOTED].splitlines() if line.startswith("- ")]


def _page_read(given: Prompt) -> str | None:
    """The notes as the tool has just read them, if it has."""
    if not given.results or not given.calls or given.calls[-1].get("operation") != "read":
        return None
    page = said_in(given.results[-1])
    return "" if page == NOTHING else page


def _known(given: Prompt, wish: Wish) -> Reply:
    page = _page_read(given)
    notes = given.notes if page is None else page
    if notes is None and given.can_note:
        return Reply(call=READ)
    remembered = [block for block in given.blocks if block.kind == "memories" and not block.label.startswith(OF_TOOLS)]
    memories = "\n".join(map(_listed, remembered))
    known = [Source("notes", notes or ""), Source("memories", memories)]
    told = [f"{phrase(wish.language, s.kind)}:\n{s.text.strip()[:MAX_QUOTED]}" for s in known if s.text.strip()]
    if not given.is_all:
        told.append(phrase(wish.language, "not_now"))
    return Reply("\n\n".join(told) or phrase(wish.language, "know_nothing"))


def _listed(memory: Source) -> str:
    return f"- {memory.text} ({memory.label})" if memory.label else memory.text


def _extracted(given: Prompt) -> Reply:
    language = language_of(searchable(given.question[:MAX_QUOTED]).split())
    heard = Reply(phrase(language, "will_remember" if given.can_note else "heard"))
    if tells_a_fact(given.question):
        return heard
    sources = [Source("notes", given.notes or ""), *given.blocks]
    sources += [Source("said", text[:MAX_QUOTED]) for text in given.earlier]
    quoted = []
    found = best(without_before(given.question), sources)
    # A summary tells what was answered once; an article may say something else today.
    is_sure = any(sentence.covered >= SURE and sentence.kind != "summary" for sentence in found)
    if ARTICLES_TOOL in given.tools and not given.has_looked and not is_sure and not is_statement(given.question):
        return Reply(call={"query": given.question[:MAX_QUOTED]}, tool=ARTICLES_TOOL)
    for sentence in found:
        above = sentence.label or sentence.heading
        heading = f" ({above})" if above else ""
        quoted.append(f"{phrase(language, sentence.kind)}{heading}: “{sentence.text[:MAX_QUOTED]}”")
    if not quoted and is_statement(given.question):
        return heard
    passages = tuple(sentence.label for sentence in found if sentence.kind == "articles")
    return Reply("\n".join(quoted) or phrase(language, "unknown" if given.is_all else "not_now"), quoted=passages)
