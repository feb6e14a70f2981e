"""Fields that several bodies have, and what every body of a request is."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from chatServer.messages import clean_text


def clean(value: Any) -> Any:
    return clean_text(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(clean)]
AgentName = Annotated[str, Field(min_length=1, max_length=64), BeforeValidator(clean)]


class Body(BaseModel):
    """A request body: unknown fields are an error, so that a typo is not silently ignored."""

    model_config = ConfigDict(extra="forbid")
