"""A model that is not set up is said at the start and by /readyz, not by the first chat alone."""

import httpx
import pytest

from tests.conftest import serving
from tests.tools.contexts import with_agents
from tests.tools.turns import eventually

MODEL = {"model": "openai:gpt-5-mini"}
KEY_IS_MISSING = "The model openai:gpt-5-mini needs a key: set MODEL_API_KEY or OPENAI_API_KEY."


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(
    ("name", "said"), [("openai:gpt-5-mini", KEY_IS_MISSING), ("gpt-5", "There is no model gpt-5. Models are called: ")]
)
async def test_a_model_that_no_agent_can_do_without_is_said_in_the_log_and_is_not_ready(settings, caplog, name, said):
    async with serving(settings.model_copy(update={"model": name})) as client:
        found = await loaded(client)
    assert found.status_code == 503
    assert not found.json()["ready"]
    assert not found.json()["checks"]["models"]["ok"]
    assert found.json()["checks"]["models"]["detail"].startswith(said)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line for line in warned if said in line], warned


async def test_an_agent_with_a_model_of_its_own_keeps_the_server_ready_and_the_default_is_still_not_ok(
    settings, tmp_path
):
    settings = with_agents(settings.model_copy(update=MODEL), tmp_path, first="null", second="builtin")
    async with serving(settings) as client:
        found = await loaded(client)
    assert (found.status_code, found.json()["ready"]) == (200, True)
    assert found.json()["checks"]["models"] == {"ok": False, "detail": KEY_IS_MISSING}


async def test_the_model_of_the_default_agent_is_what_counts(settings, tmp_path):
    settings = with_agents(settings.model_copy(update=MODEL), tmp_path, first="builtin", second="null")
    async with serving(settings) as client:
        found = await loaded(client)
    assert found.status_code == 200
    assert found.json()["checks"]["models"] == {"ok": True, "detail": "loaded"}


async def loaded(client: httpx.AsyncClient) -> httpx.Response:
    """What /readyz says once nothing is being loaded any more."""

    async def once_loaded() -> httpx.Response | None:
        found = await client.get("/readyz")
        return None if "loading" in found.text else found

    return await eventually(once_loaded)
