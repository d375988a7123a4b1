# make run     the garage door on this machine's loopback;  LAN=1 serves it to the local network, as a phone needs it
# make test    everything: format, unit tests, rules, and the interop tests with other people's controllers
# make install PREFIX=/usr/local
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

PREFIX  ?= /usr/local
PROFILE ?= Profiles/garage-kilgo.hasaccessory
STATE   ?= .build/state
ARGS    ?=
PYTEST_ARGS ?=

SYSTEM     := $(shell uname -s)

# make run and make test share one unoptimized build, apart from that of swift build. Three settings make it shorter from an empty folder (docs/testing.md
# has the figures): whole modules, each read once for its code and its interface together; no debug information (DEBUG_INFO=dwarf adds it); lld.
DEBUG_INFO ?= none
WHOLE_MODULES := -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode \
  -Xswiftc -no-emit-module-separately-wmo $(if $(filter Linux,$(SYSTEM)),-Xswiftc -use-ld=lld)
TEST_BUILD := --scratch-path .build/test -debug-info-format $(DEBUG_INFO) $(WHOLE_MODULES)

LOOPBACK := $(if $(filter Darwin,$(SYSTEM)),lo0,lo)
# With the Swift libraries inside, where the toolchain has them to put there, the binary runs where no Swift is installed.
# Asked when it is used, since Swift itself may have to be made to run first. (On macOS the system brings them.)
STATIC_LIBRARIES = $(shell swift -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": *"\(.*_static\)".*/\1/p')
STATIC   = $(if $(filter Linux,$(SYSTEM)),$(if $(wildcard $(STATIC_LIBRARIES)),--static-swift-stdlib))
SOURCES  := Package.swift Plugins Sources Tests Fuzz Examples/SwiftTests/Package.swift Examples/SwiftTests/Tests Examples/Controller
SUMMARIZE := Scripts/summarize
QUIETLY  := Scripts/in-loopback-namespace
VENV     := .venv
# homekit_python is a controller of the interop tests. It needs Python packages of its own.
HOMEKIT_PYTHON := .venv-homekit-python
# A resolver that the interop tests ask. It is unpacked, not installed: the package would take over the machine's own.
RESOLVED := .build/systemd-resolved
# MATTER_CONTROLLER= the folder of a Matter controller (controller.py), which isn't part of the project: then the interop tests run it, too. By default the
# folder beside this one, if there is one; MATTER_CONTROLLER= without a value leaves these tests out.
MATTER_CONTROLLER ?= $(abspath $(wildcard ../shared/tools/matter-controller))
MATTER            := .venv-matter
MATTER_LIBRARIES  := .build/matter-libraries
export MATTER_CONTROLLER

.PHONY: no-tests build-tests all-tests help run unoptimized release static test lint format unit-test rules interop prove proof-check swarm matrix nightly fuzz api-fuzz sanitize abuse bench install deps build-deps test-deps clean

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: unoptimized ## serve PROFILE= (the garage door) on loopback; LAN=1 on the local network
ifdef LAN
	@exec $(UNOPTIMIZED) run $(PROFILE) --state $(STATE) $(ARGS)
else
	@echo "Serving on this machine alone ($(LOOPBACK)). For a phone on the local network: make run LAN=1"
	@exec $(UNOPTIMIZED) run $(PROFILE) --state $(STATE) --interface $(LOOPBACK) $(ARGS)
endif

UNOPTIMIZED := .build/test/debug/hapsim
unoptimized: build-deps
	@echo "Building hapsim without optimization, which takes less time. For large fleets and measurements, run 'make release' and .build/release/hapsim."
	env -u HAPSIM_TESTS swift build $(TEST_BUILD) --product hapsim

# Overlapping accesses to a variable are looked for at run time by the debug build, which make test and the sanitizers run. A fifth of the
# instructions of a request would go into looking for them here.
UNCHECKED := -Xswiftc -enforce-exclusivity=unchecked
release: build-deps
	swift build -c release --product hapsim $(UNCHECKED) $(STATIC)
	swift build -c release --product hapctl $(UNCHECKED) $(STATIC)
	swift build -c release --product haptest $(UNCHECKED) $(STATIC)

# With the C libraries inside, too, those of which there is an archive; it says which aren't. Packed relocations: a megabyte less to read at each start; they take glibc 2.36 or newer.
STATIC_C     := .build/static-libraries
STATIC_FLAGS  = $(UNCHECKED) $(STATIC) $(if $(filter Linux,$(SYSTEM)),-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
static: build-deps ## the programs with all libraries inside that can be, below .build/static/release
ifeq ($(SYSTEM),Linux)
	Scripts/static-libraries $(STATIC_C)
	for product in hapsim hapctl haptest; do PKG_CONFIG_PATH="$$PWD/$(STATIC_C)" swift build -c release --scratch-path .build/static $(STATIC_FLAGS) --product $$product; done
	@ldd .build/static/release/hapsim | awk '/=>/ { print "linked when it starts: " $$1 }'
else
	@echo "NOT DONE: on macOS the system's libraries are shared ones; make release is what there is."
endif

test: $(if $(TESTS),no-tests) test-deps lint build-tests rules all-tests ## lint, unit tests, rules and interop tests
	@echo "make test: all passed; the full logs are in .build/logs"

no-tests:
	@echo "make test: TESTS= is for make unit-test; make test runs everything" >&2; exit 2

lint: unit-test-deps ## check the format of every Swift file, the prose, and the links, commands and options in the docs
	@$(SUMMARIZE) build lint swift format lint --strict --parallel -r $(SOURCES)
	@$(SUMMARIZE) build prose Scripts/check-prose
	@$(SUMMARIZE) build docs Scripts/check-docs

format: ## the format of every Swift file, made right
	swift format format --in-place --parallel -r $(SOURCES)

# TESTS= names test targets: they and what they depend on are built and run, nothing else. An edit in HAPModel is built and tested so in less than a minute.
TESTS ?=
unit-test: build-tests ## the unit tests; TESTS= "HAPModelTests HAPWireTests" for some targets
ifeq ($(SYSTEM),Linux)
	@HAPSIM_TESTS="$(TESTS)" Scripts/unit-tests .build/test
else
	@$(SUMMARIZE) swift unit-tests env HAPSIM_TESTS="$(TESTS)" swift test --skip-build --scratch-path .build/test
endif

build-tests: unit-test-deps
	@$(SUMMARIZE) build build-tests env HAPSIM_TESTS="$(TESTS)" swift build --build-tests $(TEST_BUILD)

# The unit tests compute, and many interop tests wait, so together they take less time than one after the other.
all-tests: build-tests test-deps
ifeq ($(SYSTEM),Linux)
	@HAPSIM="$$PWD/.build/test/debug/hapsim" PYTHON="$(VENV)/bin/python" UNIT_TESTS=.build/test env -u HAPSIM_TESTS Scripts/interop
else
	$(MAKE) unit-test interop
endif

rules: ## every rule of docs/protocol.md has a test
	Scripts/untested-rules

# Built here again when this target is made alone; after build-tests it is there already.
interop: test-deps ## the built hapsim against aiohomekit
ifeq ($(SYSTEM),Linux)
	@$(SUMMARIZE) build build-all env -u HAPSIM_TESTS swift build --build-tests $(TEST_BUILD)
	@HAPSIM="$$PWD/.build/test/debug/hapsim" PYTHON="$(VENV)/bin/python" Scripts/interop $(PYTEST_ARGS)
else
	@echo "NOT RUN: the interop tests need a network namespace, which only Linux has."
endif

# PROVE_ARGS= --area read, --only RD-01, --quick (without defects that take minutes), --patient (with clean runs of more than an hour)
# --world is for simulated worlds. Without it, the runs are on real sockets, which takes four times as long.
PROVE_ARGS ?= --world --profiles --write docs/proof.md
prove: test-deps release ## every case of haptest is caught failing by a defect of hapsim's, and docs/proof.md is written
ifeq ($(SYSTEM),Linux)
	swift build -c release --product WorldRunner $(UNCHECKED) $(STATIC)
	Scripts/prove $(PROVE_ARGS)
	$(MAKE) matrix
else
	@echo "NOT RUN: the proof needs a network namespace for each run, which only Linux has."
endif

# SEEDS=200; HAPSIM_SEED= replays one seed and prints everything that happens
SEEDS ?= 200
swarm: build-deps ## run SEEDS= random populations with random faults in simulated worlds, on all cores
	swift build -c release --product Swarm $(UNCHECKED) $(STATIC)
	.build/release/Swarm $(if $(HAPSIM_SEED),$(HAPSIM_SEED),--seeds $(SEEDS))

proof-check: test-deps release ## takes expectations out of cases, and sees the proof miss them
	$(VENV)/bin/python Scripts/proof-check

matrix: test-deps release ## cases and accessories side by side: those of CONFIG=, and docs/matrix.md
ifeq ($(SYSTEM),Linux)
	Scripts/matrix $(CONFIG)
	cp .build/matrix/matrix.md docs/matrix.md
else
	@echo "NOT RUN: the accessories are started in a network namespace, which only Linux has."
endif

# TARGET= tlv, http, control, frames, json, profile, texts, values, connection, controller, capture, import, archive, yaml, dns, lint, defects, commands, scenario, judge or mdns; all of them without.
MINUTES ?= 10
TARGET  ?=
fuzz: build-deps ## feed the parsers and the protocol with bytes of no good will, MINUTES= each
	Scripts/fuzz $(MINUTES) $(TARGET)

# SINCE= the revision up to which everything passed; without it, the commit of the last run that passed in this checkout
NIGHTLY := .build/nightly-passed
SINCE   ?= $(shell cat $(NIGHTLY) 2>/dev/null || echo unknown)
nightly: test-deps ## run what takes too long for make test: fuzz targets whose code changed, sanitizers, hostile connections, the proof, the interop tests with all profiles, mutations of the mDNS rules
	targets=$$(Scripts/fuzz-changed "$(SINCE)"); \
	if [ -n "$$targets" ]; then Scripts/fuzz $(MINUTES) $$targets; else echo "no fuzz target changed since $(SINCE)"; fi
	$(MAKE) sanitize abuse api-fuzz prove
	HAPSIM_PROFILES=all $(MAKE) interop
	Scripts/mdns-mutations
	git rev-parse HEAD >$(NIGHTLY)

# EXAMPLES= inputs that are made up for each request of the API
EXAMPLES ?= 250
api-fuzz: test-deps ## the control API, asked thousands of times what its description allows and forbids
ifeq ($(SYSTEM),Linux)
	swift build $(TEST_BUILD) --product hapsim
	HAPSIM="$$PWD/.build/test/debug/hapsim" API_EXAMPLES=$(EXAMPLES) Scripts/in-loopback-namespace $(VENV)/bin/python -m pytest -q -s --timeout 3600 Tests/Interop/test_control.py -k as_it_is_described
else
	@echo "NOT RUN: the API is asked in a network namespace, which only Linux has."
endif

sanitize: build-deps ## the unit tests under the thread sanitizer, and under the address sanitizer with its search for leaks
	Scripts/sanitize $(WHOLE_MODULES)

abuse: test-deps release ## ten thousand hostile connections for a minute, twice: with 17 sessions and with ten thousand
ifeq ($(SYSTEM),Linux)
	HAPSIM="$$PWD/.build/release/hapsim" ABUSE_CONNECTIONS=10000 ABUSE_SECONDS=60 $(QUIETLY) $(VENV)/bin/python -m pytest -q -s Tests/Interop/test_abuse.py
else
	@echo "NOT RUN: the hostile connections need a network namespace, which only Linux has."
endif

# ROUNDS=5; COMPARE=1 prints ratios to the figures of the last release; BENCH_ARGS= --only bulb events, --no-peer, --no-growth
ROUNDS     ?= 5
COMPARE    ?=
BENCH_ARGS ?=
FIGURES    := Benchmarks/Figures/last-release.json
BENCH      := .build/bench
bench: test-deps $(if $(filter Linux,$(SYSTEM)),static) ## the server beside the floor of the machine and HAP-python, fleets, the page, then the controller and the tester
ifeq ($(SYSTEM),Linux)
	$(MAKE) -C Benchmarks/hapload BUILD="$$PWD/$(BENCH)"
	HAPSIM="$$PWD/.build/static/release/hapsim" HAPSIM_OPTIMIZED="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python -m pytest -q Tests/Interop/test_allocations.py
	$(QUIETLY) $(VENV)/bin/python Benchmarks/server.py --hapsim .build/static/release/hapsim --tools $(BENCH) --rounds $(ROUNDS) \
	  --json $(BENCH)/figures.json $(if $(COMPARE),--compare $(FIGURES)) $(BENCH_ARGS)
	$(QUIETLY) $(VENV)/bin/python Benchmarks/fleet.py --hapsim .build/static/release/hapsim --tools $(BENCH) --rounds $(ROUNDS) --markdown $(BENCH)/fleet.md
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/page.py
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/controller.py
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/tester.py
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/flood.py
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/mdns.py --rounds $(ROUNDS) --markdown $(BENCH)/mdns.md
else
	@echo "NOT RUN: the benchmark needs a network namespace, which only Linux has."
endif

install: release ## install hapsim, hapctl and haptest below PREFIX=
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/hapsim/Profiles"
	install -m 755 .build/release/hapsim "$(DESTDIR)$(PREFIX)/bin/hapsim"
	install -m 755 .build/release/hapctl "$(DESTDIR)$(PREFIX)/bin/hapctl"
	install -m 755 .build/release/haptest "$(DESTDIR)$(PREFIX)/bin/haptest"
	install -m 644 Profiles/* "$(DESTDIR)$(PREFIX)/share/hapsim/Profiles"

deps: build-deps test-deps ## install what is missing, through apt

build-deps:
	@Scripts/install-dependencies build

ifeq ($(SYSTEM),Linux)
test-deps: $(VENV)/installed $(HOMEKIT_PYTHON)/installed $(RESOLVED)/unpacked $(if $(MATTER_CONTROLLER),$(MATTER)/installed $(MATTER_LIBRARIES)/unpacked)
else
test-deps: build-deps
endif

# The mark is newer than the list it was made from, or the venv is made anew.
$(VENV)/installed: Tests/Interop/requirements.txt | system-test-deps
	$(call make-venv,$(VENV),$<)
	touch $@

$(HOMEKIT_PYTHON)/installed: Tests/Interop/requirements-homekit-python.txt | system-test-deps
	$(call make-venv,$(HOMEKIT_PYTHON),$<)
	touch $@

$(MATTER)/installed: Tests/Interop/requirements-matter.txt | system-test-deps
	$(call make-venv,$(MATTER),$<)
	touch $@

$(RESOLVED)/unpacked: | system-test-deps
	@Scripts/unpack-packages $(RESOLVED) systemd-resolved libsystemd-shared libip4tc2 libkmod2 libseccomp2

$(MATTER_LIBRARIES)/unpacked: | system-test-deps
	@Scripts/unpack-packages $(MATTER_LIBRARIES) libnl-3-200 libnl-route-3-200

# The folder and the list of packages.
define make-venv
rm -rf $(1)
$$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || command -v python3) -m venv $(1)
$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2)
endef

.PHONY: system-test-deps unit-test-deps
system-test-deps:
	@Scripts/install-dependencies test

# What unit-test and lint need: no browser and no daemon.
unit-test-deps:
	@Scripts/install-dependencies unit-test

clean: ## remove everything built, and the state of `make run`
	rm -rf .build $(VENV) $(HOMEKIT_PYTHON) $(MATTER)
