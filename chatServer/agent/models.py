"""Models by name: `builtin`, `script:FILE`, and `provider:model` of LangChain's packages, imported when first used."""

import asyncio
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel

from chatServer.agent.builtin.responder import BuiltinModel
from chatServer.agent.providers import ALIASES, PROVIDERS, Provider, Wanted
from chatServer.agent.script import ScriptedModel
from chatServer.agent.script_file import Script, read_script
from chatServer.config import Settings
from chatServer.errors import ModelNotConfigured, StartupError
from chatServer.records import Agent

BUILTIN = "builtin"
SCRIPT = "script:"
CONTEXT_TOKENS = 128_000  # of models that nobody has told us about

logger = logging.getLogger(__name__)


class Models:
    """Every model that this process has used, each built once."""

    def __init__(self, settings: Settings, environment: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._environment = os.environ if environment is None else environment
        self._built: dict[tuple[str, int | None], BaseChatModel] = {}
        self._tokens: dict[str, int] = {}  # what LangChain knows of those that were built
        self._scripts: dict[str, Script] = {}
        self._building = asyncio.Lock()
        self.loading: str | None = None  # what is being warmed up

    async def get(self, name: str, *, output_tokens: int | None = None) -> BaseChatModel:
        """The model, or ModelNotConfigured with what is missing."""
        key = (name, output_tokens)
        if key not in self._built:
            async with self._building:
                if key not in self._built:
                    # In a thread: packages take seconds to import.
                    self._built[key] = model = await asyncio.to_thread(self._build, name, output_tokens)
                    self._tokens[name] = _context_tokens(model)
        return self._built[key]

    async def purpose(
        self, name: str, purpose: Literal["revise", "summary", "title"], *, output_tokens: int | None = None
    ) -> BaseChatModel | None:
        """The model for work behind the scenes; None where rules must do."""
        if name == BUILTIN:
            return None
        if name.startswith(SCRIPT):
            script = await asyncio.to_thread(self._script, name)
            return ScriptedModel(script=script, purpose=purpose) if script.knows(purpose) else None
        return await self.get(name, output_tokens=output_tokens)

    async def warm(self, names: Iterable[str]) -> None:
        """Import and build what will be asked, so that nobody waits for it, and say what cannot be built."""
        for name in dict.fromkeys(names):
            self.loading = name
            try:
                await self.get(name)
            except ModelNotConfigured as problem:
                logger.warning("a model cannot be used: %s", problem.detail)
        self.loading = None

    async def close(self) -> None:
        """Hang up the connections that are kept for the next question."""
        for model in self._built.values():
            if (client := getattr(model, "http_async_client", None)) is not None:
                await client.aclose()
        self._built.clear()

    def context_tokens(self, name: str) -> int:
        """What the model can take in all, once it was used and where LangChain knows it."""
        return self._tokens.get(name, CONTEXT_TOKENS)

    def problem(self, name: str) -> ModelNotConfigured | None:
        """Why this model cannot be used, found without importing its package."""
        if name == BUILTIN:
            return None
        try:
            if name.startswith(SCRIPT):
                self._script(name)
            else:
                self._wanted(name, None)
        except ModelNotConfigured as problem:
            return problem
        return None

    def unable(self, agents: Iterable[Agent]) -> dict[str, str]:
        """The agents that cannot answer, by name, each with what is missing."""
        found = {agent.name: self.problem(agent.model or self._settings.model) for agent in agents}
        return {name: problem.detail for name, problem in found.items() if problem}

    def _build(self, name: str, output_tokens: int | None) -> BaseChatModel:
        if name == BUILTIN:
            return BuiltinModel()
        if name.startswith(SCRIPT):
            return ScriptedModel(script=self._script(name))
        provider, wanted = self._wanted(name, output_tokens)
        try:
            return provider.build(wanted)
        except ImportError as error:
            package = provider.package
            remedy = f".venv/bin/pip install --upgrade {package}"
            raise ModelNotConfigured(f"The package {package} of the model {name} is broken: {remedy}") from error
        except Exception as error:  # noqa: BLE001  packages refuse options in ways of their own, and quote them
            logger.error("a model cannot be set up", extra={"fields": {"error": type(error).__name__, "model": name}})
            raise ModelNotConfigured(f"The model {name} cannot be set up: its package refuses our options.") from None

    def _script(self, name: str) -> Script:
        if name not in self._scripts:
            try:
                self._scripts[name] = read_script(Path(name.removeprefix(SCRIPT)))
            except StartupError as error:
                raise ModelNotConfigured(str(error)) from error
        return self._scripts[name]

    def _wanted(self, name: str, output_tokens: int | None) -> tuple[Provider, Wanted]:
        kind, model = _parted(name)
        provider = PROVIDERS.get(kind)
        if provider is None or not model:
            known = ", ".join([BUILTIN, f"{SCRIPT}FILE", *(f"{known}:NAME" for known in PROVIDERS)])
            raise ModelNotConfigured(f"There is no model {name}. Models are called: {known}.")
        if not provider.is_installed:
            package = provider.package
            raise ModelNotConfigured(f"The model {name} needs the package {package}: .venv/bin/pip install {package}")
        base_url = str(self._settings.model_base_url or "") if kind == "openai" else provider.base_url
        key = self._key(kind, provider)
        if key is None and provider.keys and not (kind == "openai" and base_url):
            named = " or ".join(self._key_names(kind, provider))
            raise ModelNotConfigured(f"The model {name} needs a key: set {named}.")
        return provider, Wanted(model, key, base_url or None, self._settings.model_timeout_s, output_tokens)

    def _key(self, kind: str, provider: Provider) -> str | None:
        values = [self._environment.get(name) for name in provider.keys]
        if kind == "openai" and self._settings.model_base_url:
            values = []  # OpenAI's key is not for other servers
        if kind == self._owner_of_key() and self._settings.model_api_key:
            values.insert(0, self._settings.model_api_key.get_secret_value())
        return next((value for value in values if value), None)

    def _key_names(self, kind: str, provider: Provider) -> list[str]:
        return ["MODEL_API_KEY", *provider.keys] if kind == self._owner_of_key() else list(provider.keys)

    def _owner_of_key(self) -> str:
        """MODEL_API_KEY goes to one provider only: that of MODEL_BASE_URL, else that of MODEL."""
        kind, _ = _parted(self._settings.model)
        return "openai" if self._settings.model_base_url or kind not in PROVIDERS else kind


def _context_tokens(model: BaseChatModel) -> int:
    profile: Mapping[str, Any] = model.profile or {}
    tokens = profile.get("max_input_tokens")
    return tokens if isinstance(tokens, int) and tokens > 0 else CONTEXT_TOKENS


def _parted(name: str) -> tuple[str, str]:
    kind, _, model = name.partition(":")
    return ALIASES.get(kind, kind), model
