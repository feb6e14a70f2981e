"""What went wrong with a model, as an error of ours; never in the provider's words, which may echo a prompt."""

import logging
import random
from collections.abc import Iterator, Mapping

from langchain_core import exceptions

from chatServer import errors

logger = logging.getLogger(__name__)

KEY_REFUSED = (
    "The model's provider refuses our key. Whoever runs this server must correct it (MODEL_API_KEY, or the "
    "provider's own variable)."
)
UNKNOWN_MODEL = (
    "The model's provider does not know this model. Whoever runs this server must correct its name, or the address "
    "where it is asked (MODEL_BASE_URL, which mostly ends in /v1)."
)
BUSY = "The model's provider takes no more requests from us right now. Try again in a while."
IN_TROUBLE = "The model's provider is in trouble right now. Try again in a while."
UNREACHABLE = (
    "The model's provider cannot be reached, or hung up. Try again in a moment; if that does not help, whoever runs "
    "this server must see that it has a way to the provider, and its right address (MODEL_BASE_URL)."
)
REFUSED = "The model's provider refused the request."
TOO_LONG = "The conversation is longer than the model can take. Start a new one, or send less."

RETRY_AFTER_S = 1.0  # half as much more or less, so that many do not come back together
MAX_PAUSE_S = 10.0  # a provider that wants more of it is better told of at once

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


def pause_before_retry(error: BaseException) -> float | None:
    """How long to wait before the same question is asked once more; None when that could not help.

    Only where the provider is busy, in trouble or out of reach: any other 4xx would be refused again, and whoever has
    waited for a timeout has waited enough.
    """
    chain = list(_chain(error))
    status = next((status for each in chain if (status := _status(each)) is not None), None)
    if status is None:
        is_worth_it = any(map(_is_unreachable, chain)) and not any(map(_is_timeout, chain))
    else:
        is_worth_it = status == 429 or (status >= 500 and status != 504)
    pause_s = _wished_pause_s(chain) or random.uniform(0.5, 1.5) * RETRY_AFTER_S  # noqa: S311  # nosec B311 # no secret
    return pause_s if is_worth_it and pause_s <= MAX_PAUSE_S else None


def _wished_pause_s(chain: list[BaseException]) -> float | None:
    """What the provider asks for in its header Retry-After; dates are not read."""
    for each in chain:
        headers = getattr(getattr(each, "response", None), "headers", None)
        wish = headers.get("retry-after") if isinstance(headers, Mapping) else None
        if isinstance(wish, str) and wish.isascii() and wish.isdecimal():
            return float(wish[:9])
    return None


def _translate(error: BaseException) -> tuple[errors.ChatError, int | None]:
    chain = list(_chain(error))
    status = next((status for each in chain if (status := _status(each)) is not None), None)
    if any(map(_is_too_long, chain)):
        return errors.ContextTooLarge(TOO_LONG), status
    if status is not None and status >= 400:
        return _by_status(status), status
    if any(map(_is_timeout, chain)):
        return errors.ModelTimeout(), status
    if any(map(_is_unreachable, chain)):
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


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, _TIMEOUTS) or _is_called(error, "Timeout")


def _is_unreachable(error: BaseException) -> bool:
    return isinstance(error, _CONNECTIONS) or _is_called(error, "TransportError", "APIConnect")


def _is_called(error: BaseException, *parts: str) -> bool:
    """Packages that may not be installed cannot be imported to compare with, but their classes have telling names."""
    return any(part in kind.__name__ for kind in type(error).__mro__ for part in parts)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__
