"""Which memories say the same in other words: near-duplicates that were told past each other."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from chatServer.memory.alike import Signature, are_alike_signatures, signature
from chatServer.store.upkeep import Text

AMONG = 2_000  # memories of one user that are compared, the last changed
MAX_COMPARED = 64  # others that one is compared with: whoever fills memory with one word gains nothing by it


def alike_groups(texts: Sequence[Text]) -> list[list[UUID]]:
    """Those of one shelf that say the same as the first of their group; none is in two groups."""
    groups: dict[UUID, list[UUID]] = {}
    likely: defaultdict[tuple[str, int], list[tuple[UUID, Signature]]] = defaultdict(list)
    for each in texts:
        read = signature(each.text)
        places = [(each.shelf, key) for key in read.keys]
        others = {leader: other for place in places for leader, other in likely[place][:MAX_COMPARED]}
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
