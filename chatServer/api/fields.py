"""Fields that several bodies have, and what every body of a request is."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from chatServer.protocols.fields import clean

MAX_FIELDS = 100

AgentName = Annotated[str, Field(min_length=1, max_length=64), BeforeValidator(clean)]


class Bounded(BaseModel):
    """An object of JSON that is refused as a whole where it has very many fields: to find out what is wrong with each
    of 60,000 takes half a second (2026-11-19)."""

    @model_validator(mode="before")
    @classmethod
    def is_not_a_flood(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > MAX_FIELDS:
            raise ValueError(f"A body may have {MAX_FIELDS} fields at most")
        return given


class Body(Bounded):
    """A request body: unknown fields are an error, so that a typo is not silently ignored."""

    model_config = ConfigDict(extra="forbid")
