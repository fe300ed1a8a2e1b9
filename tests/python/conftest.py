"""Fixtures of every test."""

import pytest

import brio as tf


@pytest.fixture(autouse=True)
def defaults_stay():
    """A test that leaves other defaults behind fails by its own name, instead of some test after it."""
    yield
    left = tf.keras.config.floatx(), tf.keras.config.dtype_policy().name
    tf.keras.config.set_floatx("float32")
    tf.keras.config.set_dtype_policy("float32")
    assert left == ("float32", "float32"), f"the test left floatx and dtype policy as {left}"
