"""Schemathesis over a running server: what it answers must be documented, and never be our fault."""

import multiprocessing
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.pool import Pool
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import checks

from tests.tools.routes import ENDLESS

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
# The parser of uvicorn on a header that is none: no request, so none of our answers.
NOT_HTTP = b"Invalid HTTP request received."


@dataclass
class Findings:
    """What was wrong, one line each, and how much was tried."""

    requests: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)


def examine(address: str, headers: dict[str, str], *, examples: int, fixed: dict[str, Any] | None = None) -> Findings:
    """Try every operation of /openapi.json with data that fits it and data that does not.

    `fixed` are path parameters that take the place of made-up ones, so that requests reach something. In a process of
    its own: Hypothesis parses sources, and CPython 3.11 may fail at that while a server in another thread works.
    """
    return _apart().apply(_examine, (address, headers, examples, fixed or {}))


@cache
def _apart() -> Pool:
    """One for the run: Schemathesis takes 4 s of CPU to be loaded."""
    return multiprocessing.get_context("spawn").Pool(1)


def _examine(address: str, headers: dict[str, str], examples: int, fixed: dict[str, Any]) -> Findings:
    found = Findings()
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    with requests.Session() as session:
        operations = [each.ok() for each in schema.get_all_operations()]
        operations = [each for each in operations if not headers or each.path not in ENDLESS]
        for operation in sorted(operations, key=lambda each: each.method == "delete"):  # deleting comes last
            for mode in schemathesis.GenerationMode:
                _try(operation, mode, session, headers, examples, fixed, found)
    return found


def _try(operation, mode, session, headers, examples, fixed, found: Findings) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: schemathesis.Case) -> None:
        for name in fixed.keys() & (case.path_parameters or {}).keys():
            if mode is schemathesis.GenerationMode.POSITIVE:
                case.path_parameters[name] = fixed[name]
        response = case.call(base_url=operation.base_url, session=session, headers=headers)
        if response.status_code == 400 and response.content == NOT_HTTP:
            return
        found.requests += 1
        found.statuses[response.status_code] = found.statuses.get(response.status_code, 0) + 1
        for check in CHECKS:
            try:
                case.validate_response(response, checks=[check])
            except (checks.Failure, checks.FailureGroup) as error:
                found.wrong.add(
                    f"{operation.method} {operation.path} {response.status_code}: {check.__name__}: {error}"
                )

    try:
        one()
    except Unsatisfiable:
        assert mode is schemathesis.GenerationMode.NEGATIVE, "only what takes no data at all has no wrong data"
