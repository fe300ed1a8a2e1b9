"""Rows of ragged tensors: taken by their numbers, cut out, joined, merged, made of tensors and made into tensors."""

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor, _count, _integers
from brio._shape import TensorShape
from brio.errors import InvalidArgumentError


def ranges(begins, lengths):
    """The numbers from each begin on, as many as its length says, one range behind the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(begins - (ends - lengths), lengths)


def splits_of(lengths):
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def taken(values, order):
    """Rows of a tensor, ragged or not, by their numbers in an array."""
    if not isinstance(values, RaggedTensor):
        return _core.gather(values, _core.constant(np.asarray(order, np.int64)))
    at = values._at
    begins, lengths = at[:-1][order], np.diff(at)[order]
    return rows(taken(values.values, ranges(begins, lengths)), lengths, values)


def rows(values, lengths, like=None, uniform=None):
    """Rows of these lengths, whose splits are of the dtype of another's, and of its row length."""
    splits = splits_of(lengths)
    dtype = "int64" if like is None else like.row_splits.dtype
    if uniform is None and like is not None:
        uniform = like._uniform
    return RaggedTensor._of(values, _core.constant(splits, dtype), uniform, splits)


def uniform(values, length, count, dtype="int64"):
    """`count` rows of one length."""
    at = np.arange(count + 1, dtype=np.int64) * length
    return RaggedTensor._of(values, _core.constant(at, dtype), length, at)


def joined(parts):
    """Tensors, ragged or not, one behind the other along their first axis."""
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return _core.concat(parts, 0)
    rank = max(p.ragged_rank if isinstance(p, RaggedTensor) else 0 for p in parts)
    parts = [as_ragged(p, rank) for p in parts]
    if len({p.shape.rank for p in parts}) > 1:
        raise ValueError(f"[concat] the tensors have {[p.shape.rank for p in parts]} axes; they need as many")
    lengths = {p._uniform for p in parts}
    one = lengths.pop() if len(lengths) == 1 else None
    dtype = common_dtype(parts)
    values = joined([p.values for p in parts])
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *(_count(p.values) for p in parts[:-1])])
    at = np.concatenate([parts[0]._at[:1], *(p._at[1:] + n for p, n in zip(parts, before))])
    return RaggedTensor._of(values, _core.constant(at, dtype), one, at)


def common_dtype(parts):
    """That of the row splits; they must have one."""
    dtypes = {p.row_splits.dtype for p in parts if isinstance(p, RaggedTensor)}
    if len(dtypes) > 1:
        raise ValueError(
            "ragged tensors with row_splits of int32 and of int64 do not go together; use with_row_splits_dtype()"
        )
    return dtypes.pop() if dtypes else _core.int64


def as_ragged(x, rank, dtype="int64"):
    """With at least so many axes as rows; those of a plain tensor are of one length."""
    if rank <= 0:
        return x
    if isinstance(x, RaggedTensor):
        return x if x.ragged_rank >= rank else x.with_values(as_ragged(x.values, rank - 1, x.row_splits.dtype))
    x = _core.convert_to_tensor(x)
    if x.shape.rank <= rank:
        raise ValueError(f"[ragged] a tensor of shape {tuple(x.shape)} has not {rank + 1} axes")
    values = _core.reshape(x, [x.shape[0] * x.shape[1], *x.shape[2:]])
    return uniform(as_ragged(values, rank - 1, dtype), int(x.shape[1]), int(x.shape[0]), dtype)


def of_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype):
    """RaggedTensor.from_tensor."""
    if lengths is not None and padding is not None:
        raise ValueError("[RaggedTensor.from_tensor] lengths and padding are both given; give one of them")
    tensor = _core.convert_to_tensor(tensor)
    rank = tensor.shape.rank
    if rank < 2:
        raise ValueError(f"[RaggedTensor.from_tensor] a tensor of {rank} axes has no rows; it needs two or more")
    if not 0 < ragged_rank < rank:
        raise ValueError(
            f"[RaggedTensor.from_tensor] ragged_rank is {ragged_rank}; it must be above 0 and below {rank}"
        )
    dtype = _core.as_dtype(row_splits_dtype)
    if lengths is not None and (
        isinstance(lengths, tuple)
        or isinstance(lengths, list)
        and lengths
        and not isinstance(lengths[0], (int, np.integer))
    ):
        if len(lengths) not in (1, ragged_rank) and ragged_rank > 1:
            raise ValueError(
                f"[RaggedTensor.from_tensor] {len(lengths)} lengths are given for ragged_rank={ragged_rank}"
            )
        first, *inner = lengths
        made = of_tensor(tensor, first, None, 1, dtype)
        return made.with_values(of_tensor(made.values, tuple(inner), None, len(inner), dtype)) if inner else made
    if ragged_rank > 1:
        outer = as_ragged(tensor, ragged_rank - 1, dtype)
        if lengths is not None:
            raise ValueError(
                f"[RaggedTensor.from_tensor] ragged_rank={ragged_rank} needs a list of lengths, one for each axis"
            )
        return outer.with_flat_values(of_tensor(outer.flat_values, None, padding, 1, dtype))
    count, width = int(tensor.shape[0]), int(tensor.shape[1])
    if padding is not None:
        padding = _core.convert_to_tensor(padding, tensor.dtype)
        if padding.shape.rank != 0 and tuple(padding.shape) != tuple(tensor.shape[2:]):
            raise ValueError(
                f"[RaggedTensor.from_tensor] padding of shape {padding.shape} is not one element of shape "
                f"{tuple(tensor.shape[2:])}"
            )
        other = _core.not_equal(tensor, padding)
        other = (
            _core.reduce_any(_core.reshape(other, [count, width, -1]), 2)
            if rank > 2 and count * width
            else _core.reshape(other, [count, width])
        )
        lengths = (
            _core.reduce_max(_core.where(other, _core.range(1, width + 1, dtype="int64"), _core.zeros([1], "int64")), 1)
            if width
            else _core.zeros([count], "int64")
        )
    if lengths is None:
        return uniform(_core.reshape(tensor, [count * width, *tensor.shape[2:]]), width, count, dtype)
    lengths = _integers(lengths)
    if tuple(lengths.shape) != (count,):
        raise InvalidArgumentError(
            f"[RaggedTensor.from_tensor] lengths of shape {lengths.shape} are given for {count} rows"
        )
    lengths = np.clip(lengths.numpy().astype(np.int64), 0, width)
    places = ranges(np.arange(count, dtype=np.int64) * width, lengths)
    values = taken(_core.reshape(tensor, [count * width, *tensor.shape[2:]]), places)
    splits = splits_of(lengths)
    return RaggedTensor._of(values, _core.constant(splits, dtype), None, splits)


def to_tensor(x, default_value, shape):
    """RaggedTensor.to_tensor."""
    values, rank = x.values, x.shape.rank
    sizes = [None] * rank if shape is None else TensorShape(shape).as_list()
    if len(sizes) != rank:
        raise InvalidArgumentError(
            f"[RaggedTensor.to_tensor] shape {sizes} has {len(sizes)} sizes, but the tensor has {rank} axes; None for "
            "a size lets it fit"
        )
    if isinstance(values, RaggedTensor):
        values = to_tensor(values, default_value, [None, *sizes[2:]])
    width = x._uniform if sizes[1] is None and x._uniform is not None else sizes[1]
    if width is None:
        width = int(np.diff(x._at).max(initial=0))
    if default_value is None:
        default_value = "" if values.dtype == _core.string else 0
    filler = _core.cast(default_value, values.dtype) if values.dtype != _core.string else _core.constant(default_value)
    filler = _core.broadcast_to(filler, [1, *values.shape[1:]])
    splits = _core.cast(x.row_splits, "int64")
    lengths, starts = splits[1:] - splits[:-1], splits[:-1]
    count = len(x) if sizes[0] is None else sizes[0]
    behind = _core.broadcast_to(
        _core.constant(values.shape[0], "int64"), [count, width]
    )  # refuses what no tensor holds
    if count > len(x):
        more = _core.zeros([count - len(x)], "int64")
        lengths, starts = _core.concat([lengths, more], axis=0), _core.concat([starts, more], axis=0)
    # The filler lies behind the values; each place of the result says which of them it is.
    column = _core.range(width, dtype="int64")
    places = _core.where(column < lengths[:count, None], starts[:count, None] + column, behind)
    made = _core.gather(_core.concat([values, filler], axis=0), places)
    inner = sizes[2:]
    if not isinstance(x.values, RaggedTensor) and any(
        n is not None and n != m for n, m in zip(inner, values.shape[1:])
    ):
        raise InvalidArgumentError(
            f"[RaggedTensor.to_tensor] shape {sizes} differs from the values' own sizes {tuple(values.shape[1:])}, "
            "which are not cut"
        )
    return made


def merge_dims(x, outer_axis, inner_axis):
    """RaggedTensor.merge_dims."""
    rank = x.shape.rank
    outer, inner = (a + rank if a < 0 else a for a in (outer_axis, inner_axis))
    if not 0 <= outer < inner < rank:
        raise ValueError(
            f"[merge_dims] outer_axis ({outer_axis}) must be before inner_axis ({inner_axis}), both in [0, {rank})"
        )
    if outer > 1:
        return x.with_values(_merged(x.values, outer - 1, inner - 1))
    merged = _merged(x.values, 0, inner - 1) if inner > 1 else x.values
    if outer == 0:
        return merged
    inside, splits = x.values, x.row_splits
    for _ in range(inner - outer):  # where rows of rows begin and end among what is inside them
        if isinstance(inside, RaggedTensor):
            splits, inside = _core.gather(inside.row_splits, splits), inside.values
        else:
            splits, inside = splits * int(inside.shape[1]), _core.reshape(inside, [-1, *inside.shape[2:]])
    return RaggedTensor._of(inside, splits)


def _merged(x, outer, inner):
    """merge_dims() of a ragged tensor or of a plain one."""
    if isinstance(x, RaggedTensor):
        return merge_dims(x, outer, inner) if inner > outer else x
    return _core.reshape(x, [*x.shape[:outer], -1, *x.shape[inner + 1 :]]) if inner > outer else x


def places_of(x):
    """(indices, values) of all numbers, in their order."""
    if not isinstance(x, RaggedTensor):
        from brio._more_arrays import unravel_index as _unravel

        shape = _core.shape(x, out_type="int64")
        count = _core.reduce_prod(shape)
        return _core.transpose(_unravel(_core.range(count), shape)) if x.shape.rank else _core.zeros(
            [1, 0], "int64"
        ), _core.reshape(x, [-1])
    inside, values = places_of(x.values)
    own = _core.gather(_core.cast(x.value_rowids(), "int64"), inside[:, 0])
    first = inside[:, 0] - _core.gather(_core.cast(x.row_starts(), "int64"), own)
    return _core.concat([_core.stack([own, first], 1), inside[:, 1:]], 1), values


def stacked(parts):
    """Rows of any lengths as one."""
    if not parts:
        raise ValueError("[ragged.stack] there is nothing to stack; give at least one tensor")
    parts = [p if isinstance(p, RaggedTensor) else _core.convert_to_tensor(p) for p in parts]
    if all(not isinstance(p, RaggedTensor) and p.shape.rank == 0 for p in parts):
        return _core.stack(parts)
    ranks = {p.shape.rank for p in parts}
    if len(ranks) > 1:
        raise ValueError(f"[ragged.stack] the tensors have {[p.shape.rank for p in parts]} axes; they need as many")
    (rank,) = ranks
    # Plain tensors may have rows of other lengths than the others: all but the innermost axis of several are rows.
    parts = (
        [as_ragged(p, rank - 1) for p in parts]
        if any(isinstance(p, RaggedTensor) for p in parts) or rank > 1
        else parts
    )
    dtype = common_dtype(parts) if rank > 1 else _core.int32  # as TensorFlow has it for vectors
    lengths = np.array([_count(p) for p in parts], np.int64)
    splits = splits_of(lengths)
    return RaggedTensor._of(joined(parts), _core.constant(splits, dtype), None, splits)
