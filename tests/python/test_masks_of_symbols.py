"""Masks while a model is put together: symbols carry them, as tensors do, so that call() sees what it will see."""

import numpy as np
import pytest

from brio import keras

L = keras.layers


class MeanOfWords(L.Layer):
    """Needs its mask: without one it fails, as it would in Keras."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking, self.calls, self.masks = True, 0, []

    def call(self, x, mask=None):
        self.calls += 1
        self.masks.append(None if mask is None else tuple(mask.shape))
        weights = keras.ops.cast(mask, x.dtype)[..., None]
        return keras.ops.sum(x * weights, axis=1) / keras.ops.sum(weights, axis=1)

    def compute_mask(self, x, mask=None):
        return None


def words(rows=3, n=150):
    made = np.random.default_rng(1).integers(1, 200, (rows, n))
    made[:, n // 2 :] = 0
    return made


def test_a_layer_that_needs_a_mask_gets_the_one_that_comes_with_its_input():
    mean = MeanOfWords()
    inputs = keras.Input((None,), dtype="int32")
    embedded = L.Embedding(200, 130, mask_zero=True)(inputs)
    outputs = mean(L.Dropout(0.0)(L.LSTM(110, return_sequences=True)(embedded)))
    model = keras.Model(inputs, outputs)
    assert mean.masks and None not in mean.masks
    x = words()
    short = model.predict(x[:, :75], verbose=0)
    np.testing.assert_allclose(model.predict(x, verbose=0), short, rtol=1e-5, atol=1e-6)


def test_masks_of_several_inputs():
    seen = []

    class Both(L.Layer):
        def call(self, inputs, mask=None):
            seen.append([None if m is None else tuple(m.shape) for m in mask])
            return inputs[0] + inputs[1]

    inputs = keras.Input((20,), dtype="int32"), keras.Input((20, 130))
    both = Both()([L.Embedding(200, 130, mask_zero=True)(inputs[0]), inputs[1]])
    model = keras.Model(inputs, both)
    model.predict([words(4, 20), np.ones((4, 20, 130))], verbose=0)
    assert {tuple(m is None for m in one) for one in seen} == {(False, True)}


def test_what_goes_wrong_is_not_tried_again():
    mean = MeanOfWords()
    with pytest.raises(Exception, match="."):
        mean(keras.Input((20, 130)))  # which has no mask
    assert mean.calls == 1


def test_a_mask_that_a_layer_makes_is_seen_behind_it():
    inputs = keras.Input((40, 120))
    mean = MeanOfWords()
    model = keras.Model(inputs, mean(L.TimeDistributed(L.Dense(110))(L.Masking()(inputs))))
    x = np.random.default_rng(2).normal(size=(2, 40, 120)).astype("float32")
    x[:, 10:] = 0
    np.testing.assert_allclose(model.predict(x, verbose=0), model(x), rtol=1e-5, atol=1e-6)
    assert all(m is not None for m in mean.masks)
