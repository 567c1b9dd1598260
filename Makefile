# Every target works as the first command on a fresh machine with python3 (3.11+), pip, g++ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard native/*.hpp native/*.cpp) CMakeLists.txt pyproject.toml src/priori/_version.py

.PHONY: build demo test check format bench bench-estimation bench-tables bench-calibration bench-latent bench-language \
  bench-selection fuzz clean

build: $(VENV)/built

# The package is installed in place; its compiled core is built beside it, into src/priori.
$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	$(BIN)/pip install -q --group build --group test --group check
	$(BIN)/pip install -q --no-build-isolation -C editable.mode=inplace -C wheel.cmake=false -e ".[plots]"
	touch $@

$(VENV)/built: $(VENV)/ready $(NATIVE)
	$(BIN)/cmake -S . -B build/dev -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" > /dev/null
	$(BIN)/cmake --build build/dev
	$(BIN)/cmake --install build/dev --prefix src > /dev/null
	touch $@

demo: build
	$(BIN)/priori demo

test: build
	$(BIN)/python -m pytest -n auto

check: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror native/*.hpp native/*.cpp fuzz/*.hpp fuzz/*.cpp

format: build
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i native/*.hpp native/*.cpp fuzz/*.hpp fuzz/*.cpp

# Analyzer to scorer, the splitter, exact sums, EM and Gibbs under sanitizers, and the reader of model files: see fuzz/README.md.
FUZZ_SECONDS ?= 20
FUZZ_FLAGS := -std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
  -D_GLIBCXX_ASSERTIONS -ffp-contract=off -Wall -Wextra -Wno-missing-field-initializers -Inative

fuzz: build build/fuzz/analyze build/fuzz/split build/fuzz/exact build/fuzz/hidden build/fuzz/chain
	build/fuzz/analyze $(FUZZ_SECONDS) $(FUZZ_SEED)
	build/fuzz/split $(FUZZ_SECONDS) $(FUZZ_SEED)
	build/fuzz/exact $(FUZZ_SECONDS) $(FUZZ_SEED)
	build/fuzz/hidden $(FUZZ_SECONDS) $(FUZZ_SEED)
	build/fuzz/chain $(FUZZ_SECONDS) $(FUZZ_SEED)
	$(BIN)/python fuzz/model.py $(FUZZ_SECONDS) $(FUZZ_SEED)

build/fuzz/%: fuzz/%.cpp $(wildcard fuzz/*.hpp native/*.hpp)
	@mkdir -p $(@D)
	$(CXX) $(FUZZ_FLAGS) $< -o $@

# The peers live in an environment of their own, beside a wheel of this tree. PRIORI_DATA names a folder with Parquet
# files (text, label) to run on; QUICK=1 takes a tenth of the sizes; BENCH_ARGS=--write-docs writes docs/benchmarks.md.
PEERS := benchmarks/.venv
$(PEERS)/ready: benchmarks/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install -q -r benchmarks/requirements.txt
	touch $@

$(PEERS)/installed: $(VENV)/built $(PEERS)/ready $(shell find src -name '*.py')
	rm -rf build/wheel
	$(BIN)/pip wheel -q --no-build-isolation --no-deps -w build/wheel .
	$(PEERS)/bin/pip install -q --force-reinstall --no-deps build/wheel/*.whl
	$(PEERS)/bin/pip install -q build/wheel/*.whl
	touch $@

bench: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/run.py $(if $(QUICK),--quick) $(BENCH_ARGS)
	$(PEERS)/bin/python benchmarks/estimation.py $(if $(QUICK),--quick) $(BENCH_ARGS)
	$(PEERS)/bin/python benchmarks/tables.py $(if $(QUICK),--quick) $(BENCH_ARGS)
	$(PEERS)/bin/python benchmarks/calibration.py $(if $(QUICK),--quick) $(BENCH_ARGS)
	$(PEERS)/bin/python benchmarks/latent.py $(if $(QUICK),--quick) $(BENCH_ARGS)
	$(if $(PRIORI_DATA),$(PEERS)/bin/python benchmarks/language.py $(if $(QUICK),--quick) $(BENCH_ARGS))
	$(PEERS)/bin/python benchmarks/selection.py $(if $(QUICK),--quick) $(BENCH_ARGS)

bench-estimation: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/estimation.py $(if $(QUICK),--quick) $(BENCH_ARGS)

bench-tables: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/tables.py $(if $(QUICK),--quick) $(BENCH_ARGS)

bench-calibration: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/calibration.py $(if $(QUICK),--quick) $(BENCH_ARGS)

# Learning without labels; BENCH_ARGS="--only speed" (or quality) measures one half, which takes about five minutes.
bench-latent: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/latent.py $(if $(QUICK),--quick) $(BENCH_ARGS)

# Language models against nltk.lm, kenlm and scikit-learn; PRIORI_DATA is needed.
bench-language: $(PEERS)/installed
	$(PEERS)/bin/python benchmarks/language.py $(if $(QUICK),--quick) $(BENCH_ARGS)

# Choosing terms, against reading them all: there is no peer in it.
bench-selection: build
	$(VENV)/bin/python benchmarks/selection.py $(if $(QUICK),--quick) $(BENCH_ARGS)

clean:
	rm -rf $(VENV) $(PEERS) benchmarks/data build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache src/priori/_core*.so src/priori/_core.pyi
