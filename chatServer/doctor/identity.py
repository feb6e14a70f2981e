"""Who may come in: does the issuer answer, with keys that we can use, under the name that its tokens carry?"""

import asyncio
import json
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import httpx

from chatServer.api.dev_key import KEY_FILE
from chatServer.api.keys import UnusableKeys, get_bounded, parse_key_set
from chatServer.doctor.finding import Case, Finding, clock_finding

TIMEOUT_S = 5
ONLY_OURS = {"dev": "development sign-in, on this machine only", "secret": "tokens are verified with AUTH_JWT_SECRET"}  # nosec B105 # a sentence, not a password
NO_KEYS = (
    "Use AUTH_MODE=secret with the project's JWT secret, or let the project sign with asymmetric keys "
    "(Supabase: Settings, JWT Keys)"
)


class Answer(NamedTuple):
    status: int
    date: str
    body: bytes


def issuer(case: Case) -> Finding:
    """Its key set is there, and holds something to verify with."""
    name, url = "issuer", case.settings.jwks_url
    if case.settings.auth_mode != "supabase":
        return Finding(name, "ok", ONLY_OURS[case.settings.auth_mode])
    try:
        answer = _get(url)
    except (httpx.HTTPError, TimeoutError) as error:
        remedy = "Start it, or correct SUPABASE_URL or AUTH_JWKS_URL; look at firewalls and proxies between us"
        return Finding(name, "problem", f"{url} does not answer within {TIMEOUT_S} s ({type(error).__name__})", remedy)
    except ValueError:
        return _no_key_set(url)
    if answer.status != 200:
        remedy = "Correct SUPABASE_URL (it ends before /auth/v1) or AUTH_JWKS_URL"
        return Finding(name, "problem", f"{url} answers with status {answer.status}", remedy)
    return _judge(answer.body, url)


def _judge(body: bytes, url: str) -> Finding:
    name = "issuer"
    if _is_empty(body):
        return Finding(name, "problem", "the issuer publishes an empty key set: it signs with a secret", NO_KEYS)
    try:
        keys = parse_key_set(body)
    except UnusableKeys:
        return Finding(name, "problem", "the issuer publishes no ES256 or RS256 key for signatures", NO_KEYS)
    except ValueError:
        return _no_key_set(url)
    return Finding(name, "ok", f"{len(keys)} signing keys at {url}")


def _no_key_set(url: str) -> Finding:
    return Finding("issuer", "problem", f"what is at {url} is no key set", "Correct SUPABASE_URL or AUTH_JWKS_URL")


def _is_empty(body: bytes) -> bool:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("keys") == []


def issuer_name(case: Case) -> Finding:
    """Tokens say who issued them: a name that differs by one slash refuses every one of them."""
    name, expected = "issuer's name", case.settings.issuer
    answer = _ask(case, case.settings.jwks_url.rpartition("/")[0] + "/openid-configuration")
    if answer is None:
        return Finding(name, "skipped", "needs AUTH_MODE=supabase and an issuer that answers")
    try:
        found = json.loads(answer.body)["issuer"] if answer.status == 200 else None
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None
    if found is None:
        return Finding(name, "skipped", f"the issuer does not say it; tokens must carry {expected}")
    if found != expected:
        return Finding(name, "problem", f"tokens carry {found}, we expect {expected}", f"Set AUTH_ISSUER={found}")
    return Finding(name, "ok", expected)


def issuer_clock(case: Case) -> Finding:
    """A token that is issued in our future is refused."""
    name = "clock of the issuer"
    asked_at = case.clock()
    answer = _ask(case, case.settings.jwks_url)
    if answer is None:
        return Finding(name, "skipped", "needs AUTH_MODE=supabase and an issuer that answers")
    ours_s = (asked_at + case.clock()) / 2
    try:
        theirs_s = parsedate_to_datetime(answer.date).timestamp() + 0.5  # it has whole seconds
    except ValueError:
        return Finding(name, "skipped", "the issuer does not say the time")
    return clock_finding(name, theirs_s - ours_s, "the issuer's")


def _ask(case: Case, url: str) -> Answer | None:
    if case.settings.auth_mode != "supabase":
        return None
    try:
        return _get(url)
    except (httpx.HTTPError, TimeoutError, ValueError):
        return None


def _get(url: str) -> Answer:
    """As the server itself asks: without the proxies of the environment, bounded in size and in total time."""

    async def get() -> Answer:
        async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
            response, body = await get_bounded(client, url, TIMEOUT_S)
            return Answer(response.status_code, response.headers.get("Date", ""), body)

    return asyncio.run(get())


def development_key(case: Case) -> Finding:
    """Who reads it can be anybody."""
    name, path = "development key", case.settings.chat_data_dir / KEY_FILE
    if case.settings.auth_mode != "dev" or not path.exists():
        return Finding(name, "ok", "there is none")
    if path.stat().st_mode & 0o077:
        return Finding(name, "problem", f"others on this machine can read {path}", f"Run: chmod 600 {path}")
    return Finding(name, "ok", "only its owner can read it")
