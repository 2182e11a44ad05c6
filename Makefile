# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
# Every target works as the first command on a machine with Python 3.11 (as the ROS wheels want it), its venv module, gcc and make.
PYTHON ?= python3
# the ROS 2 distribution whose wheels are taken, each in an environment of its own; what differs is in setup.py
ROS ?= kilted
ifeq ($(filter kilted jazzy,$(ROS)),)
$(error ROS=$(ROS): must be kilted or jazzy)
endif
VENV := .venv$(if $(filter-out kilted,$(ROS)),-$(ROS))
export HAKONIWA_RIGID_ROS := $(ROS)
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-done
TOOLS := $(VENV)/.tools-done
# what compiling the kernels needs; the ranges are those of setup.py
KERNEL_NEEDS = $(shell sed -n "s/^ *'\(numpy\|scipy\|numba\|pyyaml\|tqdm\)\([^']*\)'.*/'\1\2'/p" setup.py)
# processors for which `make wheel` adds machine code
KERNELS ?= x86-64-v3 x86-64-v4
# requirements of an extra of setup.py, quoted
extra = $(shell sed -n "s/^ *'$(1)': \[\(.*\)\],/\1/p" setup.py | sed "s/', '/' '/g")
# requirements of extras as the installed package has them, one a line
tools = $(BIN)/python -c 'import sys; from importlib.metadata import requires; print(*(r.partition(";")[0].strip() \
	for r in requires("hakoniwa_rigid") if r.partition("extra == ")[2].strip("\"") in sys.argv[1:]), sep="\n")' $(1)
# simulators that the tests fly live
SIMS = $(call extra,sims)
# the engines that `make bench` measures beside this one
PEERS = $(call extra,peers)
# what builds the pages of docs/
DOCS = $(call extra,docs)
# folders and files of `make test`
TESTS ?= test
PYTEST_ARGS ?=
# one test process per core, grouped as in test/conftest.py; the last -n wins: PYTEST_ARGS='-n 0 --pdb'
SPREAD = -n logical --maxprocesses 8
DEMO_ARGS ?=
BENCH_ARGS ?=
COLCON_ARGS ?=
INSTALL_ARGS ?=
DEB_ARGS ?=
CHECK_ARGS ?=
HASH_ARGS ?=
SOAK_ARGS ?=
FUZZ_ARGS ?=
MATRIX_ARGS ?=
PICTURES_ARGS ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python compiles what it imports when it imports it: 40 s less for the first command.  It has to keep the result, or
# every node, example and test process compiles it again: 3 s of CPU each
export PIP_COMPILE := 0
unexport PYTHONDONTWRITEBYTECODE

# A sourced ROS installation has its own Python packages and libraries; .venv brings ROS with it and must not mix them.
ifneq ($(AMENT_PREFIX_PATH),)
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH PYTHONPATH RMW_IMPLEMENTATION
unexport ROS_DISTRO ROS_PYTHON_VERSION ROS_VERSION
endif
# a venv's Python starts again once to find the ROS libraries, and leaves this word to its children
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE

# the browser page, where npm is there to build it
PAGE := hakoniwa_rigid/web/page
BUILT := hakoniwa_rigid/web/dist/index.html

.PHONY: help setup page pictures wheel deb demo test test-colcon test-installs test-matrix test-sims test-nojit test-bounds bench bench-parts bench-crowds bench-check state-hashes profile soak fuzz docs lint clean

help:
	@echo 'make demo        drones, walls and a hand collide for 30 s; DEMO_ARGS="--duration 10" for options; ROS=jazzy, here and below,'
	@echo '                 takes the wheels of ROS 2 Jazzy instead of Kilted, in .venv-jazzy'
	@echo 'make page        the browser page anew; needs npm (Node.js 20)'
	@echo 'make pictures    the pictures of the README and of docs/static_page.md: the demo, its static page, a browser that looks at it;'
	@echo '                 needs chromium; PICTURES_ARGS=--anew flies again'
	@echo 'make wheel       dist/kilted/*.whl with machine code for x86-64-v3 and -v4: nothing compiles where it is installed; KERNELS= chooses'
	@echo 'make deb         dist/deb/*.deb, built, installed and tried in clean Debian roots: root and debootstrap; DEB_ARGS="--suite bookworm" for options'
	@echo 'make test        all tests; TESTS=test/unit, PYTEST_ARGS="-k impulse" choose; those of the page need a browser: apt-get install chromium'
	@echo 'make test-colcon a copy of this tree built and tested by colcon; COLCON_ARGS="--symlink-install --build-only" for options'
	@echo 'make test-installs every way to install, from nothing, and what works then; INSTALL_ARGS="--only wheel" chooses; an hour for all'
	@echo 'make test-sims   the tests with simulators of others, PyFlyt and crazyflow, which it installs (1.2 GB)'
	@echo 'make test-matrix the selftest for other processors, versions and systems; MATRIX_ARGS="--only x86-64" chooses, --write changes the table in docs/determinism.md; hours for all'
	@echo 'make test-nojit  the tests of engine and scene as plain Python'
	@echo 'make test-bounds the tests of engine and scene with every index and every address in the kernels checked'
	@echo 'make bench       speed beside other engines, docs/benchmark.md; BENCH_ARGS="--only boxes" chooses and writes nothing'
	@echo 'make bench-parts speed of single parts: broadphase, narrow phase, scene, replay'
	@echo 'make bench-crowds heaps, dominoes and an arch beside MuJoCo and Rapier, docs/crowds.md'
	@echo 'make bench-check fails where a step or tick has become slower than that of the parent commit; PARENT=v1.0 chooses another'
	@echo 'make state-hashes fails where a bit of a state or an event differs from the parent commit, and says in which step'
	@echo 'make profile     where the time of a step goes, ns per body and stage, into docs/performance.md'
	@echo 'make soak        everything at once for ten minutes, sampled and drawn; SOAK_ARGS="--hours 8 --out DIR" for options'
	@echo 'make fuzz        random inputs for ten minutes, judged from outside; FUZZ_ARGS="--only messages --seed 2" for options'
	@echo 'make docs        the pages of docs/ as a site, build/docs'
	@echo 'make lint        style, import rules, prose and links of the docs'
	@echo 'make clean       remove .venv and everything built'

setup: $(TOOLS) page

# what the demo needs, and no more: it is the first command of most
$(STAMP): setup.py pyproject.toml package.xml CMakeLists.txt $(wildcard msg/*.msg srv/*.srv)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	$(BIN)/pip install --quiet $(KERNEL_NEEDS)
	@# the kernels compile on one core while the messages are built on another
	@$(BIN)/python -m hakoniwa_rigid.cli warmup > $(VENV)/warmup.log 2>&1 & compiler=$$!; \
	$(BIN)/pip install --quiet --editable '.[demo,web]' || { kill $$compiler; exit 1; }; \
	grep -s '^compiling' $(VENV)/warmup.log; wait $$compiler || { cat $(VENV)/warmup.log; exit 1; }
	@# what ROS is needed for
	@$(BIN)/python -m hakoniwa_rigid.cli warmup >> $(VENV)/warmup.log 2>&1 || { cat $(VENV)/warmup.log; exit 1; }
	@touch $@

# what tests, benchmarks and sweeps need besides; to install the package once more for them would build the messages again
$(TOOLS): $(STAMP)
	@$(call tools,test bench lint sweep) > $(VENV)/tools.txt
	$(BIN)/pip install --quiet --requirement $(VENV)/tools.txt
	@touch $@

page: $(BUILT)

# without npm, or without a network for it, everything but the page works.  Versions are those of the lock file; `npm ci`
# would refuse one that lacks the packages of other systems
$(BUILT): $(wildcard $(PAGE)/*.json $(PAGE)/*.html $(PAGE)/vite*.ts $(PAGE)/player/*) $(shell find $(PAGE)/src -type f 2>/dev/null)
	@if ! command -v npm >/dev/null; then echo 'npm is missing: the browser page is not built, everything else works'; \
	elif (cd $(PAGE) && npm install --no-save --silent --no-fund --no-audit && npm run --silent build) >&2; then touch $@; \
	else echo 'npm failed: the browser page is not built, everything else works'; fi

# what they are made of stays in build/pictures
pictures: setup
	$(BIN)/python docs/page_pictures.py $(PICTURES_ARGS)

# compiles all kernels, for each of the processors; what an earlier build left behind would go into the wheel
wheel: page
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	rm -rf build/lib.* build/bdist.*
	HAKONIWA_RIGID_KERNELS='$(KERNELS)' $(BIN)/pip wheel --no-deps --wheel-dir dist/$(ROS) .

# in folders of their own, which stay: what is fetched is fetched once
deb: page
	$(PYTHON) test/install/deb.py --ros $(ROS) $(DEB_ARGS)

demo: $(STAMP) page
	$(BIN)/hakoniwa-rigid demo $(DEMO_ARGS)

test: setup
	$(BIN)/python -m pytest $(TESTS) $(SPREAD) --durations=15 $(PYTEST_ARGS)

# in a venv of its own, build/colcon
test-colcon:
	$(PYTHON) test/install/with_colcon.py $(COLCON_ARGS)

# in folders of their own, which stay; as root, packages are tried by a user without rights and without a network
test-installs:
	$(PYTHON) test/install/installs.py $(INSTALL_ARGS)

# makes environments and, as root with debootstrap and qemu-user-static, Debian roots in a folder that stays
test-matrix: setup
	$(BIN)/python -m benchmark.gates.selftest_matrix $(MATRIX_ARGS)

REAL_TIME ?= yes
# crazyflow refuses a scipy that was imported without SCIPY_ARRAY_API
test-sims: setup
	$(BIN)/pip install --quiet $(SIMS)
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest test/sims test/ros/test_live_simulators.py $(SPREAD) --durations=5 $(PYTEST_ARGS)
	@# once more in real time: alone, on a machine that has nothing else to do; REAL_TIME= leaves it out
	$(if $(REAL_TIME),LIVE_SIMULATORS=1 $(BIN)/python -m pytest test/ros/test_live_simulators.py -k real_time $(PYTEST_ARGS))

# a hundred times as slow: of a test that takes longer than this the rest is skipped
PLAIN_SECONDS ?= 10
test-nojit: setup
	NUMBA_DISABLE_JIT=1 PLAIN_SECONDS=$(PLAIN_SECONDS) $(BIN)/python -m pytest test/unit/engine test/unit/smooth_motion test/unit/codec test/unit/scene test/unit/test_array_table.py $(SPREAD) $(PYTEST_ARGS)

# the debug build has its own machine code, compiled once (five minutes)
test-bounds: setup
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/checked-kernels $(BIN)/python -m hakoniwa_rigid.cli warmup
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/checked-kernels $(BIN)/python -m pytest \
		test/unit/engine test/unit/smooth_motion test/unit/codec test/unit/scene test/unit/test_array_table.py test/unit/test_checked.py test/verification test/property test/regressions \
		$(SPREAD) $(PYTEST_ARGS)

# the package itself is there: to install it once more for its extra would build the messages again
bench: setup
	@for peer in $(PEERS); do $(BIN)/pip install --quiet "$$peer" || echo "measured without $$peer"; done
	$(BIN)/python -m benchmark.side_by_side $(BENCH_ARGS)

bench-crowds: setup
	@for peer in $(PEERS); do $(BIN)/pip install --quiet "$$peer" || echo "measured without $$peer"; done
	$(BIN)/python -m benchmark.crowds $(BENCH_ARGS)

bench-parts: setup
	$(BIN)/python -m pytest benchmark --benchmark-only $(PYTEST_ARGS)

# of a parent that has not run here yet the kernels are compiled first; they stay in .reference, for three parents
bench-check: setup
	$(BIN)/python -m benchmark.gates.bench_check $(CHECK_ARGS)

state-hashes: setup
	$(BIN)/python -m benchmark.gates.state_hashes $(HASH_ARGS)

profile: setup
	$(BIN)/python -m benchmark.profile_step

soak: setup
	$(BIN)/hakoniwa-rigid bench soak $(SOAK_ARGS)

fuzz: setup
	$(BIN)/python test/fuzz $(FUZZ_ARGS)

# warnings are errors, dead links among them; nothing is fetched but Sphinx, and the folder needs no network
docs: setup
	$(BIN)/pip install --quiet $(DOCS)
	$(BIN)/python docs/gallery_pictures.py
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/docs
	@echo 'build/docs/index.html'

lint: setup
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python test/prose_lint.py

clean:
	rm -rf .venv .venv-jazzy .reference $(PAGE)/node_modules hakoniwa_rigid/web/dist docs/generated build dist *.egg-info install log out .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
