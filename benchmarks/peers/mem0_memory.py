"""mem0 on pgvector with its HNSW index; `infer=False`, so that no model is asked.

spaCy's models are in no package index, so words are compared as they stand, as mem0 does without them.
"""

import os
import time

from fastapi import FastAPI
from mem0 import Memory

from benchmarks.peers.embedder import DIMENSIONS, WordLlama
from benchmarks.peers.instant import Instant
from benchmarks.peers.told import POOL_SIZE, URL, RecallRequest, RememberRequest, TellRequest

memory = Memory.from_config(
    {
        "vector_store": {
            "provider": "pgvector",
            "config": {
                "connection_string": URL, "collection_name": "memories", "embedding_model_dims": DIMENSIONS,
                "hnsw": True, "minconn": POOL_SIZE, "maxconn": POOL_SIZE,
            },
        },
        "embedder": {"provider": "langchain", "config": {"model": WordLlama(), "embedding_dims": DIMENSIONS}},
        "llm": {"provider": "langchain", "config": {"model": Instant()}},
        "history_db_path": os.path.join(os.environ["HOME"], "mem0-history.db"),  # noqa: PTH118  mem0 wants a str
    }
)  # fmt: skip
app = FastAPI()


@app.post("/remember")
def remember(asked: RememberRequest) -> None:
    memory.add([{"role": "user", "content": asked.text}], user_id=asked.user_id, infer=False)


@app.post("/tell")
def tell(asked: TellRequest) -> None:
    for each in asked.messages:
        said = [{"role": each.role, "content": each.content}]
        memory.add(said, user_id=asked.user_id, metadata={"message_id": each.id}, infer=False)


@app.post("/recall")
def recall(asked: RecallRequest) -> dict[str, list[str] | float]:
    began = time.perf_counter()
    found = memory.search(asked.question, top_k=asked.limit, filters={"user_id": asked.user_id})["results"]
    took_ms = (time.perf_counter() - began) * 1_000
    ids = [(each.get("metadata") or {}).get("message_id", "") for each in found]
    return {"texts": [each["memory"] for each in found], "ids": ids, "took_ms": took_ms}
