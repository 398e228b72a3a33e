# Needs only make and Python 3.11 or newer. Everything that a target writes besides its results
# (environment, caches) lies in TTT_ENV, so what writes no results works on a read-only checkout
# with TTT_ENV elsewhere.

ifneq ($(words $(CURDIR) $(TTT_ENV)),$(if $(TTT_ENV),2,1))
  $(error make needs paths without spaces; the checkout is in $(CURDIR)$(if $(TTT_ENV), and TTT_ENV is $(TTT_ENV)))
endif

PYTHON  ?= python3
TTT_ENV ?= .venv
EXTRAS  ?= notebooks,test,docs,teach,scale
WORKERS ?= 4
PORT    ?= 8866

ROOT  := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
ENV   := $(abspath $(TTT_ENV))
BIN   := $(ENV)/bin
CACHE := $(ENV)/cache
NOTEBOOKS := $(wildcard notebooks/[0-9]*.ipynb)

comma := ,
space := $(subst ,, )

# The checkout at hand is what runs, also where two share an environment.
export PYTHONPATH := $(ROOT)
# One thread: as quick on small arrays, and the same sums whatever the number of cores.
export OMP_NUM_THREADS      ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS      ?= 1
export NUMBA_NUM_THREADS    ?= 1
# Caches, and settings of yours that could change a figure or a kernel, stay out of the checkout.
export PYTHONPYCACHEPREFIX  ?= $(CACHE)/bytecode
unexport PYTHONDONTWRITEBYTECODE
export HYPOTHESIS_STORAGE_DIRECTORY ?= $(CACHE)/hypothesis
export MYPY_CACHE_DIR       ?= $(CACHE)/mypy
export RUFF_CACHE_DIR       ?= $(CACHE)/ruff
export MPLCONFIGDIR         ?= $(CACHE)/matplotlib
export IPYTHONDIR           ?= $(CACHE)/ipython
# numba looks for edits in a kernel's own file only, so any edit of the library starts a new cache.
ifndef NUMBA_CACHE_DIR
  export NUMBA_CACHE_DIR := $(CACHE)/numba-$(shell find ttt_lib -name '*.py' 2>/dev/null | LC_ALL=C sort | xargs cat | cksum | cut -d ' ' -f 1)
endif

.DEFAULT_GOAL := help
.PHONY: help env shell ttt reproduce test lint lab play load exercises slides grade figures full status review book bench profiles robust mutants constraints clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' "$(ROOT)/Makefile"

env: $(ENV)/installed-$(EXTRAS)  ## make the environment (TTT_ENV=.venv, EXTRAS=notebooks,test,docs,teach,scale)

# uv takes seconds where pip takes minutes; where it cannot be had, pip installs the same. Bytecode
# (of the tests, too) and kernels are compiled here, once, not by each of the processes that a
# target starts side by side.
$(ENV)/installed-%: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv "$(ENV)"
	@"$(BIN)/pip" install --quiet --no-compile -c constraints.txt uv \
	  && $(if $(PIP_FIND_LINKS),UV_FIND_LINKS="$(subst $(space),$(comma),$(PIP_FIND_LINKS))") \
	    "$(BIN)/uv" pip install --python "$(BIN)/python" -c constraints.txt -e ".[$*]" \
	  || { echo "uv did not install it; now with pip" >&2; \
	       "$(BIN)/pip" install --no-compile -c constraints.txt -e ".[$*]"; }
	@"$(BIN)/python" -m compileall -qq -j 0 -x '/tests?/' "$(ENV)/lib" || true
	$(if $(findstring notebooks,$*),"$(BIN)/python" -m ttt_lib.people.warmup \
	  || echo "kernels will be compiled on first use" >&2)
	$(if $(findstring test,$*),@"$(BIN)/pytest" -p no:cacheprovider --collect-only -q tests > /dev/null \
	  || echo "bytecode of the tests will be written on first use" >&2)
	@touch "$@"
	@echo "The command ttt is $(BIN)/ttt; 'make shell' opens a shell that finds it."

shell: env  ## open a shell that finds ttt, python and jupyter (exit leaves it)
	@PATH="$(BIN):$$PATH" exec "$${SHELL:-/bin/sh}"

ttt: env  ## run one command: make ttt ARGS="exact minimax random"
	@"$(BIN)/ttt" $(ARGS)

reproduce: env  ## run every notebook, rebuild quick data and all figures, print the scorecard
	"$(BIN)/python" -m ttt_lib.evidence.reproduce $(ARGS)

# Whole files go to one worker, so a notebook keeps its kernel, in the order that tests/conftest.py says.
# Many tests wait for a browser or a time limit, so there are two workers more than two cores need
# (each takes about a gigabyte of memory).
test: env  ## run all tests and check every notebook's stored outputs
	TQDM_DISABLE=1 "$(BIN)/pytest" -n $(WORKERS) --dist loadfile --no-loadscope-reorder -o cache_dir="$(CACHE)/pytest" \
	  $(if $(NOTEBOOKS),--nbval --nbval-current-env) \
	  $(NOTEBOOKS) tests

lint: env  ## ruff and mypy --strict
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy" --strict ttt_lib

lab: env  ## open the notebooks in JupyterLab
	"$(BIN)/jupyter" lab --notebook-dir="$(ROOT)/notebooks"

play: env  ## play against the agents in a browser (PORT=8866; a net of yours: ARGS="--net FILE")
	"$(BIN)/python" -m ttt_lib.people.play.server --port "$(PORT)" $(ARGS)

load: env  ## a class at the page of make play: 30 visits in Chromium, timed (ARGS="--together 6")
	"$(BIN)/python" tests/play_load.py $(ARGS)

exercises: env  ## build the students' exercises from the masters (SEED=ada: ada's variant; ARGS=--force overwrites)
	"$(BIN)/python" -m ttt_lib.people.grading.teach build $(foreach seed,$(SEED),--seed "$(seed)") $(ARGS)

slides: env  ## build the lessons' slides and handouts, in notebooks/exercises/lessons/_build/
	"$(BIN)/python" -m ttt_lib.people.book.lessons $(ARGS)

grade: env  ## grade the exercises in FOLDER/STUDENT/ (make grade FOLDER=...)
	@test -n "$(FOLDER)" || { echo "name the folder with one folder per student: make grade FOLDER=..." >&2; exit 2; }
	"$(BIN)/python" -m ttt_lib.people.grading.teach grade "$(FOLDER)" $(ARGS)

figures: env  ## rebuild every figure
	MPLBACKEND=Agg "$(BIN)/ttt" figures

# It keeps what it has made: hours of work, and measured times never come out as they were.
full: env  ## what reproduce does, with the stored long runs computed again and kept
	"$(BIN)/python" -m ttt_lib.evidence.reproduce --full --accept $(ARGS)

status: env  ## list stored long runs that today's code might not reproduce, and how to rebuild them
	"$(BIN)/python" -m ttt_lib.evidence.provenance $(ARGS)

review: env  ## list prose that nobody has read beside the outputs since its last change (ARGS=--accept)
	"$(BIN)/python" tests/prose_review.py $(ARGS)

book: env  ## build the static site from the stored notebooks, in notebooks/book/_build/
	"$(BIN)/python" -m ttt_lib.people.book.site $(if $(BOOK),--out "$(BOOK)")

bench: env  ## measure the speeds and print the performance table
	"$(BIN)/ttt" bench

profiles: env  ## rebuild everything as on other processors, and compare (ARGS="nehalem --quick")
	"$(BIN)/python" -m ttt_lib.evidence.profiles $(ARGS)

robust: env  ## other conditions, other processors, a read-only checkout: same results
	"$(BIN)/python" -m ttt_lib.evidence.robustness
	"$(BIN)/python" -m ttt_lib.evidence.profiles --tests
	"$(BIN)/python" -m ttt_lib.evidence.robustness --read-only "$(ENV)" make test TTT_ENV="$(ENV)"

mutants: env $(ENV)/installed-mutants  ## change one line of the core at a time: do its tests notice? (ARGS=--each 20)
	"$(BIN)/python" tests/mutants.py $(ARGS)

constraints: $(ENV)/installed-lock  ## resolve all extras again into constraints.txt (UPGRADE=--upgrade)
	"$(BIN)/uv" pip compile --universal --all-extras --python-version 3.11 --no-annotate \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make constraints" \
	  $(UPGRADE) --quiet --output-file constraints.txt pyproject.toml

clean:  ## remove the environment with its caches, and what an interrupted run left
	rm -rf .staging-* notebooks/book/_build notebooks/exercises/lessons/_build
	@if [ -f "$(ENV)/pyvenv.cfg" ]; then rm -rf "$(ENV)"; fi
	@if [ -d "$(NUMBA_CACHE_DIR)" ]; then find "$(NUMBA_CACHE_DIR)" -name '*.nb[ic]' -delete; fi
	find . -name __pycache__ -prune -exec rm -rf {} +
