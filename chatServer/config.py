"""Settings: read once from the environment, all problems reported at once, passed down."""

import ipaddress
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from chatServer.errors import StartupError

PACKAGES = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (PACKAGES / "pyproject.toml").exists()
# What lies beside the package in a checkout is in it in a wheel.
ROOT = PACKAGES if IS_CHECKOUT else PACKAGES / "chatServer" / "beside"
DATA_DIR = ROOT / ".data" if IS_CHECKOUT else Path("~/.local/share/chatserver")
MIN_SECRET_LENGTH = 32
MIN_TOKEN_LENGTH = 16
PLACEHOLDERS = ("super-secret-jwt-token", "changeme", "change-me", "your-secret", "placeholder", "example")


def _written(pattern: str, how: str) -> AfterValidator:
    """A text of a form, which is said where it has another."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(how)
        return value

    return AfterValidator(check)


def _long_enough(secret: SecretStr) -> SecretStr:
    if len(secret.get_secret_value()) < MIN_TOKEN_LENGTH:
        raise ValueError(f"at least {MIN_TOKEN_LENGTH} characters, lest it be guessed")
    return secret


def _home(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError as error:
        raise ValueError("there is no such user, whose home ~ would be") from error


HttpAddress = Annotated[
    str,
    _written(
        r"https?://[^\s/?#@]+(/[^\s?#]*)?",
        "an address begins with http:// or https://, such as http://localhost:11434, and has no user, ? or #",
    ),
]
EmbedderName = Annotated[
    str, _written(r"wordllama|off|[a-z0-9_]+:\S+", "wordllama, off, or PROVIDER:MODEL, such as openai:NAME")
]
GuardName = Annotated[str, _written(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", "a function as MODULE:NAME, such as guards:check")]
Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]

# Of one user; 0: none.
Limit = Annotated[int, Field(ge=0)]
TurnsPerMinute = Annotated[int, Field(ge=0, le=10_000)]  # the time of each is kept, in one row

Folder = Annotated[Path, AfterValidator(_home)]


def _split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _named_origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    """Browsers compare origins letter by letter, so one that is not written as they do would never match."""
    if "*" in origins:
        raise ValueError(
            "* would let every web page that a user visits talk to this server with that user's browser, and with"
            " AUTH_MODE=dev even sign in; browsers refuse it for requests with credentials anyway. Name the origins"
        )
    if not all(_ORIGIN.match(origin) for origin in origins):
        raise ValueError("an origin is scheme, host and port in lower case, without a path: https://app.example")
    return origins


_ORIGIN = re.compile(r"^https?://[a-z0-9.\-\[\]:]+\Z")
Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_named_origins)]


class Settings(BaseSettings):
    """What an operator can set; `.env.example` shows each one."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,  # a line of the example without its value is none
        extra="ignore",
        frozen=True,
    )

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    chat_data_dir: Folder = DATA_DIR
    agents_dir: Folder = ROOT / "agents"
    web_dir: Folder = ROOT / "webApp" / "dist"
    default_agent: str = "assistant"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    git_commit: str = ""
    cors_origins: Origins = ()
    allow_langsmith: bool = False

    model: str = "builtin"
    model_base_url: HttpAddress | None = None
    model_api_key: SecretStr | None = None
    model_timeout_s: Seconds = 120
    tool_timeout_s: Seconds = 30
    turn_timeout_s: Seconds = 300

    embedder: EmbedderName = "wordllama"
    recall_cache_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 256
    recall_deadline_ms: Annotated[int, Field(ge=20, le=10_000)] | None = None  # None: what `recall_ms` says
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None  # None: memories that nobody needs stay

    revise_model: Literal["off", "every_turn", "on_summary"] = "on_summary"
    memory_compression_threshold_pct: Annotated[int, Field(ge=10, le=95)] = 85
    memory_compression_target_tokens: Annotated[int, Field(ge=50, le=100_000)] = 1_000
    memory_compression_deadline_s: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 5
    guard: GuardName | None = None

    limit_turns_per_minute: TurnsPerMinute = 60
    limit_parallel_turns: Limit = 8
    limit_tokens_per_day: Limit = 2_000_000
    limit_revision_tokens_per_day: Limit = 200_000
    limit_articles: Limit = 1_000
    limit_chunks: Limit = 10_000
    limit_anonymous_turns_per_minute: TurnsPerMinute = 10
    limit_anonymous_parallel_turns: Limit = 2
    limit_anonymous_tokens_per_day: Limit = 100_000

    worker: Literal["inprocess", "off"] = "inprocess"
    metrics_token: Annotated[SecretStr, AfterValidator(_long_enough)] | None = None
    shutdown_grace_s: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 25

    database_url: SecretStr | None = None
    database_direct_url: SecretStr | None = None
    migration_database_url: SecretStr | None = None
    database_pool_size: Annotated[int, Field(ge=1, le=200)] = 10
    database_pool_wait_ms: Annotated[int, Field(ge=10, le=60_000)] = 1_000
    database_statement_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = 5_000
    database_idle_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = 10_000

    auth_mode: Literal["dev", "supabase", "secret"] = "dev"
    supabase_url: HttpAddress | None = None
    auth_issuer: HttpAddress | None = None
    auth_jwks_url: HttpAddress | None = None
    auth_audience: str = "authenticated"
    auth_jwt_secret: SecretStr | None = None
    auth_internal_url: HttpAddress | None = None
    supabase_secret_key: SecretStr | None = None
    supabase_publishable_key: str | None = None  # for browsers; no secret

    @model_validator(mode="after")
    def identity_is_settled(self) -> Self:
        if problems := list(self._identity_problems()):
            raise ValueError("\n  ".join(problems))
        return self

    def _identity_problems(self) -> Iterator[str]:
        if self.auth_mode == "dev" and not is_loopback(self.host):
            yield "AUTH_MODE=dev lets anybody who reaches the port be anybody: HOST must be a loopback address"
        if self.auth_mode != "dev" and not (self.auth_issuer or self.supabase_url):
            yield f"AUTH_MODE={self.auth_mode} needs SUPABASE_URL, or AUTH_ISSUER"
        if self.auth_mode == "secret":
            yield from self._secret_problems()

    def _secret_problems(self) -> Iterator[str]:
        secret = self.auth_jwt_secret.get_secret_value() if self.auth_jwt_secret else ""
        if len(secret) < MIN_SECRET_LENGTH:
            yield f"AUTH_MODE=secret needs AUTH_JWT_SECRET, of at least {MIN_SECRET_LENGTH} characters"
        elif not is_loopback(self.host) and any(word in secret.lower() for word in PLACEHOLDERS):
            yield "AUTH_JWT_SECRET is a placeholder that everybody knows: choose one of your own"

    @property
    def issuer(self) -> str:
        """What tokens name as their issuer."""
        return self.auth_issuer or f"{(self.supabase_url or '').rstrip('/')}/auth/v1"

    @property
    def jwks_url(self) -> str:
        """Where the issuer's keys are."""
        return self.auth_jwks_url or f"{self.issuer}/.well-known/jwks.json"

    @property
    def embedded(self) -> bool:
        """Whether we run our own Postgres under CHAT_DATA_DIR."""
        return self.database_url is None

    @property
    def recall_ms(self) -> int:
        """How long recall may look: beside an embedded Postgres the machine builds and browses, too (0023)."""
        return self.recall_deadline_ms or (1_000 if self.embedded else 50)

    @property
    def owner_url(self) -> str:
        """Who migrates a database that is not embedded."""
        if self.migration_database_url is None:
            raise StartupError("MIGRATION_DATABASE_URL is not set: this runs as the owner of the database.")
        return self.migration_database_url.get_secret_value()

    @property
    def database_url_is_direct(self) -> bool:
        """A URL counts as a pooler unless DATABASE_DIRECT_URL names the same address."""
        return self.embedded or self.database_url == self.database_direct_url


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def load_settings() -> Settings:
    """Read the environment, or say everything that is wrong with it."""
    try:
        return Settings()
    except ValidationError as error:
        raise StartupError("\n".join(_problems(error))) from error


# What a value should be, by the kind of pydantic's complaint, in the words of our own.
_SAID = {
    "int_parsing": "a whole number, in digits",
    "int_parsing_size": "a whole number that is not so long",
    "float_parsing": "a number, such as 30 or 2.5",
    "finite_number": "a finite number",
    "bool_parsing": "true or false",
    "greater_than": "more than {gt:.15g}",
    "greater_than_equal": "at least {ge:.15g}",
    "less_than_equal": "at most {le:.15g}",
    "literal_error": "one of these: {expected}",
}


def _problems(error: ValidationError) -> list[str]:
    lines = ["The settings are not valid:"]
    for problem in error.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in problem["loc"]).upper()
        said = _SAID.get(problem["type"])
        message = said.format(**problem.get("ctx", {})) if said else problem["msg"].removeprefix("Value error, ")
        lines.append(f"  {name}: {message}" if name else f"  {message}")
    return lines
