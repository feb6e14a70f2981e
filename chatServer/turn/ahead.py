"""Recall begins before the turn has: while its question is being committed, the process has nothing else to do for it.
Of the 16.5 ms to the first word the disk took 1.7 (2026-11-16)."""

import asyncio

from chatServer.messages import Quoted
from chatServer.records import Agent, Budget, ModelInput, Principal, RecallResult
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.recall import Glance
from chatServer.turn.begun import Begun
from chatServer.turn.prompt import recall_tokens
from chatServer.turn.recalled import Recaller, find


class Ahead:
    """What bears on one turn's question, perhaps looked for already."""

    def __init__(self, recaller: Recaller) -> None:
        self._recaller = recaller
        self._found: asyncio.Task[RecallResult | None] | None = None
        self._beside: list[str] = []
        self._room = 0
        self._has_nothing = False  # there is nothing but what is in the prompt

    async def glance(self, connection: Connection, principal: Principal, agent: Agent) -> Answer[Glance] | None:
        """Ask, with whatever is asked next, whether there is anything to look for."""
        return await self._recaller.ask_glance(connection, principal, most=agent.window_messages)

    def look(self, begun: Begun) -> None:
        """Look for what is not in the prompt as it is now."""
        self._room = _room(begun, begun.budget)
        if self._room:  # else nothing is to be found, and that takes no task
            self._beside = _ids(begun.asked)
            self._has_nothing = self._is_in_prompt(begun)
        if self._room and not self._has_nothing:
            finding = find(self._recaller, begun, begun.asked, begun.budget)
            self._found = asyncio.create_task(finding, name="recall ahead")

    def leave(self) -> None:
        """Nobody waits for it any longer."""
        if self._found:
            self._found.cancel()

    async def find(self, begun: Begun, asked: ModelInput, budget: Budget) -> RecallResult | None:
        """As `recalled.find`; anew where the prompt has other messages by now, because it was summarised, or more
        room."""
        is_new = self._found is None and not self._has_nothing
        if is_new or self._beside != _ids(asked) or self._room < _room(begun, budget):
            self.leave()
            return await find(self._recaller, begun, asked, budget)
        return await self._found if self._found else RecallResult()

    def _is_in_prompt(self, begun: Begun) -> bool:
        prompt, glance = frozenset(self._beside), begun.glance
        return glance is not None and self._recaller.has_nothing_beside(begun.principal, prompt, glance)


def _ids(asked: ModelInput) -> list[str]:
    """Of what was said: what is quoted beside it is quoted anew each time."""
    return [message.message_id for message in asked.messages if not isinstance(message, Quoted)]


def _room(begun: Begun, budget: Budget) -> int:
    return recall_tokens(begun.agent, begun.session, budget)
