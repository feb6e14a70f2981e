"""One question and its answer, from the request to the stored reply.

Which file for which question:
- how a turn begins, or is refused: ask, turns, gate, before, begun, replaced, limits, prompt
- while it runs: attempt, ahead, recalled, fitting, heard, guarded
- who hears it, now or later: events, record, pace, follow, replay, result
- how it ends, and what it took: after, ledger, spent
- what it would ask: preview, explain, triggers
"""
