"""Which memories say the same in other words: near-duplicates that were told past each other."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from chatServer.memory.alike import MAX_READ, Signature, are_alike_signatures, signature
from chatServer.records import EVERY_AGENT
from chatServer.store.upkeep import Text

AMONG = 2_000  # memories of one user that are compared, the last changed
ANY = ""  # no shelf is called so
MOST_CHARACTERS = 500_000  # of all of them: 2,000 long ones took 6.6 s (2026-11-17)
MAX_COMPARED = 64  # others that one is compared with: whoever fills memory with one word gains nothing by it


def alike_groups(texts: Sequence[Text], *, is_across: bool = False) -> list[list[UUID]]:
    """Those of one shelf, or, across shelves, those that one agent takes together, that say the same as the first of
    their group; none is in two groups. Where they are very long, of the first of them."""
    groups: dict[UUID, list[UUID]] = {}
    likely: defaultdict[tuple[str, int], list[tuple[UUID, Signature]]] = defaultdict(list)
    left = MOST_CHARACTERS
    for each in texts:
        left -= min(len(each.text), MAX_READ)
        if left < 0:
            break
        read = signature(each.text)
        places = [(shelf, key) for shelf in _kept_under(each.shelf, is_across) for key in read.keys]
        looked = [(shelf, key) for shelf in _looked_under(each.shelf, is_across) for key in read.keys]
        others = {leader: other for place in looked for leader, other in likely[place][:MAX_COMPARED]}
        same = next(
            (leader for leader, other in list(others.items())[:MAX_COMPARED] if are_alike_signatures(read, other)), None
        )
        if same is not None:
            groups[same].append(each.memory_id)
            continue
        groups[each.memory_id] = [each.memory_id]
        for place in places:
            likely[place].append((each.memory_id, read))
    return [group for group in groups.values() if len(group) > 1]


def _kept_under(shelf: str, is_across: bool) -> list[str]:
    return [shelf, ANY] if is_across else [shelf]


def _looked_under(shelf: str, is_across: bool) -> list[str]:
    """What every agent takes is compared with everything, an agent's own with that and with its own."""
    if not is_across:
        return [shelf]
    return [ANY] if shelf == EVERY_AGENT else [shelf, EVERY_AGENT]
