"""What is observed is counted as prometheus_client would count it."""

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client import Histogram as Plain

from chatServer.metrics import Histogram

BUCKETS = (0, 1, 2.5, 10)


@pytest.mark.parametrize("amount", [0, 0.5, 1, 1.0001, 2.5, 10, 11, 1e9, -1])
def test_an_amount_falls_into_the_bucket_that_it_always_did(amount):
    found = []
    for kind in (Plain, Histogram):
        registry = CollectorRegistry()
        kind("seconds", "How long", ["part"], buckets=BUCKETS, registry=registry).labels("a").observe(amount)
        [metric] = registry.collect()
        found.append([(each.name, each.labels, each.value) for each in metric.samples if "_created" not in each.name])
    assert found[0] == found[1]


def test_an_example_is_kept():
    registry = CollectorRegistry()
    Histogram("seconds", "How long", buckets=BUCKETS, registry=registry).observe(2, {"id": "x"})
    [metric] = registry.collect()
    assert [each.exemplar.value for each in metric.samples if each.exemplar] == [2]
