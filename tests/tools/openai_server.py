"""A real HTTP server that speaks OpenAI's chat completions, with switches: it streams, calls tools, refuses, breaks
off and stalls. Every request is kept.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
WORDS = ["Hello", ", ", "wire", "!"]
THOUGHTS = ["Let me ", "think."]
SAID_AS = ("reasoning_content", "reasoning")
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "".join(WORDS)}, "finish_reason": "stop"}
REFUSALS = {
    "400": 400,
    "401": 401,
    "403": 403,
    "404": 404,
    "429": 429,
    "500": 500,
    "503": 503,
    "context": 400,
}
ONCE = "-once"  # refused so the first time, then answered


class OpenAIServer:
    """Listens on loopback until it is closed. The name of the model that is asked for chooses what happens."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.retry_after = ""
        self.released = threading.Event()  # lets the second half of "waits" go, and every "stalls" end
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:  # noqa: C901  one class, six small methods
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                mode = body["model"]
                if self.path != "/v1/chat/completions":
                    self._refuse(404, "no such path")
                elif mode in REFUSALS or (mode.endswith(ONCE) and len(server.requests) == 1):
                    refused = REFUSALS[mode.removesuffix(ONCE)]
                    self._refuse(refused, f"You said: {body['messages'][-1]['content']}", mode)
                elif body.get("stream"):
                    self._stream(mode, body)
                else:
                    self._answer(
                        200, {**_common(body), "object": "chat.completion", "usage": USAGE, "choices": [CHOICE]}
                    )

            def _refuse(self, status: int, message: str, mode: str = "") -> None:
                code = "context_length_exceeded" if mode == "context" else "refused"
                self._answer(status, {"error": {"message": message, "type": "error", "code": code}})

            def _answer(self, status: int, value: dict[str, Any]) -> None:
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                if server.retry_after:
                    self.send_header("Retry-After", server.retry_after)
                self.end_headers()
                self.wfile.write(text)

            def _stream(self, mode: str, body: dict[str, Any]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for data in server._events(mode, body):
                        self._send(f"data: {data}\n\n".encode())
                    if mode == "breaks":
                        self.close_connection = True
                        return  # without the last chunk
                    self._send(b"")
                except OSError:
                    pass  # the client had enough

            def _send(self, data: bytes) -> None:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _events(self, mode: str, body: dict[str, Any]) -> Iterator[str]:
        def event(delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> str:
            choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
            return json.dumps({**_common(body), "choices": choices, "usage": usage})

        yield event({"role": "assistant", "content": ""})
        if mode == "garbage":
            yield "{not json"
        if mode in ("silent", "spent"):
            yield event({}, "stop" if mode == "silent" else "length")
        elif mode == "tools":
            yield from (event({"tool_calls": [fragment]}) for fragment in TOOL_FRAGMENTS)
            yield event({}, "tool_calls")
        else:
            yield from (event({mode: word}) for word in THOUGHTS if mode in SAID_AS)
            for number, word in enumerate(WORDS):
                if number == 2 and mode in ("waits", "stalls"):
                    self.released.wait(20)
                if number == 2 and mode == "breaks":
                    return
                yield event({"content": word})
            if mode == "hangs-up":
                return
            yield event({}, "length" if mode == "cut" else "stop")
        if body.get("stream_options", {}).get("include_usage"):
            yield event(None, usage=USAGE)
        yield "[DONE]"


def _common(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}


def _fragment(index: int, arguments: str, name: str | None = None) -> dict[str, Any]:
    begun = {"id": f"call_{index}", "type": "function"} if name else {}
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"index": index, **begun, "function": function}


TOOL_FRAGMENTS = [
    _fragment(0, "", "weather"),
    _fragment(0, '{"ci'),
    _fragment(0, 'ty": "Köln"}'),
    _fragment(1, "", "time"),
    _fragment(1, '{"zone": "CET"}'),
]
