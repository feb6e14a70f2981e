"""The file behind `MODEL=script:FILE`: read once, every problem reported at once, unknown keys refused."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from chatServer.agent.template import problem_in
from chatServer.errors import StartupError

Purpose = Literal["chat", "revise", "summary", "title"]
Ending = Literal["length", "content_filter"]
ECHO = "{results}"  # what is said after tools were called when `then` does not say it


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    name: str
    args: dict[str, Any] = field(hash=False)
    is_forced: bool = False  # by the agent, not by the script


@dataclass(frozen=True, slots=True)
class Round:
    """What is said and called in one round."""

    reply: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    delay_ms: int = 0
    fail_after_words: int | None = None
    hang: bool = False
    cut_short: Ending | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    purpose: Purpose
    pattern: re.Pattern[str] | None  # None: whatever was said
    steps: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class Script:
    name: str
    rules: tuple[Rule, ...]
    default: Rule
    log: Path | None = None

    def knows(self, purpose: Purpose) -> bool:
        """Whether any rule is for this purpose; a chat can always be answered by the default."""
        return purpose == "chat" or any(rule.purpose == purpose for rule in self.rules)


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    return pattern


def _is_json(value: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError("holds what JSON does not know; put dates into quotes") from error
    return value


def _as_mapping(value: object) -> object:
    return {"reply": value} if isinstance(value, str) else value


class CallFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(min_length=1)]
    args: Annotated[dict[str, Any], AfterValidator(_is_json)] = Field(default_factory=dict)


class StepFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    reply: str = ""
    reasoning: str = ""
    tool_calls: list[CallFile] = Field(default_factory=list)
    delay_ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    fail_after_words: Annotated[int, Field(ge=0)] | None = None
    hang: bool = False
    cut_short: Ending | None = None


class AnswerFile(StepFile):
    then: str | None = None
    steps: Annotated[list[StepFile], Field(min_length=1)] | None = None


class RuleFile(AnswerFile):
    purpose: Purpose = Field("chat", alias="for")
    match: Annotated[str, AfterValidator(_compiles)] | None = None


class ScriptFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rules: list[RuleFile] = Field(default_factory=list)
    default: Annotated[AnswerFile, BeforeValidator(_as_mapping)] = AnswerFile(
        reply="The script has no rule for this message, and no default."
    )
    log: str | None = None


def read_script(path: Path) -> Script:
    """The script, or a StartupError with everything that is wrong with it. A relative path: from where we run."""
    try:
        text = path.read_text(encoding="utf-8")
        found = ScriptFile.model_validate(json.loads(text) if path.suffix == ".json" else yaml.safe_load(text))
    except OSError as error:
        raise _refused(path, [f"it cannot be read: {error.strerror}"]) from error
    except ValidationError as error:
        raise _refused(path, [_sentence(dict(problem)) for problem in error.errors(include_url=False)]) from error
    except (yaml.YAMLError, ValueError) as error:
        raise _refused(path, [f"it is neither YAML nor JSON: {error}"]) from error
    problems = [f"rules.{n}: {wrong}" for n, rule in enumerate(found.rules) for wrong in _problems(rule, rule.match)]
    problems += [f"default: {wrong}" for wrong in _problems(found.default, None)]
    if problems:
        raise _refused(path, problems)
    rules = tuple(_rule(rule, rule.purpose, rule.match) for rule in found.rules)
    log = Path(found.log) if found.log else None
    return Script(f"script:{path.name}", rules, _rule(found.default, "chat", None), log)


def _refused(path: Path, problems: list[str]) -> StartupError:
    return StartupError("\n".join([f"The script {path} cannot be used:", *(f"  {problem}" for problem in problems)]))


def _sentence(problem: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{place}: there is no such key"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else "it must be a mapping with rules, default and log"


def _problems(answer: AnswerFile, match: str | None) -> list[str]:
    """What no single field shows."""
    found: list[str] = []
    says = bool(answer.reply or answer.reasoning or answer.tool_calls)
    if answer.steps and (says or answer.then):
        found.append("steps say it all: reply, reasoning, tool_calls and then have no place beside them")
    if answer.then is not None and not answer.tool_calls:
        found.append("then is what is said after tool_calls, and there are none")
    if not answer.steps and not says and not answer.hang and answer.fail_after_words is None:
        found.append("it says nothing: give it a reply, tool_calls or steps")
    groups = re.compile(match).groups if match is not None else 0
    templates = [t for step in _steps(answer) for t in (step.reply, step.reasoning, *_texts(step.calls))]
    return found + [wrong for template in templates if (wrong := problem_in(template, groups))]


def _texts(value: Any) -> list[str]:
    match value:
        case str():
            return [value]
        case ScriptedCall(args=args):
            return _texts(args)
        case dict():
            return [text for item in value.values() for text in _texts(item)]
        case list() | tuple():
            return [text for item in value for text in _texts(item)]
    return []


def _rule(answer: AnswerFile, purpose: Purpose, match: str | None) -> Rule:
    return Rule(purpose, None if match is None else re.compile(match), tuple(_steps(answer)))


def _steps(answer: AnswerFile) -> list[Round]:
    """A rule as rounds. What it says of its ending is about the last one, its delay about all of them."""
    delay_ms = answer.delay_ms or 0
    if answer.steps:
        *first, last = answer.steps
        unsaid = {name: value for name, value in _ending(answer).items() if name not in last.model_fields_set}
        end = last.model_copy(update=unsaid)
        return [_step(step, delay_ms) for step in (*first, end)]
    if answer.tool_calls:
        calling = answer.model_copy(update=_ending(StepFile()))
        then = answer.then if answer.then is not None else ECHO
        return [_step(calling, 0), Round(then, delay_ms=delay_ms, **_ending(answer))]
    return [_step(answer, 0)]


def _step(step: StepFile, delay_ms: int) -> Round:
    calls = tuple(ScriptedCall(call.name, call.args) for call in step.tool_calls)
    own_delay = delay_ms if step.delay_ms is None else step.delay_ms
    return Round(step.reply, step.reasoning, calls, own_delay, **_ending(step))


def _ending(step: StepFile) -> dict[str, Any]:
    return {"fail_after_words": step.fail_after_words, "hang": step.hang, "cut_short": step.cut_short}
