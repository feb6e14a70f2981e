"""Another embedder than ours."""

import numpy as np

from chatServer.errors import EmbedderFailed
from chatServer.memory.embed import unit_length


class Stand:
    """Another embedder, of another size, that may fail."""

    def __init__(self, name: str = "stand:in", size: int = 3, *, fails: bool = False) -> None:
        self.name, self.size, self.fails = name, size, fails
        self.asked: list[str] = []

    async def embed(self, texts):
        if self.fails:
            raise EmbedderFailed("It is gone.")
        self.asked += texts
        return unit_length(np.array([[len(text), 1, 2][: self.size] for text in texts]))

    async def warm(self):
        pass
