"""The table of measures, in the order in which they are run."""

from benchmarks.side_by_side import (
    first_token,
    memories,
    open_streams,
    parts,
    pgbench,
    processes,
    recall,
    startup,
    stored,
    turns,
)

MEASURES = (
    turns.MEASURE,
    first_token.MEASURE,
    stored.MEASURE,
    memories.MEASURE,
    recall.MEASURE,
    open_streams.MEASURE,
    startup.MEASURE,
    processes.MEASURE,
    parts.MEASURE,
    pgbench.MEASURE,
)
