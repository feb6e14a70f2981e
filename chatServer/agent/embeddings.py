"""The embedder that EMBEDDER names: our own, none, or one of LangChain's packages, imported when first used."""

import asyncio
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from chatServer.agent.providers import NO_KEY
from chatServer.config import Settings
from chatServer.errors import EmbedderFailed
from chatServer.memory.embed import (
    OFF,
    TEXT_CHARACTERS,
    WORDLLAMA,
    Embedder,
    NoEmbedder,
    Vectors,
    WordLlamaEmbedder,
    unit_length,
)

ANSWER_S = 20


class LangChainEmbedder:
    """Any embeddings that LangChain knows by name; what they raise becomes EmbedderFailed, without their words."""

    def __init__(self, name: str, options: dict[str, Any] | None = None) -> None:
        self.name = name
        self.size: int | None = None
        self._options = options or {}
        self._built: Embeddings | None = None
        self._building = asyncio.Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        embeddings = await self._embeddings()
        cut = [text[:TEXT_CHARACTERS] or " " for text in texts]
        try:
            async with asyncio.timeout(ANSWER_S):
                vectors = unit_length(np.array(await embeddings.aembed_documents(cut), np.float32))
        except Exception as error:
            raise EmbedderFailed(f"The embedder {self.name} did not answer ({type(error).__name__}).") from error
        if vectors.shape != (len(texts), self.size or vectors.shape[1]):
            raise EmbedderFailed(f"The embedder {self.name} answered with vectors of another size.")
        self.size = vectors.shape[1]
        return vectors

    async def warm(self) -> None:
        await self._embeddings()

    async def _embeddings(self) -> Embeddings:
        async with self._building:
            if self._built is None:
                self._built = await asyncio.to_thread(self._build)
        return self._built

    def _build(self) -> Embeddings:
        try:
            built = importlib.import_module("langchain.embeddings").init_embeddings(self.name, **self._options)
        except Exception as error:
            # ImportError names the package, ValueError the providers, the others quote options.
            said = f" {error}" if isinstance(error, ImportError | ValueError) and not self._options else ""
            raise EmbedderFailed(
                f"The embedder {self.name} cannot be set up ({type(error).__name__}).{said}"
            ) from error
        assert isinstance(built, Embeddings)  # nosec B101 # narrows a type
        return built


def embedder_of(settings: Settings) -> Embedder:
    """The embedder that EMBEDDER names."""
    if settings.embedder == WORDLLAMA:
        return WordLlamaEmbedder()
    if settings.embedder == OFF:
        return NoEmbedder()
    return LangChainEmbedder(settings.embedder, _options(settings))


def _options(settings: Settings) -> dict[str, Any]:
    """A server of your own that speaks OpenAI's language takes texts, not OpenAI's tokens."""
    if settings.model_base_url is None or not settings.embedder.startswith("openai:"):
        return {}
    key = settings.model_api_key.get_secret_value() if settings.model_api_key else NO_KEY
    return {"base_url": settings.model_base_url, "api_key": key, "check_embedding_ctx_length": False}
