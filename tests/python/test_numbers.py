"""Integers that do not fit are errors, never clamped; and calls that once never ended."""

import time

import numpy as np
import pytest

import brio as tf
from brio import keras


@pytest.mark.parametrize("axis", [2**31, 2**40, -(2**33), [0, 2**40]])
def test_axis_that_does_not_fit(axis):
    with pytest.raises((ValueError, OverflowError)):
        tf.reduce_sum(tf.zeros([2, 3]), axis=axis)


@pytest.mark.parametrize("sizes", [(-1, 2**40), (2**40,), (2**31, 1)])
def test_size_that_does_not_fit(sizes):
    with pytest.raises((ValueError, OverflowError)):
        tf.keras.layers.Reshape(sizes)(np.zeros((2, 6), "float32"))


def test_ngrams_that_do_not_fit():
    with pytest.raises(ValueError, match="ngrams"):
        tf.keras.layers.TextVectorization(ngrams=2**40)


@pytest.mark.parametrize(
    "make",
    [lambda n: tf.keras.metrics.AUC(n), lambda n: tf.keras.metrics.SensitivityAtSpecificity(0.5, num_thresholds=n)],
)
def test_thresholds_that_memory_does_not_hold(make):
    begin = time.perf_counter()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="num_thresholds"):
        make(2**40)
    assert time.perf_counter() - begin < 5


def test_huge_exponents_end():
    begin = time.perf_counter()
    assert int(tf.pow(tf.constant(2, tf.int64), tf.constant(2**62, tf.int64))) == 0
    assert int(tf.pow(tf.constant(3, tf.int64), tf.constant(2**63 - 1, tf.int64))) == pow(3, 2**63 - 1, 2**64) - (
        2**64 if pow(3, 2**63 - 1, 2**64) >= 2**63 else 0
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        tf.keras.ops.power(np.array([2, 3]), [-1])
    assert time.perf_counter() - begin < 5


def test_exponents_that_are_not_known_yet():
    power = tf.function(lambda a, b: tf.pow(a, b), input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    assert power(tf.constant([2, 3]), tf.constant([5, 2])).numpy().tolist() == [32, 9]
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        power(tf.constant([2, 3]), tf.constant([5, -2]))


def test_an_epoch_goes_on_with_batch_size_auto():
    x = np.arange(4096, dtype="float32")[:, None]
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.0), loss=lambda y, p: y + 0 * p)
    losses = model.fit(x, x, batch_size="auto", epochs=3, steps_per_epoch=2, shuffle=False, verbose=0).history["loss"]
    assert losses[0] < losses[1] < losses[2]


def test_shuffled_epochs_see_every_row_once():
    x = np.arange(12, dtype="float32")[:, None]
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.0), loss=lambda y, p: y + 0 * p)
    losses = model.fit(x, x, batch_size=2, epochs=6, steps_per_epoch=3, verbose=0).history["loss"]
    assert [round((a + b) / 2, 4) for a, b in zip(losses[::2], losses[1::2])] == [5.5] * 3


def test_channels_first_is_no_other_convolution():
    """TensorFlow has it for some builds alone, so that no golden holds it."""
    ops, rng = tf.keras.ops, np.random.default_rng(1)
    x, kernel = (rng.normal(size=s).astype("float32") for s in ((2, 6, 8, 3), (2, 2, 3, 4)))
    first = lambda v: np.moveaxis(np.asarray(v), -1, 1)
    for f in (
        lambda v, d: ops.conv(v, kernel, 1, "same", d),
        lambda v, d: ops.image.extract_patches(v, 2, data_format=d),
    ):
        np.testing.assert_array_equal(f(first(x), "channels_first"), first(f(x, "channels_last")))
    with pytest.raises(ValueError, match="data_format is 'NCHW'"):
        ops.conv(x, kernel, data_format="NCHW")


def test_lbeta_of_halves_rounds_no_sum_to_a_pole():
    x = tf.constant([[-1.5, -0.5, -1.0005, 2.0]], "float16")
    near = tf.math.lbeta(tf.cast(x, "float32"))
    np.testing.assert_allclose(tf.math.lbeta(x), near, rtol=1e-3)


def test_layers_that_draw_do_so_unless_told_not_to():
    pictures = np.random.default_rng(3).random((16, 32, 48, 3)).astype("float32")
    for layer in (
        keras.layers.RandomFlip(seed=2),
        keras.layers.RandomRotation(0.3, seed=1),
        keras.layers.RandomTranslation(0.3, 0.3, seed=1),
    ):
        assert not np.array_equal(layer(pictures), pictures)
        assert np.array_equal(layer(pictures, training=False), pictures)
        dataset = tf.data.Dataset.from_tensor_slices(pictures).batch(16).map(layer)
        assert not np.array_equal(next(iter(dataset)), pictures)
        model = keras.Sequential([keras.Input((32, 48, 3)), layer, keras.layers.Rescaling(2.0)])
        assert not np.array_equal(model(pictures), 2 * pictures)
        assert np.array_equal(model(pictures, training=False), 2 * pictures)
        assert np.array_equal(model.predict(pictures, verbose=0), 2 * pictures)
    assert keras.Sequential([keras.Input((32, 48, 3)), keras.layers.RandomCrop(20, 30)]).output_shape == (
        None,
        20,
        30,
        3,
    )
    assert np.array_equal(keras.layers.Dropout(0.5)(pictures), pictures)


def test_l2_loss_of_halves_does_not_overflow():
    assert float(tf.nn.l2_loss(tf.ones((2, 64, 48, 16), "float16"))) == 49152.0
