"""When something is to be: on a day, or within a longer time. Who says "in December" has named no day, and what is
kept names none either."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Unit = Literal["day", "week", "month", "season", "year"]
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NAMES_OF_SEASONS = {month: name for name, month in SEASONS.items() if name != "fall"}
_NAMES = "|".join((*MONTH_NAMES, *_NAMES_OF_SEASONS.values()))
# As `When` writes it, with or without its preposition.
WRITTEN = re.compile(
    r"(?P<at>\b(?:on|in) )?"
    rf"(?P<what>(?:the week of )?\d{{4}}-\d\d-\d\d|\b(?:{_NAMES}) \d{{4}}|(?<=\bin )\d{{4}}|^\d{{4}}$)"
)


@dataclass(frozen=True, slots=True)
class When:
    """A day, or a time that begins with it or holds it."""

    day: datetime
    unit: Unit = "day"

    @property
    def what(self) -> str:
        """Without its preposition."""
        match self.unit:
            case "day":
                return f"{self.day:%Y-%m-%d}"
            case "week":
                return f"the week of {self.day:%Y-%m-%d}"
            case "month":
                return f"{MONTH_NAMES[self.day.month - 1]} {self.day.year}"
            case "season":
                return f"{_NAMES_OF_SEASONS[self.day.month]} {self.day.year}"
        return str(self.day.year)

    def __str__(self) -> str:
        return f"{'on' if self.unit == 'day' else 'in'} {self.what}"

    @property
    def end(self) -> datetime:
        """When it is over."""
        if self.unit in ("day", "week"):
            return self.day + timedelta(days=1 if self.unit == "day" else 7)
        if self.unit == "year":
            return self.day.replace(year=self.day.year + 1, month=1, day=1)
        months = self.day.month + (3 if self.unit == "season" else 1)
        return self.day.replace(year=self.day.year + (months > 12), month=(months - 1) % 12 + 1, day=1)
