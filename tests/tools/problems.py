"""How a refusal looks, whatever is refused."""

from tests.tools.canary import CANARY


def assert_problem(answer, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["code"] == code
    assert body["status"] == status
    assert body["request_id"] == answer.headers["x-request-id"]
    assert {"type", "title", "detail"} <= body.keys()
    assert CANARY not in answer.text
