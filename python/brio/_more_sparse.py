"""Functions of tf.sparse of the rarer kind: parts of sparse tensors, and what is computed row by row."""

from brio import _core
from brio._axes import positive_axis
from brio._sparse import SparseTensor
from brio.errors import InvalidArgumentError


def split(sp_input=None, num_split=None, axis=None, name=None):
    """Parts along an axis; where it cannot be shared out evenly the first ones are longer by one.

    >>> [p.dense_shape.numpy().tolist() for p in tf.sparse.split(tf.sparse.eye(2, 5), 2, 1)]
    [[2, 3], [2, 2]]
    """
    from brio.sparse import slice

    axis = positive_axis("sparse.split", int(axis), len(sp_input.shape))
    size, count = int(sp_input.shape[axis]), int(num_split)
    if not 1 <= count <= size:
        raise InvalidArgumentError(f"[sparse.split] {count} parts of an axis of {size}; take 1 to {size}")
    parts, begin = [], 0
    for i in range(count):
        length = size // count + (i < size % count)
        start = [begin if a == axis else 0 for a in range(len(sp_input.shape))]
        parts.append(slice(sp_input, start, [length if a == axis else int(n) for a, n in enumerate(sp_input.shape)]))
        begin += length
    return parts


def retain(sp_input, to_retain):
    """The elements for which to_retain is true."""
    keep = _core.convert_to_tensor(to_retain)
    if keep.shape.rank != 1 or keep.shape[0] != sp_input.values.shape[0]:
        raise ValueError(
            f"[sparse.retain] to_retain has shape {tuple(keep.shape)} for {sp_input.values.shape[0]} elements"
        )
    return SparseTensor(
        _core.boolean_mask(sp_input.indices, keep), _core.boolean_mask(sp_input.values, keep), sp_input.dense_shape
    )


def fill_empty_rows(sp_input, default_value, name=None):
    """With an element (row, 0, ...) in each row that has none, and which rows these are.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [7], [3, 4]), -1)
    >>> filled.indices.numpy().tolist(), empty.numpy().tolist()
    ([[0, 0], [1, 2], [2, 0]], [True, False, True])
    """
    rows = int(sp_input.shape[0])
    there = _core._math.unsorted_segment_sum(_core.ones_like(sp_input.indices[:, 0]), sp_input.indices[:, 0], rows)
    empty = _core.equal(there, _core.zeros_like(there))
    new = _core.where(empty)
    new = _core.pad(new, [[0, 0], [0, len(sp_input.shape) - 1]])
    default = _core.convert_to_tensor(default_value, sp_input.dtype)
    filler = _core.gather(_core.reshape(default, [1]), _core.zeros_like(new[:, 0]))
    values = _core.concat([sp_input.values, filler], 0)
    indices = _core.concat([sp_input.indices, new], 0)
    order = _core.argsort(indices[:, 0], stable=True)
    return SparseTensor(_core.gather(indices, order), _core.gather(values, order), sp_input.dense_shape), empty


def expand_dims(sp_input, axis=None, name=None):
    """With a new axis of 1, the last where none is given."""
    rank = len(sp_input.shape)
    axis = positive_axis("sparse.expand_dims", -1 if axis is None else int(axis), rank + 1)
    column = _core.zeros_like(sp_input.indices[:, :1])
    indices = _core.concat([sp_input.indices[:, :axis], column, sp_input.indices[:, axis:]], 1)
    shape = _core.concat([sp_input.dense_shape[:axis], _core.ones([1], "int64"), sp_input.dense_shape[axis:]], 0)
    return SparseTensor(indices, sp_input.values, shape)


def mask(a, mask_indices, name=None):
    """The rows of IndexedSlices that mask_indices does not name."""
    from brio._spec import IndexedSlices

    left_out = _core.reshape(_core.cast(mask_indices, a.indices.dtype), [1, -1])
    keep = _core.logical_not(_core.reduce_any(_core.equal(_core.reshape(a.indices, [-1, 1]), left_out), axis=1))
    return IndexedSlices(_core.boolean_mask(a.values, keep), _core.boolean_mask(a.indices, keep), a.dense_shape)


def _chosen(who, f, a, b):
    if tuple(a.shape) != tuple(b.shape):
        raise InvalidArgumentError(f"[{who}] the shapes {a.shape} and {b.shape} differ")
    from brio.sparse import to_dense

    places = _core.concat([a.indices, b.indices], 0)
    key = _core.zeros([places.shape[0]], "int64")
    for axis, size in enumerate(a.shape):
        key = key * int(size) + places[:, axis]
    keys = _core.sort(_core._unique(key, "int32")[0])
    columns, rest = [], keys
    for size in list(a.shape)[::-1]:
        columns.append(rest % int(size))
        rest = rest // int(size)
    indices = _core.stack(columns[::-1], axis=1)
    return SparseTensor(indices, f(*(_core.gather_nd(to_dense(x), indices) for x in (a, b))), a.dense_shape)


def maximum(sp_a, sp_b, name=None):
    """The larger one wherever one of two sparse tensors has an element; an element that is not there is 0."""
    return _chosen("sparse.maximum", _core.maximum, sp_a, sp_b)


def minimum(sp_a, sp_b, name=None):
    """The smaller one wherever one of two sparse tensors has an element; an element that is not there is 0."""
    return _chosen("sparse.minimum", _core.minimum, sp_a, sp_b)


def softmax(sp_input, name=None):
    """The softmax of the elements that are there, over the last axis."""
    if len(sp_input.shape) < 2:
        raise InvalidArgumentError(f"[sparse.softmax] takes two axes or more, but the shape is {sp_input.shape}")
    rows, count = sp_input.indices[:, 0], int(sp_input.shape[0])
    for axis, size in list(enumerate(sp_input.shape))[1:-1]:
        rows, count = rows * int(size) + sp_input.indices[:, axis], count * int(size)
    largest = _core.stop_gradient(_core.gather(_core._math.unsorted_segment_max(sp_input.values, rows, count), rows))
    parts = _core.exp(sp_input.values - largest)
    return sp_input.with_values(parts / _core.gather(_core._math.unsorted_segment_sum(parts, rows, count), rows))


def _segments(kind):
    def call(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
        rows = _core.gather(_core.convert_to_tensor(data), indices)
        ids = _core.convert_to_tensor(segment_ids)
        if num_segments is None:
            count = int(ids[-1]) + 1 if ids.shape[0] else 0
        else:
            count = int(num_segments)
        return getattr(_core._math, f"unsorted_segment_{kind}")(rows, ids, count)

    return call


segment_sum, segment_mean, segment_sqrt_n = _segments("sum"), _segments("mean"), _segments("sqrt_n")
for _made, _kind, _what in (
    (segment_sum, "sum", "sum"),
    (segment_mean, "mean", "mean"),
    (segment_sqrt_n, "sqrt_n", "sum, by the root of how many they are,"),
):
    _made.__name__ = _made.__qualname__ = f"segment_{_kind}"
    _made.__doc__ = (
        f"The {_what} of the rows of data that indices name, segment by segment; 0 for a segment without rows."
    )


def to_indicator(sp_input, vocab_size, name=None):
    """For each row which of 0 ... vocab_size - 1 are among its elements.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 1]], [2, 0], [2, 2]), 3).numpy().tolist()
    [[False, False, True], [True, False, False]]
    """
    size = int(vocab_size)
    outside = _core._is_known(sp_input.values) and bool(
        _core.reduce_any((sp_input.values < 0) | (sp_input.values >= size))
    )
    if outside:
        raise InvalidArgumentError(f"[sparse.to_indicator] elements must be in [0, {size}); give a larger vocab_size")
    places = _core.concat([sp_input.indices[:, :-1], _core.expand_dims(_core.cast(sp_input.values, "int64"), 1)], 1)
    shape = [int(n) for n in sp_input.shape[:-1]] + [size]
    return _core.scatter_nd(places, _core.ones_like(sp_input.values, "int32"), shape) > 0


def reset_shape(sp_input, new_shape=None):
    """The same elements in a larger shape, or in the smallest that holds them."""
    if new_shape is None:
        if not sp_input.values.shape[0]:
            return SparseTensor(sp_input.indices, sp_input.values, _core.zeros_like(sp_input.dense_shape))
        return SparseTensor(sp_input.indices, sp_input.values, _core.reduce_max(sp_input.indices, axis=0) + 1)
    wanted = [int(n) for n in (new_shape.numpy() if hasattr(new_shape, "numpy") else new_shape)]
    if len(wanted) != len(sp_input.shape) or any(n < int(have) for n, have in zip(wanted, sp_input.shape)):
        raise ValueError(f"[sparse.reset_shape] new_shape is {wanted}; it must be as {sp_input.shape} or larger")
    return SparseTensor(sp_input.indices, sp_input.values, _core.constant(wanted, "int64"))


def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    """How often each of 0, 1, ... occurs, of all values or row by row, as a sparse tensor of the counts that are not 0.

    >>> counts = tf.sparse.bincount([[1, 1, 3]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 1], [0, 3]], [2, 1])
    """
    import numpy as np

    if axis not in (None, 0, -1):
        raise ValueError(f"[sparse.bincount] axis is {axis}; it is None, 0 or -1")
    weighty = getattr(weights, "values", weights)
    if hasattr(values, "dense_shape"):
        flat, rows = values.values.numpy(), values.indices[:, 0].numpy()
        count, by_row = int(values.shape[0]), len(values.shape) > 1
    elif hasattr(values, "flat_values"):
        flat, rows, count, by_row = values.flat_values.numpy(), values.value_rowids().numpy(), len(values), True
        weighty = getattr(weights, "flat_values", weights)
    else:
        array = _core.convert_to_tensor(values).numpy()
        by_row, count = array.ndim > 1, array.shape[0] if array.ndim > 1 else 1
        flat, rows = array.reshape(-1), np.repeat(np.arange(count), array.size // max(count, 1))
    by_row = by_row and axis == -1
    kind = flat.dtype if weights is None else None
    share = None if weights is None else _core.convert_to_tensor(weighty).numpy().reshape(-1)
    if (flat < 0).any():
        raise InvalidArgumentError("[sparse.bincount] values must not be below 0")
    size = int(flat.max()) + 1 if flat.size else 0
    size = max(size, minlength or 0)
    if maxlength is not None:
        size = maxlength
        inside = flat < maxlength
        flat, rows, share = flat[inside], rows[inside], None if share is None else share[inside]
    rows = rows if by_row else np.zeros_like(rows)
    keys, places = np.unique(rows.astype(np.int64) * max(size, 1) + flat, return_inverse=True)
    if binary_output:
        counted = np.ones(len(keys), kind or share.dtype)
    elif share is None:
        counted = np.bincount(places.reshape(-1), minlength=len(keys)).astype(kind)
    else:
        counted = np.zeros(len(keys), share.dtype)
        np.add.at(counted, places.reshape(-1), share)
    columns = keys % max(size, 1)
    if by_row:
        return SparseTensor(np.stack([keys // max(size, 1), columns], 1), counted, [count, size])
    return SparseTensor(columns[:, None], counted, [size])
