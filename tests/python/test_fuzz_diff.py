"""A sample of the random calls that `make fuzz-diff` compares with TensorFlow:
one of each function, with the results that TensorFlow gave.

Made by: python tests/python/fuzz_diff/main.py --python PYTHON --calls 8000 --sample
tests/python/fuzz_diff/sample.json"""

import json
import pathlib
import sys

import numpy as np
import pytest

import brio as tf

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fuzz_diff import values, worker  # noqa: E402
from fuzz_diff.compare import Known, as_near, difference, from_json  # noqa: E402

SAMPLE = json.loads((HERE / "fuzz_diff" / "sample.json").read_text())
KNOWN = Known()


@pytest.fixture(scope="module")
def space():
    return worker.space_of(tf, tf.keras)


@pytest.mark.parametrize("source", SAMPLE)
def test_call_gives_what_tensorflow_gives(source, space):
    want, got = ("ok", from_json(SAMPLE[source])), worker.evaluate(source, space)
    found = difference(want, got)
    if (
        found
        and found[0] == "value"
        and as_near(worker.evaluate(values.widened(source), worker.space_of(tf, tf.keras, wide=True)), want, got)
    ):
        return  # only rounding; the sample has calls in 64 bits, too
    if found and source.startswith("elements(") and found[1].startswith(("[1]", "[2]")):
        found = ("spec", found[1])
    assert not found or KNOWN.why(source, found[0]), f"{found[0]}: {found[1]}\n{source}"


def array(dtype, *numbers):
    return ("ok", ("array", dtype, np.array(numbers, "float32" if dtype == "bfloat16" else dtype)))


@pytest.mark.parametrize(
    "dtype, truth, want, got, near",
    [
        ("float16", (70.125,), (71.0,), (70.1,), True),  # as near as halves allow
        ("float16", (70.125,), (70.1,), (71.0,), False),  # TensorFlow is right
        ("float16", (48900.0,), (np.inf,), (48896.0,), True),  # TensorFlow overflows
        ("float16", (48900.0,), (48896.0,), (np.inf,), False),
        ("float16", (48900.0, 1.0), (np.inf, 1.0), (48896.0, 300.0), False),  # which excuses nothing else
        ("float16", (65530.0,), (np.inf,), (65504.0,), True),  # at the edge
        ("bfloat16", (1.0,), (1.5,), (np.nan,), False),
        ("float32", (1.0, 2.0), (1.1, 2.0), (1.0, 2.1), True),  # both lose digits
        ("float32", (1.0, 2.0), (1.001, 2.0), (1.0, 2.1), False),
        ("complex64", (1 + 2j,), (1 + 3j,), (1 + 2j,), True),
        ("complex64", (1 + 2j,), (1 + 2j,), (1 + 3j,), False),
    ],
)
def test_only_rounding_is_excused(dtype, truth, want, got, near):
    wide = "complex128" if dtype == "complex64" else "float64"
    assert as_near(array(wide, *truth), array(dtype, *want), array(dtype, *got)) == near


def test_kinds_of_differences():
    assert difference(array("float32", 1.0, -2.0), array("float32", 1.0, 2.0))[0] == "sign"
    assert difference(array("float32", 1.0, -2.0), array("float32", 1.0, 2.1))[0] == "value"
    assert difference(array("complex64", complex(np.inf, 1.0)), array("complex64", complex(np.inf, 1.0000001))) is None
    assert (
        difference(array("complex64", 1j), ("raises", ["InvalidArgumentError"], "[tan] takes no complex64 tensors"))[0]
        == "no complex"
    )
    assert (
        difference(array("complex64", 1j), ("raises", ["InvalidArgumentError"], "[tan] axis 3 is out of range"))[0]
        == "refused"
    )


def test_a_call_is_widened_but_for_the_numbers_of_its_data():
    source = "tf.cast(T((2, 3), 'float16', 17, 'unit'), dtype='float32')"
    assert values.widened(source) == "tf.cast(T((2, 3), 'float16', 17, 'unit'), dtype='float64')"


def test_known_differences_have_reasons():
    assert KNOWN.rows, (
        "docs/compat.md has no table of known differences between <!-- fuzz-diff --> and <!-- /fuzz-diff -->"
    )
    assert all(patterns and kinds and len(reason) > 10 for patterns, kinds, reason in KNOWN.rows)


def test_sample_is_as_wide_as_the_package():
    names = {source.split("(")[0].rpartition(".")[0] for source in SAMPLE}
    assert len(SAMPLE) >= 400 and {"tf", "tf.math", "tf.nn", "keras.ops"} <= names
