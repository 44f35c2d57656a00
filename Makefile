# Two commands are enough for a newcomer: `make run` and `make test`. Each sets up what it needs.
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin

export PORT

.PHONY: setup setup-dev browser run test check bench docs clean

setup: $(VENV)/.installed

$(VENV)/.installed: requirements.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Assay needs Python 3.11 or newer; found " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

setup-dev: $(VENV)/.installed-dev

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@

browser: setup-dev
	@$(BIN)/python -m tests.support.browser

run: setup
	@$(BIN)/python -m labeling init --demo
	@$(BIN)/streamlit run app.py --server.port $(PORT)

check: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python labeling/ui/locale/update.py --check

test: check browser
	$(BIN)/python -m pytest

bench: setup-dev
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: setup-dev
	$(BIN)/python -m metrics measures --format markdown > docs/measures.md

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis test-output
