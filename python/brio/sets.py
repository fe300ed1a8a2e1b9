"""tf.sets: the last axis of tensors, dense or sparse, as sets."""

from brio import _core, _missing
from brio._sparse import SparseTensor as _SparseTensor

__getattr__ = _missing.attribute_error_of(__name__)


def _rows(x):
    """The shape in front of the last axis, the dtype, and a set for each place in it."""
    import numpy as np

    if isinstance(x, _SparseTensor):
        shape = tuple(x.shape[:-1])
        rows = {place: set() for place in np.ndindex(*shape)}
        for place, value in zip(x.indices.numpy(), x.values.numpy().tolist()):
            rows[tuple(int(i) for i in place[:-1])].add(value)
        return shape, x.dtype, rows
    x = _core.convert_to_tensor(x)
    array = x.numpy()
    return tuple(x.shape[:-1]), x.dtype, {place: set(array[place].tolist()) for place in np.ndindex(*x.shape[:-1])}


def _made(shape, dtype, rows):
    indices = [(*place, i) for place, row in rows.items() for i in range(len(row))]
    values = [value for row in rows.values() for value in sorted(row)]
    widest = max((len(row) for row in rows.values()), default=0)
    count = len(values)
    return _SparseTensor(
        _core.constant(indices, "int64", shape=[count, len(shape) + 1]),
        _core.constant(values, dtype, shape=[count]),
        [*shape, widest],
    )


def _both(a, b, operation):
    shape, dtype, left = _rows(a)
    other_shape, _, right = _rows(b)
    if shape != other_shape:
        raise ValueError(f"[sets] the axes in front of the last must be the same, but are {shape} and {other_shape}")
    return _made(shape, dtype, {place: operation(left[place], right[place]) for place in left})


def intersection(a, b, validate_indices=True):
    """What is in both sets of each row."""
    return _both(a, b, lambda x, y: x & y)


def union(a, b, validate_indices=True):
    """What is in one or both sets of each row."""
    return _both(a, b, lambda x, y: x | y)


def difference(a, b, aminusb=True, validate_indices=True):
    """What is in one set of each row and not in the other."""
    return _both(a, b, (lambda x, y: x - y) if aminusb else (lambda x, y: y - x))


def size(a, validate_indices=True):
    """How many different elements each row has."""
    shape, _, rows = _rows(a)
    return _core.reshape(_core.constant([len(row) for row in rows.values()], "int32"), shape)
