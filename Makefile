# Plain `make` lists the targets: each line below that has a "##".
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-dowhy check truth bench clean

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# An interpreter that is 3.11 or newer, python3.11 first: pybullet has no wheels for later ones.
PYTHON ?= $(shell for py in python3.11 python3; do \
	$$py -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$py && break; done)

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

setup: $(STAMP)  ## make .venv and install simworld with its developer tools

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "simworld needs Python 3.11 or newer; none was found. \
	Install python3.11, or run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual \
	environments. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m simworld.render.raster
	@touch $@

demo: $(STAMP)  ## generate the demo suite, score three models on it, write the page
	$(BIN)/simworld demo

test: $(STAMP)  ## run all tests
	$(BIN)/python -m pytest -m 'not network'

test-fast: $(STAMP)  ## run the tests that take under a minute together
	$(BIN)/python -m pytest -m 'not network and not slow'

# DoWhy wants an older scipy than the developers' tools bring, so it has an environment of its own.
test-dowhy:  ## ask DoWhy our counterfactuals, in an environment of its own
	test -x .venv-dowhy/bin/python || $(PYTHON) -m venv .venv-dowhy
	.venv-dowhy/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test,dowhy]'
	.venv-dowhy/bin/python -m pytest tests/interop -k dowhy

check: $(STAMP)  ## lint, formatting, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

truth: $(STAMP)  ## hold every scene to its model at length (hours), and write docs/truth.md
	$(BIN)/python -m tests.truth

bench: $(STAMP)  ## run the measuring scripts in tests/perf
	@set -e; for script in $(wildcard tests/perf/*.py); do \
		echo "== $$script"; $(BIN)/python -m tests.perf.$$(basename $$script .py); done

clean:  ## remove caches, builds and generated/demo (keeps .venv)
	rm -rf build dist .coverage htmlcov .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache generated/demo
	find . -name __pycache__ -not -path './.venv*/*' -prune -exec rm -rf {} +
