# The commands of this repository; `make help` lists them. CMake does the building (see CMakePresets.json): this file
# sets the machine up, builds what a command needs, and runs it.

JOBS    ?= $(shell nproc)
PYTHON  ?= python3
RELEASE := build/release
CTEST   := ctest -j $(JOBS) --output-on-failure
SOURCES  = $(shell find brio tests examples bench -name '*.h' -o -name '*.cpp' 2>/dev/null)

WITH_PYTHON := -D BRIO_PYTHON=ON -D Python_EXECUTABLE=$(CURDIR)/.venv/bin/python

# build(PRESET,TARGETS): configures once (Ninja re-runs CMake when its inputs change), then builds. Errors of CMake are
# printed; what it found is not.
define build
@test -f build/$(1)/build.ninja || cmake --preset $(1) $(if $(filter release asan-python,$(1)),$(WITH_PYTHON)) > /dev/null
@scripts/build $(1) $(JOBS) $(2)
endef

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-cuda test-cuda-emulated bench-cuda bench bench-ops fuzz fuzz-api fuzz-api-asan soak round-trips battery coverage fuzz-diff fuzz-programs doctor-check lint format sanitize docs peers-check pythons clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

setup: build/setup.stamp build/venv.stamp ## install what building needs (Debian packages); the other commands do it for you

build/setup.stamp: scripts/setup
	@mkdir -p build
	@scripts/setup
	@touch $@

# A release tree from before the Python package is configured anew.
build/venv.stamp: scripts/venv python/requirements.txt | build/setup.stamp
	@scripts/venv $(PYTHON)
	@if [ -f $(RELEASE)/build.ninja ]; then cmake --preset release $(WITH_PYTHON) > /dev/null; fi
	@touch $@

demo: setup ## make pictures, train a network on them, and show where the time and the memory went
	$(call build,release,brio_tool)
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(RELEASE)/brio demo --out build/demo

test: setup ## build and run every test, then the unit tests under ASan and UBSan
	$(call build,release)
	@$(CTEST) --test-dir $(RELEASE)
	$(call build,asan,unit_tests)
	@$(CTEST) --test-dir build/asan -L '^unit$$'

CUDA_TESTS := test_ops test_ops_image test_autodiff test_runtime test_nn test_models test_train
test-cuda: setup ## run the unit tests on a GPU; without one, say why and run nothing
	$(call build,release,brio_tool $(CUDA_TESTS))
	@scripts/test_cuda $(RELEASE)

# Some three minutes. EMULATED_TESTS: what to run of test_ops instead; it knows no cuDNN and no tensor cores.
emulated_ops := max_pool* avg_pool* relu_pool* exp ndtr sigmoid mul select cast* fused reduce_* row_norm* softmax* spread_rows adam_update
empty :=
EMULATED_TESTS ?= $(subst $(empty) $(empty),:,$(addprefix *EveryOp.MatchesReference/,$(emulated_ops)))
test-cuda-emulated: setup ## run kernels of a GPU on the host, which emulates one: the ops of EMULATED_TESTS, against the reference, and runs that go on
	$(call build,release,emulated_gpu test_ops test_train test_data_pictures)
	@scripts/emulate_cuda $(RELEASE) $(RELEASE)/test_ops --gtest_brief=1 --gtest_filter='$(EMULATED_TESTS)'
	@scripts/emulate_cuda $(RELEASE) $(RELEASE)/test_train --gtest_brief=1 --gtest_filter='Resume.*SameBits'
	@scripts/emulate_cuda $(RELEASE) $(RELEASE)/test_data_pictures --gtest_brief=1
	@EMULATED_NO_JPEG_ENGINES=1 scripts/emulate_cuda $(RELEASE) $(RELEASE)/test_data_pictures --gtest_brief=1 --gtest_filter='*AllSamplings*'

# The networks of the table in docs/cuda.md: NAME:BATCH:DTYPE
CUDA_STEPS ?= mlp:32:float32 lstm:32:float32 cnn:256:float16 separable:256:float16 resnet50:256:bfloat16 mobilenet_v2:256:bfloat16 gpt2:16:bfloat16
bench-cuda: setup ## training steps on a GPU beside torch.compile and JAX, of the Python that PYTHON names
	$(call build,release,lab_steps)
	@BRIO_DEVICE=gpu:0 $(RELEASE)/lab_steps $(subst :float,:mixed_float,$(subst :bfloat,:mixed_bfloat,$(subst :float32,,$(CUDA_STEPS))))
	@$(PYTHON) bench/peers/cuda_steps.py $(CUDA_STEPS)

sanitize: setup ## run every test under ASan+UBSan, then under TSan
	$(call build,asan)
	@$(CTEST) --test-dir build/asan
	$(call build,tsan)
	@$(CTEST) --test-dir build/tsan

# BENCH_ARGS="--only mlp fit --rounds 5": see bench/README.md
bench: setup ## run Brio beside NumPy, TensorFlow, PyTorch and JAX; table, build/bench.json, build/bench.png
	$(call build,release)
	@$(PYTHON) bench/run.py $(BENCH_ARGS)
	@$(PYTHON) bench/python_door.py
	@$(PYTHON) bench/ops.py $(BENCH_OPS_ARGS)

bench-ops: setup ## the second half of it: single ops of every family beside TensorFlow and PyTorch
	$(call build,release)
	@$(PYTHON) bench/ops.py $(BENCH_OPS_ARGS)

# SECONDS_TO_FUZZ=60 SECONDS_PER_PARSER=10 make fuzz
SECONDS_TO_FUZZ ?= 600
SECONDS_PER_PARSER ?= 60
fuzz: setup ## hostile bytes for each parser of files; random graphs planned, unplanned and by the reference
	$(call build,fuzz,fuzz_parsers)
	@scripts/fuzz_parsers $(SECONDS_PER_PARSER) $(JOBS)
	$(call build,release,brio_fuzz test_ops)
	@$(RELEASE)/brio_fuzz --seconds $(SECONDS_TO_FUZZ)
	@BRIO_FUZZ_SECONDS=$(SECONDS_TO_FUZZ) $(RELEASE)/test_ops --gtest_brief=1 --gtest_filter='RandomGraphsOfAllOps.*'

# FUZZ_API_ARGS="--calls 20000 --seed 7"; one call again: scripts/fuzz_api --call 'tf.zeros([-2**63])'
fuzz-api: setup ## every public callable of Python, C++ functions and the tool, with odd arguments: a million calls
	$(call build,release,_core brio_tool test_ops)
	@.venv/bin/python scripts/fuzz_api $(FUZZ_API_ARGS)
	@.venv/bin/python scripts/fuzz_tool
	@BRIO_FUZZ_SECONDS=60 $(RELEASE)/test_ops --gtest_brief=1 --gtest_filter='HostileCalls.*'

fuzz-api-asan: setup ## the calls of Python once more, a tenth of them, under ASan and UBSan
	$(call build,asan-python,_core)
	@.venv/bin/python scripts/fuzz_api --sanitized --calls 100000 $(FUZZ_API_ARGS)

# FUZZ_DIFF_ARGS="--calls 2000 --seed 7 --only 'keras.layers.*' --python PYTHON": a Python that has TensorFlow
fuzz-diff: setup ## random calls of ops, layers, losses, metrics, optimizers and datasets beside TensorFlow; differences, each in one line
	$(call build,release,_core)
	@.venv/bin/python tests/python/fuzz_diff/main.py $(FUZZ_DIFF_ARGS)

# FUZZ_PROGRAMS_ARGS="--programs 200 --seed 7 --python PYTHON --keep FOLDER": a Python that has TensorFlow, and where its results are kept
fuzz-programs: setup ## random programs (layers, losses, optimizers, dtypes, call styles, save and load in the middle) beside TensorFlow
	$(call build,release,_core)
	@.venv/bin/python tests/python/random_programs/main.py $(FUZZ_PROGRAMS_ARGS)

# SOAK_ARGS="input --share 0.1": a tenth of one part; see tests/soak/main.cpp
soak: setup ## run a million training steps and a million batches of input, and kill a thousand runs; check that nothing grows or is lost
	$(call build,release,brio_soak test_train _core)
	@$(RELEASE)/brio_soak $(SOAK_ARGS)
	@PYTHONPATH=$(RELEASE)/python .venv/bin/python tests/soak/python_door.py
	@BRIO_KILLS=1000 $(RELEASE)/test_train --gtest_filter='Resume.Killed*'

# ROUND_TRIPS_ARGS="--keras PYTHON --share 0.1 --only LSTM": a Python that has Keras 3.15, and which part
round-trips: setup ## save and load every kind of layer and model, in every way; with Keras too where there is one
	$(call build,release,_core)
	@PYTHONPATH=$(RELEASE)/python .venv/bin/python tests/python/round_trips.py $(ROUND_TRIPS_ARGS)

# BATTERY_ARGS="--count 1000 --seed 4 --only h5"; BATTERY=kill
BATTERY ?= all
battery: setup ## flipped bits, kills, full disks, signals, forks, threads; counts what was tried
	$(call build,release,_core brio_tool)
	@PYTHONPATH=$(RELEASE)/python .venv/bin/python tests/battery/battery.py $(BATTERY) $(BATTERY_ARGS)

# DOCTOR_ARGS="map_in_python --rounds 5": one case, and how often
doctor-check: setup ## run programs that are slow in known ways, apply what the doctor proposes, and compare the gain with its word
	$(call build,release,_core)
	@PYTHONPATH=$(RELEASE)/python .venv/bin/python tests/doctor/check.py $(DOCTOR_ARGS)

coverage: setup ## list the error branches of brio/ops that no op test reaches
	@scripts/coverage

lint: setup ## check the formatting, run ruff and clang-tidy
	@cmake --preset lint $(WITH_PYTHON) > /dev/null
	@cmake --preset lint-alone $(WITH_PYTHON) > /dev/null
	@scripts/lint $(JOBS)

format: setup ## format all C++ and Python sources in place
	@clang-format -i $(SOURCES)
	@.venv/bin/ruff check --quiet --fix-only --select I .
	@.venv/bin/ruff format --quiet .

docs: setup ## regenerate docs/ops.md from the op table and docs/api from the docstrings of the Python package
	$(call build,release,brio_tool _core)
	@$(RELEASE)/brio ops --markdown > build/ops.md && mv build/ops.md docs/ops.md
	@PYTHONPATH=$(RELEASE)/python .venv/bin/python scripts/api/pages.py

# PEERS_ARGS="--python PYTHON page_000_1": a Python that has TensorFlow, and which listings
peers-check: setup ## run the listings of examples/pages under TensorFlow too and compare
	$(call build,release,_core)
	@$(PYTHON) scripts/peers_check $(PEERS_ARGS)

# PYTHONS="3.9 3.13"
pythons: setup ## build the wheel for every Python at hand and run the Python tests with each
	@scripts/check_pythons $(PYTHONS)

clean: ## remove everything that was built (the virtual environments stay)
	@rm -rf build
