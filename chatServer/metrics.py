"""What is counted. Names only and outcomes, never a user."""

from prometheus_client import Counter

jwks_fetches = Counter("chat_jwks_fetches_total", "Fetches of the issuer's keys", ["outcome"])
stale_keys = Counter("chat_jwks_stale_total", "Verifications with keys that could not be refreshed")
refused_tokens = Counter("chat_tokens_refused_total", "Tokens that were not accepted")
