"""x[...] of ragged tensors: rows by number, slices of rows and of what is in them, new axes."""

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor
from brio._ragged_rows import ranges, rows, taken, uniform


def picked(x, key):
    """x[key] of a ragged tensor, or of what is left of it."""
    key = _without_ellipsis(key, x.shape.rank)
    return x if not key else _picked(x, key)


def _without_ellipsis(key, rank):
    places = [i for i, k in enumerate(key) if k is Ellipsis]
    if not places:
        if sum(k is not None for k in key) > rank:
            raise IndexError(f"[RaggedTensor] {len(key)} indices are given for {rank} axes")
        return key
    if len(places) > 1:
        raise ValueError("[RaggedTensor] an index has more than one '...'; leave one")
    named = sum(k is not None and k is not Ellipsis for k in key)
    at = places[0]
    return (*key[:at], *[slice(None)] * (rank - named), *key[at + 1 :])


def _picked(x, key):
    if not isinstance(x, RaggedTensor):
        return x[key] if key else x
    if not key:
        return x
    first, *rest = key
    rest = tuple(rest)
    if first is None:
        inner = _picked(x, rest)
        return _with_axis(inner)
    if isinstance(first, slice):
        chosen = _rows(x, first)
        return _inside(chosen, rest) if rest else chosen
    if isinstance(first, (list, np.ndarray)) or _core.is_tensor(first) and first.shape.rank:
        raise TypeError(
            "[RaggedTensor] takes numbers and slices as indices; tf.gather and tf.ragged.boolean_mask take lists"
        )
    i, count = _number(first), len(x)
    if not -count <= i < count:
        raise IndexError(f"[RaggedTensor] row {i} is out of range: there are {count}")
    i %= count
    begin, end = x._at[i], x._at[i + 1]
    return _picked(x.values[int(begin) : int(end)], rest)


def _number(k):
    if isinstance(k, (float, str, bytes)) or _core.is_tensor(k) and k.dtype.is_floating:
        raise TypeError(f"[RaggedTensor] {k!r} is no index; give an integer or a slice")
    return int(k)


def _with_axis(x):
    """x as the one row of another."""
    return uniform(x, len(x), 1, x.row_splits.dtype) if isinstance(x, RaggedTensor) else _core.expand_dims(x, 0)


def _rows(x, part):
    begin, end, step = _bounds(part).indices(len(x))
    if (begin, end, step) == (0, len(x), 1):
        return x
    if step != 1:
        return taken(x, np.arange(begin, end, step))
    at = x._at[begin : max(begin, end) + 1]
    splits = at - at[0]
    return RaggedTensor._of(
        x.values[int(at[0]) : int(at[-1])], _core.constant(splits, x.row_splits.dtype), x._uniform, splits
    )


def _bounds(part):
    if part.step is not None and int(part.step) == 0:
        raise ValueError("[RaggedTensor] the step of a slice is 0; it must be another number")
    return slice(*(None if n is None else _number(n) for n in (part.start, part.stop, part.step)))


def _inside(x, key):
    """What `key` picks of each row."""
    first, *rest = key
    rest = tuple(rest)
    if first is None:
        inner = _inside(x, rest) if rest else x
        return (
            uniform(inner, 1, len(x), x.row_splits.dtype)
            if isinstance(inner, RaggedTensor)
            else _core.expand_dims(inner, 1)
        )
    at = x._at
    lengths = np.diff(at)
    if not isinstance(first, slice):
        i = _number(first)
        if x._uniform is None:
            raise ValueError(
                "[RaggedTensor] a number cannot pick an element of each row, whose lengths differ; a slice can, as "
                "x[:, :1], and x.to_tensor() has one length"
            )
        if not -x._uniform <= i < x._uniform:
            raise IndexError(f"[RaggedTensor] index {i} is out of range: rows have {x._uniform} elements")
        chosen = taken(x.values, at[:-1] + i % x._uniform)
        return (
            (_inside(chosen, rest) if isinstance(chosen, RaggedTensor) else chosen[(slice(None), *rest)])
            if rest
            else chosen
        )
    part = _bounds(first)
    if part == slice(None):
        made = x
    else:
        begins, counts, step = _cut(part, lengths)
        order = ranges(np.zeros(len(counts), np.int64), counts) * step + np.repeat(at[:-1] + begins, counts)
        one = None if x._uniform is None else len(range(x._uniform)[part])
        made = rows(taken(x.values, order), counts, None, one).with_row_splits_dtype(x.row_splits.dtype)
    if not rest:
        return made
    inner = _inside(made.values, rest) if isinstance(made.values, RaggedTensor) else made.values[(slice(None), *rest)]
    return made.with_values(inner)


def _cut(part, lengths):
    """(where in each row, how many, step) of a slice of rows of these lengths."""
    step = 1 if part.step is None else part.step
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)

    def place(n, default):
        return default if n is None else np.clip(n + lengths if n < 0 else n, low, high)

    begin = place(part.start, np.zeros_like(lengths) if step > 0 else lengths - 1) + np.zeros_like(lengths)
    end = place(part.stop, lengths if step > 0 else -1)
    counts = np.maximum(0, -((begin - end) // step) if step > 0 else -((begin - end) // step))
    return begin, counts, step
