"""What an operation will give: its function is called once, on tensors that have shapes and no values.

A size that is not known is an expression over symbols (brio/tensor/size.h). Each None of a placeholder is a symbol of
its own, numbered within its graph, so that x and x + 1 share their batch; where two of them meet in a broadcast, the
result is an expression of both: they need not be equal before a run. A size that values decide (tf.where, a shape that
is fed) is a new symbol. Users see None where a size is an expression. A run has numbers: it checks then what could not
be decided here.
"""

import itertools

from brio import _core, _signals
from brio._graph import nested
from brio._graph.core import Tensor, paused
from brio._graph.shapes import plain
from brio.errors import InvalidArgumentError, _UnknownSizeError, _UnknownValueError

_RANKS = range(9)  # all that there are: brio/tensor/shape.h, kMaxRank


def dims_of(graph, shape):
    """Tensor.dims for a shape as users give it."""
    sizes = plain(shape)
    return None if sizes is None else tuple(graph.new_size() if d is None else d for d in sizes)


def set_shape(tensor, shape):
    """Tensor.set_shape(): a number takes the place of what was not known."""
    sizes = plain(shape)
    if sizes is None:
        return
    if tensor.dims is None:
        tensor.dims = dims_of(tensor.graph, sizes)
        return
    if len(tensor.dims) != len(sizes) or any(d is not None and have != d for have, d in zip(tensor.dims, sizes)):
        raise ValueError(f"Dimensions of {tuple(sizes)} and of {tensor.name}, {tensor.shape}, are not compatible")
    tensor.dims = tuple(have if d is None else d for have, d in zip(tensor.dims, sizes))


class Found:
    """What a call gives: the structure of its results, and of each tensor among them dtype, dims and known values."""

    def __init__(self, structure, tensors, draws=True, effects=False):
        self.structure, self.tensors, self.draws, self.effects = structure, tensors, draws, effects


def infer(graph, kind, call, inputs, rule=None, of_user=False):
    """What call(tensors) gives for graph tensors. Raises what the call raises, where it cannot work for any size.

    rule() says it for a function that needs values or the numbers of sizes (by_rule.py). of_user: the call runs code of
    the user's, who knows None in shapes; functions of the package see expressions and compute with them.
    """
    try:
        if any(t.dims is None for t in inputs):
            return _of_any_rank(graph, call, inputs, of_user)
        return _traced(graph, call, inputs, [t.dims for t in inputs], of_user)
    except (_UnknownSizeError, _UnknownValueError) as error:
        if rule is not None:
            return rule()
        shapes = ", ".join(str(t.shape) for t in inputs)
        raise InvalidArgumentError(
            f"[{kind}] what it gives depends on values or sizes that are not known before a run: its inputs have the "
            f"shapes {shapes}; give placeholders the sizes that they have, or compute it in tf.py_function, which is "
            f"told what comes out. ({error})"
        ) from error


def _traced(graph, call, inputs, dims, of_user):
    """Found, for tensors of these dims."""
    seen = []

    def run(tensors):
        free = iter(tensors)
        result = call([next(free) if fixed is None else fixed() for fixed in values])
        structure, leaves = nested.taken_apart(result, nested.is_value)
        seen.append((structure, [(x.dtype, _core._sizes(x), _core._known_sizes(x)) for x in leaves]))

    values = [_value_of(t) for t in inputs]
    with paused():
        specs = [(d, t.dtype) for d, t, fixed in zip(dims, inputs, values) if fixed is None]
        draws, effects, graph.symbols = _core._infer(specs, run, graph.symbols, not of_user)
    return Found(*seen[0], draws, effects)


def _value_of(tensor):
    """A function that gives a tensor's value, inside of a trace; None where it is not known."""
    if tensor.op.value is not None:
        return lambda: tensor.op.value
    if tensor.known is not None:
        return lambda: _core._sizes_tensor(tensor.known, tensor.dtype, tensor.dims)
    return None


def _of_any_rank(graph, call, inputs, of_user):
    """By cases, one for each rank that there is: what all that the call takes agree on is known.

    The core has no tensors of unknown rank to call a function on, and this is no guess: there are no other ranks.
    """
    unknown = sum(t.dims is None for t in inputs)
    joined, refused, asked = None, None, None
    for ranks in itertools.chain(
        ((rank,) * unknown for rank in _RANKS), itertools.product(_RANKS, repeat=unknown) if unknown == 2 else ()
    ):
        rest = iter(ranks)
        dims = [tuple(graph.new_size() for _ in range(next(rest))) if t.dims is None else t.dims for t in inputs]
        try:
            found = _traced(graph, call, inputs, dims, of_user)
        except (_UnknownSizeError, _UnknownValueError) as error:
            asked = error
            continue
        except Exception as error:  # noqa: BLE001  it is not of this rank; where none is left, it is raised below
            _signals.let_pass(error)
            refused = refused or error
            continue
        joined = found if joined is None else joined
        if len(found.tensors) != len(joined.tensors):
            raise _UnknownSizeError("how many results there are depends on a rank that is not known")
        # Of three and more the cases are those of equal ranks alone, which shows dtypes and no ranks.
        joined.tensors = [
            (dtype, None if unknown > 2 else common(graph, a, b), None)
            for (dtype, a, _), (_, b, _) in zip(joined.tensors, found.tensors)
        ]
        if all(dims is None for _, dims, _ in joined.tensors):
            break
    if joined is None:
        raise asked or refused
    if asked is not None:
        joined.tensors = [(dtype, None, None) for dtype, _, _ in joined.tensors]
    return joined


def common(graph, a, b):
    """Dims of what has one of these."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else graph.new_size() for m, n in zip(a, b))


def outputs(op, found):
    """Gives an operation the results that were found; returns them in their structure."""
    made = [Tensor(op, dtype, dims, known) for dtype, dims, known in found.tensors]
    op.draws = found.draws
    return nested.put_together(found.structure, made)
