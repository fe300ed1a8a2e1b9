"""Layers of Keras 2 that tf.keras.layers of Keras 3 still has."""

from brio import _core, image
from brio.keras import random
from brio.keras._layer import Layer


class ThresholdedReLU(Layer):
    """x where it is larger than theta, 0 elsewhere.

    >>> keras.layers.ThresholdedReLU(theta=1.0)(tf.constant([0.5, 2.0])).numpy().tolist()
    [0.0, 2.0]
    """

    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        if theta is None or theta < 0:
            raise ValueError(f"[ThresholdedReLU] theta is {theta}; it is 0 or more")
        self.supports_masking, self.theta = True, float(theta)

    def call(self, inputs):
        return inputs * _core.cast(inputs > self.theta, inputs.dtype)


class _RandomSize(Layer):
    """Pictures resized along one axis by chance, in training."""

    _axis = -3

    def __init__(self, factor, interpolation="bilinear", seed=None, **kwargs):
        super().__init__(**kwargs)
        low, high = factor if isinstance(factor, (tuple, list)) else (-factor, factor)
        if high < low or low < -1.0:
            raise ValueError(
                f"[{type(self).__name__}] factor is {factor}; it is a number or a pair, the lower one first, both "
                "above -1"
            )
        self.factor, self.interpolation, self.seed = factor, interpolation, seed
        self._range, self._seeds = (1.0 + low, 1.0 + high), random.SeedGenerator(seed)

    def call(self, inputs, training=True):
        if not training:
            return inputs
        size = [inputs.shape[-3], inputs.shape[-2]]
        times = random.uniform([], *self._range, seed=self._seeds)
        size[self._axis + 1] = max(
            1, int(times * size[self._axis + 1])
        )  # no graph has sizes by chance: the model runs op by op
        return _core.cast(image.resize(inputs, size, self.interpolation), inputs.dtype)


class RandomHeight(_RandomSize):
    """Pictures made lower or higher by chance, in training."""


class RandomWidth(_RandomSize):
    """Pictures made narrower or wider by chance, in training."""

    _axis = -2
