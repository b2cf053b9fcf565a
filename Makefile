# The two commands of the README are `make demo` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-wheel check build bench smoke-llm lock clean

help:  ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > /dev/null || true
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	mkdir -p build
	touch $(STAMP)

demo: $(STAMP)  ## Build the demo edition, score the baselines, verify them, say where to look.
	$(BIN)/scilaws-bench demo

test: $(STAMP)  ## Everything CI runs: checks, tests, part of the tests on the installed wheel.
	@$(MAKE) --no-print-directory -j 2 check test-wheel
	$(PYTEST) -n $(WORKERS) --dist loadfile -m "not slow" --durations 15 tests

test-wheel: $(STAMP) build  ## Part of the tests against the installed wheel instead of the checkout.
	rm -rf build/wheel-site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/wheel-site dist/*.whl
	PYTHONPATH=build/wheel-site $(PYTEST) -m wheel tests/wheel

test-slow: $(STAMP)  ## Long proofs, sharded and resumable.
	$(PYTEST) -n $(WORKERS) -m slow tests

check: $(STAMP)  ## Formatting, lint, types, import contracts.
	@mkdir -p build
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > build/import-contracts.txt || (cat build/import-contracts.txt; exit 1)

build: $(STAMP)  ## Build the wheel and the source distribution.
	@mkdir -p build
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . > build/build.log 2>&1 || (cat build/build.log; exit 1)

bench: $(STAMP)  ## Measure the figures of docs/benchmarks.md on this machine.
	$(BIN)/python tests/benchmarks/run.py

smoke-llm: $(STAMP)  ## Optional: a real, very small language model through the whole path.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[smoke]'
	$(BIN)/python tests/smoke/llm.py

lock: $(STAMP)  ## Resolve requirements.lock again (maintainers).
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra all --output-file requirements.lock pyproject.toml

clean:  ## Remove what builds and tests left in the checkout.
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
