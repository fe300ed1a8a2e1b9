"""keras.ops: NumPy's functions that reshape, join and move."""

import brio as tf
from brio.keras.ops._convert import own, tensor, together


def reshape(x, newshape):
    """The same elements in another shape."""
    return tf.reshape(tensor(x), newshape)


def transpose(x, axes=None):
    """The axes in another order; by default reversed."""
    return tf.transpose(tensor(x), axes)


def expand_dims(x, axis):
    """A new axis of size 1."""
    x = tensor(x)
    if not isinstance(axis, (list, tuple)):
        return tf.expand_dims(x, axis)
    rank = len(x.shape) + len(axis)
    for a in sorted(a % rank for a in axis):  # places in the result
        x = tf.expand_dims(x, a)
    return x


def squeeze(x, axis=None):
    """Without axes of size 1."""
    if axis is None:  # a size that is not known is not 1
        axis = [i for i, n in enumerate(tensor(x).shape) if isinstance(n, int) and n == 1]
        return tf.squeeze(tensor(x), axis) if axis else tensor(x)
    return tf.squeeze(tensor(x), axis if axis is None or isinstance(axis, (list, tuple)) else [axis])


def concatenate(xs, axis=0):
    """Tensors joined along an axis."""
    return tf.concat(together(*xs), axis)


def stack(x, axis=0):
    """Tensors joined along a new axis."""
    if not isinstance(x, (list, tuple)) and 0 in tensor(x).shape[:1]:
        return tensor(x)
    return tf.stack(together(*x) if isinstance(x, (list, tuple)) else tf.unstack(tensor(x)), axis)


def hstack(xs):
    """Tensors joined side by side."""
    xs = together(*xs)
    return tf.concat(xs, 0 if len(xs[0].shape) == 1 else 1)


def vstack(xs):
    """Tensors joined one below the other."""
    return tf.concat(together(*xs), 0)  # vectors become one row of numbers, as in Keras


def append(x1, x2, axis=None):
    """x1 with x2 behind it."""
    a, b = together(tensor(x1), tensor(x2))
    return tf.concat([tf.reshape(a, [-1]), tf.reshape(b, [-1])], 0) if axis is None else tf.concat([a, b], axis)


def split(x, indices_or_sections, axis=0):
    """Parts along an axis: so many equal ones, or cut at indices."""
    x = tensor(x)
    if isinstance(indices_or_sections, int):
        return tf.split(x, indices_or_sections, axis)
    places = [0, *(int(i) for i in indices_or_sections), int(x.shape[axis])]
    return tf.split(x, [b - a for a, b in zip(places, places[1:])], axis)


_MOST_PARTS = 1 << 20  # all but a few of which are empty


def array_split(x, indices_or_sections, axis=0):
    """Parts along an axis: so many, of which the first are larger by one where they cannot be equal;
    or cut at indices."""
    x = tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    if not 1 <= indices_or_sections <= _MOST_PARTS:
        raise ValueError(
            f"[array_split] there are to be {indices_or_sections} parts; it must be from 1 to {_MOST_PARTS}"
        )
    if x.shape[axis] is None:
        return split(x, indices_or_sections, axis)
    least, larger = divmod(int(x.shape[axis]), indices_or_sections)
    return tf.split(x, [least + (i < larger) for i in range(indices_or_sections)], axis)


def tile(x, repeats):
    """x repeated along each axis."""
    x = tensor(x)
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = max(len(x.shape), len(repeats))
    for _ in range(rank - len(x.shape)):
        x = tf.expand_dims(x, 0)
    return tf.tile(x, [1] * (rank - len(repeats)) + repeats)


def repeat(x, repeats, axis=None):
    """Each element repeated."""
    x = tensor(x)
    return tf.repeat(
        tf.reshape(x, [-1]) if axis is None or not len(x.shape) else x, repeats, axis=0 if axis is None else axis
    )


def flip(x, axis=None):
    """x backwards along axes."""
    x = tensor(x)
    return tf.reverse(
        x, list(range(len(x.shape))) if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    )


def roll(x, shift, axis=None):
    """Elements moved along an axis; what leaves at one end enters at the other."""
    x = tensor(x)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), x.shape)
    return tf.roll(x, shift, axis)


def rot90(array, k=1, axes=(0, 1)):
    """Turned by k quarters in the plane of two axes."""
    array = tensor(array)
    for _ in range(k % 4):
        array = flip(swapaxes(array, *axes), axes[0])
    return array


def moveaxis(x, source, destination):
    """Axes moved to other places."""
    x = tensor(x)
    listed = lambda v: [v] if isinstance(v, int) else list(v)
    rank = len(x.shape)
    source, destination = [a % rank for a in listed(source)], [a % rank for a in listed(destination)]
    order = [a for a in range(rank) if a not in source]
    for to, at in sorted(zip(destination, source)):
        order.insert(to, at)
    return tf.transpose(x, order)


def swapaxes(x, axis1, axis2):
    """Two axes in each other's place."""
    x = tensor(x)
    order = list(range(len(x.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(x, order)


def broadcast_to(x, shape):
    """x repeated to this shape."""
    return tf.broadcast_to(tensor(x), shape)


def pad(x, pad_width, mode="constant", constant_values=None):
    """x with a border."""
    x = tensor(x)
    rank = len(x.shape)
    if isinstance(pad_width, int):
        pad_width = [(pad_width, pad_width)] * rank
    elif isinstance(pad_width[0], int):
        pad_width = [tuple(pad_width) if len(pad_width) == 2 else (pad_width[0],) * 2] * rank
    elif len(pad_width) == 1:
        pad_width = list(pad_width) * rank
    pad_width = [(p[0], p[-1]) for p in pad_width]
    return tf.pad(x, pad_width, mode.upper(), 0 if constant_values is None else constant_values)


def size(x):
    """How many elements there are."""
    return tf.size(tensor(x))


__all__ = own(globals())
