"""The numbers of /metrics, read where they are kept: compare before and after, other tests count too."""

from prometheus_client import REGISTRY


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0
