"""script:FILE: what the file says is what the model says, round by round, word by word."""

import asyncio
import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage

from chatServer.agent.script import ScriptedFailure, ScriptedModel
from chatServer.agent.script_file import read_script
from chatServer.agent.speech import text_chunk
from chatServer.config import ROOT
from chatServer.errors import StartupError
from chatServer.messages.fence import fence


def write(folder: Path, text: str, name: str = "script.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def model(folder: Path, text: str, purpose: str = "chat") -> ScriptedModel:
    return ScriptedModel(script=read_script(write(folder, text)), purpose=purpose)


async def heard(asked: ScriptedModel, *messages) -> list[AIMessageChunk]:
    given = [HumanMessage(message) if isinstance(message, str) else message for message in messages]
    return [chunk async for chunk in asked.astream(given)]


async def answer(asked: ScriptedModel, *messages) -> AIMessageChunk:
    first, *rest = await heard(asked, *messages)
    for chunk in rest:
        first += chunk
    return first


async def test_a_tool_that_has_to_be_called_first_is_and_the_rounds_are_the_scripts_own(tmp_path):
    text = """
rules:
  - {match: "^look", tool_calls: [{name: find, args: {query: own}}], then: "{results}"}
default: "Well, {{{question}}}."
"""
    asked = model(tmp_path, text)
    forced = asked.bind_tools(["find"], tool_choice="find")
    assert [each["args"] for each in (await answer(forced, "look here")).tool_calls] == [{"query": "own"}]
    called = await answer(forced, "any {thing}")
    assert [(each["name"], each["args"]) for each in called.tool_calls] == [("find", {"query": "any {thing}"})]
    done = AIMessage("", tool_calls=called.tool_calls), ToolMessage("x", tool_call_id=called.tool_calls[0]["id"])
    assert (await answer(asked, "any {thing}", *done)).content == "Well, {any {thing}}."
    assert not (await answer(asked.bind_tools(["other"], tool_choice="find"), "any")).tool_calls, "it is not offered"


def problems(folder: Path, text: str, name: str = "script.yaml") -> str:
    with pytest.raises(StartupError) as caught:
        read_script(write(folder, text, name))
    return str(caught.value)


# What is said ----------------------------------------------------------------------------------------------


async def test_the_first_rule_that_matches_wins_else_the_default(tmp_path):
    asked = model(
        tmp_path,
        """
rules:
  - {match: "name is (\\\\w+)(?: (\\\\w+))?", reply: "Hello {1}{2}!"}
  - {match: "(?i)NAME", reply: "second"}
default: "No idea about {0}"
""",
    )
    assert (await answer(asked, "my name is Ada")).content == "Hello Ada!"
    assert (await answer(asked, "your name?")).content == "second"
    assert (await answer(asked, "weather")).content == "No idea about weather"
    assert asked.calls == 3


def test_words_are_chunks_as_langchain_makes_them_and_have_nothing_in_common():
    one, other = text_chunk("one "), text_chunk("other")
    assert one == AIMessageChunk(content="one ")
    one.additional_kwargs["odd"] = one.response_metadata["odd"] = 1
    assert other == AIMessageChunk(content="other")


async def test_only_the_last_user_message_is_searched(tmp_path):
    asked = model(tmp_path, "rules: [{match: cat, reply: meow}]\ndefault: dunno")
    assert (await answer(asked, "cat", AIMessage("meow"), "dog")).content == "dunno"
    blocks = HumanMessage([{"type": "text", "text": "cat"}, {"type": "image_url", "image_url": {"url": "data:,"}}])
    assert (await answer(asked, blocks)).content == "meow"


async def test_a_rule_without_match_takes_everything_and_a_script_without_default_says_so(tmp_path):
    assert (await answer(model(tmp_path, "rules: [{reply: 'You said {0}'}]"), "x")).content == "You said x"
    assert "no rule for this" in (await answer(model(tmp_path, "rules: []"), "x")).content
    assert (await answer(model(tmp_path, "default: {tool_calls: [{name: t}]}"), "x")).tool_calls[0]["name"] == "t"


async def test_what_the_model_was_given_can_be_said(tmp_path):
    asked = model(tmp_path, "default: '{{{system}}} {messages}'")
    called = AIMessage("", tool_calls=[{"name": "look", "args": {"at": "ü"}, "id": "1"}])
    said = await answer(asked, SystemMessage("Be {brief}."), "Hi", called, ToolMessage("{0}", tool_call_id="1"), "So?")
    assert said.content == '{Be {brief}.} user: Hi\nassistant: [look {"at": "ü"}]\ntool: {0}\nuser: So?'


async def test_words_arrive_one_by_one_and_the_last_chunk_counts_them(tmp_path):
    asked = model(tmp_path, 'default: "one  two\\tthree"')
    chunks = await heard(asked, SystemMessage("a b"), "c")
    assert [chunk.content for chunk in chunks[:-1]] == ["one  ", "two\t", "three"]
    assert chunks[-1].usage_metadata == {"input_tokens": 3, "output_tokens": 3, "total_tokens": 6}
    assert chunks[-1].response_metadata["model_name"] == "script:script.yaml"
    assert [chunk.chunk_position for chunk in chunks] == [None, None, None, "last"]


async def test_it_can_be_asked_without_streaming(tmp_path):
    asked = model(tmp_path, "default: 'one two'")
    said = await asked.ainvoke("x")
    assert (said.content, said.usage_metadata["output_tokens"]) == ("one two", 2)


async def test_reasoning_comes_first_in_blocks_of_its_own(tmp_path):
    said = await answer(model(tmp_path, "default: {reasoning: 'let me see', reply: 'it is four'}"), "2+2")
    assert [(block["type"], block.get("reasoning") or block.get("text")) for block in said.content] == [
        ("reasoning", "let me see"),
        ("text", "it is four"),
    ]
    assert said.text == "it is four"


# Tools and rounds ------------------------------------------------------------------------------------------

TOOLS = """
rules:
  - match: "note (.+)"
    reply: One moment.
    tool_calls: [{name: note, args: {text: "{1}", deep: [{x: "{0}"}], n: 3}}, {name: look}]
    then: "Noted: {1}. {results}"
"""


async def test_tools_are_called_at_once_and_then_it_answers(tmp_path):
    asked = model(tmp_path, TOOLS)
    question = HumanMessage("note milk", id="m1")
    calling = await answer(asked, question)
    assert calling.content == "One moment."
    assert [(call["name"], call["args"]) for call in calling.tool_calls] == [
        ("note", {"text": "milk", "deep": [{"x": "note milk"}], "n": 3}),
        ("look", {}),
    ]
    assert calling.response_metadata["finish_reason"] == "tool_calls"
    results = [ToolMessage(f"ok{n}", tool_call_id=call["id"]) for n, call in enumerate(calling.tool_calls)]
    done = await answer(asked, question, AIMessage("", tool_calls=calling.tool_calls), *results)
    assert (done.content, done.tool_calls) == ("Noted: milk. ok0\nok1", [])


async def test_ids_of_calls_are_the_same_for_the_same_message_and_unique_among_others(tmp_path):
    asked = model(tmp_path, "default: {steps: [{tool_calls: [{name: a}, {name: b}]}]}")
    first, again, other = (HumanMessage("x", id=name) for name in ("m1", "m1", "m2"))
    round_two = [first, AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": "1"}])]
    ids = [
        [call["id"] for call in (await answer(asked, *m)).tool_calls] for m in ([first], [again], [other], round_two)
    ]
    assert ids[0] == ids[1]
    assert len({*ids[0], *ids[2], *ids[3]}) == 6


async def test_steps_are_played_round_by_round_and_the_last_one_again(tmp_path):
    asked = model(
        tmp_path,
        "rules: [{steps: [{reply: first, tool_calls: [{name: t}]}, {tool_calls: [{name: u}]}, {reply: end}]}]",
    )
    spoken: list = [HumanMessage("go")]
    heard_in_rounds = []
    for _ in range(4):
        said = await answer(asked, *spoken)
        heard_in_rounds.append((said.content, [call["name"] for call in said.tool_calls]))
        spoken += [AIMessage(said.content, tool_calls=said.tool_calls)]
        spoken += [ToolMessage("ok", tool_call_id=call["id"]) for call in said.tool_calls]
    assert heard_in_rounds == [("first", ["t"]), ("", ["u"]), ("end", []), ("end", [])]


async def test_without_then_the_results_are_said(tmp_path):
    asked = model(tmp_path, "default: {tool_calls: [{name: t}]}")
    called = AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "1"}])
    assert (await answer(asked, "x", called, ToolMessage("42", tool_call_id="1"))).content == "42"


async def test_tools_can_be_bound_in_every_form(tmp_path):
    asked = model(tmp_path, "default: fine")

    def look() -> str:
        return ""

    bound = asked.bind_tools([{"type": "function", "function": {"name": "a"}}, {"name": "b"}, look])
    assert bound.kwargs == {"tools": ["a", "b", "look"]}
    assert (await bound.ainvoke("x")).content == "fine"


# Trouble ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "before"), [(0, []), (2, ["one ", "two "]), (9, ["one ", "two ", "three"])])
async def test_it_breaks_off_in_mid_stream(tmp_path, n, before):
    asked = model(tmp_path, f"default: {{reply: one two three, fail_after_words: {n}}}")
    said = []
    with pytest.raises(ScriptedFailure):
        async for chunk in asked.astream("x"):
            said.append(chunk.content)
    assert said == before


async def test_it_fails_after_the_tools_when_told_so(tmp_path):
    asked = model(tmp_path, "default: {tool_calls: [{name: t}], then: a b, fail_after_words: 1}")
    calling = await answer(asked, "x")
    with pytest.raises(ScriptedFailure):
        await answer(asked, "x", AIMessage("", tool_calls=calling.tool_calls))


async def test_it_hangs_after_its_words_until_it_is_cancelled(tmp_path):
    log = tmp_path / "calls.jsonl"
    asked = model(tmp_path, f"default: {{reply: a b, hang: true}}\nlog: {log}")
    said: list[str] = []
    got_two = asyncio.Event()

    async def listen() -> None:
        async for chunk in asked.astream("x"):
            said.append(chunk.content)
            if len(said) == 2:
                got_two.set()

    task = asyncio.create_task(listen())
    await got_two.wait()
    done, _ = await asyncio.wait({task}, timeout=0.1)
    assert not done
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert said == ["a ", "b"]
    assert [json.loads(line)["state"] for line in log.read_text().splitlines()] == ["started", "cancelled"]


async def test_an_answer_can_be_cut_short_in_its_last_round(tmp_path):
    asked = model(tmp_path, "default: {tool_calls: [{name: look}], then: so, cut_short: length}")
    calling = await answer(asked, "x")
    assert calling.response_metadata["finish_reason"] == "tool_calls"
    done = await asked.ainvoke([HumanMessage("x"), calling, ToolMessage("y", tool_call_id=calling.tool_calls[0]["id"])])
    assert (done.content, done.response_metadata["finish_reason"]) == ("so", "length")


async def test_delay_is_waited_before_each_word(tmp_path):
    asked = model(tmp_path, "default: {reply: a b c, delay_ms: 40}")
    loop = asyncio.get_running_loop()
    began = loop.time()
    await answer(asked, "x")
    assert loop.time() - began >= 0.12


async def test_a_pattern_sees_the_first_10000_characters(tmp_path):
    asked = model(tmp_path, "rules: [{match: needle, reply: found}]\ndefault: none")
    assert (await answer(asked, "x" * 9_994 + "needle")).content == "found"
    assert (await answer(asked, "x" * 9_995 + "needle")).content == "none"


# Purposes and the log --------------------------------------------------------------------------------------


async def test_rules_are_for_their_purpose_only_and_the_log_names_both(tmp_path):
    log = tmp_path / "calls.jsonl"
    text = f"rules: [{{for: title, reply: A title}}, {{match: boom, fail_after_words: 0}}]\ndefault: chat\nlog: {log}"
    script = read_script(write(tmp_path, text))
    assert [script.knows(purpose) for purpose in ("chat", "title", "summary", "revise")] == [True, True, False, False]
    assert (await answer(ScriptedModel(script=script, purpose="title"), "CANARY7f3a")).content == "A title"
    assert (await answer(ScriptedModel(script=script), "x")).content == "chat"
    with pytest.raises(ScriptedFailure):
        await answer(ScriptedModel(script=script), "boom")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["for"], line["rule"], line["state"]) for line in lines] == [
        ("title", 0, "started"),
        ("title", 0, "finished"),
        ("chat", None, "started"),
        ("chat", None, "finished"),
        ("chat", 1, "started"),
        ("chat", 1, "failed"),
    ]
    assert len({line["call"] for line in lines}) == 3
    assert "CANARY" not in log.read_text()


# The file --------------------------------------------------------------------------------------------------


def test_json_is_read_too_and_relative_to_where_we_run(tmp_path, monkeypatch):
    write(tmp_path, '{\t"rules": [{"reply": "hi"}]}', "s.json")
    monkeypatch.chdir(tmp_path)
    assert read_script(Path("s.json")).name == "script:s.json"


def test_all_problems_are_reported_at_once(tmp_path):
    said = problems(
        tmp_path,
        """
rules:
  - {match: "(", reply: x}
  - {match: x, repyl: x}
  - {for: poem, reply: 3, delay_ms: -1}
  - {tool_calls: [{args: {}}, {name: t, args: {when: 2026-01-01}}]}
defualt: x
""",
    )
    for part in (
        "script.yaml cannot be used",
        "rules.0.match: is no regular expression",
        "rules.1.repyl: there is no such key",
        "rules.2.for:",
        "rules.2.reply:",
        "rules.2.delay_ms:",
        "rules.3.tool_calls.0.name:",
        "rules.3.tool_calls.1.args: holds what JSON does not know",
        "defualt: there is no such key",
    ):
        assert part in said


def test_problems_between_keys_and_in_texts_are_reported_at_once(tmp_path):
    said = problems(
        tmp_path,
        """
rules:
  - {match: x}
  - {reply: x, steps: [{reply: y}]}
  - {reply: x, then: y}
  - {match: "(a)", reply: "{1} {2}"}
  - {reply: "{user}"}
  - {reply: "a { b"}
  - {tool_calls: [{name: t, args: {a: ["}"]}}]}
  - {tool_calls: [{name: t}], then: "{nope}"}
default: {hang: true, reasoning: "{9}"}
""",
    )
    for part in (
        "rules.0: it says nothing",
        "rules.1: steps say it all",
        "rules.2: then is what is said after tool_calls",
        "rules.3: {2}: the pattern has 1 groups",
        "rules.4: {user}: there is no such name",
        "rules.5: a single { in a text is written {{",
        "rules.6: a single } in a text is written }}",
        "rules.7: {nope}",
        "default: {9}: the pattern has 0 groups",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("rules: [", "a.yaml", "neither YAML nor JSON"),
        ("{", "a.json", "neither YAML nor JSON"),
        ("- a\n- b", "a.yaml", "must be a mapping"),
        ("", "a.yaml", "must be a mapping"),
    ],
)
def test_a_file_that_is_no_script_is_refused(tmp_path, text, name, said):
    assert said in problems(tmp_path, text, name)


async def test_the_example_of_the_documentation_works(tmp_path):
    page = (ROOT / "docs" / "models.md").read_text()
    example = page.partition("```yaml\n")[2].partition("```")[0].replace("calls.jsonl", str(tmp_path / "calls.jsonl"))
    asked = model(tmp_path, example)
    assert (await answer(asked, "my name is Ada")).content == "Hello Ada!"
    assert (await answer(asked, "note milk")).tool_calls[0]["args"] == {"operation": "append", "content": "- milk"}
    assert len((await answer(asked, "a plan")).content) == 2
    assert (await answer(asked, "cats")).content == "I have no rule for cats."
    titles = ScriptedModel(script=asked.script, purpose="title")
    assert (await answer(titles, fence("conversation", "Cats?\n\nYes."))).content == "About Cats?"
    assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == 10


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(StartupError, match=r"nowhere\.yaml cannot be used:\n  it cannot be read: No such file"):
        read_script(tmp_path / "nowhere.yaml")
    with pytest.raises(StartupError, match="cannot be read"):
        read_script(tmp_path)
