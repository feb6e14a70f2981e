"""Where a sentence ends. Not every full stop ends one: "am 3. Mai" and "Dr. Huber" go on."""

import re

# What stands before a number that German writes with a stop: "am 3. Werktag", "bis zum 15. ist Zeit".
_BEFORE = ("[Aa]m|[Aa]b|[Ii]m", "[Dd]e[rnms]|[Dd]ie|[Dd]as|[Vv]om|[Zz]u[mr]|[Bb]is", "[Bb]eim|[Ss]eit")
_MONTHS = "Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"
_SHORTENED = ("z|d|u", "Dr|St|Nr|Mr|Ms|Hr|Fr|Sr|ca", "Mrs|Sra|bzw|Tel", "Prof", r"z\. B|d\. h|u\. a")
# A pattern looks back over one length only: a row for each.
_ORDINAL = "".join(rf"(?<!\b(?:{row}) {digits}\.)" for row in _BEFORE for digits in (r"\d", r"\d\d"))
_SHORT = "".join(rf"(?<!\b(?:{row})\.)" for row in _SHORTENED)
SENTENCE_END = re.compile(
    rf"(?<=[.!?…])(?!(?<=\d\.)\s+(?:{_MONTHS}|und\b)){_ORDINAL}{_SHORT}\s+|(?<=[。！？])|\n+",
)
