# SPDX-License-Identifier: Apache-2.0
# `make library` and `make test` do all their own set-up: a .venv with the pinned packages.

PYTHON ?= python3
BIN := .venv/bin
# Every file that comes from elsewhere must have a sha256 of requirements/*.txt; what has no wheel is
# built with the setuptools of such a file. docs/supply_chain.md tells how the lists are made.
INSTALL = $(1)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation
define install
	@$(INSTALL) --no-deps --require-hashes --requirement requirements/backend.txt
	@$(INSTALL) --no-deps --require-hashes --requirement requirements/$(2).txt
	@$(INSTALL) --no-deps --editable .
endef
complete = @$(1)/bin/pip check --disable-pip-version-check > /dev/null || $(1)/bin/pip check
# Two test processes, each with whole files where possible: what a file's tests share is made once.
PARALLEL := -n 2 --dist worksteal
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Tests and builds start hundreds of processes, each of which would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help library report demo docs test test-metric test-slow fuzz judges check bench clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 14

library: .venv/build .venv/graphics ## build the library (COUNT=60 for a small one)
	@$(BIN)/python -m pipeline build $(if $(COUNT),--count $(COUNT))
	@echo 'The command `aa` is in $(BIN). To use it in this shell:'
	@echo '  export PATH="$(CURDIR)/$(BIN):$$PATH"'
	@echo 'Then `aa info` describes the library, and `report/index.html`, opened in a browser, shows it.'

report: library ## the page that shows the library, report/index.html: a part of `make library`

demo: .venv/build ## build the demo library that the wheel contains, after its tables or objects changed
	@$(BIN)/python -m pipeline demo

docs: .venv/docs ## build the documentation into site/ (open site/index.html)
	@$(BIN)/python -m sphinx --quiet --fresh-env --write-all --fail-on-warning --keep-going docs site
	@echo "site/index.html is ready"

test: .venv/dev .venv/graphics .venv/browser ## linters, types and tests
	@# mypy uses one core only, so the metric's tests run beside it.
	@$(MAKE) --no-print-directory --jobs 2 check test-metric
	@$(BIN)/python -m pytest -m "not slow" --ignore tests/aa_dataset/metric $(PARALLEL)

# In processes of their own: they load jax, whose threads and a later fork do not go together.
test-metric: .venv/dev
	@$(BIN)/python -m pytest -m "not slow" tests/aa_dataset/metric $(PARALLEL)

test-slow: .venv/dev .venv/graphics .venv/browser ## the tests that take minutes
	@$(BIN)/python -m pytest -m slow --timeout 3600 tests/aa_dataset/metric
	@$(BIN)/python -m pytest -m slow --timeout 3600 --ignore tests/aa_dataset/metric

fuzz: .venv/dev ## damaged files for every reader of foreign files (AA_FUZZ_SECONDS=1800)
	@$(BIN)/python -m pytest -m slow -s tests/fuzz

# The simulators weigh 1.5 GB and are asked for seldom, so they have a venv of their own.
judges: library .venv-judges/ready ## what five simulators say of every object
	@.venv-judges/bin/aa judge library --workers $$(nproc) --out work/judge/report.parquet
	@.venv-judges/bin/python -m pytest -m "judges or not slow" \
		tests/aa_dataset/adapters tests/aa_dataset/export tests/aa_dataset/judge tests/pipeline/tools/judge

check: .venv/dev ## linters and types
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/snakefmt --check Snakefile pipeline/rules
	@$(BIN)/mypy

bench: .venv/dev ## speed, each figure beside a reference of the same run
	@$(BIN)/python benchmarks/planning.py
	@PYTHONPATH=. $(BIN)/python benchmarks/load.py
	@PYTHONPATH=. $(BIN)/python benchmarks/training.py
	@PYTHONPATH=. $(BIN)/python benchmarks/download.py
	@PYTHONPATH=. $(BIN)/python benchmarks/score.py
	@PYTHONPATH=. $(BIN)/python benchmarks/readers.py
	@PYTHONPATH=. $(BIN)/python benchmarks/generate.py
	@PYTHONPATH=. $(BIN)/python benchmarks/normalize.py
	@PYTHONPATH=. $(BIN)/python benchmarks/verify.py
	@PYTHONPATH=. $(BIN)/python benchmarks/annotate.py
	@PYTHONPATH=. $(BIN)/python benchmarks/collision.py
	@PYTHONPATH=. $(BIN)/python benchmarks/render.py
	@PYTHONPATH=. $(BIN)/python benchmarks/mass.py
	@PYTHONPATH=. $(BIN)/python benchmarks/build.py
	@PYTHONPATH=. $(BIN)/python benchmarks/report.py
	@PYTHONPATH=. $(BIN)/python benchmarks/inputs.py
	@PYTHONPATH=. $(BIN)/python benchmarks/metric.py
	@PYTHONPATH=. $(BIN)/python benchmarks/authors.py
	@PYTHONPATH=. $(BIN)/python benchmarks/all_pairs.py

clean: ## remove everything that was built, but no raw source of yours and no .venv
	rm -rf work library release report site .snakemake

.venv/bin/python:
	@echo "setting up .venv (once, a minute or two)"
	@$(PYTHON) -m venv .venv

.venv/build: pyproject.toml $(wildcard requirements/*.txt) | .venv/bin/python
	$(call install,.venv,build)
	$(call complete,.venv)
	@touch $@

.venv/docs: pyproject.toml $(wildcard requirements/*.txt) | .venv/bin/python
	$(call install,.venv,docs)
	$(call complete,.venv)
	@touch $@

# pip prefers a digest that an index tells to a folder's wheel, so torch's build is chosen first and
# checked then. One for graphics cards wants libraries that no list has: see the same page. Neither may
# be a source archive: pip would run its code, for a download too, before anything is checked.
.venv/dev: pyproject.toml $(wildcard requirements/*.txt) | .venv/bin/python
	$(call install,.venv,dev)
	@$(BIN)/pip download --quiet --disable-pip-version-check --no-deps --dest .venv/torch \
		--only-binary :all: --constraint constraints.txt torch
	@$(call INSTALL,.venv) --no-deps --require-hashes --no-index --find-links .venv/torch \
		--requirement requirements/torch.txt
	@rm -rf .venv/torch
	@$(call INSTALL,.venv) --only-binary :all: --constraint constraints.txt torch
	$(call complete,.venv)
	@touch $@ .venv/build .venv/docs

.venv-judges/ready: pyproject.toml $(wildcard requirements/*.txt)
	@echo "setting up .venv-judges (once, some minutes)"
	@test -x .venv-judges/bin/python || $(PYTHON) -m venv .venv-judges
	$(call install,.venv-judges,judges)
	$(call complete,.venv-judges)
	@touch $@

# Rendering is best with Mesa's EGL; without it the ray caster draws, from pip alone.
.venv/graphics: | .venv/bin/python
	@$(BIN)/python -m pipeline.stages.render.graphics
	@touch $@

# The tests of pages need a real browser; without one they are skipped.
.venv/browser: | .venv/dev
	@$(BIN)/python -m tests.browser
	@touch $@
