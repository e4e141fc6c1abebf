# `make serve` shows the book, `make test` checks it; `make help` lists the rest.

PYTHON ?= python3
PORT ?= 8000

VENV := .venv
RUN := $(VENV)/bin/python -m
# Named after the Python that made it: with another PYTHON, .venv is made anew.
VERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())' 2>/dev/null)
STAMP := $(VENV)/made-by-$(VERSION)
# As many processes as there are cores take the files of the tests in their order.
SHARED := -n auto --dist loadfile --no-loadscope-reorder

# One file pins what we install and what builds the package. The second name is
# that of newer versions of pip.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Material's notice about MkDocs 2, which constraints.txt keeps out.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help serve test check site pdf zensical tangle mutants proof bench bridge pins clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

serve: $(STAMP) tangle ## the book at http://127.0.0.1:8000, reloaded when a chapter changes
	@$(VENV)/bin/python -c \
	  'import socket; socket.create_server(("127.0.0.1", $(PORT))).close()' \
	  2>/dev/null || { echo 'Port $(PORT) is in use, perhaps by another make serve.' \
	    'Name a free one: make serve PORT=8001' >&2; exit 1; }
	-$(RUN) weave live docs
	$(RUN) mkdocs serve --livereload --dev-addr 127.0.0.1:$(PORT)

test: check ## every example of the book, the engine, the book's own checks, the site
	$(RUN) weave check
	$(RUN) pytest $(SHARED) --codeblocks README.md docs tests

check: $(STAMP) ## formatting, style and types
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy

site: $(STAMP) ## build the site into site/, with plain text twins and what examples run with
	$(RUN) mkdocs build --strict
	$(RUN) weave twins site
	$(RUN) weave live site

pdf: site ## print the book into build/tanglegrad.pdf; needs Chromium, Chrome or Edge
	$(RUN) weave print site

zensical: $(STAMP) ## build the same site with Zensical, Material's successor
	$(VENV)/bin/zensical build --strict --clean -f mkdocs.yml
	$(RUN) weave twins site
	$(RUN) weave live site

tangle: $(STAMP) ## write src/ anew from the chapters
	$(RUN) weave tangle

mutants: $(STAMP) ## change src/tanglegrad in every small way, and see if an example notices
	$(VENV)/bin/python tests/mutants/run.py

proof: $(STAMP) ## hold the engine against all oracles, and write down what was found
	PYTHONPATH=. $(RUN) tests.bench.proof

bench: $(STAMP) ## time every way to take a step, against micrograd and its kin
	PYTHONPATH=. $(RUN) tests.bench.speed .bench
	PYTHONPATH=. $(RUN) tests.bench.gpt

bridge: $(STAMP) ## with PyTorch: chapter 15's examples, and what a step costs there and here
	$(RUN) pip install --quiet --target .bench/torch torch==2.13.0
	PYTHONPATH=.bench/torch $(RUN) weave update
	PYTHONPATH=.:.bench/torch $(RUN) tests.bench.bridge

pins: $(STAMP) ## bring constraints.txt up to date
	$(RUN) pip install --quiet uv
	UV_CUSTOM_COMPILE_COMMAND='make pins' $(RUN) uv pip compile --quiet \
	  --universal --python-version 3.11 --extra dev --no-annotate \
	  --upgrade --output-file constraints.txt pyproject.toml

clean: ## remove everything that make made
	rm -rf $(VENV) site build .cache docs/assets/run/made tests/site/node_modules
	rm -rf .entangled .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { \
	  echo '$(PYTHON) was not found. Install Python 3.11 or newer,' \
	    'or name the one you have: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'tanglegrad needs Python 3.11 or newer; $(PYTHON) is $(VERSION).' \
	    'Name a newer one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo '$(PYTHON) has no venv or no ensurepip.' \
	    'On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@if test -e $@; then \
	  echo 'pyproject.toml or constraints.txt has changed: bringing $(VENV) up to date'; \
	else \
	  echo 'Installing some 110 packages into $(VENV): 1 GB, two to four minutes'; \
	  $(PYTHON) -m venv --clear $(VENV); \
	fi
	$(RUN) pip install --quiet --editable '.[dev]'
	@touch $@
