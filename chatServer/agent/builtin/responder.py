"""`builtin`: the model that needs no key. It takes notes on plain wishes, answers by quoting what it was given, and
says what it is. It decides by rules on the user's own last message; texts that it was given are only ever quoted.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage

from chatServer.agent import speech
from chatServer.agent.builtin.apart import ARTICLES_TOOL, Prompt, take_apart
from chatServer.agent.builtin.extract import MAX_LINES, Sentence, Source, keys_of
from chatServer.agent.builtin.forgetting import forgotten, page_read
from chatServer.agent.builtin.noted_anew import noted_instead
from chatServer.agent.builtin.phrases import language_of, phrase, without_quotes
from chatServer.agent.builtin.reply import MAX_QUOTED, READ, Reply
from chatServer.agent.builtin.statements import denies, is_learned, is_remark, is_statement, tells_a_fact, tells_anew
from chatServer.agent.builtin.to_the_point import OWN, SURE, answering, is_half_told, nearest, or_of_its_kind
from chatServer.agent.builtin.where_from import where_from
from chatServer.agent.let_go import of_line
from chatServer.agent.speech import SpokenCall, said_in
from chatServer.agent.wishes import Wish, tells_nothing, wish_in
from chatServer.memory.notes.page import NOTED
from chatServer.memory.recall.label import BY_USER, OF_TOOLS, is_over
from chatServer.memory.recall.past import without_before
from chatServer.memory.recall.reworded import in_one_word, reworded
from chatServer.messages import searchable
from chatServer.messages.sources import QUOTED
from chatServer.messages.text import one_line

LONG = 8_000  # characters of a prompt from which on it is read in a thread
MAX_LOOKED_IN = 10  # articles that are named
MAX_SAID = 10  # messages of this conversation among what is known
MAX_NAMED = 500  # characters of a message among what is known


class BuiltinModel(speech.SpeakingModel):
    """The zero-key default."""

    @property
    def _llm_type(self) -> str:
        return "builtin"

    async def speak(
        self, messages: list[BaseMessage], tools: list[Any] | None = None, tool_choice: str | None = None, **_: Any
    ) -> AsyncGenerator[AIMessageChunk | str, None]:
        offered = frozenset(map(speech.tool_name, tools or []))
        reading = partial(_read, messages, offered, tool_choice)
        is_long = sum(len(said_in(message)) for message in messages) > LONG
        given, answer = await asyncio.to_thread(reading) if is_long else reading()
        for number, word in enumerate(speech.words(answer.text)):
            if number % speech.AT_ONCE == 0:
                await asyncio.sleep(0)
            yield word
        if answer.call is not None:
            id_ = speech.call_id(given.question_id, f"{len(messages)}|{given.question}", len(given.calls), 0)
            for chunk in speech.call_chunks([SpokenCall(answer.tool, answer.call, id_)]):
                yield chunk
        quoted: dict[str, Any] = {QUOTED: list(answer.quoted)} if given.has_looked else {}
        yield speech.last_chunk("builtin", is_calling=answer.call is not None, **quoted)


def _read(messages: list[BaseMessage], tools: frozenset[str], tool_choice: str | None) -> tuple[Prompt, Reply]:
    given = take_apart(messages, tools)
    if tool_choice is not None:
        return given, _asked_for(given, tool_choice)
    return given, Reply(_unknown(given, _language(given))) if given.is_picture else answer_to(given)


def answer_to(given: Prompt) -> Reply:
    """What is said, or which note is taken."""
    wish = wish_in(given.question)
    if wish is None:
        return noted_instead(given, given.question) or _extracted(given)
    if wish.kind in ("hello", "thanks", "fine"):
        return Reply(phrase(wish.language, wish.kind))
    if given.results and given.results[-1].status == "error":
        return Reply(phrase(wish.language, "failed", said_in(given.results[-1])[:MAX_QUOTED]))
    if wish.kind in ("know", "articles"):
        return _known(given, wish) if wish.kind == "know" else _articles(given, wish)
    if not given.can_note:
        is_off = given.notes == "" and not given.calls  # its prompt has a place for notes, and who writes them is away
        return Reply(phrase(wish.language, "memory_off" if is_off else "no_tool"))
    return _remembered(given, wish) if wish.kind in ("remember", "remind") else forgotten(given, wish)


def _articles(given: Prompt, wish: Wish) -> Reply:
    if ARTICLES_TOOL in given.tools and not given.has_looked:
        return Reply(call={"query": ""}, tool=ARTICLES_TOOL)
    if given.look_failed:
        return Reply(phrase(wish.language, "failed", given.look_failed[:MAX_QUOTED]))
    if not given.articles:
        return Reply(phrase(wish.language, "no_articles"))
    return Reply("\n".join([phrase(wish.language, "can_look_in"), *(f"- {name}" for name in given.articles)]))


def _asked_for(given: Prompt, tool: str) -> Reply:
    """What the agent wants to be called first, with the question; who asks which articles there are is told all."""
    wish = wish_in(given.question) if tool == ARTICLES_TOOL else None
    query = "" if wish and wish.kind == "articles" else given.question[:MAX_QUOTED]
    return Reply(call={"query": query}, tool=tool)


def _remembered(given: Prompt, wish: Wish) -> Reply:
    if wish.kind == "remember" and (instead := noted_instead(given, wish.what)):
        return instead
    if given.results and given.calls[-1] != READ:
        is_new = said_in(given.results[-1]) != NOTED
        told = [phrase(wish.language, "noted" if is_new else "noted_before", wish.what)]
        more = [phrase(wish.language, "no_alarm")] if wish.kind == "remind" else []
        return Reply("\n\n".join([*told, *more]))
    # "On Thursday" is another day next week.
    said_on = f" ({phrase(wish.language, 'said_on', f'{datetime.now(UTC):%Y-%m-%d}')})" if wish.kind == "remind" else ""
    return Reply(call={"operation": "append", "content": f"- {wish.what}{said_on}"})


def _known(given: Prompt, wish: Wish) -> Reply:
    page = page_read(given)
    notes = given.notes if page is None else page
    if notes is None and given.can_note:
        return Reply(call=READ)
    memories = "\n".join(_listed(block, wish.language) for block in given.blocks if _is_known(block))
    known = [Source("notes", notes or ""), Source("memories", memories)]
    known.append(Source("said", _said_here(given, known)))
    told = [f"{phrase(wish.language, s.kind)}:\n{s.text.strip()[:MAX_QUOTED]}" for s in known if s.text.strip()]
    if not given.is_all:
        told.append(phrase(wish.language, "not_now"))
    return Reply("\n\n".join(told) or phrase(wish.language, "know_nothing"))


def _said_here(given: Prompt, known: list[Source]) -> str:
    """What the user has told of himself in this conversation, and nothing that is known says."""
    known_lines = (line for source in known for line in source.text.splitlines())
    lines = [frozenset(keys_of(line)) for line in islice(known_lines, MAX_LINES)]
    told = {text: frozenset(keys_of(text)) for text in given.earlier if is_statement(text) and wish_in(text) is None}
    new = [text for text, keys in told.items() if not any(keys <= line for line in lines)]
    return "\n".join(f"- {one_line(text)[:MAX_NAMED]}" for text in reversed(new[:MAX_SAID]))


def _is_known(block: Source) -> bool:
    """Of the user, and still: not how tools went, what is over, and what he wanted to be told or forgotten."""
    if block.kind != "memories" or block.label.startswith(OF_TOOLS):
        return False
    return not is_over(block.label, datetime.now(UTC)) and not tells_nothing(block.text)


def _listed(memory: Source, language: str) -> str:
    return f"- {memory.text} ({where_from(memory.label, language)})" if memory.label else memory.text


def _extracted(given: Prompt) -> Reply:
    language = _language(given)
    if tells_a_fact(given.question, _said_last(given), _told_before(given)):
        return _heard(given, language)
    asked, sources = in_one_word(without_before(given.question)), _sources(given)
    is_told = is_statement(given.question) or denies(given.question)
    found = answering(asked, sources)
    if not is_told:
        found = or_of_its_kind(asked, sources, found or answering(asked, sources, reworded(asked)))
    is_own = all(each.kind in OWN for each in found)
    # A summary tells what was answered once; an article may say something else today.
    is_sure = any(sentence.covered >= SURE and sentence.kind != "summary" for sentence in found)
    if is_told and is_own and (not is_sure or tells_anew(given.question, (each.text for each in found))):
        return _heard(given, language)
    if ARTICLES_TOOL in given.tools and not given.has_looked and not is_sure and not is_told:
        return Reply(call={"query": given.question[:MAX_QUOTED]}, tool=ARTICLES_TOOL)
    if found:
        is_near = is_own and language == "en" and is_half_told(asked, found)
        lead = [phrase(language, "nearest")] if is_near else []
        quoted = "\n\n".join([*lead, *(_quoted(sentence, language) for sentence in found)])
        return Reply(quoted, quoted=tuple(each.label for each in found if each.kind == "articles"))
    if is_told or is_remark(given.question):
        return _heard(given, language)
    is_told_all = given.is_all and not given.look_failed and not given.has_picture
    # What recall finds by meaning is meant in English: its vectors know little of other languages.
    near = [_quoted(each, language) for each in nearest(asked, sources)] if is_told_all and language == "en" else []
    return Reply("\n\n".join([phrase(language, "nearest"), *near]) if near else _unknown(given, language))


def _sources(given: Prompt) -> list[Source]:
    """What may be quoted: the notes, what was found, and what was said before; but nothing that was only wished."""
    found = [_telling(block) for block in given.blocks if block.kind != "memories" or not tells_nothing(block.text)]
    said = [Source("said", text[:MAX_QUOTED]) for text in given.earlier if not tells_nothing(text)]
    return [Source("notes", given.notes or ""), *found, *said]


def _quoted(sentence: Sentence, language: str) -> str:
    label = where_from(sentence.label, language) if sentence.kind == "memories" else sentence.label
    above = label or sentence.heading
    heading = f" ({above})" if above else ""
    return f"{phrase(language, sentence.kind)}{heading}: “{sentence.text[:MAX_QUOTED]}”"


def _language(given: Prompt) -> str:
    return language_of(_words(given.question), map(_words, given.earlier))


def _words(text: str) -> list[str]:
    return searchable(text[:MAX_QUOTED]).split()


def _telling(block: Source) -> Source:
    """A summary without the lines in which something was only wished to be told or forgotten, or said to be so."""
    if block.kind != "summary":
        return block
    told = [line for line in block.text.splitlines() if _is_telling(of_line(line).text)]
    return replace(block, text="\n".join(told))


def _is_telling(line: str) -> bool:
    return bool(without_quotes(line).strip()) and not tells_nothing(line)


def _said_last(given: Prompt) -> str:
    return given.earlier[0][:MAX_QUOTED] if given.earlier else ""


def _told_before(given: Prompt) -> tuple[str, ...]:
    """What the user said before that, the newest first, also in other conversations: it may say who Lena is."""
    elsewhere = [block.text for block in given.blocks if block.kind == "memories" and block.label.startswith(BY_USER)]
    left, read = MAX_QUOTED, list[str]()  # of all of them together: facts are looked for in each, while others wait
    for text in (*given.earlier[1:MAX_SAID], *elsewhere[:MAX_SAID]):
        if len(text) <= left:
            left -= len(text)
            read.append(text)
    return tuple(read)


def _heard(given: Prompt, language: str) -> Reply:
    """Only what will be remembered is said to be."""
    is_kept = given.can_note and is_learned(given.question, _said_last(given), _told_before(given))
    return Reply(phrase(language, "will_remember" if is_kept else "heard"))


def _unknown(given: Prompt, language: str) -> str:
    """Where nothing was found, and how to have more than that."""
    if given.has_picture:
        return f"{phrase(language, 'no_eyes')} {phrase(language, 'add_model')}"
    if not given.is_all:
        return phrase(language, "not_now")
    if given.look_failed:
        return phrase(language, "failed", given.look_failed[:MAX_QUOTED])
    labels = [block.label for block in given.blocks if block.kind == "articles"]
    looked_in = list(dict.fromkeys([*labels, *given.articles]))
    more = ["…"] if len(looked_in) > MAX_LOOKED_IN else []
    names = "; ".join([*looked_in[:MAX_LOOKED_IN], *more])
    nothing = phrase(language, "looked_in", names) if names else phrase(language, "unknown")
    return f"{nothing} {phrase(language, 'add_model')}"
