"""The agents of agents/*.yaml: read once at start, every problem of every file reported at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatServer import errors
from chatServer.agent.tools.outside_file import OutsideFile, problems_of
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.records import Agent, Limits, MemoryScope

MIDDLEWARE = ("pii",)  # what agent/graph.py can attach

FIRST = "first:"  # before the name of the tool that an answer begins with

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class WindowPolicy(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    messages: Annotated[int, Field(ge=2, le=1_000)] = 20
    tokens: Annotated[int, Field(ge=1_000, le=10_000_000)] | None = None
    compact_pct: Annotated[int, Field(ge=10, le=95)] | None = None
    summary_tokens: Annotated[int, Field(ge=50, le=100_000)] | None = None
    summary_prompt: Annotated[str, Field(min_length=1, max_length=20_000)] | None = None


class MemoryPolicy(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    scope: MemoryScope = "agent"
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None

    @field_validator("scope", mode="before")
    @classmethod
    def _off_is_no_boolean(cls, value: object) -> object:
        return "off" if value is False else value  # YAML reads a plain off as false


_LIMITS = Limits()


class LimitsPolicy(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    steps: Annotated[int, Field(ge=1, le=100)] = _LIMITS.steps
    tool_calls: Annotated[int, Field(ge=0, le=1_000)] = _LIMITS.tool_calls
    output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = _LIMITS.output_tokens


def _known_middleware(name: str) -> str:
    if name not in MIDDLEWARE:
        raise ValueError(f"there is no middleware {name}; known: {', '.join(MIDDLEWARE)}")
    return name


def _each_once(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("each middleware can be named once")
    return names


Middleware = Annotated[list[Annotated[str, AfterValidator(_known_middleware)]], AfterValidator(_each_once)]


class AgentFile(BaseModel):
    """What a file may say."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Name
    description: Annotated[str, Field(min_length=1, max_length=500)]
    prompt: Annotated[str, Field(min_length=1, max_length=100_000)]
    model: str | None = None
    larger_model: str | None = None
    tools: list[Name] = Field(default_factory=list)
    window: WindowPolicy = Field(default_factory=WindowPolicy)
    memory: MemoryPolicy = Field(default_factory=MemoryPolicy)
    limits: LimitsPolicy = Field(default_factory=LimitsPolicy)
    middleware: Middleware = Field(default_factory=list)
    mcp: list[OutsideFile] = Field(default_factory=list)
    tool_choice: Annotated[str, Field(pattern=rf"^{FIRST}[A-Za-z0-9_.-]{{1,64}}$")] | None = None


class Catalog:
    """The known agents by name."""

    def __init__(self, agents: list[Agent], default: str) -> None:
        self._agents = {agent.name: agent for agent in agents}
        self.default = default

    def __iter__(self) -> Iterator[Agent]:
        return iter(self._agents.values())

    def get(self, name: str) -> Agent:
        """One agent, or an error that names those there are."""
        if name not in self._agents:
            raise errors.AgentNotFound(sorted(self._agents))
        return self._agents[name]

    def find(self, name: str) -> Agent | None:
        """One agent; None of one that is no longer there."""
        return self._agents.get(name)

    @property
    def closed(self) -> frozenset[str]:
        """The agents that remember nothing, or only within a session: what they are told is for nobody else."""
        return frozenset(agent.name for agent in self if agent.memory_scope in ("off", "session"))

    def memory_scope(self, name: str) -> MemoryScope:
        """Of an agent that is no longer there: nothing is remembered for it."""
        return self._agents[name].memory_scope if name in self._agents else "off"

    @property
    def retention_days(self) -> dict[str, int]:
        """Of those agents that have one of their own."""
        return {agent.name: agent.retention_days for agent in self if agent.retention_days is not None}


def load_agents(directory: Path, default: str) -> Catalog:
    """Read every agent, or say everything that is wrong with any of them."""
    agents: list[Agent] = []
    problems: list[str] = []
    paths = sorted([*directory.glob("*.yaml"), *directory.glob("*.yml")])
    for path in paths:
        agent, wrong = _read(path)
        agents += [agent] if agent else []
        problems += [f"  {path.name}: {problem}" for problem in wrong]
    names = [agent.name for agent in agents]
    problems += [f"  {name}: two files have this name" for name in sorted({n for n in names if names.count(n) > 1})]
    if not paths:
        problems.append(f"  no *.yaml file in {directory}")
    elif default not in names and default not in [path.stem for path in paths]:
        problems.append(
            f"  DEFAULT_AGENT is {default}, but the agents are: {', '.join(names) or 'none that can be loaded'}"
        )
    if problems:
        raise errors.StartupError("\n".join(["The agents cannot be loaded:", *problems]))
    return Catalog(agents, default)


def _read(path: Path) -> tuple[Agent | None, list[str]]:
    try:
        found = AgentFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        return None, [_sentence(dict(problem)) for problem in error.errors(include_url=False)]
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return None, [f"is not valid YAML: {error}"]
    except OSError as error:
        return None, [f"cannot be read: {error.strerror}"]
    if found.name != path.stem:
        return None, [f"its name is {found.name}; file and agent must have the same name"]
    unknown = [
        f"tools: there is no {name}; there are: {', '.join(sorted(TOOLS))}" for name in found.tools if name not in TOOLS
    ]
    agent = _agent(found)
    wrong = [*unknown, *problems_of(agent.mcp)]
    if agent.first_tool and agent.first_tool not in agent.tools:
        wrong.append(f"tool_choice: {agent.first_tool} is not among the tools of this agent")
    return (None, wrong) if wrong else (agent, [])


def _sentence(problem: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{place}: there is no such setting"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _agent(found: AgentFile) -> Agent:
    return Agent(
        name=found.name,
        description=found.description,
        prompt=found.prompt,
        model=found.model,
        larger_model=found.larger_model,
        tools=tuple(found.tools),
        window_messages=found.window.messages,
        window_tokens=found.window.tokens,
        compact_pct=found.window.compact_pct,
        summary_tokens=found.window.summary_tokens,
        summary_prompt=found.window.summary_prompt,
        memory_scope=found.memory.scope,
        retention_days=found.memory.retention_days,
        limits=Limits(**found.limits.model_dump()),
        middleware=tuple(found.middleware),
        mcp=tuple(server.record() for server in found.mcp),
        first_tool=found.tool_choice.removeprefix(FIRST) if found.tool_choice else None,
    )
