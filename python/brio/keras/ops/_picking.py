"""keras.ops: NumPy's functions that pick, order and count elements."""

import numpy as np

import brio as tf
from brio.keras.ops._convert import as_dtype, floating, name_of, own, result_type, tensor, together
from brio.keras.ops._shaping import moveaxis, swapaxes


def where(condition, x1=None, x2=None):
    """x1 where the condition holds, otherwise x2; or the places where it holds."""
    condition = tf.cast(tensor(condition), "bool")
    if x1 is None and x2 is None:
        return nonzero(condition)
    a, b = together(x1, x2)
    return tf.where(condition, a, b)


def nonzero(x):
    """The places of elements that are not 0, one tensor for each axis."""
    return tuple(tf.cast(v, "int32") for v in tf.unstack(tf.where(tf.cast(tensor(x), "bool")), axis=1))


def select(condlist, choicelist, default=0):
    """For each element the choice of the first condition that holds."""
    made = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        made = where(condition, choice, made)
    return made


def take(x, indices, axis=None):
    """Elements or slices at indices."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    n = tf.cast(tf.shape(x)[axis], indices.dtype)
    return tf.gather(x, tf.where(indices < 0, indices + n, indices), axis=axis)


def take_along_axis(x, indices, axis=None):
    """Elements at indices, which have the shape of the result."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        return tf.gather(tf.reshape(x, [-1]), tf.reshape(indices, [-1]))
    axis %= len(x.shape)
    last = len(x.shape) - 1
    sizes = [a if a == b or b == 1 else b for a, b in zip(x.shape, indices.shape)]
    sizes[axis] = indices.shape[axis]
    full = [n if i != axis else x.shape[axis] for i, n in enumerate(sizes)]
    x, indices = tf.broadcast_to(x, full), tf.broadcast_to(indices, sizes)
    x, indices = swapaxes(x, axis, last), swapaxes(indices, axis, last)
    indices = tf.where(indices < 0, indices + tf.cast(x.shape[-1], indices.dtype), indices)
    return swapaxes(tf.gather(x, indices, axis=-1, batch_dims=last), axis, last)


def sort(x, axis=-1):
    """In order along an axis."""
    x = tensor(x)
    return tf.cast(tf.sort(tf.cast(x, "uint8"), axis=axis), "bool") if name_of(x) == "bool" else tf.sort(x, axis=axis)


def argsort(x, axis: "int | None" = -1):
    """The places that put x in order along an axis."""
    x = tensor(x)
    if axis is None or not len(x.shape):  # a number is as a row of one
        x, axis = tf.reshape(x, [-1]), -1
    x = tf.cast(x, "uint8") if name_of(x) == "bool" else x
    return tf.cast(tf.argsort(x, axis=axis, stable=True), "int32")


def searchsorted(sorted_sequence, values, side="left"):
    """Where values would be put into a sorted sequence."""
    return tf.searchsorted(tensor(sorted_sequence), tensor(values), side)


def digitize(x, bins):
    """The number of the bin that each element falls into."""
    bins, x = (floating(v) for v in together(bins, x))
    return tf.reshape(tf.searchsorted(bins, tf.reshape(x, [-1]), "right"), x.shape)


def bincount(x, weights=None, minlength=0, sparse=False):
    """How often each whole number occurs."""
    x = tensor(x)
    dtype = "int32"
    if weights is not None:
        weights = tensor(weights)
        dtype = result_type(name_of(x), name_of(weights))
        weights = as_dtype(
            weights, {"bfloat16": "float32", "float16": "float32"}.get(name_of(weights), name_of(weights))
        )
    counted = x if name_of(x) in ("int32", "int64") else tf.cast(x, "int32")
    made = tf.math.bincount(counted, weights=weights, minlength=minlength, axis=-1)
    return as_dtype(made, dtype)


def unique(
    x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None, size=None, fill_value=None
):
    """Each value once, in order."""
    x = tensor(x)
    array, flat = np.asarray(x), axis is None
    if axis is None:
        array, axis = array.reshape(-1), 0
    values, first, inverse, counts = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not sorted:  # in the order in which they come
        order = np.argsort(first, kind="stable")
        values, first, counts = np.take(values, order, axis), first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    if size is not None:
        lacks = max(size - len(first), 0)
        fill = values.reshape(-1).min() if fill_value is None and values.size else fill_value or 0
        cut = lambda v, filler: np.concatenate([np.asarray(v)[:size], np.full(lacks, filler, np.asarray(v).dtype)])
        values = np.take(values, range(min(size, len(first))), axis)
        values = np.concatenate(
            [values, np.full((*values.shape[:axis], lacks, *values.shape[axis + 1 :]), fill, values.dtype)], axis
        )
        first, counts = cut(first, 0), cut(counts, 0)
    inverse = inverse.reshape(x.shape) if flat else inverse
    values = as_dtype(tensor(values), name_of(x))
    made = (
        [values]
        + ([first.astype("int32")] if return_index else [])
        + ([inverse.astype("int32")] if return_inverse else [])
        + ([counts.astype("int32")] if return_counts else [])
    )
    return tensor(made[0]) if len(made) == 1 else tuple(tensor(v) for v in made)


def diag(x, k=0):
    """A matrix with this diagonal, or the diagonal of a matrix."""
    x = tensor(x)
    return tf.linalg.diag(x, k=k) if len(x.shape) == 1 else diagonal(x, k)


def diagonal(x, offset=0, axis1=0, axis2=1):
    """The diagonal along two axes."""
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    return tf.linalg.diag_part(x, k=offset)


def _right_of_diagonal(name, x):
    """For each place of a matrix, how far right of the main diagonal it lies."""
    if len(x.shape) < 2:
        raise ValueError(f"[keras.ops.{name}] takes matrices, of 2 axes or more, but got shape {tuple(x.shape)}")
    rows, columns = (tf.shape(x)[axis] if x.shape[axis] is None else x.shape[axis] for axis in (-2, -1))
    return tf.range(columns) - tf.range(rows)[:, None]


def tril(x, k=0):
    """x with zeros above its k-th diagonal."""
    x = tensor(x)
    return tf.where(_right_of_diagonal("tril", x) <= k, x, tf.zeros_like(x))


def triu(x, k=0):
    """x with zeros below its k-th diagonal."""
    x = tensor(x)
    return tf.where(_right_of_diagonal("triu", x) >= k, x, tf.zeros_like(x))


__all__ = own(globals())
