"""A slice of `make fuzz-programs`: programs made at random, with the results that TensorFlow gave.

Made by: python tests/python/random_programs/main.py --python PYTHON --programs 60 --sample
tests/python/random_programs/sample.json"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import pytest

import brio as tf

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fuzz_diff.compare import as_near, difference, from_json  # noqa: E402
from random_programs import main, programs, worker  # noqa: E402

SAMPLE = json.loads((HERE / "random_programs" / "sample.json").read_text())


@pytest.mark.parametrize("seed", [int(s) for s in SAMPLE])
def test_program_ends_as_under_tensorflow(seed):
    kept, result = SAMPLE[str(seed)]
    source = programs.source(seed)
    assert hashlib.sha256(source.encode()).hexdigest()[:16] == kept, "the generator changed: make the sample anew"
    want, got = ("ok", from_json(result)), worker.run(source, tf, tf.keras)
    found = difference(want, got)
    if found and found[0] in ("value", "sign"):
        truth = worker.run(worker.source_of(seed, wide=True), tf, tf.keras)
        found = None if as_near(truth, want, got) or main.only_rounding(truth, want, got, main.narrow(seed)) else found
    assert not found, f"{found[0]}: {found[1]}\n{source}"


def test_every_seed_is_a_program():
    styles = set()
    for seed in range(300):
        made = programs.Program(seed)
        compile(made.source(), f"<program {seed}>", "exec")
        styles.add(made.style)
    assert styles == set(programs.STYLES)


def array(*numbers):
    return ("ok", ("array", "float32", np.array(numbers, "float64")))


@pytest.mark.parametrize(
    "truth, theirs, ours, alike",
    [
        ((1.0, 2.0), (1.01, 2.0), (1.0, 2.03), True),
        ((1.0, 2.0), (1.001, 2.0), (1.0, 2.1), False),
        ((1.0,), (np.nan,), (3.0,), True),
    ],
)
def test_rounding_is_measured_by_tensorflows_own(truth, theirs, ours, alike):
    assert main.only_rounding(array(*truth), array(*theirs), array(*ours)) == alike
