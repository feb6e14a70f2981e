"""Settings: read once from the environment, all problems reported at once, passed down."""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from chatServer.errors import StartupError

ROOT = Path(__file__).resolve().parent.parent

Folder = Annotated[Path, AfterValidator(Path.expanduser)]


class Settings(BaseSettings):
    """What an operator can set; `.env.example` shows each one."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    chat_data_dir: Folder = ROOT / ".data"
    agents_dir: Folder = ROOT / "agents"
    default_agent: str = "assistant"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    database_url: SecretStr | None = None
    database_direct_url: SecretStr | None = None
    migration_database_url: SecretStr | None = None
    database_pool_size: Annotated[int, Field(ge=1, le=200)] = 10
    database_pool_wait_ms: Annotated[int, Field(ge=10, le=60_000)] = 1_000
    database_statement_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = 5_000
    database_idle_timeout_ms: Annotated[int, Field(ge=100, le=600_000)] = 10_000

    auth_mode: Literal["dev"] = "dev"

    @model_validator(mode="after")
    def dev_sign_in_stays_on_this_machine(self) -> Self:
        if self.auth_mode == "dev" and not is_loopback(self.host):
            raise ValueError(
                f"AUTH_MODE=dev lets anybody who reaches the port be anybody: HOST must be a loopback address, "
                f"not {self.host}"
            )
        return self

    @property
    def embedded(self) -> bool:
        """Whether we run our own Postgres under CHAT_DATA_DIR."""
        return self.database_url is None

    @property
    def owner_url(self) -> str:
        """Who migrates a database that is not embedded."""
        if self.migration_database_url is None:
            raise StartupError("MIGRATION_DATABASE_URL is not set: migrations run as the owner of the database.")
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


def _problems(error: ValidationError) -> list[str]:
    lines = ["The settings are not valid:"]
    for problem in error.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in problem["loc"]).upper()
        message = problem["msg"].removeprefix("Value error, ")
        lines.append(f"  {name}: {message}" if name else f"  {message}")
    return lines
