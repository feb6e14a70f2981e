"""The models that MODEL and the agents name: is what each needs there?"""

from chatServer.agent.catalog import load_agents
from chatServer.agent.models import BUILTIN, SCRIPT, Models
from chatServer.doctor.finding import Case, Finding
from chatServer.errors import StartupError

NAME = "models"


def models(case: Case) -> Finding:
    """A missing package, a missing key, a name that is none, a script that cannot be read. No provider is asked: an
    answer may cost something."""
    settings = case.settings
    try:
        agents = load_agents(settings.agents_dir, settings.default_agent)
    except StartupError as error:
        return Finding(NAME, "problem", str(error), "Correct these files, or AGENTS_DIR and DEFAULT_AGENT")
    users: dict[str, list[str]] = {settings.model: ["MODEL"]}
    for agent in agents:
        users.setdefault(agent.model or settings.model, []).append(f"the agent {agent.name}")
        if agent.larger_model:
            users.setdefault(agent.larger_model, []).append(f"larger_model of the agent {agent.name}")
    found = Models(settings, case.environment)
    wrong = {name: problem.detail for name in users if (problem := found.problem(name)) is not None}
    if not wrong:
        return _usable(list(users))
    said = "; ".join(f"{detail.rstrip('.')} ({', '.join(users[name])})" for name, detail in wrong.items())
    return Finding(NAME, "problem", said, "Do what it says, or choose another model; MODEL=builtin needs nothing")


def _usable(names: list[str]) -> Finding:
    remote = [name for name in names if name != BUILTIN and not name.startswith(SCRIPT)]
    if not remote:
        return Finding(NAME, "ok", ", ".join(names))
    said = f"{', '.join(remote)}: all that is needed is set, but no provider was asked"
    return Finding(NAME, "skipped", said, "To ask one: chatserver chat --agent NAME hello (--user ID without dev auth)")
