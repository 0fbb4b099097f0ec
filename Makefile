# Two commands are enough: `make report` and `make test`. Both make the environment first if it is not there.
# `make help` lists every target.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The interpreter that makes the environment: make setup PYTHON=/path/to/python3.12
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := .venv/.locked
READY := .venv/.ready
# The peers of `make bench` have an environment of their own: nothing that users install depends on them.
BENCH := .bench-environment
WORKERS ?= 2
# One linear-algebra thread a process: two workers share two cores.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
COMPILE := .lock-environment/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --custom-compile-command 'make lock' $(UPGRADE)

.PHONY: help setup report test test-slow bench lab readme screenshots lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sort | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

setup: $(READY) ## make the environment .venv from the hashed lock

report: $(READY) ## execute every notebook and write reports/index.html and its pages
	$(BIN)/mpps report

test: $(READY) ## run the test suite
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-slow: $(READY) ## run the long checks: simulations and their like
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m slow

bench: $(BENCH)/.ready ## measure speed against the peers: table, reports/bench.json and reports/bench.svg
	$(BENCH)/bin/python benchmarks/run.py $(ROWS)

lab: $(READY) ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab --ServerApp.root_dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root) \
		--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

readme: $(READY) ## write the outputs and the picture that README.md and docs/ show
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/reference.py

screenshots: report ## a PNG of every page into reports/screenshots, and those of the README (needs chromium)
	$(BIN)/python tests/browser/screenshots.py
	$(BIN)/python docs/pictures.py

lock: .lock-environment/bin/uv ## pin the dependencies of pyproject.toml again (make lock UPGRADE=--upgrade for the newest)
	sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml | $(COMPILE) --extra test pyproject.toml - -o requirements.lock
	sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml | $(COMPILE) -c requirements.lock pyproject.toml \
		benchmarks/peers.in - -o benchmarks/requirements.lock
	echo 'pip>=25.1' | $(COMPILE) - -o requirements-bootstrap.lock

clean: ## remove the environment and everything that the other targets made
	rm -rf .venv .bench-environment .lock-environment .cache build dist .pytest_cache .hypothesis .ruff_cache
	find reports -mindepth 1 ! -name README.md -delete
	find model tests notebooks -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps: the locked packages (anew when a lock changes), then the project itself (anew when pyproject.toml changes).
# pip comes first: the one that Python 3.11 brings refuses a hashed lock in which packages have extras.
$(LOCKED): requirements.lock requirements-bootstrap.lock
	@test -n "$(PYTHON)" || { echo 'mpps needs Python 3.11 or newer and found none: install one,' \
		'then say make setup PYTHON=/path/to/python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is not Python 3.11 or newer:" \
		'say make setup PYTHON=/path/to/python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) has no venv module:" \
		'install it (Debian and Ubuntu: apt-get install python3-venv)' >&2; exit 1; }
	@echo 'Making .venv, once: about a minute and 850 MB'
	$(PYTHON) -m venv --clear .venv
	$(PIP) --require-hashes -r requirements-bootstrap.lock
	$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(BENCH)/.ready: benchmarks/requirements.lock requirements-bootstrap.lock pyproject.toml
	@echo 'Making $(BENCH), once: about two minutes and 1.2 GB'
	$(PYTHON) -m venv --clear $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bootstrap.lock
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/requirements.lock
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.lock-environment/bin/uv:
	$(PYTHON) -m venv .lock-environment
	.lock-environment/bin/python -m pip install --quiet uv
