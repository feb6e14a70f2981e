"""Fields that several bodies have, and what every body of a request is."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from chatServer.protocols.fields import clean

AgentName = Annotated[str, Field(min_length=1, max_length=64), BeforeValidator(clean)]


class Body(BaseModel):
    """A request body: unknown fields are an error, so that a typo is not silently ignored."""

    model_config = ConfigDict(extra="forbid")
