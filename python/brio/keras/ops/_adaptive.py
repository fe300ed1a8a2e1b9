"""keras.ops: windows that adapt to a size, and windows as columns of a matrix and back."""

import numpy as np

import brio as tf
from brio import _core
from brio.keras.ops._convert import channels_last, floating, tensor


def _pooled(name, x, output_size, data_format, along):
    """x with each axis between the first and the last brought to its size by along(x, axis, first, end):
    windows [first, end)."""
    x, back = channels_last(x, data_format)
    axes = len(x.shape) - 2
    size = (output_size,) * axes if isinstance(output_size, int) else tuple(output_size)
    if not 1 <= axes <= 3 or len(size) != axes:
        raise ValueError(
            f"[{name}] output_size {output_size} for shape {tuple(x.shape)}; give a number for each axis but two"
        )
    for axis, new in enumerate(size, 1):
        old = x.shape[axis]
        if old is None:
            raise ValueError(
                f"[{name}] axis {axis} of shape {tuple(x.shape)} has no known size; adaptive windows need one"
            )
        old, at = int(old), np.arange(new)
        if old != new:
            x = along(x, axis, at * old // new, -(-(at + 1) * old // new))
    return back(x)


def _means(x, axis, first, end):
    within = np.arange(x.shape[axis])[:, None]
    weights = ((within >= first) & (within < end)) / (end - first)
    made = _core.tensordot(x, _core.constant(weights, x.dtype), axes=[[axis], [0]])
    rest = list(range(len(x.shape) - 1))
    return _core.transpose(made, [*rest[:axis], len(x.shape) - 1, *rest[axis:]])


def _largest(x, axis, first, end):
    windows = np.minimum(
        first[:, None] + np.arange((end - first).max()), end[:, None] - 1
    )  # short ones end with one element twice
    return tf.reduce_max(_core.gather(x, _core.constant(windows, "int32"), axis=axis), axis=axis + 1)


def adaptive_average_pool(inputs, output_size, data_format=None):
    """The means of so many windows along each axis, as equal as they can be.

    >>> keras.ops.adaptive_average_pool(np.ones((2, 14, 10, 3), "float32"), (4, 3)).shape
    TensorShape([2, 4, 3, 3])
    """
    return _pooled("adaptive_average_pool", floating(inputs), output_size, data_format, _means)


def adaptive_max_pool(inputs, output_size, data_format=None):
    """The largest of so many windows along each axis, as equal as they can be.

    >>> keras.ops.adaptive_max_pool(np.ones((2, 14, 10, 3), "float32"), (4, 3)).shape
    TensorShape([2, 4, 3, 3])
    """
    return _pooled("adaptive_max_pool", tensor(inputs), output_size, data_format, _largest)


def _two(x):
    return (x, x) if isinstance(x, int) else tuple(x)


def _grid(sizes, kernel, dilation, stride):
    """For both axes of a padded picture, where each element of the kernel meets it, (kernel, places)."""
    made = []
    for size, k, d, s in zip(sizes, kernel, dilation, stride):
        places = (size - d * (k - 1) - 1) // s + 1
        made.append(np.arange(k)[:, None] * d + np.arange(places) * s)
    return made


def unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    """Windows of pictures (batch, channels, rows, columns) as columns, (batch, channels · window, windows).

    >>> keras.ops.unfold(np.ones((2, 3, 8, 8), "float32"), 2, stride=2).shape
    TensorShape([2, 12, 16])
    """
    x = tensor(x)
    if len(x.shape) != 4:
        raise ValueError(f"[unfold] takes (batch, channels, rows, columns), but got shape {tuple(x.shape)}")
    kernel, (down, across) = _two(kernel_size), _two(padding)
    if down or across:
        x = _core.pad(x, [[0, 0], [0, 0], [down, down], [across, across]])
    rows, columns = _grid(x.shape[2:], kernel, _two(dilation), _two(stride))
    at = rows[:, None, :, None] * x.shape[3] + columns[None, :, None, :]  # (kernel, kernel, places, places)
    channels, count = x.shape[1], at.shape[2] * at.shape[3]
    found = _core.gather(
        _core.reshape(x, [-1, channels, x.shape[2] * x.shape[3]]),
        _core.constant(at.reshape(-1, count), "int32"),
        axis=2,
    )
    return _core.reshape(found, [-1, channels * at.shape[0] * at.shape[1], count])


def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns of unfold() put back into pictures, (batch, channels, rows, columns); what falls on one place is summed.

    >>> columns = keras.ops.unfold(np.ones((1, 1, 4, 4), "float32"), 2, stride=2)
    >>> float(tf.reduce_sum(keras.ops.fold(columns, 4, 2, stride=2)))
    16.0
    """
    x = tensor(x)
    if len(x.shape) != 3:
        raise ValueError(f"[fold] takes (batch, channels · window, windows), but got shape {tuple(x.shape)}")
    kernel, (down, across), (height, width) = _two(kernel_size), _two(padding), _two(output_size)
    tall, wide = height + 2 * down, width + 2 * across
    rows, columns = _grid((tall, wide), kernel, _two(dilation), _two(stride))
    at = (rows[:, None, :, None] * wide + columns[None, :, None, :]).reshape(-1)
    channels = x.shape[1] // (kernel[0] * kernel[1])
    spread = _core.reshape(_core.transpose(_core.reshape(x, [-1, channels, len(at)]), [2, 0, 1]), [len(at), -1])
    summed = tf.math.unsorted_segment_sum(spread, _core.constant(at, "int32"), tall * wide)
    made = _core.reshape(
        _core.transpose(_core.reshape(summed, [tall * wide, -1, channels]), [1, 2, 0]), [-1, channels, tall, wide]
    )
    return made[:, :, down : down + height, across : across + width]
