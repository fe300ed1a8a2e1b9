"""Sums, means, greatest and the like of ragged tensors, along any axes."""

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor, _count
from brio._ragged_rows import ranges, rows


def reduced(name, f, args, kwargs):
    """tf.reduce_...(ragged tensor, axis, keepdims)."""
    given = dict(zip(("input_tensor", "axis", "keepdims"), args), **kwargs)
    x, axis, keepdims = given["input_tensor"], given.get("axis"), bool(given.get("keepdims"))
    if name in ("reduce_variance", "reduce_std"):
        return _spread(name, x, axis, keepdims)
    rank = x.shape.rank
    axes = _axes(axis, rank)
    if axes is None:
        whole = name == "reduce_mean" and x.dtype.is_integer  # of integers, TensorFlow has the quotient here
        made = f(_core.cast(x.flat_values, "float64") if whole else x.flat_values)
        return _core.reshape(made, [1] * rank) if keepdims else made
    if name == "reduce_mean":
        if not (x.dtype.is_floating or x.dtype.is_complex) or len(axes) > 1:  # of all numbers, not of the rows' means
            ones = x.with_flat_values(_core.ones_like(x.flat_values))
            total, count = (_one_by_one("reduce_sum", y, axes, keepdims) for y in (x, ones))
            return total / count
    return _one_by_one(name, x, axes, keepdims)


def _axes(axis, rank):
    if axis is None:
        return None
    if hasattr(axis, "numpy"):
        axis = axis.numpy().tolist()
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    for a in axes:
        if not -rank <= int(a) < rank:
            raise ValueError(f"[RaggedTensor] axis {a} is out of range: there are {rank} axes")
    return sorted({int(a) % rank for a in axes}, reverse=True)


def _one_by_one(name, x, axes, keepdims):
    from brio._ragged_calls import expand_dims

    for one in axes:
        x = along(name, x, one)
        if keepdims:
            x = expand_dims(x, one) if type(x) is RaggedTensor else _core.expand_dims(x, one)
    return x


def _spread(name, x, axis, keepdims):
    """The mean of the squares less the square of the mean, as TensorFlow has it."""
    import brio

    square = reduced("reduce_mean", brio.reduce_mean, (x * x, axis, keepdims), {})
    mean = reduced("reduce_mean", brio.reduce_mean, (x, axis, keepdims), {})
    variance = square - mean * mean
    if name == "reduce_variance":
        return variance
    return variance.with_flat_values(_root(variance.flat_values)) if type(variance) is RaggedTensor else _root(variance)


def _root(x):
    return _core.sqrt(_core.maximum(x, _core.zeros_like(x)))


def along(name, x, axis):
    """The reduction of a ragged tensor, or of what an earlier one left, along one axis."""
    if type(x) is not RaggedTensor:
        return getattr(_core, name)(x, axis)
    if axis > 1:
        return x.with_values(along(name, x.values, axis - 1))
    if axis == 1:
        count = _count(x)
        return _of_segments(name, x.values, x.value_rowids(), count) if type(count) is int else _of_any_number(name, x)
    lengths = np.diff(x._at)
    count = x._uniform if x._uniform is not None else int(lengths.max(initial=0))
    return _of_segments(name, x.values, _core.constant(ranges(np.zeros(len(x), np.int64), lengths)), count)


def _of_segments(name, values, ids, count):
    from brio import math

    if type(values) is RaggedTensor:
        return _of_ragged_segments(name, values, ids, count)
    if name in ("reduce_any", "reduce_all"):
        fewest = math.unsorted_segment_min if name == "reduce_all" else math.unsorted_segment_max
        return fewest(_core.cast(values, "int32"), ids, count) > 0
    if name == "reduce_mean":
        total = math.unsorted_segment_sum(values, ids, count)
        counts = math.unsorted_segment_sum(_core.ones_like(ids, dtype=values.dtype), ids, count)
        return total / _core.reshape(counts, [count] + [1] * (values.shape.rank - 1))
    return getattr(math, f"unsorted_segment_{name[len('reduce_') :]}")(values, ids, count)


def _of_any_number(name, x):
    """The reduction of each row, where a function is traced for any number of rows: by ops that follow sizes."""
    values, ids = x.values, _core.expand_dims(x.value_rowids(), 1)
    if name in ("reduce_any", "reduce_all"):
        whole = _of_any_number(
            "reduce_min" if name == "reduce_all" else "reduce_max", x.with_values(_core.cast(values, "int32"))
        )
        return whole > 0
    inner = [1] * (values.shape.rank - 1)
    lengths = _core.cast(_core.reshape(x.row_lengths(), [-1, *inner]), values.dtype)
    zeros = lengths * 0 + _core.zeros([1, *values.shape[1:]], values.dtype)
    if name in ("reduce_sum", "reduce_mean"):
        total = _core.tensor_scatter_nd_add(zeros, ids, values)
        return total if name == "reduce_sum" else total / lengths
    if name == "reduce_prod":
        from brio.errors import _UnknownSizeError

        raise _UnknownSizeError("[reduce_prod] the number of rows is not known while a function is traced")
    limit = values.dtype.min if name == "reduce_max" else values.dtype.max
    scatter = _core.tensor_scatter_nd_max if name == "reduce_max" else _core.tensor_scatter_nd_min
    return scatter(zeros + _core.constant(limit, values.dtype), ids, values)


def _of_ragged_segments(name, x, ids, count):
    """Rows that share a segment are one, as long as the longest of them."""
    at, ids = x._at, ids.numpy().astype(np.int64)
    lengths = np.diff(at)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids, lengths)
    begins = np.cumsum(longest) - longest
    to = _core.constant(ranges(begins[ids], lengths))
    values = _of_segments(name, x.values, to, int(longest.sum()))
    return rows(values, longest, x)


def unsorted_segment(name):
    """tf.math.unsorted_segment_... and segment_... of ragged tensors."""

    def call(data, segment_ids, num_segments=None, name_=None, **_):
        if type(segment_ids) is RaggedTensor:
            if type(data) is not RaggedTensor or data.ragged_rank < segment_ids.ragged_rank:
                raise ValueError("[segment] ragged segment_ids need data with the same rows")
            x, ids = data, segment_ids
            while type(ids) is RaggedTensor:
                if not np.array_equal(x._at, ids._at):
                    raise ValueError("[segment] data and segment_ids have rows of different lengths")
                x, ids = x.values, ids.values
        else:
            x, ids = data, _core.convert_to_tensor(segment_ids)
        count = (int(ids[-1]) + 1 if ids.shape[0] else 0) if num_segments is None else int(num_segments)
        return _of_segments(name, x, ids, count)

    return call
