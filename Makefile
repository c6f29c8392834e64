# Every target sets up what it needs: Python 3.11 or newer and make are enough.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
JOBS ?= auto

.PHONY: help venv demo test test-slow lint types golden bench clean

help:
	@echo 'make demo       install, generate the example, run its tools'
	@echo 'make test       install, run the ordinary tests, linters and type checkers'
	@echo 'make test-slow  the tests that take minutes, and the mutations'
	@echo 'make lint       ruff'
	@echo 'make types      mypy and pyright'
	@echo 'make golden     rewrite the expected output of the golden cases'
	@echo 'make bench      print the measured speed beside its budget'
	@echo 'make clean      remove what these targets have made'

venv: $(STAMP)

# Both folders go into one call: pip would otherwise look for the runtime on an index.
$(STAMP): pyproject.toml runtime/pyproject.toml
	@test -n '$(PYTHON)' || { echo 'Python 3.11 or newer is needed; none was found. Set PYTHON=...' >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . \
		--editable 'runtime[keys,otel,postgresql]' --group dev
	touch $@

demo: $(STAMP)
	cd examples/shop && ../../$(BIN)/toolkiln generate
	cd examples/shop && ../../$(BIN)/python demo.py

test: lint types
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow'

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) -m slow

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/pyright --project pyproject.toml

golden: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow' --update-golden tests

bench: $(STAMP)
	set -e; for script in benchmarks/*.py; do $(BIN)/python $$script; done

clean:
	rm -rf $(VENV) build dist .coverage .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
