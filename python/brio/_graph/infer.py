"""What an operation will give: its function is called on tensors that have shapes and no values.

A size that is not known is taken as SIZES[0] and then as SIZES[1]: what differs between both results is not known either. Both
have many divisors, so that reshaping and pooling work on them.
"""

import numpy as np

from brio import _core
from brio._graph import nested
from brio._graph.core import Tensor, paused
from brio._graph.shapes import plain

SIZES = (960, 1920)
_RANKS = (0, 1, 2, 3, 4)  # tried where the rank of an input is not known


def dims_of(shape):
    """Tensor.dims for a shape as users give it."""
    sizes = plain(shape)
    if sizes is None:
        return None
    return tuple(tuple(size if d is None else d for d in sizes) for size in SIZES)


def set_shape(tensor, shape):
    """Tensor.set_shape()."""
    sizes = plain(shape)
    if sizes is None:
        return
    if tensor.dims is None:
        tensor.dims = dims_of(sizes)
        return
    have = plain(tensor.shape)
    if len(have) != len(sizes) or any(a is not None and b is not None and a != b for a, b in zip(have, sizes)):
        raise ValueError(f"Dimensions of {tuple(sizes)} and of {tensor.name}, {tensor.shape}, are not compatible")
    tensor.dims = tuple(tuple(c if d is None else d for c, d in zip(one, sizes)) for one in tensor.dims)


class Found:
    """What a call gave: the structure of its results, and of each tensor among them dtype, dims and known values."""

    def __init__(self, structure, tensors, draws, effects):
        self.structure, self.tensors, self.draws, self.effects = structure, tensors, draws, effects


def infer(call, inputs, others=()):
    """What call(tensors) gives for graph tensors; `others` are sizes of what else it takes. Throws what the call throws, where it cannot work."""
    alike = all(t.dims is not None and t.dims[0] == t.dims[1] and _same(*t.known) for t in inputs)
    if all(t.dims is not None for t in inputs):
        error = None
        try:
            first = _trial(call, [(t.dims[0], t.dtype, t.known[0]) for t in inputs])
            return _joined(first, first if alike else _trial(call, [(t.dims[1], t.dtype, t.known[1]) for t in inputs]))
        except Exception as raised:  # noqa: BLE001: it is raised again below
            error = raised
        if not alike:
            for sizes in _guesses(inputs, others):
                try:
                    return _joined(*[_trial(call, _with_size(inputs, size)) for size in sizes], guessed=sizes)
                except Exception:  # noqa: BLE001, S112
                    continue
        try:  # what a trace cannot do: texts, sizes that depend on values
            return _eagerly(call, inputs)
        except Exception:  # noqa: BLE001
            raise error from None
    return _of_unknown_rank(call, inputs, others)


def _same(a, b):
    return a is b or (a is not None and b is not None and a.shape == b.shape and bool((a == b).all()))


def _guesses(inputs, others):
    """Other sizes for all that is not known: the same for all; 1; those that are known of others."""
    yield SIZES
    known = {d for t in inputs for a, d in zip(*t.dims) if a == d} | set(others)
    for size in [1, *sorted(known - {0, 1})]:
        yield (size, size)


def _with_size(inputs, size):
    return [(tuple(size if a != b else a for a, b in zip(*t.dims)), t.dtype, t.known[0] if _same(*t.known) else None) for t in inputs]


def _trial(call, specs):
    """(structure, [(dims, dtype, known)], draws, effects) of one call."""
    seen = []

    def run(tensors):
        given = iter(tensors)
        result = call([next(given) if known is None else _core.convert_to_tensor(known) for _, _, known in specs])
        structure, leaves = nested.taken_apart(result, nested.is_value)
        seen.append((structure, [(tuple(x.shape), x.dtype, _known(x)) for x in leaves]))

    with paused():
        draws, effects = _core._infer([(dims, dtype) for dims, dtype, known in specs if known is None], run)
    return (*seen[0], draws, effects)


def _known(x):
    """The values of a few integers that are known."""
    if not x.dtype.is_integer or not _core._is_known(x):
        return None
    return x.numpy() if (x.shape.num_elements() or 0) <= 64 else None


def _joined(a, b, guessed=()):
    """What two calls of different sizes agree on."""
    tensors = []
    for (dims_a, dtype, known_a), (dims_b, _, known_b) in zip(a[1], b[1]):
        if len(dims_a) != len(dims_b):
            tensors.append((dtype, None, (None, None)))
            continue
        if guessed and guessed[0] == guessed[1]:  # one size for all: what has it may have any
            pair = [(SIZES if d == guessed[0] else (d, d)) for d in dims_a]
            tensors.append((dtype, tuple(zip(*pair)) if pair else ((), ()), (None, None)))
        else:
            tensors.append((dtype, (dims_a, dims_b), (None, None) if guessed else (known_a, known_b)))
    return Found(a[0], tensors, a[2], a[3])


def _of_unknown_rank(call, inputs, others):
    """Of all ranks that work; where none does, nothing is known but that it may work."""
    found = []
    for sizes in [SIZES, *((n, n) for n in (1, *sorted({d for t in inputs if t.dims is not None for a, d in zip(*t.dims) if a == d} | set(others) - {0, 1})))]:
        for rank in _RANKS:
            try:
                trials = [_trial(call, [(_ranked(t, rank, i, sizes), t.dtype, t.known[i] if t.dims is not None else None) for t in inputs]) for i in (0, 1)]
                found.append(_joined(*trials, guessed=() if sizes is SIZES else sizes))
            except Exception:  # noqa: BLE001, S112
                continue
        if found:
            break
    if not found:
        for rank in _RANKS[:3]:
            try:
                return _eagerly(call, inputs, rank)
            except Exception:  # noqa: BLE001, S112
                continue
        first = next(t for t in inputs if t.dims is None)
        return Found(nested.Place(0), [(first.dtype, None, (None, None))], False, False)
    joined = found[0]
    for other in found[1:]:
        for i, (mine, theirs) in enumerate(zip(joined.tensors, other.tensors)):
            if mine[1] != theirs[1]:
                joined.tensors[i] = (mine[0], None, (None, None))
    return joined


def _ranked(tensor, rank, i, sizes):
    if tensor.dims is None:
        return (sizes[i],) * rank
    return tuple(sizes[i] if a != b and sizes is not SIZES else tensor.dims[i][k] for k, (a, b) in enumerate(zip(*tensor.dims)))


def _eagerly(call, inputs, rank=1):
    """On small tensors of zeros, computed: an empty result has a size that its values say."""

    def value(t, i):
        if t.known[i] is not None:
            return _core.convert_to_tensor(np.where(t.known[0] == t.known[1], t.known[0], np.asarray(2 + i, t.known[0].dtype)))
        dims = (2 + i,) * rank if t.dims is None else tuple(2 + i if a != b else a for a, b in zip(*t.dims))
        return _core.fill(dims, "0") if t.dtype.name == "string" else _core.zeros(dims, t.dtype)

    seen = []
    with paused():
        for i in (0, 1):
            structure, leaves = nested.taken_apart(call([value(t, i) for t in inputs]), nested.is_value)
            seen.append((structure, [(tuple(x.shape), x.dtype, None) for x in leaves]))
    tensors = []
    for (a, dtype, _), (b, _, _) in zip(seen[0][1], seen[1][1]):
        pair = [(SIZES if m != n or m == 0 else (m, m)) for m, n in zip(a, b)]
        dims = None if len(a) != len(b) else (tuple(zip(*pair)) if pair else ((), ()))
        tensors.append((dtype, dims, (None, None)))
    return Found(seen[0][0], tensors, False, False)


def outputs(op, found):
    """Gives an operation the results that were found; returns them in their structure."""
    made = [Tensor(op, dtype, dims, known) for dtype, dims, known in found.tensors]
    op.draws = found.draws
    return nested.put_together(found.structure, made)
