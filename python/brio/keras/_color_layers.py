"""Layers that change the colours of pictures by chance."""

import brio as tf
from brio import _core, image
from brio.keras import random
from brio.keras._image_layer import ImageLayer, each, gray, pair, rescaled, value_pair

BYTE = (0, 255)


class _Colored(ImageLayer):
    """A factor for each picture, and values of a range."""

    _bounds = (0, 1)

    def __init__(self, factor, value_range=BYTE, data_format=None, seed=None, **kwargs):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = pair(type(self).__name__, "factor", factor, *self._bounds)
        self.value_range = value_pair(type(self).__name__, value_range)

    def draw(self, images):
        """A factor for each picture."""
        return self.one_each(images, *self.factor)

    def cut(self, images):
        """Values within their range."""
        return tf.clip_by_value(images, *self.value_range)


class Brightness(_Colored):
    """Pictures made darker or lighter: what RandAugment does as RandomBrightness."""

    _bounds = (-1, 1)

    def change(self, images, drawn):
        """Pictures with a share of the range added."""
        low, high = self.value_range
        return self.cut(images + each(_core.cast(drawn * (high - low), images.dtype)))


class Contrast(_Colored):
    """Pictures with another contrast: what RandAugment does as RandomContrast."""

    def draw(self, images):
        """A factor for each picture, around 1."""
        return self.one_each(images, 1.0 - self.factor[0], 1.0 + self.factor[1])

    def change(self, images, drawn):
        """Pictures whose distance from their mean is multiplied."""
        mean = tf.reduce_mean(images, axis=[1, 2], keepdims=True)
        return self.cut((images - mean) * each(_core.cast(drawn, images.dtype)) + mean)


class RandomHue(_Colored):
    """Pictures whose hue is turned by up to half a factor of the colour circle, either way, in training.

    >>> pictures = np.random.uniform(0, 255, (2, 8, 8, 3))
    >>> keras.layers.RandomHue(0.5, value_range=(0, 255), seed=1)(pictures).shape
    TensorShape([2, 8, 8, 3])
    """

    def draw(self, images):
        """How far each picture's hue is turned."""
        way = _core.where(self.one_each(images) > 0.5, -0.5, 0.5)
        return way * self.one_each(images, *self.factor)

    def change(self, images, drawn):
        """Pictures of another hue."""
        return hue_turned(images, drawn, self.value_range)


def hue_turned(images, by, value_range):
    """Pictures whose hue is turned by shares of the colour circle."""
    hue, saturation, value = _core.unstack(image.rgb_to_hsv(_wide(rescaled(images, value_range, (0, 1)))), axis=-1)
    hue = hue + _core.cast(_core.reshape(by, [-1, 1, 1]), hue.dtype)
    hue = _core.where(hue > 1.0, hue - 1.0, hue)
    hue = _core.where(hue < 0.0, hue + 1.0, hue)
    turned = tf.clip_by_value(image.hsv_to_rgb(_core.stack([hue, saturation, value], axis=-1)), 0.0, 1.0)
    return rescaled(_core.cast(turned, images.dtype), (0, 1), value_range)


def _wide(images):
    """Colours are turned in float32 at least."""
    return images if images.dtype in ("float32", "float64") else _core.cast(images, "float32")


class RandomSaturation(_Colored):
    """Pictures whose saturation is multiplied by f / (1 - f), in training: 0.5 leaves them, 0 makes them gray.

    >>> pictures = np.random.uniform(0, 255, (2, 8, 8, 3))
    >>> keras.layers.RandomSaturation((0.4, 0.6), seed=1)(pictures).shape
    TensorShape([2, 8, 8, 3])
    """

    _bounds = (-1, 1)

    def draw(self, images):
        """What each picture's saturation is multiplied by."""
        factor = self.one_each(images, *self.factor)
        return factor / (1 - factor + 1e-7)

    def change(self, images, drawn):
        """Pictures of another saturation."""
        hue, saturation, value = _core.unstack(image.rgb_to_hsv(_wide(images)), axis=-1)
        saturation = self.cut(saturation * _core.cast(_core.reshape(drawn, [-1, 1, 1]), saturation.dtype))
        return image.hsv_to_rgb(_core.stack([hue, saturation, value], axis=-1))


class RandomGrayscale(ImageLayer):
    """Pictures that become gray with a chance of `factor`, in training; they keep their three channels.

    >>> keras.layers.RandomGrayscale(1.0)(np.float32([[[[100.0, 0.0, 0.0]]]])).numpy().astype(int).tolist()
    [[[[29, 29, 29]]]]
    """

    def __init__(self, factor=0.5, data_format=None, seed=None, **kwargs):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        if not 0 <= factor <= 1:
            raise ValueError(f"[RandomGrayscale] factor is {factor}; it lies in [0, 1]")
        self.factor = factor

    def draw(self, images):
        """Which pictures become gray."""
        return each(self.one_each(images) < self.factor)

    def change(self, images, drawn):
        """Those pictures in gray."""
        return _core.where(drawn, gray(images), images)


class RandomColorDegeneration(_Colored):
    """Pictures mixed with their gray by chance, in training: a factor of 0 leaves them, 1 makes them gray.

    >>> keras.layers.RandomColorDegeneration((1.0, 1.0))(
    ...     np.float32([[[[100.0, 0.0, 0.0]]]])
    ... ).numpy().astype(int).tolist()
    [[[[29, 29, 29]]]]
    """

    _bounds = (-1, 1)

    def change(self, images, drawn):
        """Pictures mixed with their gray."""
        return self.cut(images + each(_core.cast(drawn, images.dtype)) * (gray(images) - images))


class RandomColorJitter(ImageLayer):
    """Brightness, contrast, saturation and hue changed by chance, in this order and where a factor is given,
    in training.

    >>> pictures = np.random.uniform(0, 255, (2, 8, 8, 3))
    >>> keras.layers.RandomColorJitter(brightness_factor=0.2, hue_factor=0.1, seed=1)(pictures).shape
    TensorShape([2, 8, 8, 3])
    """

    def __init__(self, value_range=BYTE, brightness_factor=None, contrast_factor=None, saturation_factor=None,
                 hue_factor=None, seed=None, data_format=None, **kwargs):  # fmt: skip
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.value_range = value_pair("RandomColorJitter", value_range)
        given = (brightness_factor, contrast_factor, saturation_factor, hue_factor)
        given = [tuple(f) if isinstance(f, list) else f for f in given]
        self.brightness_factor, self.contrast_factor, self.saturation_factor, self.hue_factor = given
        factors = zip((Brightness, Contrast, RandomSaturation, RandomHue), given)
        steps = [cls(factor, value_range=self.value_range) for cls, factor in factors if factor is not None]
        for step in steps:
            step.generator = self.generator
        object.__setattr__(self, "_steps", steps)  # no layers of a model's: they have nothing to save

    def draw(self, images):
        """What each step draws."""
        return [step.draw(images) for step in self._steps]

    def change(self, images, drawn):
        """The pictures after all steps."""
        for step, factor in zip(self._steps, drawn):
            images = _core.cast(step.change(images, factor), images.dtype)
        return images


class RandomSharpness(_Colored):
    """Pictures blurred or sharpened by chance, in training: a factor of 0 blurs them, 0.5 leaves them, 1 sharpens them.

    >>> float(tf.reduce_max(keras.layers.RandomSharpness((0.5, 0.5))(np.full((1, 4, 4, 3), 7.0))))
    7.0
    """

    def change(self, images, drawn):
        """Pictures beyond or before their smoothed ones."""
        around, middle = 1 / 13, 5 / 13
        kernel = _core.constant([[around] * 3, [around, middle, around], [around] * 3], images.dtype)
        kernel = _core.tile(_core.reshape(kernel, [3, 3, 1, 1]), [1, 1, images.shape[-1], 1])
        smooth = _core._nn.depthwise_conv2d(images, kernel, [1, 1, 1, 1], "SAME")
        return self.cut(images + (1.0 - 2.0 * each(_core.cast(drawn, images.dtype))) * (smooth - images))


class RandomInvert(_Colored):
    """Pictures turned into their negatives, each with a chance of `factor`, in training.

    >>> keras.layers.RandomInvert((1.0, 1.0))(np.float32([[[[100.0, 0.0, 255.0]]]])).numpy().tolist()
    [[[[155.0, 255.0, 0.0]]]]
    """

    def __init__(self, factor=1.0, value_range=BYTE, seed=None, data_format=None, **kwargs):
        super().__init__(factor, value_range, data_format, seed, **kwargs)

    def draw(self, images):
        """Which pictures are turned."""
        return self.chosen(images, self.factor)

    def change(self, images, drawn):
        """Those pictures as negatives."""
        return _core.where(drawn, self.value_range[1] - images, images)


class RandomPosterization(_Colored):
    """Pictures with fewer bits for each colour, in training: `factor` bits, or from a range.

    >>> keras.layers.RandomPosterization((1, 1))(np.float32([[[[100.0, 130.0, 255.0]]]])).numpy().tolist()
    [[[[0.0, 128.0, 128.0]]]]
    """

    _bounds = (1, 8)

    def draw(self, images):
        """How many levels are one, for each picture."""
        low, high = self.factor
        n = [_core.shape(images)[0]]
        bits = _core.fill(n, low) if low == high else random.randint(n, int(low), int(high), seed=self.generator)
        return each(_core.pow(2.0, 8.0 - _core.cast(bits, "float32")))

    def change(self, images, drawn):
        """Values rounded down to those levels."""
        levels = tf.floor(_core.cast(rescaled(images, self.value_range, BYTE), "float32"))
        return rescaled(_core.cast(tf.floor(levels / drawn) * drawn, images.dtype), BYTE, self.value_range)


class Solarization(ImageLayer):
    """Values added to by chance, and those above a threshold by chance turned into their negatives, in training.

    >>> keras.layers.Solarization()(np.float32([[[[100.0, 0.0, 255.0]]]])).numpy().tolist()
    [[[[155.0, 255.0, 0.0]]]]
    """

    def __init__(self, addition_factor=0.0, threshold_factor=0.0, value_range=BYTE, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        for name, factor in (("addition_factor", addition_factor), ("threshold_factor", threshold_factor)):
            if any(not 0 <= f <= 1 for f in (factor if isinstance(factor, (tuple, list)) else [factor])):
                raise ValueError(f"[Solarization] {name} is {factor}; it lies in [0, 1]")
            setattr(self, name, pair("Solarization", name, factor, 0, 1, bottom=0))
        self.value_range = value_pair("Solarization", value_range)

    def draw(self, images):
        """What is added, and the threshold, of values up to 255."""
        return [
            each(self.one_each(images, low, high * 255)) for low, high in (self.addition_factor, self.threshold_factor)
        ]

    def change(self, images, drawn):
        """The pictures solarized."""
        more, threshold = (_core.cast(d, images.dtype) for d in drawn)
        levels = tf.clip_by_value(rescaled(images, self.value_range, BYTE) + more, 0, 255)
        return rescaled(_core.where(levels < threshold, levels, 255 - levels), BYTE, self.value_range)


for _cls in (RandomColorDegeneration, RandomColorJitter, RandomGrayscale, RandomHue, RandomInvert, RandomPosterization,
             RandomSaturation, RandomSharpness, Solarization):  # fmt: skip
    _cls.__module__ = "brio.keras.layers"  # where configs find it
