"""A sample of the random calls that `make fuzz-diff` compares with TensorFlow: one of each function, with the results that TensorFlow gave.

Made by: python tests/python/fuzz_diff/main.py --python PYTHON --calls 8000 --sample tests/python/fuzz_diff/sample.json"""

import json
import pathlib
import sys

import brio as tf
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fuzz_diff import worker  # noqa: E402
from fuzz_diff.compare import Known, difference, from_json  # noqa: E402

SAMPLE = json.loads((HERE / "fuzz_diff" / "sample.json").read_text())
KNOWN = Known()


@pytest.fixture(scope="module")
def space():
    return worker.space_of(tf, tf.keras)


@pytest.mark.parametrize("source", SAMPLE)
def test_call_gives_what_tensorflow_gives(source, space):
    found = difference(("ok", from_json(SAMPLE[source])), worker.evaluate(source, space))
    if found and source.startswith("elements(") and found[1].startswith(("[1]", "[2]")):
        found = ("spec", found[1])
    assert not found or KNOWN.why(source, found[0]), f"{found[0]}: {found[1]}\n{source}"


def test_known_differences_have_reasons():
    assert KNOWN.rows, "docs/compat.md has no table of known differences between <!-- fuzz-diff --> and <!-- /fuzz-diff -->"
    assert all(patterns and kinds and len(reason) > 10 for patterns, kinds, reason in KNOWN.rows)


def test_sample_is_as_wide_as_the_package():
    names = {source.split("(")[0].rpartition(".")[0] for source in SAMPLE}
    assert len(SAMPLE) >= 400 and {"tf", "tf.math", "tf.nn", "keras.ops"} <= names
