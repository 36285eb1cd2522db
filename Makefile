# The commands of the project. `make help` explains them; each is safe to run again.

.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
# Bytecode is left to the first import, so something has to write it: else each of hundreds of processes compiles again
# what it imports.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup prepared demo up test test-fast coverage test-long test-faults test-docker profile lint format wheel lock bench-dc-engines bench-dc-brute-force fit-dc-costs bench-papers bench-rules fit-work fit-rules bench-feeds bench-changes bench-unseen bench-first bench-day bench-day-growth bench-reading bench-pieces pictures figures docs clean

BIN := .venv/bin
# Tests that wait for Spark or a server leave their processor to a third file; the slow files come first.
# A test that hangs ends after 15 minutes and is named; the longest takes a quarter of that.
SPREAD := -n 4 --dist loadfile --no-loadscope-reorder --timeout 900

# What needs no more than Python, and does not wait.
FAST := not (spark or airflow or browser or postgres or slow or long or faults or docker)

help: ## Explain the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Make .venv from requirements.lock, find or install Java; quick when done already
	@.ci/setup

prepared: setup ## Wait until what setup compiles in the background is ready
	@.ci/prepared

demo: setup ## Walk six days of flights through a real Airflow and report what broke (10 minutes at most)
	@$(BIN)/holdfast demo

up: setup ## Start Airflow with its UI on the loopback interface, until Ctrl-C
	@$(BIN)/holdfast up

test: lint prepared ## Check style, types and architecture, then run the tests, four files at a time (17 minutes on two quiet cores)
	$(BIN)/pytest -m "not (long or faults or docker)" $(SPREAD)

test-fast: prepared ## Run the tests of single modules that take moments: no Java, server, browser, compiling or unfolding
	$(BIN)/pytest -q -m "$(FAST)" -n 2 --dist loadfile tests/unit

coverage: prepared ## Run the tests and tell which lines and branches they never reach
	$(BIN)/pytest -m "not (long or faults or docker)" $(SPREAD) --cov --cov-report=term:skip-covered

test-long: prepared .venv-bench ## Run the property tests ten times over, each time on other examples, kill at every request to an object store, and what takes minutes
	for round in {1..10}; do echo "round $$round of 10"; HOLDFAST_TEST_EXAMPLES=all $(BIN)/pytest -q tests/property; done
	HOLDFAST_TEST_EXAMPLES=all $(BIN)/pytest -q tests/crash
	$(BIN)/pytest -m long --ignore tests/crash || [ $$? -eq 5 ]  # 5: no test is marked so

test-faults: prepared ## Kill, refuse and cut off at hundreds of points, flip 1,000 bits; writes the figures of docs/guarantees.md (an hour and a half; SHARE=0.1 of it, ONLY="writers or bits", MORE=1: goes on where the page ends)
	FAULTS_SHARE=$(or $(SHARE),1) FAULTS_MORE=$(MORE) $(BIN)/pytest -q -m faults tests/faults $(if $(ONLY),-k "$(ONLY)")

test-docker: prepared ## Build the compose stack and walk the demo's break through it, a worker killed meanwhile (Docker, or Debian as root; half an hour)
	$(BIN)/pytest -q -m docker tests/compose

lint: setup ## Check style, types, architecture and words only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy & typed=$$!; trap 'wait $$typed' EXIT; \
	$(BIN)/lint-imports; \
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive profiling_core plugins dags; \
	$(BIN)/python .ci/words.py; \
	wait $$typed

format: setup ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

wheel: setup ## Build the library as a wheel in dist/, its kernels compiled for this platform (3 minutes)
	@.ci/wheel $(BIN)/python dist

lock: ## Resolve requirements.in to requirements.lock again (needs uv, asks the package index)
	@command -v uv >/dev/null || { echo "make lock: uv is missing; install it with: pip install uv" >&2; exit 1; }
	uv pip compile requirements.in --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--upgrade --quiet --output-file requirements.lock >/dev/null

bench-dc-engines: prepared .venv-bench ## Measure which engine finds and keeps denial constraints soonest, and what auto costs beside it (DATA, TABLES, PARTS, REPEAT, LIMIT)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.dc_engines $(if $(DATA),--data $(DATA)) $(if $(TABLES),--tables $(TABLES)) \
		$(if $(PARTS),--parts $(PARTS)) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(LIMIT),--limit $(LIMIT))

bench-dc-brute-force: prepared ## Check the denial constraints of tables by brute force over all pairs (DATA=directory of CSVs, TABLES="a b")
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.dc_brute_force --data $(DATA) --tables $(TABLES)

fit-dc-costs: prepared .venv-bench ## Fit the costs by which engines of denial constraints are chosen (DATA=directory of CSVs, TABLES)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.dc_costs $(if $(DATA),--data $(DATA)) $(if $(TABLES),--tables $(TABLES))
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.updating_costs $(if $(DATA),--data $(DATA)) $(if $(TABLES),--tables $(TABLES))

bench-papers: prepared .venv-bench ## Ask the five papers' questions, a page each (DATA=directory of CSVs; PAPERS="hydra incdc", ONLY="figure-5", ROWS=5000, TALL=40000, SCALE=1 TUPLES=100000)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.papers --data $(DATA) $(if $(PAPERS),--papers $(PAPERS)) $(if $(ONLY),--only $(ONLY)) \
		$(if $(ROWS),--rows $(ROWS)) $(if $(TALL),--tall $(TALL)) $(if $(SCALE),--scale $(SCALE)) $(if $(TUPLES),--tuples $(TUPLES))

bench-feeds: prepared ## Measure alerts on feeds of one file per day, as init proposes them (DATA=directory of feeds with labels.csv; KIND=snapshot: another kind than proposed; FEEDS="a b")
	@PYTHONPATH=tests $(BIN)/python -W ignore -m benchmarks.feeds --data $(DATA) $(if $(KIND),--kind $(KIND)) $(FEEDS)

bench-changes: prepared ## Measure how soon changes for good are recognised, on the same tables (DATA, FEEDS as bench-unseen; ALONE=1: by the judges of loads alone)
	@PYTHONPATH=tests $(BIN)/python -W ignore -m benchmarks.changes --data $(DATA) $(if $(ALONE),--alone) $(FEEDS)

bench-unseen: prepared ## Measure alerts on tables and errors that no judge was made for (DATA=directory with feeds and relational; FEEDS="a b": also of tests/benchmarks/data/feeds.csv; ALL=1: errors that judges were made for, too; ALONE=1: loads and columns alone, in minutes; DAYS=24 ERRORS=1)
	@PYTHONPATH=tests $(BIN)/python -W ignore -m benchmarks.unseen --data $(or $(DATA),.) $(if $(ALONE),--alone) $(if $(ALL),--all) $(if $(DAYS),--days $(DAYS)) $(if $(ERRORS),--errors $(ERRORS)) $(FEEDS)

bench-rules: prepared $(if $(DATA),,.venv-bench) ## Measure which of the known rules are shown, and which of those shown a person would sign (DATA=directory of databases with declared rules: these instead, DATABASES="a b", LINES=1: with the first ten lines, BUDGET=30: as users have it)
	@$(if $(DATA),PYTHONPATH=tests $(BIN)/python -m benchmarks.rules_databases $(DATA) $(DATABASES) $(if $(LINES),--lines) $(if $(BUDGET),--budget $(BUDGET)),PYTHONPATH=tests $(BIN)/python -m benchmarks.rules)

fit-work: prepared ## Measure how much work of a search a second of one core does (DATA="table.csv directory …")
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.fitting_work $(DATA)

fit-rules: prepared $(if $(LISTED),.venv-bench,) ## Fit the weights of the scores again; with DATA (a directory of databases) measure what they are fitted to first, with LISTED=1 also the businesses and public tables
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.fitting $(DATA) $(if $(LISTED),--listed)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.fitting_lines $(DATA) $(if $(LISTED),--listed)

bench-first: wheel ## Measure the first minutes with the wheel: pip, discover, init, two days; the core alone, and with [gx]
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.first_minutes dist/*.whl

bench-day: prepared ## Measure what a day of the demo's deltas costs on the command line, step by step
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.day

bench-day-growth: prepared .venv-bench ## Measure a day of 1,000 rows as a table grows to 6 million (ROWS="10000 100000": of lineitem)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.day_growth $(if $(ROWS),--rows $(ROWS))

bench-reading: prepared ## Measure what is read of polluted CSV files, beside DuckDB, pandas, Polars and clevercsv (DATA=directory with csv, clean and parameters, whose files go through init and apply, too)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.reading $(if $(DATA),--data "$(DATA)" --applied)

bench-pieces: prepared .venv-bench ## Measure what each piece of a bootstrap costs, and model more workers (ROWS="500000": of lineitem)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.pieces $(if $(ROWS),--rows $(ROWS))

figures: setup ## Count lines by folder, decision records, words of docs, circles of imports and hand-written codecs (SINCE=revision: beside that one's)
	@$(BIN)/python .ci/figures.py $(SINCE)

pictures: setup ## Take the pictures of the pages in the docs again: a real Airflow, in light, dark and on a phone (chromium; minutes)
	@PYTHONPATH=tests $(BIN)/python -W ignore -m helpers.pictures

docs: .venv-docs ## Build the documentation as a site in site/, every link checked
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. .venv-docs/bin/mkdocs build --strict --quiet
	@echo 'Read it: python3 -m http.server --bind 127.0.0.1 --directory site'

.venv-docs: pyproject.toml setup # what builds the site, apart from the product's own environment
	$(BIN)/python -m venv --clear $@
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("$<", "rb"))["dependency-groups"]["docs"], sep="\n")' \
		| $@/bin/python -m pip --disable-pip-version-check install --quiet -r /dev/stdin
	@touch $@

profile: prepared ## Tell where one discovery spends its time (FILE=table.csv, ARGS="--kind fd")
	@mkdir -p .holdfast
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.profiled .holdfast/profile $(or $(FILE),docs/examples/customers.csv) $(ARGS)

.venv-bench: pyproject.toml # other programs to measure against, apart from the product's own environment
	$(BIN)/python -m venv --clear $@
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("$<", "rb"))["dependency-groups"]["bench"], sep="\n")' \
		| $@/bin/python -m pip --disable-pip-version-check install --quiet -r /dev/stdin
	@touch $@

clean: ## Remove what tools leave behind; keeps environments and the state in .holdfast
	rm -rf build dist site htmlcov .coverage* *.egg-info .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -path './.venv*' -prune -o -name __pycache__ -type d -exec rm -rf {} +
