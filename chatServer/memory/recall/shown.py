"""What is shown of what was found: the best lines that are live, then how the tools went."""

from collections.abc import Callable, Collection, Mapping
from uuid import UUID

from chatServer.memory.ranking.overview import SAID
from chatServer.memory.ranking.rank import Hit
from chatServer.memory.recall import lines
from chatServer.memory.recall.reach import Ask
from chatServer.memory.recall.register import Register
from chatServer.messages import searchable
from chatServer.records import RecallResult
from chatServer.store import recall as store

Count = Callable[[str], int]


def shown(register: Register, ask: Ask, hits: Mapping[UUID, Hit], news: store.News, count: Count) -> RecallResult:
    """As much of it as there is room for, in tokens."""
    near, live, past = register.entities.linked(ask.question), news.live, ask.about_the_past
    found = []
    for hit, row in ((hit, live[item_id]) for item_id, hit in hits.items() if item_id in live):
        until_s = register.ended(row, news.clock.now_s)
        if past or not lines.is_over(row, until_s):
            nearness, part = near.get(hit.item_id, 0.0), until_s is not None and register.holds_in_part(row)
            line = lines.line_of(hit, row, nearness=nearness, until_s=until_s, about_the_past=past, is_part=part)
            found.append(line)
    found = lines.that_tell(found, SAID) if ask.for_everything else found
    best = lines.chosen(found, ask.question)
    words = searchable(ask.question).split()
    told = lines.recalled(best, words, count, budget_tokens=ask.budget_tokens, limit=ask.limit)
    return _with_lessons(ask, RecallResult(tuple(told), total_found=len(found)), news.lessons, count)


def _with_lessons(ask: Ask, found: RecallResult, lessons: Collection[store.LiveMemory], count: Count) -> RecallResult:
    """In the room that the question's own lines leave; what is among them is not said again."""
    known = {item.item_id for item in found.items}
    more = [lines.Line(0.0, {"tool": 1.0}, row) for row in lessons if row.memory_id not in known]
    left = ask.budget_tokens - sum(item.tokens for item in found.items)
    told = lines.recalled(more, (), count, budget_tokens=left, limit=len(more))
    return RecallResult((*found.items, *told), found.total_found + len(more))
