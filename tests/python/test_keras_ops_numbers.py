"""keras.ops where numbers are unusual: infinite, or of Python beside float64."""

import numpy as np
import pytest

from brio import keras


def test_what_is_no_nan_may_be_infinite():
    x = np.array([1.5, np.inf, -0.0])
    assert np.isnan(float(keras.ops.nanvar(x))) and np.isnan(float(keras.ops.nanstd(x)))
    y = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 2.0]])
    np.testing.assert_allclose(keras.ops.nanvar(y, axis=1), np.nanvar(y, axis=1))


def test_numbers_beside_float64_keep_their_digits():
    x = np.array([1.84, 2.5])
    made = keras.ops.layer_normalization(x, gamma=1.524, beta=0.641)
    np.testing.assert_allclose(made, (x - x.mean()) / np.sqrt(x.var() + 1e-7) * 1.524 + 0.641, rtol=1e-12)
    np.testing.assert_allclose(
        keras.ops.rms_normalization(x, scale=1.1), x / np.sqrt((x * x).mean() + 1e-7) * 1.1, rtol=1e-12
    )


@pytest.mark.parametrize("padding", ["same", "valid"])
def test_padding_of_a_transposed_convolution_in_capitals(padding):
    x = np.linspace(-1, 1, 2 * 9 * 7 * 128, dtype="float32").reshape(2, 9, 7, 128)
    kernel = np.linspace(-1, 1, 3 * 3 * 130 * 128, dtype="float32").reshape(3, 3, 130, 128)
    plain = keras.ops.conv_transpose(x, kernel, strides=2, padding=padding)
    np.testing.assert_array_equal(keras.ops.conv_transpose(x, kernel, strides=2, padding=padding.upper()), plain)
