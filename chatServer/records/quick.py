"""quick(): frozen records that are made in half the time."""

from dataclasses import MISSING, fields
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


Record = TypeVar("Record")


def changed(record: Record, **changes: Any) -> Record:
    """A quick record with other values, as `dataclasses.replace` makes it, which looks each field up: 27,000
    instructions for a turn, 2 % of what one takes (2026-11-19)."""
    kind = type(record)
    return kind(**({name: getattr(record, name) for name in kind.__slots__} | changes))  # type: ignore[attr-defined]


def quick(kind: Kind) -> Kind:
    """The same frozen dataclass with slots, whose __init__ asks each slot instead of `object.__setattr__`, which looks
    it up by its name: 0.9 us instead of 2.0 for ten fields. A turn makes 30 such records (2026-11-19)."""
    given: list[str] = []
    lines: list[str] = []
    known: dict[str, Any] = {}
    for each in fields(kind):
        name = each.name
        if not each.init or each.kw_only:
            raise TypeError(f"{kind.__name__}.{name} is not a plain field")
        value = name
        if each.default_factory is not MISSING:
            known[f"default_{name}"], known[f"make_{name}"] = MISSING, each.default_factory
            value = f"make_{name}() if {name} is default_{name} else {name}"
        elif each.default is not MISSING:
            known[f"default_{name}"] = each.default
        given.append(f"{name}=default_{name}" if f"default_{name}" in known else name)
        known[f"set_{name}"] = getattr(kind, name).__set__
        lines.append(f"    set_{name}(self, {value})")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    made: dict[str, Any] = {}
    exec("\n".join([f"def __init__(self, {', '.join(given)}):", *lines]), known, made)  # noqa: S102  # nosec B102 # names
    kind.__init__ = made["__init__"]  # type: ignore[misc]  # which mypy reads off the dataclass
    return kind
