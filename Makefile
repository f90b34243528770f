# `make demo` and `make test` are all there is to know: each sets up what is missing first.

VENV       := .venv
STAMP      := $(VENV)/.set-up
INSTRUCTOR := $(VENV)/.set-up-instructor

.DEFAULT_GOAL := help
.PHONY: help setup instructor demo test quick test-all thorough lint bench

help:
	@echo "make demo    grade the small class in examples/class and write its page"
	@echo "make test    run the project's own checks and lint, a few minutes on two cores"
	@echo "make test-all  run them all, those too that take long"
	@echo "make lint    run ruff and mypy only"
	@echo "make bench   time the grader, alone and beside others, and write the figures into docs (an hour, as root)"
	@echo "make setup   set up $(VENV) (the others do it too); PYTHON=... chooses the Python for a new one"
	@echo "make instructor   the same with nbgrader, Jupyter and dask"

setup: $(STAMP)
	@:

instructor: $(INSTRUCTOR)
	@:

# The stamp holds the place: an environment works only where it was made, so a moved or copied tree gets a new one.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

$(STAMP): pyproject.toml requirements.lock scripts/setup.sh
	@PYTHON="$(PYTHON)" scripts/setup.sh $(VENV)
	@echo "$(CURDIR)" >$@

# Not with `make setup`: a learner needs no Jupyter.
$(INSTRUCTOR): $(STAMP) requirements-instructor.lock
	@echo "Installing the packages of requirements-instructor.lock."
	@$(VENV)/bin/python -m pip --disable-pip-version-check --no-input -qq install -r requirements-instructor.lock
	@touch $@

demo: setup
	@$(VENV)/bin/kata grade-class examples/class --out build/demo --html --isolation best

lint: setup
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy --strict grader

# A test file stays on one worker, so that what its fixtures build is built once; tests/conftest.py says in which order.
# Hundreds of processes would each compile the program anew if Python were not to keep what it has compiled.
PYTEST := PYTHONDONTWRITEBYTECODE= $(VENV)/bin/pytest tests --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Side by side: tests wait for processes of theirs half of the time, and mypy needs a core for half a minute.
test: instructor
	@$(MAKE) --no-print-directory --jobs=2 lint quick

quick: instructor
	$(PYTEST) -m "not thorough"

test-all: test thorough

# What `make test` leaves out.
thorough: instructor
	$(PYTEST) -m thorough

BENCH   := $(VENV)/bin/python -u benchmarks
FIGURES := benchmarks/figures

bench: instructor
	@[ -x build/otter-venv/bin/otter ] || benchmarks/set_up_otter.sh
	@$(BENCH)/run.py --only fork commands two processor release class --json $(FIGURES)/bench.json
	@$(BENCH)/run.py --only watch play --json $(FIGURES)/terminal.json
	@$(BENCH)/rivals.py --json $(FIGURES)/rivals.json
	@$(BENCH)/growth.py --json $(FIGURES)/growth.json
	@$(BENCH)/cheats.py --json $(FIGURES)/cheats.json
	@$(BENCH)/load.py --json $(FIGURES)/load.json
	@$(BENCH)/figures.py
