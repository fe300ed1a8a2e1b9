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
