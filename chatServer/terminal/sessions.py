"""Sessions for a person at a terminal: as that user, through row level security, like any request."""

from typing import Any

from chatServer.api.schemas import MessagesAnswer, SessionAnswer
from chatServer.conversation import sessions, transcript
from chatServer.conversation.sessions import SessionKey
from chatServer.records import Principal, Session
from chatServer.store.pool import Database
from chatServer.terminal.text import as_text, plain, table

PAGE = 200


async def list_sessions(database: Database, user: Principal, agent_name: str | None, *, as_json: bool = False) -> str:
    """All sessions of a user that are not archived, the most recently used first."""
    found: list[Session] = []
    before = None
    while True:
        page = await sessions.find(
            database, user, limit=PAGE, before=before, agent_name=agent_name, archived=False, phrase=None
        )
        found += page.sessions
        before = page.before
        if before is None:
            break
    if as_json:
        return as_text([SessionAnswer.of(session).model_dump(mode="json") for session in found])
    if not found:
        return f"This user has no sessions{' with this agent' if agent_name else ''}, or only archived ones."
    rows = [
        (each.session_id, each.agent_name, f"{each.last_active_at:%Y-%m-%d %H:%M}", each.external_id, each.title)
        for each in found
    ]
    return table(("ID", "AGENT", "LAST USED", "OWN NAME", "TITLE"), rows)


async def show_session(database: Database, user: Principal, session_id: str, *, as_json: bool = False) -> str:
    """One session and the last page of what was said."""
    key = SessionKey.parse(session_id)
    session = SessionAnswer.of(await sessions.get(database, user, key)).model_dump(mode="json")
    page = await transcript.read(database, user, key, limit=PAGE, before=None)
    said = MessagesAnswer.of(page).model_dump(mode="json")
    if as_json:
        return as_text({**session, **said})
    lines = [f"{name:15} {plain(value)}" for name, value in session.items() if value is not None]
    older = ["(there is more before this)"] if said["before"] else []
    return "\n".join([*lines, "", *older, *(_spoken(message) for message in said["messages"])])


async def delete_session(database: Database, user: Principal, session_id: str, *, as_json: bool = False) -> str:
    """The session and everything that was said in it."""
    await sessions.delete(database, user, SessionKey.parse(session_id))
    if as_json:
        return as_text({"deleted": session_id})
    return f"Deleted {session_id} and everything that was said in it."


def _spoken(message: dict[str, Any]) -> str:
    shown = [part for part in message["parts"] if not part["type"].startswith(("step-", "data-"))]
    texts = (part["text"] if part["type"] == "text" else f"[{part.get('toolName', part['type'])}]" for part in shown)
    return f"{message['role']}: {plain(' '.join(texts))}"
