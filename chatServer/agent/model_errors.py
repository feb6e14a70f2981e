"""What went wrong with a model, as an error of ours; never in the provider's words, which may echo a prompt."""

import logging
from collections.abc import Iterator

from langchain_core import exceptions

from chatServer import errors

logger = logging.getLogger(__name__)

KEY_REFUSED = "The model's provider refuses our key. Whoever runs this server must correct it."
UNKNOWN_MODEL = "The model's provider does not know this model. Whoever runs this server must correct its name."
BUSY = "The model's provider takes no more requests from us right now. Try again in a while."
IN_TROUBLE = "The model's provider is in trouble right now. Try again in a while."
UNREACHABLE = "The model's provider cannot be reached, or hung up. Try again in a moment."
REFUSED = "The model's provider refused the request."
TOO_LONG = "The conversation is longer than the model can take. Start a new one, or send less."

_TIMEOUTS = (TimeoutError, exceptions.ModelTimeoutError)
_CONNECTIONS = (ConnectionError, exceptions.ModelConnectionError)


def translated(error: BaseException) -> errors.ChatError:
    """Our error for whatever a model raised; the log gets its kind and status only."""
    if isinstance(error, errors.ChatError):
        return error
    found, status = _translate(error)
    fields = {"error": type(error).__name__, "status": status, "code": found.code}
    logger.warning("a model failed", extra={"fields": fields})
    return found


def _translate(error: BaseException) -> tuple[errors.ChatError, int | None]:
    chain = list(_chain(error))
    status = next((status for each in chain if (status := _status(each)) is not None), None)
    if any(map(_is_too_long, chain)):
        return errors.ContextTooLarge(TOO_LONG), status
    if status is not None and status >= 400:
        return _by_status(status), status
    if any(isinstance(each, _TIMEOUTS) or _is_called(each, "Timeout") for each in chain):
        return errors.ModelTimeout(), status
    if any(isinstance(each, _CONNECTIONS) or _is_called(each, "TransportError", "APIConnect") for each in chain):
        return errors.ModelFailed(UNREACHABLE), status
    return errors.ModelFailed(), status


def _by_status(status: int) -> errors.ChatError:
    match status:
        case 401 | 403:
            return errors.ModelFailed(KEY_REFUSED)
        case 404:
            return errors.ModelFailed(UNKNOWN_MODEL)
        case 408 | 504:
            return errors.ModelTimeout()
        case 429:
            return errors.ModelFailed(BUSY)
        case _ if status >= 500:
            return errors.ModelFailed(IN_TROUBLE)
    return errors.ModelFailed(REFUSED)


def _status(error: BaseException) -> int | None:
    """The HTTP status that providers' packages keep, each under a name of its own."""
    response = getattr(error, "response", None)
    candidates = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
    candidates += [getattr(error, "http_status", None), getattr(error, "code", None)]
    return next((int(c) for c in candidates if isinstance(c, int) and 100 <= c < 600), None)


def _is_too_long(error: BaseException) -> bool:
    # LangChain looks for OpenAI's code in the text of the error, where it no longer stands.
    code = getattr(error, "code", None)
    return isinstance(error, exceptions.ContextOverflowError) or code == "context_length_exceeded"


def _is_called(error: BaseException, *parts: str) -> bool:
    """Packages that may not be installed cannot be imported to compare with, but their classes have telling names."""
    return any(part in kind.__name__ for kind in type(error).__mro__ for part in parts)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__
