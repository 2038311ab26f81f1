# Sahrat's commands. `make help` lists them; everything else is made on the way.
# Needs Python 3.11 or later, make and a POSIX shell; `make test` also node with npm, Chromium, and
# Java with Maven or Docker.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# Set here, so that only the command line sets them and never the environment.
ARGS =
LOG  = embedded
SECONDS = 120
MINUTES = 10

# Some images set it; then each start of a worker compiles the house anew, a third of its time.
export PYTHONDONTWRITEBYTECODE =

BIN    := .venv/bin/
SETUP  := .venv/setup.stamp
PAGE   := tests/page/node_modules/.stamp
PIP     = $(BIN)python -m pip --disable-pip-version-check install --quiet
# Two workers for each core, since the longest tests wait for the most part; each has a broker, so on
# a large machine six are enough. A file's tests stay together: they share houses and servers.
WORKERS = $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
PYTEST  = $(BIN)pytest -q -n $(WORKERS) --maxprocesses=6 --dist loadfile --no-loadscope-reorder
# The first that runs, is new enough and can make an environment: a name on PATH may be a mere shim.
PYTHON  = $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

.PHONY: setup run test quick lint format types contracts schemas lock bench chaos fuzz clean help

setup: $(SETUP) ## Make .venv from the locks, with all that developing needs

run: .venv/run.stamp ## Start the house on this machine (LOG=kafka: on a real broker; ARGS="..")
	$(BIN)sahrat run --log $(LOG) $(ARGS)

test: lint types contracts $(PAGE) ## Everything that CI runs: the checks and every test
	$(PYTEST) $(ARGS)

quick: $(SETUP) $(PAGE) ## A few minutes: pure code, simulation and goldens; no broker, no database
	$(PYTEST) -m "not kafka and not postgres and not slow" $(ARGS)

lint: $(SETUP) ## Style and likely mistakes, by ruff
	$(BIN)ruff check --quiet --output-format concise
	$(BIN)ruff format --check --quiet || { echo "run: make format"; exit 1; }

format: $(SETUP) ## Write the code anew in the one style, and mend what ruff can
	$(BIN)ruff check --fix-only --quiet
	$(BIN)ruff format --quiet

types: $(SETUP) ## Types, by mypy in strict mode
	$(BIN)mypy

contracts: $(SETUP) ## Who may import whom, by import-linter
	$(BIN)lint-imports --no-logo

schemas: $(SETUP) ## Write schemas/ anew from the code, then show what changed
	$(BIN)python -m sahrat.games.schemas schemas/
	$(BIN)python -m services.gateway.schemas schemas/gateway/
	$(BIN)python -m services.house.documents schemas/
	$(BIN)python -m services.gateway.forms services/gateway/static/verify/forms.js
	git diff --stat schemas/

bench: $(SETUP) ## Measure (ARGS="..")
	$(BIN)python -m tests.bench $(ARGS)

chaos: $(SETUP) ## Kill, freeze and cut off parts of a house while phones play (MINUTES=10 ARGS="..")
	$(BIN)python -m tests.chaos --minutes $(MINUTES) $(ARGS)

fuzz: .venv/fuzz.stamp ## Feed hostile input to all that reads any, and to a house (SECONDS=120 ARGS="..")
	$(BIN)python -m tests.fuzz --seconds $(SECONDS) $(ARGS)

# Nothing of this machine may reach the locks: no index, no folder of wheels, no address of either.
COMPILE = env -u PIP_FIND_LINKS -u UV_FIND_LINKS $(BIN)uv pip compile --quiet \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command 'make lock' $(ARGS)

lock: .venv/bin/uv ## Pin what pyproject.toml asks for (ARGS=--upgrade: to the newest)
	$(COMPILE) pyproject.toml --group build --output-file deploy/requirements.lock
	$(COMPILE) pyproject.toml --group build --group dev --extra fast --extra parquet \
		--constraints deploy/requirements.lock \
		--output-file deploy/requirements-dev.lock
	$(COMPILE) --group pyproject.toml:fuzz --output-file deploy/requirements-fuzz.lock

clean: ## Remove what these commands made, but nothing that a run has stored
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find shared services tests -name __pycache__ -prune -exec rm -rf {} +
	rm -rf *.egg-info

help: ## This list
	@sed -nE 's/^([a-z]+):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Sahrat needs Python 3.11 or later, with venv"; exit 1; }
	$(PYTHON) -m venv --clear .venv

# What a run needs: quick to install on a new machine.
.venv/run.stamp: deploy/requirements.lock pyproject.toml | .venv/bin/python
	@echo "installing into .venv: a minute or two, once"
	$(PIP) --require-hashes -r deploy/requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The development lock holds the run lock's very versions, and adds to them.
$(SETUP): deploy/requirements-dev.lock .venv/run.stamp
	@echo "installing into .venv what developing needs: a minute or two, once"
	$(PIP) --require-hashes -r deploy/requirements-dev.lock
	@touch $@

# What checks the page; without npm its tests say that it is missing.
$(PAGE): tests/page/package-lock.json
	@npm ci --silent --prefix tests/page && touch $@ \
		|| echo "npm can't install what checks the page"

# Tells what code an input reached; without it fuzzing goes by what became of the input.
.venv/fuzz.stamp: deploy/requirements-fuzz.lock $(SETUP)
	@$(PIP) --only-binary :all: --require-hashes -r $< 2>/dev/null \
		|| echo "atheris can't be installed here: fuzzing does without it"
	@touch $@

.venv/bin/uv: | .venv/bin/python
	$(PIP) uv
