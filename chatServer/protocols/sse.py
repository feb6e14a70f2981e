"""Server-sent events, as every stream of ours sends them."""

HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
}
HEARTBEAT = b": still here\n\n"
EXPIRED = b": token expired\n\n"
