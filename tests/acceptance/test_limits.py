"""Limits over two real server processes on one database."""

import asyncio
import json

import httpx

from tests.tools.running import server

POSTS = 100
ALLOWED = 10


def test_a_hundred_posts_to_two_processes_at_a_limit_of_ten_are_ten_model_calls(data_dir):
    script, log = data_dir / "script.json", data_dir / "calls.jsonl"
    script.write_text(json.dumps({"rules": [], "default": "Yes.", "log": str(log)}))
    settings = {"MODEL": f"script:{script}", "LIMIT_TURNS_PER_MINUTE": str(ALLOWED), "DATABASE_POOL_WAIT_MS": "30000"}
    with server(data_dir, **settings) as one, server(data_dir, **settings) as two:
        answers = asyncio.run(post_all([one.address, two.address], one.headers()))
    statuses = [answer.status_code for answer in answers]
    assert (statuses.count(200), statuses.count(429)) == (ALLOWED, POSTS - ALLOWED)
    assert len([line for line in log.read_text().splitlines() if json.loads(line)["state"] == "started"]) == ALLOWED
    assert all(1 <= int(answer.headers["retry-after"]) <= 60 for answer in answers if answer.status_code == 429)
    print(f"{POSTS} posts to two processes: {ALLOWED} answers and model calls")


async def post_all(addresses: list[str], headers: dict[str, str]) -> list[httpx.Response]:
    async with httpx.AsyncClient(headers=headers, timeout=60, limits=httpx.Limits(max_connections=POSTS)) as client:
        agents = [("assistant", "coder")[i // 2 % 2] for i in range(POSTS)]
        asks = [{"message": "hello", "session_id": f"s{i}", "agent_id": agent} for i, agent in enumerate(agents)]
        async with asyncio.timeout(50):  # all within the minute of the limit
            return await asyncio.gather(*(insist(client, addresses[i % 2], ask) for i, ask in enumerate(asks)))


async def insist(client: httpx.AsyncClient, address: str, ask: dict[str, str]) -> httpx.Response:
    """An answer that is not 503, which a machine with too much to do may say."""
    while (answer := await client.post(f"{address}/api/chat", json=ask)).status_code == 503:
        await asyncio.sleep(1)
    return answer
