"""Every error that a client can meet, with its HTTP status and its stable code.

ChatError
├── Unauthenticated            401 unauthenticated
├── Forbidden                  403 forbidden
├── NotFound                   404 not_found
│   ├── AgentNotFound          404 agent_not_found
│   ├── ArticleNotFound        404 article_not_found
│   ├── MemoryNotFound         404 memory_not_found
│   ├── MessageNotFound        404 message_not_found
│   └── SessionNotFound        404 session_not_found
├── MethodNotAllowed           405 method_not_allowed
├── RequestTimeout             408 request_timeout
├── SessionAgentMismatch       409 session_agent_mismatch
├── TurnInProgress             409 turn_in_progress
├── TooManyArticles            409 too_many_articles
├── Erased                     409 erased
├── VersionConflict            412 version_conflict
├── BodyTooLarge               413 body_too_large
│   └── FileTooLarge           413 file_too_large
├── InvalidRequest             422 invalid_request
├── IdempotencyMismatch        422 idempotency_mismatch
├── ContextTooLarge            422 context_too_large
├── FileRefused                422 file_refused
│   ├── EmptyFile              422 empty_file
│   ├── MislabelledFile        422 mislabelled_file
│   └── UnsupportedFile        422 unsupported_file
├── PreconditionRequired       428 precondition_required
├── LimitReached               429 rate_limited
│   ├── RateLimited            429 rate_limited
│   └── QuotaExhausted         429 quota_exhausted
├── ModelFailed                502 model_failed
├── DatabaseUnavailable        503 database_unavailable
│   └── Crowded                503 overloaded
├── ModelNotConfigured         503 model_not_configured
├── ShuttingDown               503 shutting_down
├── IssuerUnavailable          503 issuer_unavailable
├── Overloaded                 503 overloaded
└── ModelTimeout               504 model_timeout
Lost                           an attempt at a turn that no longer counts; its client meets another one
EmbedderFailed                 no vectors now: what needs them does without, or later
RevisionFailed                 the memory agent did not get to its end: its turns are revised again later
MessageError                   a message that is no message (library use; ValueError)
StartupError                   the server refuses to start, and says what to do
"""

from typing import Any, ClassVar


class ChatError(Exception):
    """An error with a sentence for a person, a status for HTTP and a code for programs."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal_error"
    title: str = "Something went wrong on our side"
    told: ClassVar[str] = ""  # the sentence, where whoever raises it knows no better one

    def __init__(self, detail: str = "", *, retry_after_s: int | None = None, **extra: Any) -> None:
        super().__init__(detail or self.told)
        self.detail, self.retry_after_s = detail or self.told, retry_after_s
        self.extra = extra
        self.headers: dict[str, str] = {}  # for HTTP, beside what the others say


class Unauthenticated(ChatError):
    status, code, title = 401, "unauthenticated", "Sign in first"


class Forbidden(ChatError):
    status, code, title = 403, "forbidden", "Not allowed"


class NotFound(ChatError):
    status, code, title = 404, "not_found", "Not found"


class SessionNotFound(NotFound):
    """The same sentence whether the session is unknown or somebody else's."""

    code, title = "session_not_found", "No such session"
    told = "You have no session with this id."


class AgentNotFound(NotFound):
    code, title = "agent_not_found", "No such agent"

    def __init__(self, known: list[str]) -> None:
        super().__init__(f"There is no such agent. Known agents: {', '.join(known)}.", known_agents=known)


class ArticleNotFound(NotFound):
    """The same sentence whether the article is unknown, deleted or somebody else's."""

    code, title = "article_not_found", "No such document"
    told = "You have no document with this id."


class MemoryNotFound(NotFound):
    """The same sentence whether the memory is unknown, forgotten or somebody else's."""

    code, title = "memory_not_found", "No such memory"
    told = "You have no memory with this id."


class MessageNotFound(NotFound):
    """The same sentence whether the message is unknown, replaced or somebody else's."""

    code, title = "message_not_found", "No such message"
    told = "There is no such message."


class MethodNotAllowed(ChatError):
    status, code, title = 405, "method_not_allowed", "Wrong method"


class RequestTimeout(ChatError):
    status, code, title = 408, "request_timeout", "The request took too long to arrive"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The body did not arrive within {seconds:g} seconds.")


class SessionAgentMismatch(ChatError):
    status, code, title = 409, "session_agent_mismatch", "The session belongs to another agent"

    def __init__(self, agent_name: str) -> None:
        super().__init__(f"This session is a conversation with the agent {agent_name}.", agent_name=agent_name)


class TurnInProgress(ChatError):
    status, code, title = 409, "turn_in_progress", "An answer is being written"


class TooManyArticles(ChatError):
    status, code, title = 409, "too_many_articles", "There is no room for another document"

    def __init__(self, limit: int, what: str = "documents", then: str = "Delete one that you no longer need.") -> None:
        super().__init__(f"You may have {limit:,} {what}. {then}", limit=limit)


class Erased(ChatError):
    """It began before the user had everything erased, and would have come after."""

    status, code, title = 409, "erased", "Everything was erased meanwhile"
    told = "All your data was erased while this was on its way. Nothing of it was kept: send it again."


class VersionConflict(ChatError):
    status, code, title = 412, "version_conflict", "Changed meanwhile"


class BodyTooLarge(ChatError):
    status, code, title = 413, "body_too_large", "The body is too large"

    def __init__(self, limit_bytes: int, told: str = "A body", **extra: Any) -> None:
        super().__init__(f"{told} may have {limit_bytes:,} bytes here at most.", limit_bytes=limit_bytes, **extra)


class FileTooLarge(BodyTooLarge):
    code, title = "file_too_large", "The file is too large"


class FileRefused(ChatError):
    """A file that is no article, as its first bytes tell; `file` is its name."""

    status, code, title = 422, "file_refused", "This file cannot be read"


class EmptyFile(FileRefused):
    code = "empty_file"


class UnsupportedFile(FileRefused):
    code = "unsupported_file"


class MislabelledFile(FileRefused):
    code = "mislabelled_file"


class InvalidRequest(ChatError):
    status, code, title = 422, "invalid_request", "The request is not valid"


class IdempotencyMismatch(ChatError):
    status, code, title = 422, "idempotency_mismatch", "The key belongs to another request"
    told = "This Idempotency-Key came with another body before. Use a new key for a new message."


class ContextTooLarge(ChatError):
    status, code, title = 422, "context_too_large", "The message does not fit"


class PreconditionRequired(ChatError):
    status, code, title = 428, "precondition_required", "Say which version you change"


class LimitReached(ChatError):
    """One of the user's limits; `limit` says which, and the title what there was too much of."""

    status, code, title = 429, "rate_limited", "Too many messages"
    at_once: ClassVar = {"event_streams": "streams", "open_uploads": "uploads", "waiting_bytes": "files"}
    at_once |= {f"parallel_{what}": what for what in ("exports", "imports", "lists", "previews", "reads")}

    def __init__(self, detail: str, *, limit: str, retry_after_s: int) -> None:
        super().__init__(detail, retry_after_s=retry_after_s, limit=limit)
        self.limit = limit
        if limit in self.at_once:
            self.title = f"Too many {self.at_once[limit]} at once"


class RateLimited(LimitReached):
    """Too much at once: a moment later it works."""


class QuotaExhausted(LimitReached):
    code, title = "quota_exhausted", "The tokens of the day are used up"


class ModelFailed(ChatError):
    """The provider refused, broke off or answered with something that is no answer."""

    status, code, title = 502, "model_failed", "The model failed"
    told = "The model did not finish its answer. Try again."


class ModelNotConfigured(ChatError):
    status, code, title = 503, "model_not_configured", "The model is not set up"


class ModelTimeout(ChatError):
    status, code, title = 504, "model_timeout", "The model took too long"
    told = "The model did not answer in time. Try again."


class DatabaseUnavailable(ChatError):
    status, code, title = 503, "database_unavailable", "The database does not answer"

    def __init__(self, detail: str = "The database does not answer right now. Try again in a moment.") -> None:
        super().__init__(detail, retry_after_s=2)


class Crowded(DatabaseUnavailable):
    """One user has as many connections as he may have, and none of them was free in time."""

    code, title = "overloaded", "Too much arrives at once"

    def __init__(self) -> None:
        super().__init__("Too many of your requests are being answered. Try again in a moment.")


class ShuttingDown(ChatError):
    """Another process takes over, or this one is back in a moment."""

    status, code, title = 503, "shutting_down", "The server is about to end"

    def __init__(self, detail: str = "The server takes nothing new because it ends. Try again in a moment.") -> None:
        super().__init__(detail, retry_after_s=2)


class IssuerUnavailable(ChatError):
    """Not a 401: a client that gets one throws a good token away."""

    status, code, title = 503, "issuer_unavailable", "The sign-in service does not answer"

    def __init__(self) -> None:
        super().__init__("The sign-in service does not answer right now. Try again in a moment.", retry_after_s=5)


class Overloaded(ChatError):
    """There is no room for what is being sent."""

    status, code, title = 503, "overloaded", "Too much arrives at once"

    def __init__(self, detail: str = "Too much arrives at once. Try again in a moment.") -> None:
        super().__init__(detail, retry_after_s=2)


class Lost(Exception):
    """This attempt is no longer the one that counts: its session was deleted, or somebody has taken the turn over."""


class EmbedderFailed(Exception):
    """Whoever makes vectors did not; the text is ours, and may be shown."""


class RevisionFailed(Exception):
    """The memory agent did not get to its end: its turns are revised again later."""


class MessageError(ValueError):
    """A message that lacks what makes it one, or an id that no message has."""


class StartupError(Exception):
    """The server refuses to start; the text lists every problem and its remedy."""
