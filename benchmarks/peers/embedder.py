"""Our own embedder, as LangChain's and mem0's classes want it: every store is searched with the same vectors."""

from pathlib import Path

import numpy as np
import wordllama
from langchain_core.embeddings import Embeddings

DIMENSIONS = 256


class WordLlama(Embeddings):
    def __init__(self) -> None:
        self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(value) for value in vector] for vector in np.asarray(self._model.embed(texts, norm=True))]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embed_documents(texts)  # 80 us: a thread would take longer

    async def aembed_query(self, text: str) -> list[float]:
        return self.embed_query(text)
