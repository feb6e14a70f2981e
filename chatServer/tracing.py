"""For one variable in the environment LangSmith would send whole conversations elsewhere: only when it is allowed."""

import os

from chatServer.config import Settings

PREFIXES = ("LANGSMITH_", "LANGCHAIN_")


def forget_tracing_variables(settings: Settings) -> None:
    """Take them out of this process's environment, before LangChain looks, unless ALLOW_LANGSMITH says otherwise."""
    if settings.allow_langsmith:
        return
    for name in [name for name in os.environ if name.upper().startswith(PREFIXES)]:
        del os.environ[name]
