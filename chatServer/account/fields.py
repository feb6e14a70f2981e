"""What the rows of a document are made of: no text, number or time that a table or a reader could not bear."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from chatServer.records.ids import SPELLING
from chatServer.records.moments import can_be_written

Short = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=128)]  # of an agent, or a shelf
Long = Annotated[str, Field(max_length=2_000_000)]
SessionId = Annotated[str, Field(pattern=f"^{SPELLING}$")]
Count = Annotated[int, Field(ge=0, le=10**9)]  # an integer that has room to go on counting
Tries = Annotated[int, Field(ge=0, le=1_000)]  # of a turn: each counts a million events, all together in an integer
Big = Annotated[int, Field(ge=0, le=10**15)]  # a bigint that has
Tokens = Annotated[int, Field(ge=0, le=10**12)]  # of a day: those of many models and agents can be summed up
Share = Annotated[float, Field(ge=0, le=1)]
Moment = Annotated[AwareDatetime, AfterValidator(can_be_written)]
MAX_JSON = 200_000  # characters; what turns and changes of memories really hold beside their texts is a few thousand


def _short(value: dict[str, Any] | None) -> dict[str, Any] | None:
    if value is not None and len(json.dumps(value, ensure_ascii=False)) > MAX_JSON:
        raise ValueError(f"{MAX_JSON:,} characters at most")
    return value


Json = Annotated[dict[str, Any] | None, AfterValidator(_short)]


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid")
