"""The providers of models: which package speaks to each, which variable holds its key, how its options are called."""

import importlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from langchain_core.language_models import BaseChatModel

from chatServer.agent.thoughts import with_thoughts

OPENAI = "langchain-openai"
OPENROUTER = "https://openrouter.ai/api/v1"
NO_KEY = "none-needed"  # what a server of your own gets when MODEL_API_KEY is not set; OpenAI's client wants some text

# OpenAI's own models refuse `max_tokens`; most compatible servers know nothing else.
_OPENAI_NAME = re.compile(r"(?:gpt-|chatgpt|o\d)")

Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a model is built from."""

    model: str
    key: str | None
    base_url: str | None
    timeout_s: float
    output_tokens: int | None

    def __repr__(self) -> str:
        return f"Wanted({self.model!r})"  # never the key


@dataclass(frozen=True, slots=True)
class Provider:
    package: str
    chat_class: str
    keys: tuple[str, ...]  # the variables that may hold the key; none: it needs none
    options: Callable[[Wanted], Options]
    base_url: str | None = None

    @property
    def module(self) -> str:
        return self.package.replace("-", "_")

    @property
    def is_installed(self) -> bool:
        """Looks for the package without importing it."""
        return find_spec(self.module) is not None

    def build(self, wanted: Wanted) -> BaseChatModel:
        """Import the package, which takes seconds the first time, and make the model."""
        chat_class: type[BaseChatModel] = getattr(importlib.import_module(self.module), self.chat_class)
        if self.package == OPENAI:
            chat_class = with_thoughts(chat_class)
        return chat_class(**self.options(wanted))


def _common(wanted: Wanted) -> Options:
    options = {"model": wanted.model, "api_key": wanted.key, "timeout": wanted.timeout_s, "max_retries": 0}
    return options if wanted.output_tokens is None else options | {"max_tokens": wanted.output_tokens}


def _openai(wanted: Wanted) -> Options:
    # A client of its own: the package would share one for ever, and nobody could close it.
    client = importlib.import_module("openai").DefaultAsyncHttpxClient()
    options = _common(wanted) | {"stream_usage": True, "stream_chunk_timeout": wanted.timeout_s}
    options |= {"http_async_client": client}
    if wanted.base_url is None:
        return options
    options |= {"api_key": wanted.key or NO_KEY, "base_url": wanted.base_url, "use_responses_api": False}
    if "max_tokens" in options and not _OPENAI_NAME.match(wanted.model):
        options["extra_body"] = {"max_tokens": options.pop("max_tokens")}
    return options


def _mistral(wanted: Wanted) -> Options:
    return _common(wanted) | {"timeout": math.ceil(wanted.timeout_s)}


def _ollama(wanted: Wanted) -> Options:
    return {
        "model": wanted.model,
        "num_predict": wanted.output_tokens,
        "client_kwargs": {"timeout": wanted.timeout_s},
    }


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(OPENAI, "ChatOpenAI", ("OPENAI_API_KEY",), _openai),
    "openrouter": Provider(OPENAI, "ChatOpenAI", ("OPENROUTER_API_KEY",), _openai, OPENROUTER),
    "anthropic": Provider("langchain-anthropic", "ChatAnthropic", ("ANTHROPIC_API_KEY",), _common),
    "google_genai": Provider(
        "langchain-google-genai", "ChatGoogleGenerativeAI", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), _common
    ),
    "ollama": Provider("langchain-ollama", "ChatOllama", (), _ollama),
    "mistralai": Provider("langchain-mistralai", "ChatMistralAI", ("MISTRAL_API_KEY",), _mistral),
    "groq": Provider("langchain-groq", "ChatGroq", ("GROQ_API_KEY",), _common),
    "deepseek": Provider("langchain-deepseek", "ChatDeepSeek", ("DEEPSEEK_API_KEY",), _openai),
    "xai": Provider("langchain-xai", "ChatXAI", ("XAI_API_KEY",), _openai),
}
ALIASES = {"google": "google_genai", "mistral": "mistralai"}
