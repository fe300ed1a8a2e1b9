"""tf.ragged."""

from brio import _core, _missing
from brio._ragged import RaggedTensor as _RaggedTensor, _numbers, _stack

__getattr__ = _missing.attribute_error_of(__name__)


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype="int64"):
    """A ragged tensor of nested lists."""
    if not isinstance(pylist, (list, tuple)):
        return _core.constant(pylist, dtype)
    return _of_lists(list(pylist), dtype, _depth(pylist) - 1 if ragged_rank is None else ragged_rank)


def _depth(x):
    return 1 + max((_depth(item) for item in x), default=0) if isinstance(x, (list, tuple)) else 0


def _of_lists(rows, dtype, rank):
    if rank <= 0:
        return _core.constant(rows, dtype)
    for row in rows:
        if not isinstance(row, (list, tuple)):
            raise ValueError(f"[ragged.constant] all lists must have one depth, but {row!r} stands beside lists")
    return _RaggedTensor.from_row_lengths(_of_lists([item for row in rows for item in row], dtype, rank - 1), [len(r) for r in rows])


def stack(values, axis=0, name=None):
    """Tensors, ragged or not, as the rows of one ragged tensor."""
    if axis != 0:
        raise ValueError("[ragged.stack] axis other than 0 is not supported")
    rows = [v if isinstance(v, _RaggedTensor) else _core.convert_to_tensor(v) for v in values]
    return _stack(rows)


def map_flat_values(op, *args, **kwargs):
    """op of all values, in the rows of the ragged tensors that are given."""
    like = None

    def flat(x):
        nonlocal like
        if isinstance(x, _RaggedTensor):
            like = x
            return x.flat_values
        return x

    result = op(*[flat(a) for a in args], **{k: flat(v) for k, v in kwargs.items()})
    return result if like is None else like.with_flat_values(result)


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype="int64"):
    """A row of numbers for each start, limit and delta."""
    if limits is None:
        starts, limits = 0, starts
    parts = [_core.convert_to_tensor(x) for x in (starts, limits, deltas)]
    n = max([p.shape[0] for p in parts if p.shape.rank], default=1)
    columns = [[p] * int(n) if p.shape.rank == 0 else list(p) for p in parts]
    return _stack([_core.range(*[int(v) if not v.dtype.is_floating else float(v) for v in row], dtype=dtype) for row in zip(*columns)])


def boolean_mask(data, mask, name=None):
    """What a mask keeps of each row."""
    rows = [_core.boolean_mask(d, m) for d, m in zip(data, mask)]
    return _stack(rows)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """For each value the number of its row."""
    at = _numbers(splits)
    ids = [i for i, (a, b) in enumerate(zip(at, at[1:])) for _ in [0] * (b - a)]
    return _core.constant(ids, out_type or "int64", shape=[len(ids)])


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
