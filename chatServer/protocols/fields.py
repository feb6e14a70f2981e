"""Fields that requests have in common, whether they come as bodies or as arguments of tools."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from chatServer.messages import clean_text
from chatServer.records.moments import within_calendar


def clean(value: Any) -> Any:
    return clean_text(value) if isinstance(value, str) else value


def said(value: str) -> str:
    if not value.strip():
        raise ValueError("it is empty")
    return value


def trimmed(value: str) -> str:
    return said(value).strip()


def _moment(value: datetime) -> datetime:
    return within_calendar(value if value.tzinfo else value.replace(tzinfo=UTC))


Text = Annotated[str, BeforeValidator(clean)]
Moment = Annotated[datetime, AfterValidator(_moment)]
