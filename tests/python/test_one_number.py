"""Layers that take one number or text as well as a batch, in every form in which a program has it."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


@pytest.mark.parametrize(
    "make, one, wanted",
    [
        (lambda: keras.layers.StringLookup(vocabulary=["a", "b"]), np.array("b"), 2),
        (lambda: keras.layers.StringLookup(vocabulary=["a", "b"]), tf.constant("b"), 2),
        (lambda: keras.layers.IntegerLookup(vocabulary=[500, 600]), np.int64(600), 2),
        (lambda: keras.layers.TextVectorization(vocabulary=["a", "b"]), np.array("b a"), [3, 2]),
        (lambda: keras.layers.Rescaling(2.0), 3.0, 6.0),
        (lambda: keras.layers.Rescaling(2.0), np.float64(3.0), 6.0),
    ],
)
def test_layers_of_one_number_or_text(make, one, wanted):
    assert make()(one).numpy().tolist() == wanted
