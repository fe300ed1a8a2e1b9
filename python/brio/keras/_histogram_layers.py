"""Layers that spread the values of pictures over their range, by what values there are:
they do the same in training and after it."""

import brio as tf
from brio import _core
from brio.keras._image_layer import ImageLayer, rescaled, value_pair

BYTE = (0, 255)


class AutoContrast(ImageLayer):
    """Pictures whose smallest and largest values are those of the range, channel by channel.

    >>> keras.layers.AutoContrast()(np.float32([[[50.0], [100.0]]])).numpy().ravel().tolist()
    [0.0, 255.0]
    """

    _without_training = True

    def __init__(self, value_range=BYTE, **kwargs):
        super().__init__(**kwargs)
        self.value_range = value_pair("AutoContrast", value_range)

    def change(self, images, drawn):
        """The pictures stretched."""
        levels = rescaled(images, self.value_range, BYTE)
        low, high = (f(levels, axis=[1, 2], keepdims=True) for f in (tf.reduce_min, tf.reduce_max))
        flat = tf.equal(high, low)
        scale = 255.0 / _core.where(flat, _core.ones_like(low), high - low)
        made = rescaled(tf.clip_by_value(levels * scale - low * scale, 0.0, 255.0), BYTE, self.value_range)
        return _core.where(flat, images, made)


class Equalization(ImageLayer):
    """Pictures in which all values are about as frequent, channel by channel:
    those of a batch are counted together, as in Keras.

    >>> keras.layers.Equalization()(np.float32([[[50.0], [100.0], [101.0]]])).numpy().ravel().tolist()
    [0.0, 128.0, 255.0]
    """

    def __init__(self, value_range=BYTE, bins=256, data_format=None, **kwargs):
        super().__init__(data_format=data_format, **kwargs)
        self.value_range, self.bins = value_pair("Equalization", value_range), int(bins)

    def change(self, images, drawn):
        """The pictures equalized."""
        bins, channels = self.bins, images.shape[-1]
        levels = _core.cast(rescaled(images, self.value_range, BYTE), "float32")
        of_channel = _core.range(channels) * bins
        counts = _counts(
            tf.clip_by_value(_core.cast(levels * (bins - 1) / 255.0, "int32"), 0, bins - 1) + of_channel,
            channels * bins,
            bins,
        )
        below = _core.cast(_core.cumsum(counts, axis=1), "float32")
        least = tf.reduce_min(_core.where(below > 0, below, below[:, -1:]), axis=1, keepdims=True)
        rest = below[:, -1:] - least
        table = tf.clip_by_value(
            tf.round((below - least) * 255.0 / _core.where(rest > 0, rest, _core.ones_like(rest))), 0, 255
        )
        made = _core.gather(
            _core.reshape(table, [-1]),
            _core.cast(tf.clip_by_value(levels / 255.0 * (bins - 1), 0, bins - 1), "int32") + of_channel,
        )
        several = tf.reduce_sum(_core.cast(counts > 0, "int32"), axis=1) > 1
        return rescaled(_core.cast(_core.where(several, made, levels), images.dtype), BYTE, self.value_range)


def _counts(places, total, bins):
    """How often each number below `total` occurs, in rows of `bins`."""
    places = _core.reshape(places, [-1])
    return _core.reshape(
        _core.tensor_scatter_nd_add(_core.zeros([total], "int32"), places[:, None], _core.ones_like(places)), [-1, bins]
    )


class ContrastLimitedAdaptiveHistogramEqualization(ImageLayer):
    """Pictures equalized tile by tile, with no value counted more often than a limit,
    and blended between the tiles (CLAHE).

    >>> layer = keras.layers.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 2))
    >>> layer(np.arange(64.0).reshape(1, 8, 8, 1)).shape
    TensorShape([1, 8, 8, 1])
    """

    _without_training = True

    def __init__(self, value_range=BYTE, clip_limit=4.0, tile_grid_size=(8, 8), data_format=None, **kwargs):
        super().__init__(data_format=data_format, **kwargs)
        self.value_range = value_pair(type(self).__name__, value_range)
        self.clip_limit, self.tile_grid_size = clip_limit, tuple(tile_grid_size)

    def change(self, images, drawn):
        """The pictures equalized."""
        (height, width, channels), (down, across) = images.shape[1:], self.tile_grid_size
        if height is None or width is None:
            raise ValueError(f"[{self.name}] pictures of shape {tuple(images.shape)}; rows and columns must be known")
        rows, columns = -(-height // down), -(-width // across)  # of a tile
        levels = _core.cast(rescaled(_core.cast(images, "float32"), self.value_range, BYTE), "float32")
        if rows * down > height or columns * across > width:
            levels = _core.pad(
                levels, [[0, 0], [0, rows * down - height], [0, columns * across - width], [0, 0]], mode="SYMMETRIC"
            )
        values = tf.clip_by_value(_core.cast(levels, "int32"), 0, 255)
        number = _core.shape(images)[0]
        picture = _core.reshape(_core.range(number), [-1, 1, 1, 1])

        def place(row, column):
            """Of each value in the tables of tiles at these rows and columns."""
            tile = (picture * down + _core.reshape(row, [1, -1, 1, 1])) * across + _core.reshape(column, [1, 1, -1, 1])
            return (tile * channels + _core.range(channels)) * 256 + values

        own = place(_core.range(rows * down) // rows, _core.range(columns * across) // columns)
        tables = self._tables(own, number * (down * across * channels), rows * columns)
        top, bottom, low = _between(rows, down)
        left, right, far = _between(columns, across)
        low, far = _core.reshape(low, [1, -1, 1, 1]), _core.reshape(far, [1, 1, -1, 1])
        read = lambda row, column: _core.gather(tables, place(row, column))
        upper = read(top, left) * (1.0 - far) + read(top, right) * far
        lower = read(bottom, left) * (1.0 - far) + read(bottom, right) * far
        made = (upper * (1.0 - low) + lower * low)[:, :height, :width]
        return rescaled(made, BYTE, self.value_range)

    def _tables(self, places, tables, pixels):
        """What each value becomes in each tile."""
        counts = _core.cast(_counts(places, tables * 256, 256), "float32")
        if self.clip_limit > 0:
            kept = tf.minimum(counts, self.clip_limit * pixels / 256.0)
            counts = kept + tf.reduce_sum(counts - kept, axis=1, keepdims=True) / 256.0
        below = _core.cumsum(counts, axis=1)
        least = tf.reduce_min(below, axis=1, keepdims=True)
        rest = pixels - least
        made = (below - least) * 255.0 / _core.where(tf.equal(rest, 0.0), _core.ones_like(rest), rest)
        return _core.reshape(tf.clip_by_value(made, 0.0, 255.0), [-1])


def _between(size, tiles):
    """For each pixel along an axis, the tiles whose middles are before and behind it, and how far it is on the way."""
    at = (_core.range(size * tiles, dtype="float32") - size / 2.0) / size
    before = tf.floor(at)
    near = lambda tile: _core.cast(tf.clip_by_value(tile, 0.0, tiles - 1.0), "int32")
    return near(before), near(before + 1.0), at - before


for _cls in (AutoContrast, ContrastLimitedAdaptiveHistogramEqualization, Equalization):
    _cls.__module__ = "brio.keras.layers"  # where configs find it
