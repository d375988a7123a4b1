# make run     the garage door on this machine's loopback interface;  LAN=1 serves it to the local network, as a phone needs it
# make test    all tests: format, unit tests, rules, and the interop tests with controllers of other projects
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

# make run and make test share one unoptimized build, separate from that of swift build. Three settings make a build from an empty folder faster
# (figures: docs/internals/testing.md). Whole modules are compiled, and one job writes the code and the interface of a module. There is no debug
# information (DEBUG_INFO=dwarf adds it). lld links the programs.
DEBUG_INFO ?= none
WHOLE_MODULES := -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode \
  -Xswiftc -no-emit-module-separately-wmo $(if $(filter Linux,$(SYSTEM)),-Xswiftc -use-ld=lld)
TEST_BUILD := --scratch-path .build/test -debug-info-format $(DEBUG_INFO) $(WHOLE_MODULES)

LOOPBACK := $(if $(filter Darwin,$(SYSTEM)),lo0,lo)
# Links the Swift libraries statically, if the toolchain has static ones. The binary then runs on systems without Swift.
# Evaluated on use, because Swift itself may have to be installed first. (macOS contains the libraries.)
STATIC_LIBRARIES = $(shell swift -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": *"\(.*_static\)".*/\1/p')
STATIC   = $(if $(filter Linux,$(SYSTEM)),$(if $(wildcard $(STATIC_LIBRARIES)),--static-swift-stdlib))
SOURCES  := Package.swift Plugins Sources Tests Fuzz Benchmarks/HomeStoreTool Benchmarks/HomeEngineTool Benchmarks/MatterNodeTool Examples/SwiftTests/Package.swift Examples/SwiftTests/Tests Examples/Controller Examples/Home
SUMMARIZE := Scripts/summarize
QUIETLY  := Scripts/in-loopback-namespace
VENV     := .venv
# homekit_python is a controller of the interop tests. It needs separate Python packages.
HOMEKIT_PYTHON := .venv-homekit-python
# Tools that check the files of a release: spdx-tools.
RELEASE_TOOLS := .venv-release
# A resolver for the interop tests. It is unpacked, not installed, because the package would replace the machine's resolver.
RESOLVED := .build/systemd-resolved
# MATTER_CONTROLLER= is the folder of a Matter controller (controller.py), which is not part of the project. The interop tests then also run it. The default
# is the folder next to this one, if it exists; MATTER_CONTROLLER= without a value skips these tests.
MATTER_CONTROLLER ?= $(abspath $(wildcard ../shared/tools/matter-controller))
MATTER            := .venv-matter
MATTER_LIBRARIES  := .build/matter-libraries
export MATTER_CONTROLLER

SITE_VENV := .venv-site

.PHONY: artefacts site site-archives site-test typecheck-macos demonstrations no-tests build-tests all-tests documentation help run unoptimized release static test lint format unit-test rules interop prove proof-check swarm matrix nightly fuzz api-fuzz sanitize abuse bench install deps build-deps test-deps clean

help: ## list the targets
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

# The debug build, which make test and the sanitizers run, checks for overlapping accesses at run time. Here these checks would take a fifth
# of the instructions of a request.
UNCHECKED := -Xswiftc -enforce-exclusivity=unchecked
release: build-deps ## build the programs with optimization, in .build/release
	swift build -c release --product hapsim $(UNCHECKED) $(STATIC)
	swift build -c release --product hapctl $(UNCHECKED) $(STATIC)
	swift build -c release --product haptest $(UNCHECKED) $(STATIC)

# Also links the C libraries statically, if they have archives; it prints those that have none. Packed relocations save a megabyte of reads at each start; they need glibc 2.36 or newer.
STATIC_C     := .build/static-libraries
# REPRODUCIBLE=1: no path of this machine is in the programs, so that a build in another folder is equal.
REPRODUCIBLE ?=
STATIC_FLAGS  = $(UNCHECKED) $(STATIC) $(if $(REPRODUCIBLE),-debug-info-format none -Xswiftc -file-prefix-map -Xswiftc "$$PWD=.") $(if $(filter Linux,$(SYSTEM)),-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
static: build-deps ## build the programs with static libraries where possible, in .build/static/release
ifeq ($(SYSTEM),Linux)
	Scripts/static-libraries $(STATIC_C)
	for product in hapsim hapctl haptest; do PKG_CONFIG_PATH="$$PWD/$(STATIC_C)" swift build -c release --scratch-path .build/static $(STATIC_FLAGS) --product $$product; done
	@ldd .build/static/release/hapsim | awk '/=>/ { print "linked when it starts: " $$1 }'
else
	@echo "NOT DONE: macOS has no static archives of the system's libraries; use make release."
endif

test: $(if $(TESTS),no-tests) test-deps lint build-tests documentation rules all-tests ## run lint, unit tests, rules and interop tests
	@echo "make test: all passed; the full logs are in .build/logs"

no-tests:
	@echo "make test: TESTS= is for make unit-test; make test runs everything" >&2; exit 2

lint: unit-test-deps ## check the format of every Swift file, the prose, the links, commands and options in the docs, the platform conditions, and the list of libraries
	@$(SUMMARIZE) build lint swift format lint --strict --parallel -r $(SOURCES)
	@$(SUMMARIZE) build prose Scripts/check-prose
	@$(SUMMARIZE) build docs Scripts/check-docs
	@$(SUMMARIZE) build platform Scripts/check-platform
	@$(SUMMARIZE) build third-party Scripts/third-party check

format: ## correct the format of every Swift file
	swift format format --in-place --parallel -r $(SOURCES)

# TESTS= names test targets. Only they and their dependencies are built and run. After an edit in HAPModel this takes less than a minute.
TESTS ?=
unit-test: build-tests ## run the unit tests; TESTS= "HAPModelTests HAPWireTests" for some targets
ifeq ($(SYSTEM),Linux)
	@HAPSIM_TESTS="$(TESTS)" Scripts/unit-tests .build/test
else
	@$(SUMMARIZE) swift unit-tests env HAPSIM_TESTS="$(TESTS)" swift test --skip-build --scratch-path .build/test
endif

build-tests: unit-test-deps
	@$(SUMMARIZE) build build-tests env HAPSIM_TESTS="$(TESTS)" swift build --build-tests $(TEST_BUILD)

# The unit tests compute, and many interop tests wait, so running both together takes less time.
all-tests: build-tests test-deps
ifeq ($(SYSTEM),Linux)
	@HAPSIM="$$PWD/.build/test/debug/hapsim" PYTHON="$(VENV)/bin/python" UNIT_TESTS=.build/test env -u HAPSIM_TESTS Scripts/interop
else
	$(MAKE) unit-test interop
endif

demonstrations: build-deps ## run the demonstrations of Examples/Home; DEMONSTRATIONS= "wwdc15-arrive-home" for some
	@Examples/Home/run $(DEMONSTRATIONS)

typecheck-macos: build-deps ## check on Linux that the targets compile for macOS
	Scripts/typecheck-macos

documentation: build-tests ## build the reference of the public libraries with DocC, in .build/documentation
	@$(SUMMARIZE) build documentation Scripts/build-documentation .build/test/debug/Modules

# `make documentation` makes the archives. MODULES= is the folder of Swift modules of a build that exists, which saves this build.
SITE     := .build/site
MODULES  ?=
ARCHIVES := $(addsuffix .doccarchive,$(addprefix .build/documentation/,HAPSimulator HAPController HAPHomeKit HAPHomeKitTesting))
site: $(SITE_VENV)/installed $(if $(MODULES),site-archives,documentation) ## build the documentation site from docs/ and DocC, in .build/site
	@PYTHON="$(SITE_VENV)/bin/python" Scripts/build-site $(SITE) $(ARCHIVES)

site-archives:
	@$(SUMMARIZE) build documentation Scripts/build-documentation $(MODULES)

# SITE_SAMPLE=1 opens all pages of DocC, not one of 20.
site-test: test-deps site ## build the site again and compare the two; open its pages in a browser; check all links and the search
ifeq ($(SYSTEM),Linux)
	@$(MAKE) --no-print-directory site SITE=$(SITE)-again
	@SITE_AGAIN="$$PWD/$(SITE)-again" $(QUIETLY) $(VENV)/bin/python -m pytest -q -s Tests/Site
else
	@echo "NOT RUN: the test of the site needs a network namespace, which only Linux has."
endif

rules: ## check that every rule of docs/internals/protocol.md has a test, and that the mutations fit the sources
	Scripts/untested-rules
	Scripts/prove-home --list >/dev/null
	Scripts/prove-home --hub --list >/dev/null

# Builds everything, because this target can be called alone. After build-tests there is nothing left to build.
interop: test-deps ## run the interop tests, with controllers and accessories of other projects
ifeq ($(SYSTEM),Linux)
	@$(SUMMARIZE) build build-all env -u HAPSIM_TESTS swift build --build-tests $(TEST_BUILD)
	@HAPSIM="$$PWD/.build/test/debug/hapsim" PYTHON="$(VENV)/bin/python" Scripts/interop $(PYTEST_ARGS)
else
	@echo "NOT RUN: the interop tests need a network namespace, which only Linux has."
endif

# PROVE_ARGS= --area read, --only RD-01, --quick (without defects that take minutes), --patient (with clean runs of more than an hour)
# --world selects simulated worlds. Without it, the runs use real sockets, which takes four times as long.
PROVE_ARGS ?= --world --profiles --write docs/internals/proof.md
prove: test-deps release ## prove that every case of haptest detects a defect of hapsim, and write docs/internals/proof.md
ifeq ($(SYSTEM),Linux)
	swift build -c release --product WorldRunner $(UNCHECKED) $(STATIC)
	Scripts/prove $(PROVE_ARGS)
	$(MAKE) matrix
else
	@echo "NOT RUN: the proof needs a network namespace for each run, which only Linux has."
endif

# SEEDS=200; HAPSIM_SEED= replays one seed and prints all events. POPULATION= accessories, nodes (with Matter), hubs (engines) or homes (whole hubs)
SEEDS ?= 200
POPULATION ?= accessories nodes hubs homes
swarm: build-deps ## run SEEDS= random populations with random faults in simulated worlds, on all cores
	swift build -c release --product Swarm $(UNCHECKED) $(STATIC)
	$(if $(filter accessories,$(POPULATION)),.build/release/Swarm $(if $(HAPSIM_SEED),$(HAPSIM_SEED),--seeds $(SEEDS)))
	$(if $(filter nodes,$(POPULATION)),.build/release/Swarm --nodes $(if $(HAPSIM_SEED),$(HAPSIM_SEED),--seeds $(SEEDS)))
	$(if $(filter hubs,$(POPULATION)),.build/release/Swarm --hubs $(if $(HAPSIM_SEED),$(HAPSIM_SEED),--seeds $(SEEDS)))
	$(if $(filter homes,$(POPULATION)),.build/release/Swarm --homes $(if $(HAPSIM_SEED),$(HAPSIM_SEED),--seeds $(SEEDS)))

proof-check: test-deps release ## remove expectations from cases, and check that the proof fails
	$(VENV)/bin/python Scripts/proof-check

matrix: test-deps release ## compare the accessories of CONFIG= case by case, and write docs/reference/matrix.md
ifeq ($(SYSTEM),Linux)
	Scripts/matrix $(CONFIG)
	cp .build/matrix/matrix.md docs/reference/matrix.md
else
	@echo "NOT RUN: the accessories are started in a network namespace, which only Linux has."
endif

# TARGET= one of those that Scripts/fuzz-changed --all lists; without it, all of them.
MINUTES ?= 10
TARGET  ?=
fuzz: build-deps ## fuzz the parsers and the protocol, each for MINUTES=
	Scripts/fuzz $(MINUTES) $(TARGET)

# SINCE= the last revision that passed; without it, the commit of the last run that passed in this checkout
NIGHTLY := .build/nightly-passed
SINCE   ?= $(shell cat $(NIGHTLY) 2>/dev/null || echo unknown)
nightly: test-deps ## run the tests that take too long for make test: fuzz targets whose code changed, sanitizers, hostile connections, the proof, the documentation site, the interop tests with all profiles, mutations of the mDNS rules and of the home side, a million random commands on homes
	targets=$$(Scripts/fuzz-changed "$(SINCE)"); \
	if [ -n "$$targets" ]; then Scripts/fuzz $(MINUTES) $$targets; else echo "no fuzz target changed since $(SINCE)"; fi
	$(MAKE) sanitize abuse api-fuzz prove site-test
	HAPSIM_PROFILES=all $(MAKE) interop
	Scripts/mdns-mutations
	HAPHOME_COMMANDS=1000000 $(MAKE) unit-test TESTS=HAPHomeTests
	Scripts/prove-home
	git rev-parse HEAD >$(NIGHTLY)

# EXAMPLES= is the number of generated inputs for each request of the API
EXAMPLES ?= 250
api-fuzz: test-deps ## test both APIs with thousands of requests that their OpenAPI documents allow or forbid
ifeq ($(SYSTEM),Linux)
	swift build $(TEST_BUILD) --product hapsim
	swift build $(TEST_BUILD) --product hapctl
	HAPSIM="$$PWD/.build/test/debug/hapsim" API_EXAMPLES=$(EXAMPLES) Scripts/in-loopback-namespace $(VENV)/bin/python -m pytest -q -s --timeout 3600 Tests/Interop/test_control.py Tests/Interop/test_home_api.py -k conforms_to_its_description
else
	@echo "NOT RUN: the API tests need a network namespace, which only Linux has."
endif

sanitize: build-deps ## run the unit tests under the thread sanitizer, and under the address sanitizer with leak detection
	Scripts/sanitize $(WHOLE_MODULES)

abuse: test-deps release ## open ten thousand hostile connections for a minute, twice: with 17 sessions and with ten thousand
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
bench: test-deps $(if $(filter Linux,$(SYSTEM)),static) ## measure the server (compared with a minimal server and HAP-python), fleets, the page, the controller, the tester, and homes: their store, engine and hub
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
	PKG_CONFIG_PATH="$$PWD/$(STATIC_C)" swift build -c release --scratch-path .build/static $(STATIC_FLAGS) --product HomeStoreTool
	$(VENV)/bin/python Benchmarks/home_store.py --tool .build/static/release/HomeStoreTool --folder .build
	PKG_CONFIG_PATH="$$PWD/$(STATIC_C)" swift build -c release --scratch-path .build/static $(STATIC_FLAGS) --product HomeEngineTool
	$(VENV)/bin/python Benchmarks/home_engine.py --tool .build/static/release/HomeEngineTool
	PKG_CONFIG_PATH="$$PWD/$(STATIC_C)" swift build -c release --scratch-path .build/static $(STATIC_FLAGS) --product MatterNodeTool
	$(VENV)/bin/python Benchmarks/matter_node.py --tool .build/static/release/MatterNodeTool
	$(QUIETLY) $(VENV)/bin/python Benchmarks/matter_sockets.py --hapsim .build/static/release/hapsim --tool .build/static/release/MatterNodeTool --rounds $(ROUNDS)
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/matter_fleet.py --rounds $(ROUNDS) --markdown $(BENCH)/matter_fleet.md
	$(QUIETLY) $(VENV)/bin/python Benchmarks/hub.py --programs .build/static/release --tools $(BENCH) --folder .build --rounds $(ROUNDS)
	HAPSIM="$$PWD/.build/static/release/hapsim" $(QUIETLY) $(VENV)/bin/python Benchmarks/mdns.py --rounds $(ROUNDS) --markdown $(BENCH)/mdns.md
else
	@echo "NOT RUN: the benchmark needs a network namespace, which only Linux has."
endif

install: release ## install hapsim, hapctl and haptest in PREFIX=
	Packaging/install-tree .build/release "$(DESTDIR)$(PREFIX)"

artefacts: ## make and test the artefacts of a release from the last commit, in .build/release-VERSION, without tagging it
	Scripts/release "$$(sed -n 's/^package let projectVersion = "\(.*\)"$$/\1/p' Sources/HAPCommandLine/Version.swift)" --dry-run

deps: build-deps test-deps $(if $(filter Darwin,$(SYSTEM)),$(VENV)/installed) ## install missing packages with apt

build-deps:
	@Scripts/install-dependencies build

# If the list of packages is newer than the file `installed`, the virtual environment is created again.
ifeq ($(SYSTEM),Linux)
test-deps: $(VENV)/installed $(HOMEKIT_PYTHON)/installed $(RELEASE_TOOLS)/installed $(RESOLVED)/unpacked $(if $(MATTER_CONTROLLER),$(MATTER)/installed $(MATTER_LIBRARIES)/unpacked)

$(VENV)/installed: Tests/Interop/requirements.txt | system-test-deps
	$(call make-venv,$(VENV),$<)
	touch $@
else
test-deps: build-deps

# The list of packages is for Linux. On macOS, only the controller of the README is installed, with Homebrew's Python: the system's is too old.
$(VENV)/installed: Tests/Interop/requirements.txt
	rm -rf $(VENV)
	"$$(brew --prefix python@3.13)/bin/python3.13" -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check "$$(sed -n 's/^\(aiohomekit==[0-9.]*\).*/\1/p' $<)"
	touch $@
endif

$(HOMEKIT_PYTHON)/installed: Tests/Interop/requirements-homekit-python.txt | system-test-deps
	$(call make-venv,$(HOMEKIT_PYTHON),$<)
	touch $@

$(RELEASE_TOOLS)/installed: Tests/Interop/requirements-release.txt | system-test-deps
	$(call make-venv,$(RELEASE_TOOLS),$<)
	touch $@

$(MATTER)/installed: Tests/Interop/requirements-matter.txt | system-test-deps
	$(call make-venv,$(MATTER),$<)
	touch $@

# Sphinx and its theme need no other package of the system than Python.
$(SITE_VENV)/installed: Site/requirements.txt | system-test-deps
	$(call make-venv,$(SITE_VENV),$<)
	touch $@

$(RESOLVED)/unpacked: | system-test-deps
	@Scripts/unpack-packages $(RESOLVED) systemd-resolved libsystemd-shared libip4tc2 libkmod2 libseccomp2

$(MATTER_LIBRARIES)/unpacked: | system-test-deps
	@Scripts/unpack-packages $(MATTER_LIBRARIES) libnl-3-200 libnl-route-3-200

# Creates a virtual environment. Parameters: its folder, and the list of packages.
define make-venv
rm -rf $(1)
$$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || command -v python3) -m venv $(1)
$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2)
endef

.PHONY: system-test-deps unit-test-deps
system-test-deps:
	@Scripts/install-dependencies test

# Dependencies of unit-test and lint: no browser and no daemon.
unit-test-deps:
	@Scripts/install-dependencies unit-test

clean: ## remove all build products, and the state of `make run`
	rm -rf .build $(VENV) $(HOMEKIT_PYTHON) $(RELEASE_TOOLS) $(MATTER) $(SITE_VENV)
