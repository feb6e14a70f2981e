"""How much each feature counts: read from weights.json, which names the command that made it."""

import json
from dataclasses import dataclass, field
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Weights:
    """By the name of the feature."""

    bias: float
    by_name: dict[str, float] = field(hash=False)

    def of(self, name: str) -> float:
        return self.by_name.get(name, 0.0)


def shipped_weights() -> Weights:
    """The learned ones, and for memories, of which there is no data, those set by hand."""
    read = json.loads(files("chatServer.memory.ranking").joinpath("weights.json").read_text())
    return Weights(read["bias"], {**read["learned"], **read["by_hand"]})
