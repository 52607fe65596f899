# Everything a newcomer needs: `make demo` and `make test` set up their own environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo test check bench screenshots clean

help:
	@echo "make demo         the explorer on a bundled report"
	@echo "make test         the test suite"
	@echo "make check        lint, types, import contract, dead code"
	@echo "make bench        the benchmark table (minutes)"
	@echo "make screenshots  draw screenshots/ anew from the bundled reports"
	@echo "make clean        remove the environment and caches"

# One environment per set of extras; the stamp is remade when pyproject.toml changes.
$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "nsystui needs Python 3.10 or newer; '$(PYTHON)' is older or absent. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed: on Debian and Ubuntu install python3-venv" >&2; exit 2; }

$(VENV)/.stamp-run: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.stamp-test: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.stamp-check: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,check]'
	@touch $@

$(VENV)/.stamp-bench: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,bench]'
	@touch $@

demo: $(VENV)/.stamp-run
	$(BIN)/nsystui demo

test: $(VENV)/.stamp-test
	$(BIN)/python -m pytest

check: $(VENV)/.stamp-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/vulture

bench: $(VENV)/.stamp-bench
	$(BIN)/python -m tests.benchmarks

screenshots: $(VENV)/.stamp-run
	$(BIN)/python screenshots/make.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
