"""What is noted and told anew: "my code is 4412" takes the place of the line of the notes that says another one, and of
what was said of it the notes hold. English only."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from chatServer.agent.builtin.apart import Prompt
from chatServer.agent.builtin.extract import Sentence
from chatServer.agent.builtin.forgetting import can_be_written, page_read
from chatServer.agent.builtin.phrases import phrase
from chatServer.agent.builtin.reply import READ, Reply
from chatServer.agent.builtin.statements import tells_anew
from chatServer.agent.speech import said_in
from chatServer.memory.facts.clauses import without_leads
from chatServer.memory.notes.outline import split_lines
from chatServer.messages import searchable

MAX_CHARACTERS = 200
_BULLET = re.compile(r"\s*[-*+] ")
_IS = re.compile(
    r"(?P<about>(?:my|our|the) [^,;:.!?]{1,60}?) is (?:now |actually )?(?P<what>[^,;]{1,80}?)"
    r"(?:,? not [^,;]{1,60}?)?(?: now| instead)?[.! ]*",
    re.IGNORECASE,
)


class Said(NamedTuple):
    text: str  # "my locker code is 4412"
    about: str
    what: str


def noted_instead(given: Prompt, told: str) -> Reply | None:
    """The next step to it; None where the notes say nothing else of it."""
    said = _said(told)
    done = given.calls[-1] if given.calls and given.results else {}
    if said is None or not given.can_note:
        return None
    if done.get("operation") == "overwrite":
        is_failed = given.results[-1].status == "error"
        return Reply(
            phrase("en", "failed", said_in(given.results[-1])) if is_failed else phrase("en", "noted", said.text)
        )
    page = page_read(given)
    lines = split_lines((given.notes or "") if page is None else page)
    place = next((at for at, line in enumerate(lines) if _is_other(line, said, told)), None)
    if place is None or (page is not None and not can_be_written(page)):
        return None
    if page is None:  # the prompt's copy may be old by now, and the page is written back whole
        return Reply(call=READ)
    bullet = _BULLET.match(lines[place])
    lines[place] = f"{bullet[0] if bullet else ''}{said.text}\n"
    return Reply(call={"operation": "overwrite", "content": "".join(lines).strip("\n")})


def without_noted_anew(found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences but for those that say another number of something than the notes do."""
    noted = {said.about: said.what for each in found if each.kind == "notes" and (said := _said(each.text))}
    return [each for each in found if each.kind == "notes" or not _is_against(each.text, noted)]


def _is_against(text: str, noted: dict[str, str]) -> bool:
    said = _said(text)
    what = noted.get(said.about) if said else None
    return bool(said and what and what != said.what and _has_number(what) and _has_number(said.what))


def _is_other(line: str, said: Said, told: str) -> bool:
    noted = _said(_BULLET.sub("", line.strip("\n"), count=1))
    return bool(noted and noted.about == said.about and noted.what != said.what and tells_anew(told, [noted.text]))


def _said(text: str) -> Said | None:
    found = _IS.fullmatch(without_leads(text.strip())) if len(text) <= MAX_CHARACTERS and "?" not in text else None
    return (
        Said(f"{found['about']} is {found['what']}", searchable(found["about"]), searchable(found["what"]))
        if found
        else None
    )


def _has_number(text: str) -> bool:
    return any(map(str.isdigit, text))
