"""Functions of elements and operators on ragged tensors:
operands are brought to the same rows as TensorFlow broadcasts them."""

import operator

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor, _readable
from brio._ragged_rows import common_dtype, splits_of, taken, uniform
from brio.errors import InvalidArgumentError

_NEXT = object()  # stands for the next operand


def of_values(f, args, kwargs):
    """f of flat values, in the rows of the ragged arguments; lists of tensors are arguments too."""
    leaves = []

    def note(x):
        if type(x) in (list, tuple) and any(type(v) is RaggedTensor for v in x):
            return [note(v) for v in x]
        if type(x) is RaggedTensor or hasattr(x, "shape") and len(x.shape):
            leaves.append(x)
            return _NEXT
        return x

    places = [note(x) for x in args], {k: note(v) for k, v in kwargs.items()}
    made, flat = same_rows(leaves)
    flat = iter(flat)

    def put(x):
        return [put(v) for v in x] if type(x) is list else next(flat) if x is _NEXT else x

    args, kwargs = [put(x) for x in places[0]], {k: put(x) for k, x in places[1].items()}
    return made(f(*args, **kwargs))


def same_rows(operands):
    """(what makes a ragged tensor of flat values, the flat values of each operand in the same rows)."""
    ragged = [x for x in operands if type(x) is RaggedTensor]
    like = max(ragged, key=lambda x: x.shape.rank)
    common_dtype(ragged)
    flat_rank = like.flat_values.shape.rank
    plain = [x for x in operands if type(x) is not RaggedTensor and len(x.shape) >= flat_rank]
    if not plain and all(_as_long(like, x) for x in ragged):
        return like.with_flat_values, [x.flat_values if type(x) is RaggedTensor else x for x in operands]
    if len(ragged) == 1 and like.ragged_rank == 1 and like._uniform is None and all(_one_each(like, x) for x in plain):
        ids = like.value_rowids()
        return like.with_flat_values, [
            like.flat_values
            if x is like
            else _core.gather(_core.convert_to_tensor(x)[:, 0], ids)
            if any(x is p for p in plain)
            else x
            for x in operands
        ]
    return _broadcast(operands, like, flat_rank)


def _as_long(a, b):
    """Are the rows of two ragged tensors the same?"""
    while type(a) is RaggedTensor and type(b) is RaggedTensor:
        if a is b:
            return True
        if a._uniform != b._uniform or len(a) != len(b):
            return False
        if a.row_splits is not b.row_splits:
            if _readable(a.row_splits) and _readable(b.row_splits):
                if not np.array_equal(a._at, b._at):
                    return False
            else:  # a traced function: looked at when it runs
                _core._assert(
                    _core.reduce_all(_core.equal(a.row_splits, b.row_splits)),
                    "[RaggedTensor] operands have rows of different lengths",
                )
        a, b = a.values, b.values
    return type(a) is not RaggedTensor and type(b) is not RaggedTensor and a.shape.rank == b.shape.rank


def _one_each(like, x):
    return (
        len(x.shape) == like.shape.rank
        and tuple(x.shape[:2]) == (len(like), 1)
        and like.flat_values.shape.rank == len(x.shape) - 1
    )


def _broadcast(operands, like, flat_rank):
    rank = like.shape.rank
    rank = max([rank] + [len(x.shape) for x in operands])
    depth = rank - flat_rank + 1  # so many axes are rows in the result
    taking_part = [x for x in operands if type(x) is RaggedTensor or len(x.shape) >= flat_rank]
    sides = [_Side(x, rank) for x in taking_part]
    count, first = _one_length([s.count for s in sides], "rows")
    for side in sides:
        side.chosen = np.arange(count) if side.count == count else np.zeros(count, np.int64)
    levels = []
    for _ in range(depth - 1):
        found = [side.level() for side in sides]  # (begins, lengths, length of all or None)
        fixed = [u for _, _, u in found]
        open_ = [lengths for _, lengths, u in found if u is None]
        if open_:
            wanted, whole = open_[0], None
            for _, lengths, u in found:
                if u != 1 and not np.array_equal(lengths, wanted):
                    raise InvalidArgumentError(
                        f"[RaggedTensor] operands have rows of different lengths: {wanted[:8].tolist()} and "
                        f"{lengths[:8].tolist()}"
                    )
        else:
            whole, _ = _one_length(fixed, "elements")
            wanted = np.full(len(sides[0].chosen), whole, np.int64)
        splits = splits_of(wanted)
        place = np.arange(splits[-1]) - np.repeat(splits[:-1], wanted)
        for side, (begins, _, u) in zip(sides, found):
            side.chosen = np.repeat(begins, wanted) + (0 if u == 1 and whole != 1 else place)
        levels.append((splits, whole))
    dtype = common_dtype(operands)
    flats = iter([side.flat() for side in sides])

    def made(values):
        for splits, whole in reversed(levels):
            values = (
                uniform(values, whole, len(splits) - 1, dtype)
                if whole is not None
                else RaggedTensor._of(values, _core.constant(splits, dtype), None, splits)
            )
        return values

    return made, [next(flats) if any(x is p for p in taking_part) else x for x in operands]


def _one_length(sizes, what):
    found = {n for n in sizes if n != 1} or {1}
    if len(found) > 1:
        raise InvalidArgumentError(
            f"[RaggedTensor] operands have {sorted(found)} {what} along one axis; they need as many, or 1"
        )
    size = found.pop()
    return size, size


class _Side:
    """An operand on the way down through its axes: which of its parts stands at each place of the result."""

    def __init__(self, x, rank):
        x = x if type(x) is RaggedTensor else _core.convert_to_tensor(x)
        for _ in range(rank - x.shape.rank):
            x = uniform(x, len(x), 1, x.row_splits.dtype) if type(x) is RaggedTensor else _core.expand_dims(x, 0)
        self.x, self.count = x, int(x.shape[0])

    def level(self):
        x = self.x
        if type(x) is RaggedTensor:
            at = x._at
            begins, lengths, one = at[:-1][self.chosen], np.diff(at)[self.chosen], x._uniform
            self.x = x.values
        else:
            one = int(x.shape[1])
            begins, lengths = self.chosen * one, np.full(len(self.chosen), one, np.int64)
            self.x = _core.reshape(x, [x.shape[0] * one, *x.shape[2:]])
        return begins, lengths, one

    def flat(self):
        return taken(self.x, self.chosen)


def operation(f, swapped=False):
    def call(self, other):
        if other is None:
            return NotImplemented
        if type(other) is not RaggedTensor:
            other = _core.convert_to_tensor(other, dtype_hint=self.dtype)
        return of_values(f, (other, self) if swapped else (self, other), {})

    return call


def install():
    """Gives ragged tensors their operators."""
    for name in "add sub mul truediv floordiv mod pow and or xor".split():
        f = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        setattr(RaggedTensor, f"__{name}__", operation(f))
        setattr(RaggedTensor, f"__r{name}__", operation(f, swapped=True))
    for name in "eq ne lt le gt ge".split():
        setattr(RaggedTensor, f"__{name}__", operation(getattr(operator, name)))
    for name in "neg abs invert".split():
        f = getattr(operator, name)
        setattr(RaggedTensor, f"__{name}__", lambda self, f=f: self.with_flat_values(f(self.flat_values)))
    RaggedTensor.__array_priority__ = 100  # before NumPy's operators
    RaggedTensor.__hash__ = None
