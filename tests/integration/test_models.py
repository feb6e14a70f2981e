"""Models by name, over a real wire to a server of our own: nothing leaves this machine."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from pydantic import SecretStr

from chatServer import errors
from chatServer.agent import model_errors
from chatServer.agent.builtin.responder import BuiltinModel
from chatServer.agent.model_errors import translated
from chatServer.agent.models import CONTEXT_TOKENS, Models
from chatServer.agent.providers import PROVIDERS
from chatServer.agent.script import ScriptedModel
from chatServer.config import ROOT, Settings
from tests.tools.canary import CANARY
from tests.tools.openai_server import OpenAIServer

KEY = "a-key-that-nobody-sees"
pytestmark = pytest.mark.usefixtures("no_request_goes_elsewhere")


@pytest.fixture(scope="module")
def wire() -> Iterator[OpenAIServer]:
    server = OpenAIServer()
    yield server
    server.close()


_opened: list[Models] = []


@pytest.fixture(autouse=True)
async def _all_are_closed() -> AsyncIterator[None]:
    yield
    while _opened:
        await _opened.pop().close()


def opened(environment: dict[str, str] | None = None, **values) -> Models:
    _opened.append(Models(Settings(_env_file=None, **values), environment or {}))
    return _opened[-1]


def models(wire: OpenAIServer, **values) -> Models:
    return opened(**{"model_base_url": wire.base_url, "model_api_key": SecretStr(KEY), "model_timeout_s": 20, **values})


async def asked(wire: OpenAIServer, mode: str, text: str = "Hi", **values) -> list[AIMessageChunk]:
    model = await models(wire, **values).get(f"openai:{mode}")
    return [chunk async for chunk in model.astream([HumanMessage(text)])]


async def failure(wire: OpenAIServer, mode: str, text: str = "Hi", **values) -> errors.ChatError:
    try:
        await asked(wire, mode, text, **values)
    except Exception as error:  # noqa: BLE001  whatever it is, it is translated
        return translated(error)
    raise AssertionError("it did not fail")


def whole(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    first, *rest = chunks
    for chunk in rest:
        first += chunk
    return first


# The wire --------------------------------------------------------------------------------------------------


async def test_text_arrives_in_pieces_while_the_server_still_writes(wire):
    wire.released.clear()
    model = await models(wire).get("openai:waits")
    said: list[str] = []
    async for chunk in model.astream("Hi"):
        said.append(chunk.text)
        if "".join(said) == "Hello, ":
            wire.released.set()  # the rest is written only now
    assert [piece for piece in said if piece] == ["Hello", ", ", "wire", "!"]


async def test_usage_is_asked_for_and_read(wire):
    said = whole(await asked(wire, "text"))
    assert said.text == "Hello, wire!"
    assert {name: said.usage_metadata[name] for name in ("input_tokens", "output_tokens", "total_tokens")} == {
        "input_tokens": 11,
        "output_tokens": 7,
        "total_tokens": 18,
    }


async def test_parallel_tool_calls_are_put_together_from_their_fragments(wire):
    model = await models(wire).get("openai:tools")
    schema = {"name": "weather", "description": "d", "parameters": {"type": "object", "properties": {}}}
    said = whole([chunk async for chunk in model.bind_tools([schema]).astream("Hi")])
    assert [(call["name"], call["args"], call["id"]) for call in said.tool_calls] == [
        ("weather", {"city": "Köln"}, "call_0"),
        ("time", {"zone": "CET"}, "call_1"),
    ]
    assert wire.requests[-1]["tools"][0]["function"]["name"] == "weather"


async def test_the_key_travels_in_its_header_and_nowhere_else(wire, caplog):
    caplog.set_level("DEBUG")
    made = models(wire)
    model = await made.get("openai:text")
    await model.ainvoke("Hi")
    assert wire.headers[-1]["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(model) + str(model) + repr(model.asdict()) + repr(made) + caplog.text


async def test_a_server_of_your_own_needs_no_key_and_never_gets_openais(wire):
    made = opened({"OPENAI_API_KEY": KEY}, model_base_url=wire.base_url)
    await (await made.get("openai:text")).ainvoke("Hi")
    assert KEY not in wire.headers[-1]["authorization"]


@pytest.mark.parametrize(("name", "field"), [("text", "max_tokens"), ("gpt-4o", "max_completion_tokens")])
async def test_the_limit_of_an_answer_is_sent_under_the_name_that_the_server_knows(wire, name, field):
    model = await models(wire).get(f"openai:{name}", output_tokens=77)
    async for _ in model.astream("Hi"):
        pass
    sent = wire.requests[-1]
    assert {key: value for key, value in sent.items() if key.startswith("max_")} == {field: 77}


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("401", model_errors.KEY_REFUSED),
        ("403", model_errors.KEY_REFUSED),
        ("404", model_errors.UNKNOWN_MODEL),
        ("429", model_errors.BUSY),
        ("500", model_errors.IN_TROUBLE),
        ("503", model_errors.IN_TROUBLE),
        ("400", model_errors.REFUSED),
        ("breaks", model_errors.UNREACHABLE),
    ],
)
async def test_refusals_become_sentences_of_ours_after_one_try(wire, mode, sentence):
    before = len(wire.requests)
    found = await failure(wire, mode, f"{CANARY} said this")  # the server echoes it; the log must not hold it
    assert (type(found), found.detail) == (errors.ModelFailed, sentence)
    assert len(wire.requests) == before + 1


async def test_a_prompt_that_is_too_long_is_told_from_other_refusals(wire):
    assert type(await failure(wire, "context")) is errors.ContextTooLarge


async def test_a_stream_of_garbage_is_a_failure(wire):
    assert type(await failure(wire, "garbage")) is errors.ModelFailed


async def test_a_stall_in_mid_stream_ends_by_the_timeout(wire):
    wire.released.clear()
    assert type(await failure(wire, "stalls", model_timeout_s=0.3)) is errors.ModelTimeout
    wire.released.set()


async def test_a_server_that_is_not_there_is_a_failure(wire):
    found = await failure(wire, "text", model_base_url="http://127.0.0.1:9/v1")
    assert found.detail == model_errors.UNREACHABLE


# Translation -----------------------------------------------------------------------------------------------


class OverloadedError(Exception):
    status_code = 529


class APITimeoutError(Exception):
    pass


class GoogleError(Exception):
    code = 403


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (TimeoutError(CANARY), errors.ModelTimeout, "in time"),
        (APITimeoutError(CANARY), errors.ModelTimeout, "in time"),
        (OverloadedError(CANARY), errors.ModelFailed, model_errors.IN_TROUBLE),
        (GoogleError(CANARY), errors.ModelFailed, model_errors.KEY_REFUSED),
        (caused(RuntimeError(CANARY), GoogleError()), errors.ModelFailed, model_errors.KEY_REFUSED),
        (ConnectionResetError(CANARY), errors.ModelFailed, model_errors.UNREACHABLE),
        (KeyError(CANARY), errors.ModelFailed, "did not finish"),
    ],
)
def test_every_error_becomes_one_of_ours_without_its_words(error, kind, sentence):
    found = translated(error)
    assert type(found) is kind
    assert sentence in found.detail
    assert CANARY not in found.detail


def test_our_own_errors_stay_what_they_are():
    own = errors.ContextTooLarge("x")
    assert translated(own) is own


# Names -----------------------------------------------------------------------------------------------------


async def test_each_model_is_built_once(wire):
    made = models(wire)
    first, second = await asyncio.gather(made.get("openai:text"), made.get("openai:text"))
    assert first is second
    assert await made.get("openai:text", output_tokens=5) is not first
    assert isinstance(await made.get("builtin"), BuiltinModel)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("openai:gpt-5-mini", "The model openai:gpt-5-mini needs a key: set MODEL_API_KEY or OPENAI_API_KEY."),
        ("openrouter:x/y", "The model openrouter:x/y needs a key: set OPENROUTER_API_KEY."),
        (
            "anthropic:claude-opus",
            "anthropic:claude-opus needs the package langchain-anthropic: .venv/bin/pip install langchain-anthropic",
        ),
        ("google:gemini", "needs the package langchain-google-genai: .venv/bin/pip install langchain-google-genai"),
        ("ollama:llama3.2:3b", "needs the package langchain-ollama: .venv/bin/pip install langchain-ollama"),
        ("gpt-5-mini", "There is no model gpt-5-mini. Models are called: builtin, script:FILE, openai:NAME,"),
        ("openai:", "There is no model openai:."),
        ("openia:gpt-5", "There is no model openia:gpt-5."),
        ("", "There is no model ."),
        ("script:nowhere.yaml", "The script nowhere.yaml cannot be used:\n  it cannot be read: No such file"),
    ],
)
async def test_what_is_missing_is_said(name, sentence):
    made = opened()
    assert sentence in made.problem(name).detail
    with pytest.raises(errors.ModelNotConfigured) as caught:
        await made.get(name)
    assert sentence in caught.value.detail


def test_a_key_goes_to_its_own_provider_only(monkeypatch):
    monkeypatch.setattr("chatServer.agent.providers.find_spec", lambda _: object())
    made = opened(model="anthropic:a", model_api_key=SecretStr(KEY))
    assert made.problem("anthropic:b") is None
    assert "set OPENAI_API_KEY." in made.problem("openai:x").detail
    assert made.problem("ollama:x") is None
    elsewhere = opened(model="anthropic:a", model_api_key=SecretStr(KEY), model_base_url="http://h/v1")
    assert "set ANTHROPIC_API_KEY." in elsewhere.problem("anthropic:a").detail
    assert elsewhere.problem("openai:x") is None
    by_variable = opened({"GEMINI_API_KEY": KEY})
    assert by_variable.problem("google_genai:x") is None


async def test_openrouter_is_openais_protocol_at_its_own_address():
    model = await opened({"OPENROUTER_API_KEY": KEY}).get("openrouter:meta/llama")
    assert (model.openai_api_base, model.model_name) == ("https://openrouter.ai/api/v1", "meta/llama")
    assert model.openai_api_key.get_secret_value() == KEY


async def test_options_that_a_package_refuses_are_no_bug_of_ours_and_show_nothing(monkeypatch, caplog):
    class Refusing:
        def __init__(self, **options: object) -> None:
            raise ValueError(options)

    monkeypatch.setattr("langchain_openai.ChatOpenAI", Refusing)
    with pytest.raises(errors.ModelNotConfigured, match="refuses our options") as caught:
        await opened(model_api_key=SecretStr(KEY)).get("openai:x")
    assert KEY not in str(caught.value) + caplog.text


async def test_the_window_is_what_langchain_knows_of_the_model():
    made = opened(model_api_key=SecretStr(KEY))
    assert made.context_tokens("openai:gpt-4o") == CONTEXT_TOKENS
    known = await made.get("openai:gpt-5-mini")
    assert made.context_tokens("openai:gpt-5-mini") == known.profile["max_input_tokens"] != CONTEXT_TOKENS
    await made.get("openai:nobody-knows")
    assert made.context_tokens("openai:nobody-knows") == CONTEXT_TOKENS
    await made.get("builtin")
    assert made.context_tokens("builtin") == CONTEXT_TOKENS


async def test_purposes_have_a_model_where_there_is_one(wire, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("rules: [{for: title, reply: T}]\n")
    made = models(wire)
    assert await made.purpose("builtin", "title") is None
    assert await made.purpose(f"script:{path}", "summary") is None
    title = await made.purpose(f"script:{path}", "title")
    assert isinstance(title, ScriptedModel)
    assert (await title.ainvoke("x")).content == "T"
    assert await made.purpose("openai:text", "revise") is await made.get("openai:text")


def test_the_command_line_imports_no_provider():
    code = (
        "import sys, chatServer.cli, chatServer.agent.models\n"
        "print([name for name in ('langchain_openai', 'openai', 'langchain.agents') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_provider_and_its_variables_are_documented():
    page = (ROOT / "docs" / "models.md").read_text()
    for name in PROVIDERS:
        assert f"`{name}:" in page
    for variable in ("OPENAI", "OPENROUTER", "ANTHROPIC", "GOOGLE", "GEMINI"):
        assert f"`{variable}_API_KEY`" in page


def test_every_optional_package_is_an_extra_of_ours():
    extras = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    for provider in PROVIDERS.values():
        assert provider.package == "langchain-openai" or f'"{provider.package}>=' in extras
