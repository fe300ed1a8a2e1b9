"""Parts of ragged tensors by number, by mask, and row by row: gather, gather_nd, boolean_mask, map_fn, bincount."""

import numpy as np

from brio import _core, _nest
from brio._ragged import RaggedTensor, _count
from brio._ragged_rows import as_ragged, joined, rows, stacked, taken, uniform
from brio.errors import InvalidArgumentError


def _of_python(x):
    return x if type(x) is RaggedTensor else _core.convert_to_tensor(x)


def _array(x):
    return _core.convert_to_tensor(x).numpy().astype(np.int64)


def _check(indices, count, who):
    if indices.size and not (0 <= indices.min() and (indices < count).all()):
        bad = indices[(indices < 0) | (indices >= count)].reshape(-1)[0]
        raise InvalidArgumentError(f"[{who}] index {bad} is out of range: it must be in [0, {int(np.max(count))})")


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Rows by their numbers. Of a tensor, what each number of a ragged tensor names."""
    params, indices = _of_python(params), _of_python(indices)
    rank = indices.shape.rank
    if not -rank <= batch_dims <= rank:
        raise ValueError(f"[gather] batch_dims={batch_dims} is out of range for indices of {rank} axes")
    batch = batch_dims + rank if batch_dims < 0 else batch_dims
    axis = batch if axis is None else int(axis)
    axis = axis + params.shape.rank if axis < 0 else axis
    if not batch <= axis < params.shape.rank:
        raise ValueError(f"[gather] axis={axis} must be in [{batch}, {params.shape.rank})")
    return _gather(params, indices, axis, batch)


def _gather(params, indices, axis, batch):
    ragged = [x for x in (params, indices) if type(x) is RaggedTensor]
    if not ragged:
        return _core.gather(params, indices, axis=axis, batch_dims=batch)
    if batch > 1:
        params, indices = (as_ragged(x, 1) for x in (params, indices))
        if not np.array_equal(params._at, indices._at):
            raise InvalidArgumentError(
                "[gather] params and indices have rows of different lengths along an axis of the batch"
            )
        return indices.with_values(_gather(params.values, indices.values, axis - 1, batch - 1))
    if axis > max(batch, 1):
        params = as_ragged(params, 1)
        if batch:
            raise ValueError(
                "[gather] axis of a ragged tensor lies more than one behind batch_dims; merge_dims() brings them "
                "together"
            )
        return params.with_values(_gather(params.values, indices, axis - 1, 0))
    if axis > batch:  # the same numbers in each row
        again = _count(params)
        if indices.shape.rank == 0:
            return _gather(params, _core.fill([again], indices), 1, 1)
        each = uniform(_repeated(indices, again), _count(indices), again)
        made = _gather(params, each, 1, 1)
        if type(indices) is RaggedTensor or type(made.values) is RaggedTensor:
            return made
        return _core.reshape(made.values, [again, *indices.shape, *made.values.shape[1:]])
    if batch == 1:
        return _in_rows(params, indices)
    if type(indices) is RaggedTensor:
        return (
            indices.with_flat_values(_gather(params, indices.flat_values, 0, 0))
            if type(params) is not RaggedTensor
            else indices.with_values(_gather(params, indices.values, 0, 0))
        )
    wanted = _array(indices)
    _check(wanted, _count(params), "gather")
    if wanted.ndim == 0:
        return params[int(wanted)]
    made = taken(params, wanted.reshape(-1))
    for size in reversed(wanted.shape[1:]):
        count = _count(made) // size if size else int(np.prod(wanted.shape[:-1]))
        made = rows(made, np.full(count, size, np.int64)).with_row_splits_dtype(params.row_splits.dtype)
    return made


def _repeated(x, times):
    return joined([x] * times) if times else taken(x, np.zeros(0, np.int64))


def _in_rows(params, indices):
    plain = type(indices) is not RaggedTensor
    params = as_ragged(params, 1)
    starts, lengths = params._at[:-1], np.diff(params._at)
    if _count(indices) != len(params):
        raise InvalidArgumentError(
            f"[gather] indices of {_count(indices)} rows pick from params of {len(params)} rows; with batch_dims they "
            "need as many"
        )
    if indices.shape.rank == 1 and plain:
        wanted = _array(indices)
        _check(wanted, lengths, "gather")
        return taken(params.values, starts + wanted)
    shape = indices.shape
    indices = as_ragged(indices, 1)
    own = np.repeat(np.arange(len(params)), np.diff(indices._at))
    inner = indices.values
    x = inner
    while type(x) is RaggedTensor:
        own, x = np.repeat(own, np.diff(x._at)), x.values
    wanted = _array(x)
    own = own.reshape(-1, *[1] * (wanted.ndim - 1))
    _check(wanted, lengths[own] + np.zeros_like(wanted), "gather")
    at = _core.constant(wanted + starts[own])
    made = _gather(params.values, inner.with_flat_values(at) if type(inner) is RaggedTensor else at, 0, 0)
    if plain and type(made) is not RaggedTensor:
        return _core.reshape(made, [*shape, *made.shape[shape.rank - 1 :]])
    return indices.with_values(made)


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """What rows of numbers name, one number for each axis."""
    params, indices = _of_python(params), _of_python(indices)
    if batch_dims:
        if batch_dims < 0:
            raise ValueError(f"[gather_nd] batch_dims={batch_dims} of ragged tensors must be 0 or more")
        params, indices = (as_ragged(x, 1) for x in (params, indices))
        if len(params) != len(indices):
            raise InvalidArgumentError(
                f"[gather_nd] indices of {len(indices)} rows pick from params of {len(params)} rows; with batch_dims "
                "they need as many"
            )
        return stacked(
            [gather_nd(p, i, batch_dims - 1) if batch_dims > 1 else _one_nd(p, i) for p, i in zip(params, indices)]
        )
    return _one_nd(params, indices)


def _one_nd(params, indices):
    if type(indices) is RaggedTensor:
        if indices.ragged_rank >= indices.shape.rank - 1:
            raise ValueError(
                "[gather_nd] the innermost axis of ragged indices, a number for each axis, must have one size; make "
                "them with ragged_rank one less"
            )
        return indices.with_flat_values(_one_nd(params, indices.flat_values))
    if type(params) is not RaggedTensor:
        return _core.gather_nd(params, indices)
    wanted = _array(indices)
    outer, depth = wanted.shape[:-1], wanted.shape[-1]
    if depth > params.shape.rank:
        raise ValueError(f"[gather_nd] {depth} numbers are given for {params.shape.rank} axes")
    columns = wanted.reshape(-1, depth).T
    if depth == 0:
        return _repeated(uniform(params, len(params), 1), len(wanted.reshape(-1, 0)))
    at, x = columns[0], params
    _check(at, len(params), "gather_nd")
    for k in range(1, depth):
        if type(x) is not RaggedTensor:
            inner = np.stack([at, *columns[k:]], 1)
            return _core.reshape(_core.gather_nd(x, _core.constant(inner)), [*outer, *x.shape[depth - k + 1 :]])
        _check(columns[k], np.diff(x._at)[at], "gather_nd")
        at, x = x._at[:-1][at] + columns[k], x.values
    made = taken(x, at)
    if type(made) is not RaggedTensor:
        return _core.reshape(made, [*outer, *made.shape[1:]])
    if not outer:
        return made[0]
    for size in reversed(outer[1:]):
        made = uniform(made, size, _count(made) // size if size else 0)
    return made


def boolean_mask(data, mask, axis=None, name=None):
    """What a mask keeps of each row; rows themselves where it has one axis."""
    if axis not in (None, 0):
        raise ValueError(f"[boolean_mask] axis={axis} of a ragged tensor; its mask begins at the first axis")
    data, mask = _of_python(data), _of_python(mask)
    if mask.dtype != _core.bool:
        raise ValueError(f"[boolean_mask] the mask is of {mask.dtype.name}; it must be of bool")
    rank = mask.shape.rank
    if rank == 0 or data.shape.rank < rank:
        raise ValueError(
            f"[boolean_mask] a mask of {rank} axes for data of {data.shape.rank}; it needs at least one, and no more "
            "than the data"
        )
    return _masked(as_ragged(data, rank - 1), as_ragged(mask, rank - 1))


def _masked(data, mask):
    if type(mask) is not RaggedTensor:
        keep = mask.numpy()
        if len(keep) != _count(data):
            raise InvalidArgumentError(f"[boolean_mask] a mask of {len(keep)} rows for data of {_count(data)}")
        return taken(data, np.flatnonzero(keep))
    if not np.array_equal(data._at, mask._at):
        raise InvalidArgumentError("[boolean_mask] mask and data have rows of different lengths")
    made = _masked(data.values, mask.values)
    if type(mask.values) is RaggedTensor:
        return rows(made, np.diff(data._at), None, data._uniform).with_row_splits_dtype(data.row_splits.dtype)
    kept = np.concatenate([[0], np.cumsum(mask.values.numpy(), dtype=np.int64)])
    return rows(made, np.diff(kept[data._at])).with_row_splits_dtype(data.row_splits.dtype)


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """fn of each row; rows of results of different lengths are ragged where fn_output_signature says so."""
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    leaves = [
        x if hasattr(x, "flat_values") or hasattr(x, "dense_shape") else _core.convert_to_tensor(x)
        for x in _nest.flatten(elems)
    ]
    if not leaves:
        raise ValueError("[map_fn] there are no elements")
    if any(x.shape.rank == 0 for x in leaves):
        raise ValueError("[map_fn] elements are scalars; they need a first axis to walk along")
    counts = {_count(x) if type(x) is RaggedTensor else x.shape[0] for x in leaves}
    if len(counts) > 1:
        raise ValueError(f"[map_fn] elements have different numbers of rows: {sorted(counts)}")
    count = counts.pop()
    results = [fn(_nest.pack(elems, [x[i] for x in leaves])) for i in range(count)]
    if wanted is None:
        like = results[0] if results else elems
        specs = [None] * len(_nest.flatten(like))
    else:
        like, specs = wanted, _nest.flatten(wanted)
    flat = [_nest.flatten(r) for r in results]
    for r in flat:
        if len(r) != len(specs):
            raise ValueError(f"[map_fn] fn gives {len(r)} results, but fn_output_signature says {len(specs)}")
    return _nest.pack(like, [_together([r[k] for r in flat], spec) for k, spec in enumerate(specs)])


def _together(column, spec):
    if spec is None:
        column = [_of_python(x) for x in column]
        alike = len({tuple(x.shape) for x in column}) == 1 and type(column[0]) is not RaggedTensor
        return _core.stack(column) if alike else stacked(column).with_row_splits_dtype("int64")
    if hasattr(spec, "row_splits_dtype"):
        return _rows_as(spec, column)
    from brio._control import _of_type

    if not column:
        shape = getattr(spec, "shape", None)
        return _core.zeros([0, *(n or 0 for n in shape)] if shape is not None else [0], getattr(spec, "dtype", spec))
    return _core.stack([_of_type("map_fn", x, spec) for x in column])


def _rows_as(spec, column):
    """Rows as a RaggedTensorSpec of each says."""
    column = [x if type(x) is RaggedTensor else _core.convert_to_tensor(x, dtype_hint=spec.dtype) for x in column]
    for x in column:
        if x.dtype != spec.dtype:
            raise InvalidArgumentError(
                f"[map_fn] the function returned {x.dtype.name}, but {spec.dtype.name} was announced"
            )
        own = x.ragged_rank if type(x) is RaggedTensor else 0
        if own > spec.ragged_rank:
            raise ValueError(
                f"[map_fn] the function returned a ragged tensor with ragged_rank={own}, but {spec.ragged_rank} was "
                "announced"
            )
    dtype = spec.row_splits_dtype
    if not column:
        made = _core.zeros(
            [0, *(n or 0 for n in (spec.shape[spec.ragged_rank + 1 :] if spec.shape.rank is not None else []))],
            spec.dtype,
        )
        for _ in range(spec.ragged_rank + 1):
            made = RaggedTensor(made, _core.zeros([1], dtype))
        return made
    parts = [as_ragged(x, spec.ragged_rank).with_row_splits_dtype(dtype) if spec.ragged_rank else x for x in column]
    return rows(joined(parts), [_count(p) for p in parts]).with_row_splits_dtype(dtype)


def bincount(
    arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None, binary_output=False
):
    """How often each number occurs, in all rows or with axis=-1 in each."""
    from brio import math

    flat = None if weights is None else weights.flat_values
    if axis is None or axis == 0:
        return math.bincount(arr.flat_values, flat, minlength, maxlength, dtype)
    if axis != -1:
        raise ValueError(f"[bincount] axis={axis}; it must be None, 0 or -1")
    values = arr.flat_values.numpy().astype(np.int64)
    width = int(values.max(initial=-1)) + 1
    width = max(width, 0 if minlength is None else int(minlength))
    width = width if maxlength is None else min(width, int(maxlength))
    keep = values < width
    ids = _array(arr.value_rowids()) * width + values
    of = np.ones(len(values)) if flat is None else flat.numpy()
    counts = np.bincount(ids[keep], of[keep], len(arr) * width).reshape(len(arr), width)
    if binary_output:
        counts = np.bincount(ids[keep], minlength=len(arr) * width).reshape(len(arr), width) > 0
    return _core.cast(_core.constant(counts), dtype if flat is None else flat.dtype)


def sparse_bincount(values, *args, **kwargs):
    """How often each number occurs in each row, as a sparse tensor."""
    from brio import sparse

    return sparse.bincount(values.to_sparse(), *args, **kwargs)
