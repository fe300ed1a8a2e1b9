"""tf.ragged."""

import numpy as np

from brio import _core, _missing
from brio._ragged import RaggedTensor as _RaggedTensor
from brio._shape import TensorShape as _TensorShape

__getattr__ = _missing.attribute_error_of(__name__)


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype="int64"):
    """A ragged tensor of nested lists. `inner_shape` is the shape of the values, which are not rows.

    >>> tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)).shape
    TensorShape([2, None, 2])
    """
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"[ragged.constant] ragged_rank is {ragged_rank}; it must be 0 or more")
    if isinstance(pylist, np.ndarray):
        pylist = list(pylist) if pylist.ndim and (ragged_rank is None or ragged_rank > 0) else pylist
    if inner_shape is not None:
        inner_shape = (
            tuple(inner_shape) if isinstance(inner_shape, (list, tuple)) else tuple(_TensorShape(inner_shape).as_list())
        )
    if not isinstance(pylist, (list, tuple)):
        if ragged_rank or inner_shape:
            raise ValueError(f"[ragged.constant] {pylist!r} is no list; it has no rows and no inner_shape")
        return _core.constant(pylist, dtype)
    deep, scalars = _depths(pylist, 0)
    if len(scalars) > 1:
        raise ValueError(
            f"[ragged.constant] all values must stand in as many lists, but some stand in {sorted(scalars)}"
        )
    if scalars and max(scalars) < deep:
        raise ValueError(f"[ragged.constant] values stand in {max(scalars)} lists, beside lists in {deep - 1}")
    if ragged_rank is None:
        ragged_rank = deep - 1 - len(inner_shape or ())
    if scalars and ragged_rank >= max(scalars) or not scalars and inner_shape and ragged_rank < 0:
        raise ValueError(
            f"[ragged.constant] ragged_rank={ragged_rank} needs values in more than {ragged_rank} lists, but they "
            f"stand in {deep}"
        )
    values, splits = list(pylist), []
    while len(splits) < ragged_rank:
        splits.append(np.cumsum([0, *map(len, values)], dtype=np.int64))
        values = _joined(values, len(splits) == ragged_rank)
    if inner_shape is None:
        inner_shape = _common_shape(values, deep - ragged_rank - 1) if len(values) else ()
    made = (
        _core.constant(
            values if isinstance(values, np.ndarray) else _as_lists(values), dtype, shape=[len(values), *inner_shape]
        )
        if len(values)
        else _core.constant([], dtype, shape=[0, *inner_shape])
    )
    for at in reversed(splits):
        made = _RaggedTensor._of(made, _core.constant(at, row_splits_dtype), None, at)
    return made


def _depths(x, at):
    """(in how many lists the deepest item stands, in how many lists there are values)."""
    if isinstance(x, np.ndarray):
        return at + max(x.ndim, 0), {at + x.ndim} if x.size else set()
    if not isinstance(x, (list, tuple)):
        return at, {at}
    deep, scalars = at + 1, set()
    if x and not any(isinstance(item, (list, tuple, np.ndarray)) for item in x):
        return deep, {deep}
    for item in x:
        inner, found = _depths(item, at + 1)
        deep, scalars = max(deep, inner), scalars | found
    return deep, scalars


def _joined(rows, innermost):
    """The items of all rows. Arrays of numbers stay one: items of their own would take 30 times the memory."""
    arrays = all(isinstance(row, np.ndarray) and row.ndim == 1 and row.dtype.kind in "biufc" for row in rows)
    if not innermost or not rows or not arrays:
        return [item for row in rows for item in row]
    joined = np.concatenate(rows)
    if joined.dtype.kind in "iu":  # NumPy's integers become what Python's become, as in TensorFlow
        limits = np.iinfo("int32")
        small = joined.size == 0 or (limits.min <= joined.min() and joined.max() <= limits.max)
        joined = joined.astype("int32" if small else "int64")
    return joined


def _common_shape(values, depth):
    """The shape that all values have."""
    try:
        shapes = {np.shape(v) for v in values} if depth else {()}
    except ValueError:
        shapes = {(), None}
    if len(shapes) > 1:
        raise ValueError("[ragged.constant] inner values have different shapes; give a greater ragged_rank")
    return shapes.pop()


def _as_lists(x):
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, np.generic):
        return x.item()
    return [_as_lists(v) for v in x] if isinstance(x, (list, tuple)) else x


def stack(values, axis=0, name=None):
    """Tensors, ragged or not, as the rows of one ragged tensor; with another axis, as what stands there.

    >>> tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])]).to_list()
    [[1, 2], [3]]
    """
    from brio._ragged_calls import stack

    if not isinstance(values, (list, tuple)):
        values = [values]
    return stack(values, axis)


def map_flat_values(op, *args, **kwargs):
    """op of all values, in the rows of the ragged tensors that are given.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]])).to_list()
    [[1, 4], [9]]
    """
    from brio._ragged_operators import _as_long

    like = None

    def flat(x):
        nonlocal like
        if isinstance(x, (list, tuple)) and any(isinstance(v, _RaggedTensor) for v in x):
            return type(x)([flat(v) for v in x])
        if not isinstance(x, _RaggedTensor):
            return x
        if like is not None and not _as_long(like, x):
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(
                "[ragged.map_flat_values] the ragged tensors have rows of different lengths; broadcast them to the "
                "same rows first"
            )
        like = like if like is not None else x
        return x.flat_values

    result = op(*[flat(a) for a in args], **{k: flat(v) for k, v in kwargs.items()})
    if like is None:
        return result
    result = result if isinstance(result, _RaggedTensor) else _core.convert_to_tensor(result)
    if result.shape.rank == 0 or result.shape[0] != like.flat_values.shape[0]:
        raise ValueError(
            f"[ragged.map_flat_values] op gave shape {result.shape} for {like.flat_values.shape[0]} values; it must "
            "keep their number"
        )
    return like.with_flat_values(result)


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype="int64"):
    """A row of numbers for each start, limit and delta.

    >>> tf.ragged.range([0, 5, 8], [3, 3, 12]).to_list()
    [[0, 1, 2], [], [8, 9, 10, 11]]
    """
    from brio._ragged_rows import splits_of
    from brio.errors import InvalidArgumentError

    if limits is None:
        starts, limits = 0, starts
    given = [
        _core.convert_to_tensor(x, dtype) if not _core.is_tensor(x) else x if dtype is None else _core.cast(x, dtype)
        for x in (starts, limits, deltas)
    ]
    wide = max((x.dtype for x in given), key=["int32", "int64", "float16", "bfloat16", "float32", "float64"].index)
    given = [_core.cast(x, wide) for x in given]
    if any(x.shape.rank > 1 for x in given):
        raise ValueError(
            f"[ragged.range] starts, limits and deltas of shapes {[tuple(x.shape) for x in given]} must be numbers or "
            "vectors"
        )
    sizes = {x.shape[0] for x in given if x.shape.rank}
    if len(sizes) > 1:
        raise InvalidArgumentError(
            f"[ragged.range] starts, limits and deltas have {sorted(sizes)} rows; they need as many, or a number for "
            "all"
        )
    count = sizes.pop() if sizes else 1
    start, limit, delta = (np.broadcast_to(x.numpy(), (count,)) for x in given)
    if (delta == 0).any():
        raise InvalidArgumentError("[ragged.range] a delta is 0; it must be another number")
    if wide.is_floating:
        if not (np.isfinite(start).all() and np.isfinite(limit).all() and np.isfinite(delta).all()):
            raise InvalidArgumentError("[ragged.range] starts, limits and deltas must be finite numbers")
        lengths = np.ceil(np.abs((limit.astype(np.float64) - start) / delta))
    else:
        size = np.abs(limit.astype(np.int64) - start)
        lengths = -(-size // np.abs(delta.astype(np.int64)))
    if wide.is_floating and (lengths > 2.0**40).any():
        raise InvalidArgumentError("[ragged.range] a row has more than 2**40 numbers; take smaller ones")
    lengths = np.where((delta > 0) & (limit > start) | (delta < 0) & (limit < start), lengths, 0).astype(np.int64)
    splits = splits_of(lengths)
    if splits[-1] < 0 or splits[-1] >= 2**40:
        raise InvalidArgumentError("[ragged.range] the rows have more than 2**40 numbers together; take smaller ones")
    place = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    values = _core.constant(np.repeat(start, lengths) + place.astype(start.dtype) * np.repeat(delta, lengths), wide)
    return _RaggedTensor._of(values, _core.constant(splits, row_splits_dtype), None, splits)


def boolean_mask(data, mask, name=None):
    """What a mask keeps of each row; rows themselves where it has one axis.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]).to_list()
    [[1, 3], [6]]
    """
    from brio._ragged_picking import boolean_mask

    return boolean_mask(data, mask)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """For each value the number of its row."""
    splits = _core.convert_to_tensor(splits, dtype_hint="int64")
    if not splits.dtype.is_integer:
        raise ValueError(f"[row_splits_to_segment_ids] splits are of {splits.dtype.name}; they must be int32 or int64")
    at = splits.numpy().astype(np.int64)
    if at.ndim != 1 or len(at) == 0:
        raise ValueError(f"[row_splits_to_segment_ids] splits {at.tolist()} must be a vector of one number or more")
    ids = np.repeat(np.arange(len(at) - 1), np.diff(at))
    return _core.constant(ids, splits.dtype if out_type is None else out_type)


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where the rows begin and end whose numbers the values have, in order.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    ids = _core.convert_to_tensor(segment_ids)
    if out_type is None:
        out_type = ids.dtype if _core.is_tensor(segment_ids) else "int64"
    count = (int(ids[-1]) + 1 if ids.shape[0] else 0) if num_segments is None else int(num_segments)
    lengths = _core._math.unsorted_segment_sum(_core.ones_like(ids, out_type), ids, count)
    return _core.concat([_core.zeros([1], out_type), _core.cumsum(lengths)], 0)


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """A row for each partition, of the data that have its number.

    >>> tf.ragged.stack_dynamic_partitions([5, 6, 7], [1, 0, 1], 3).to_list()
    [[6], [5, 7], []]
    """
    count = int(num_partitions)
    if isinstance(partitions, _RaggedTensor):
        data = data if isinstance(data, _RaggedTensor) else _RaggedTensor.from_tensor(data)
        return stack_dynamic_partitions(data.values, partitions.values, count)
    ids = _core.convert_to_tensor(partitions)
    if isinstance(data, _RaggedTensor):
        if ids.shape.rank > 1:
            return stack_dynamic_partitions(data.values, _RaggedTensor.from_tensor(ids).values, count)
        order = _core.argsort(ids, stable=True)
        import brio

        return _RaggedTensor.from_value_rowids(brio.gather(data, order), _core.gather(ids, order), count)
    data = _core.convert_to_tensor(data)
    rest = list(data.shape[ids.shape.rank :])
    ids, data = _core.reshape(ids, [-1]), _core.reshape(data, [-1, *rest])
    if ids.shape[0] and not 0 <= int(_core.reduce_min(ids)) <= int(_core.reduce_max(ids)) < count:
        from brio.errors import InvalidArgumentError

        raise InvalidArgumentError(f"[stack_dynamic_partitions] partitions must be in [0, {count})")
    order = _core.argsort(ids, stable=True)
    return _RaggedTensor.from_value_rowids(_core.gather(data, order), _core.gather(ids, order), count)


def cross(inputs, name=None):
    """All combinations of the values of columns, row by row, as strings.

    >>> tf.ragged.cross([tf.ragged.constant([["a", "b"]]), tf.ragged.constant([["x"]])]).to_list()
    [[b'a_X_x', b'b_X_x']]
    """
    from brio._crossing import ragged_cross

    return ragged_cross(inputs, name)


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """All combinations of the values of columns, row by row, as numbers of buckets."""
    from brio._crossing import ragged_cross_hashed

    return ragged_cross_hashed(inputs, num_buckets, hash_key, name)
