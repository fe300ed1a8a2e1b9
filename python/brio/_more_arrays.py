"""Functions of tensors' shapes and places that are made of others."""

from collections import namedtuple

import numpy

from brio import _core
from brio.errors import InvalidArgumentError

Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """A new axis with 1 at the index and 0 elsewhere.
    NumPy's floats and bools are taken as the whole numbers that they are.

    >>> tf.one_hot([0, 2], 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if isinstance(indices, (numpy.ndarray, numpy.generic)) and indices.dtype.kind in "fb":
        indices = indices.astype("int64")
    return _core.one_hot(indices, depth, on_value, off_value, axis, dtype, name)


def unique(x, out_idx="int32", name=None):
    """The different elements of a vector, in the order of their first occurrence,
    and where each element is among them."""
    return Unique(*_core._unique(x, out_idx)[:2])


def unique_with_counts(x, out_idx="int32", name=None):
    """As unique, and how often each occurs."""
    return UniqueWithCounts(*_core._unique(x, out_idx))


def meshgrid(*args, indexing="xy", name=None):
    """Each of the vectors along an axis of its own, repeated along the others."""
    return _core._meshgrid(list(args), indexing)


def strided_slice(
    input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
    var=None, name=None,
):  # fmt: skip
    """x[begin:end:strides], axis by axis; bits of the masks change what an axis means."""
    begin, end = [int(b) for b in begin], [int(e) for e in end]
    strides = [1] * len(begin) if strides is None else [int(s) for s in strides]
    key = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return _core.convert_to_tensor(input_)[tuple(key)]


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """Each of a batch's sequences with its first elements, as many as seq_lengths says, from last to first."""
    x = _core.convert_to_tensor(input)
    batch_axis = 0 if batch_axis is None else batch_axis
    if seq_axis is None:
        raise ValueError("[reverse_sequence] seq_axis must be given")
    n, rank = x.shape[seq_axis], x.shape.rank
    lengths = _core.reshape(_core.cast(seq_lengths, "int32"), [-1, 1])
    at = _core.expand_dims(_core.range(n), 0)
    at = _core.where(at < lengths, lengths - 1 - at, at)  # (batch, n)
    if batch_axis > seq_axis:
        at = _core.transpose(at)
    at = _core.reshape(at, [x.shape[i] if i in (seq_axis, batch_axis) else 1 for i in range(rank)])
    return _core._take_along_axis(x, _core.broadcast_to(at, x.shape), seq_axis)


def unravel_index(indices, dims, name=None):
    """The positions in an array of these sizes that flat indices name, one axis a row."""
    indices = _core.convert_to_tensor(indices)
    dims = [int(d) for d in dims]
    parts = []
    for d in reversed(dims):
        parts.append(indices % d)
        indices = indices // d
    return _core.stack(parts[::-1])


def identity_n(input, name=None):
    """The same tensors, as a list."""
    return [_core.identity(x) for x in input]


def bitcast(input, type, name=None):
    """The same bits as another dtype; where its size differs, the last axis grows or goes."""
    import numpy as np

    x = _core.convert_to_tensor(input)
    dtype = _core.as_dtype(type)
    array = np.ascontiguousarray(x.numpy())
    refused = [t.name for t in (x.dtype, dtype) if t.name in ("bool", "string")]
    if refused:
        raise InvalidArgumentError(f"[bitcast] from {x.dtype.name} to {dtype.name}: {refused[0]} has no bits to cast")
    shape = tuple(x.shape)  # array has an axis where x has none
    if x.dtype.size > dtype.size:
        shape += (x.dtype.size // dtype.size,)
    elif x.dtype.size < dtype.size:
        if not shape or shape[-1] * x.dtype.size != dtype.size:
            raise InvalidArgumentError(f"[bitcast] the last axis of shape {x.shape} does not hold one {dtype.name}")
        shape = shape[:-1]
    if x.dtype.name == "bfloat16":  # its array is of float32, whose upper half it is
        array = (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype.name == "bfloat16":
        halves = np.frombuffer(array.tobytes(), np.uint16).astype(np.uint32) << 16
        return _core.cast(halves.view(np.float32).reshape(shape), "bfloat16")
    return _core.convert_to_tensor(np.frombuffer(array.tobytes(), dtype.as_numpy_dtype).reshape(shape))


def get_static_value(tensor, partial=False):
    """The values as a NumPy array where they are known and stay as they are, else None.
    What is no tensor is given back."""
    if not _core.is_tensor(tensor):
        return tensor
    return tensor.numpy() if not isinstance(tensor, _core.Variable) and _core._is_known(tensor) else None


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """Levenshtein's distance between the sequences along the last axis of sparse tensors."""
    import numpy as np

    def sequences(sparse):
        rows = {}
        for place, value in zip(sparse.indices.numpy(), sparse.values.numpy().tolist()):
            rows.setdefault(tuple(int(i) for i in place[:-1]), []).append(value)
        return rows

    def distance(a, b):
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            before, row[0] = row[0], i
            for j, y in enumerate(b, 1):
                before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
        return row[-1]

    ours, theirs = sequences(hypothesis), sequences(truth)
    shape = tuple(max(a, b) for a, b in zip(hypothesis.shape[:-1], truth.shape[:-1]))
    result = np.zeros(shape, np.float32)
    for place in np.ndindex(*shape):
        a, b = ours.get(place, []), theirs.get(place, [])
        n = distance(a, b)
        result[place] = n if not normalize else n / len(b) if b else (float("inf") if n else 0.0)
    return _core.constant(result)
