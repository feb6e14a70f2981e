"""What is counted. Names only and outcomes, never a user."""

from bisect import bisect_left

from prometheus_client import Counter, Gauge, Info
from prometheus_client import Histogram as Plain
from prometheus_client.values import MutexValue, ValueClass

IS_IN_MEMORY = ValueClass is MutexValue  # where an operator has several processes count together, it is in files


class Histogram(Plain):
    """It goes to the bucket at once, where the other tries one after the other, adds no 0 to a sum, and takes no lock:
    only the event loop's thread observes. A turn does so ten times, mostly zeros: the other took
    6,000 instructions for each (2026-11-19)."""

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        if exemplar or not IS_IN_MEMORY:
            super().observe(amount, exemplar)
            return
        if amount:
            self._sum._value += amount
        self._buckets[bisect_left(self._upper_bounds, amount)]._value += 1


jwks_fetches = Counter("chat_jwks_fetches_total", "Fetches of the issuer's keys", ["outcome"])
stale_keys = Counter("chat_jwks_stale_total", "Verifications with keys that could not be refreshed")
refused_tokens = Counter("chat_tokens_refused_total", "Tokens that were not accepted")

build = Info("chat_build", "Which code this is")
# Counts too: chat_request_seconds_count. The route is a template, so ids in paths never become labels.
request_seconds = Histogram(
    "chat_request_seconds",
    "Requests by route, method and status, until the answer's last byte",
    ["route", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120),
)
requests_running = Gauge("chat_requests_running", "Requests that are being answered")
database_unavailable = Counter("chat_database_unavailable_total", "Transactions that the database refused or broke off")
pool_size = Gauge("chat_pool_size", "Connections to the database")
pool_free = Gauge("chat_pool_free", "Connections that nobody uses right now")
pool_waiting = Gauge("chat_pool_waiting", "Requests that wait for a connection")
shutting_down = Gauge("chat_shutting_down", "1 once the server was told to end")
jobs_waiting = Gauge("chat_jobs_waiting", "Jobs that wait in the queue, when last looked at")
revision_late = Gauge("chat_revision_late_seconds", "How long the oldest turn has waited for its revision")
jobs_failed = Gauge("chat_jobs_failed", "Jobs that have failed for good, when last looked at")
job_seconds = Histogram(
    "chat_job_seconds",
    "Runs of jobs by task and outcome",
    ["task", "outcome"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 120),
)
event_streams = Gauge("chat_event_streams", "Tabs and devices that listen to their user's events at this process")
turns_running = Gauge("chat_turns_running", "Turns that this process is answering")
turn_seconds = Histogram(
    "chat_turn_seconds",
    "Turns by how they ended, from the question stored to the answer stored",
    ["state"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
)
turn_tokens = Counter("chat_turn_tokens_total", "Tokens that turns took, as models or we counted them", ["direction"])
prompt_tokens = Histogram(
    "chat_prompt_tokens",
    "Tokens of the prompts of turns, by part",
    ["part"],
    buckets=(0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
)
turns_taken_over = Counter("chat_turns_taken_over_total", "Interrupted turns that were begun anew by their key")
turns_failed = Counter("chat_turns_failed_total", "Turns that ended in an error, by its code", ["code"])
model_retries = Counter("chat_model_retries_total", "Calls that a provider refused for now, and that were made again")
turns_turned_away = Counter("chat_turns_turned_away_total", "Turns that would have begun too late, and were refused")
turns_refused = Counter("chat_turns_refused_total", "Turns that were not begun, by the limit of their user", ["limit"])
memories = Counter("chat_memories_total", "What turns gave memory, by what became of it", ["outcome"])
memories_refused = Counter("chat_memories_refused_total", "What turns gave memory and was not kept, by why", ["reason"])
mcp_calls = Counter("chat_mcp_calls_total", "Calls of the tools of memory, by how they ended", ["tool", "outcome"])
memories_maintained = Counter("chat_memories_maintained_total", "What maintenance did with memories", ["what"])
revision_lag_seconds = Histogram(
    "chat_revision_lag_seconds",
    "From the end of a turn until it is revised",
    buckets=(0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600),
)
revision_tokens = Counter("chat_revision_tokens_total", "Tokens that models took for memories and summaries")
revisions_without_model = Counter(
    "chat_revisions_without_model_total", "Revisions that rules did although a model is set up, by why", ["reason"]
)
compactions = Counter("chat_compactions_total", "Summaries of conversations that were made, by why", ["reason"])
compactions_degraded = Counter(
    "chat_compactions_degraded_total",
    "Summaries that a turn went on without, or that rules made instead, by why",
    ["reason"],
)
larger_models = Counter("chat_larger_models_total", "Turns whose prompt only fitted into the agent's larger model")
articles = Counter("chat_articles_total", "Uploads that were read, by what became of them", ["outcome"])
recall_seconds = Histogram(
    "chat_recall_seconds",
    "Searches in what is remembered, found or not",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.1),
)
recalls_degraded = Counter("chat_recalls_degraded_total", "Searches that may have missed something, by why", ["reason"])
recall_cache_bytes = Gauge("chat_recall_cache_bytes", "What this process keeps to search in; about")
recall_cache_users = Gauge("chat_recall_cache_users", "Users whose messages and memories it keeps so")
retrieval_seconds = Histogram(
    "chat_retrieval_seconds",
    "Searches in articles, found or not, with reading what was found",
    buckets=(0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 5),
)
