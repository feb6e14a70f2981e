# Two commands matter: `make run` and `make test`. Both set up whatever they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := benchmarks/peers/.venv
# Tests wait more than they work: three at a time serve two cores.
SIDE_BY_SIDE ?= 3

.PHONY: run test test-long chaos contract web web-if-stale api e2e screenshots lint types bench bench-own bench-instructions bench-recall bench-scale bench-retrieval load soak lock licences sbom wheel secrets hooks clean

run: $(VENV)/.product web-if-stale
	@echo "Starting the server (some seconds; more at first)..."
	@$(BIN)/chatserver serve

# Each worker compiles the tests anew, 10 s of CPU, where bytecode may not be written (2026-11-16).
test test-long: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.dev contract
	@tests/tools/ensure_pgbouncer
	$(BIN)/pytest -n $(SIDE_BY_SIDE) --dist loadfile --no-loadscope-reorder -m "not long"

test-long: $(VENV)/.dev contract
	@tests/tools/ensure_pgbouncer
	$(BIN)/pytest

# Faults and planted bugs, in the manner of Jepsen; docs/reliability.md. SEED=... repeats a run, ROUNDS=... shortens it,
# FAULT=... or BUG=... chooses one.
chaos: $(VENV)/.dev
	@$(BIN)/python -m tests.chaos $(SEED:%=--seed %) $(ROUNDS:%=--rounds %) $(FAULT:%=--fault %) $(BUG:%=--bug %)

# The AI SDK, whose parser reads our streams in the tests, supabase-js, which signs in through us, and the client of
# MCP; without Node those are skipped, and say so.
contract:
	@test tests/contract/node_modules/.package-lock.json -nt tests/contract/package-lock.json \
	  || npm --prefix tests/contract ci --silent \
	  || echo "There is no npm, or it failed: the AI SDK, supabase-js and MCP's client are not asked."

# The web client, into webApp/dist, which the server serves at /: its types from webApp/openapi.json, checked, built, and
# not too large. Needs Node 20.19 or newer.
web: webApp/node_modules/.package-lock.json
	npm --prefix webApp run --silent typecheck
	npm --prefix webApp run --silent build
	npm --prefix webApp run --silent size

# Where no registry answers `make run` waits for that: 76 s with npm's own pauses, 7 s with these (2026-11-18).
webApp/node_modules/.package-lock.json: webApp/package-lock.json
	npm --prefix webApp ci --no-audit --no-fund --no-update-notifier --loglevel=error \
	  --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=1500
	@touch $@

# For `make run`: only when something has changed, and never in the way of the server.
web-if-stale:
	@if ! command -v npm >/dev/null; then \
	  if [ -f webApp/dist/index.html ]; then echo "There is no npm: the web client stays as it was built."; \
	  else echo "There is no npm: the server runs without its web client. It needs Node 20.19 or newer."; fi; \
	elif [ ! -f webApp/dist/index.html ] || [ -n "$$(find webApp/src webApp/public webApp/index.html webApp/*.json \
	    webApp/vite.config.ts -newer webApp/dist/index.html -print -quit)" ]; then \
	  echo "Building the web client (a minute at first)..."; \
	  { $(MAKE) --silent webApp/node_modules/.package-lock.json && npm --prefix webApp run --silent build; } \
	    || echo "That failed, for the reason above: the server runs without it, or with the one before. To try again: make web"; \
	fi

# What the server answers, for the types of the web client.
api: $(VENV)/.dev
	$(BIN)/python -m tools.openapi

# The web client's own tests, then all of it in a real Chromium, against a real server with a scripted model:
# webApp/e2e/run.mjs. ONLY=chat for one file.
e2e: $(VENV)/.product web
	@webApp/tools/ensure_chromium
	npm --prefix webApp test --silent
	npm --prefix webApp run --silent e2e -- $(ONLY)

# The pictures of the README, from a real server and a real Chromium.
screenshots: $(VENV)/.product web
	@webApp/tools/ensure_chromium
	node webApp/e2e/screenshots.mjs

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive chatServer
	$(BIN)/python -m tools.scan_secrets
	$(BIN)/python -m tools.licences

types: $(VENV)/.dev
	$(BIN)/mypy

# Side by side with what people would use instead: benchmarks/RESULTS.md, results.json and plots; 19 to 28 minutes, in
# which it wants the machine for itself. ONLY=turns,startup chooses measures; QUICK=1 takes small numbers, into
# benchmarks/quick, with ALONE=1 beside the floor only, and installs nothing for it. DATA=FILE... are the conversations of
# recall, as for bench-recall.
bench: $(VENV)/.dev $(if $(ALONE),,$(PEERS)/.installed)
	$(BIN)/python -m benchmarks.side_by_side $(ONLY:%=--only %) $(if $(QUICK),--quick) $(if $(ALONE),--alone) \
	  $(if $(DATA),--data $(DATA))

# Our own costs against bounds of their own.
bench-own: $(VENV)/.dev
	$(BIN)/python -m benchmarks.history_window
	$(BIN)/python -m benchmarks.turn
	$(BIN)/python -m benchmarks.edges
	$(BIN)/python -m benchmarks.revision

# How many instructions a turn takes, of the server and of Postgres, beside the floor's: the same to a thousandth on a busy
# machine. Wants valgrind.
bench-instructions: $(VENV)/.dev
	$(BIN)/python -m benchmarks.instructions

# What recall finds, beside what simpler methods find. DATA=FILE for other conversations: benchmarks/conversations.py.
bench-recall: $(VENV)/.dev
	$(BIN)/python -m benchmarks.recall $(DATA)

# How long recall takes with up to a million memories, and when the database stalls: docs/bounds.md. Ten minutes.
bench-scale: $(VENV)/.dev
	$(BIN)/python -m benchmarks.recall_speed
	$(BIN)/python -m benchmarks.recall_scale --million

# How long finding passages of articles takes: docs/bounds.md. Three minutes.
bench-retrieval: $(VENV)/.dev
	$(BIN)/python -m benchmarks.retrieval

# What many at once cost, in bounds that end a run with 1: docs/bounds.md. Five minutes; soak half an hour
# (MINUTES=... for another time). Both want the machine for themselves.
load: $(VENV)/.dev
	$(BIN)/python -m benchmarks.streams
	$(BIN)/python -m benchmarks.overload

soak: $(VENV)/.dev
	$(BIN)/python -m benchmarks.soak $(MINUTES)

lock: $(VENV)/.dev
	$(BIN)/uv pip compile pyproject.toml --group build --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -q -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group build --group dev -c requirements.lock --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -q -o requirements-dev.lock
	$(BIN)/uv pip compile benchmarks/peers/requirements.in --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 -q -o benchmarks/peers/requirements.lock

licences: $(VENV)/.dev
	$(BIN)/python -m tools.licences --write

# What is in the server, for scanners: CycloneDX, from the lock.
sbom: $(VENV)/.dev
	@mkdir -p dist
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible -o dist/sbom.cdx.json requirements.lock

# The server with its web client in one file, for pip: dist/chatserver-*.whl. What it needs beside is not locked then.
wheel: $(VENV)/.product web
	$(BIN)/python -m hatchling build -t wheel

# Random passwords for docker-compose.yml, into .env; what is there already stays.
secrets:
	@$(PYTHON) -m tools.write_secrets

hooks: $(VENV)/.dev
	$(BIN)/pre-commit install

# The stamps say which lock a virtual environment was filled from. Nothing is resolved, for the lock is all there is: pip asked
# for psycopg[binary] of any version, and refused the one that came out on 2026-11-17.
$(VENV)/.product: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("chatServer needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". If you have another: make run PYTHON=python3.12") if sys.version_info < (3, 11) else 0'
	@echo "Installing the locked dependencies into $(VENV) (once; a minute or two)..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --compile --no-deps --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.product requirements-dev.lock
	@echo "Installing the locked development dependencies..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --compile --no-deps --require-hashes -r requirements-dev.lock
	@touch $@

# What people would use instead, never beside the product.
$(PEERS)/.installed: benchmarks/peers/requirements.lock
	@echo "Installing the locked peers into $(PEERS) (once; a minute or two)..."
	@test -x $(PEERS)/bin/pip || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/pip install --quiet --disable-pip-version-check --compile --no-deps --require-hashes -r $<
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) .mypy_cache .ruff_cache .pytest_cache .hypothesis
