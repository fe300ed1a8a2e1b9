"""Arguments and results: structures in which tensors are found and put back."""

from brio import _core
from brio._graph.core import Tensor


def swap(x, f):
    """The same structure with f(leaf) for each leaf."""
    kind = type(x)
    if kind is list:
        return [swap(v, f) for v in x]
    if kind is tuple:
        return tuple([swap(v, f) for v in x])
    if kind is slice:
        return slice(swap(x.start, f), swap(x.stop, f), swap(x.step, f))
    if isinstance(x, dict):
        made = {k: swap(v, f) for k, v in x.items()}
        return made if kind is dict else kind(made)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return kind(*[swap(v, f) for v in x])
    parts = _parts(x)
    if parts is not None:
        made = object.__new__(kind)
        made.__dict__.update(x.__dict__)
        for name in parts:
            setattr(made, name, swap(getattr(x, name), f))
        return made
    return f(x)


_PARTS = {}


def _parts(x):
    """Attributes of sparse and ragged tensors that are tensors; None of anything else."""
    if not _PARTS:
        from brio._graph.tensor_array import TensorArray
        from brio._ragged import RaggedTensor
        from brio._sparse import SparseTensor
        from brio._spec import IndexedSlices

        _PARTS.update(
            {
                TensorArray: ("buffer",),
                SparseTensor: ("indices", "values", "dense_shape"),
                IndexedSlices: ("values", "indices", "dense_shape"),
            }
        )
        _PARTS[RaggedTensor] = tuple(
            k for k in ("_values", "_row_splits", "values", "row_splits") if k in _ragged_fields(RaggedTensor)
        )
    return _PARTS.get(type(x))


def _ragged_fields(kind):
    import brio as tf
    from brio._graph.core import paused

    with paused():
        return tf.ragged.constant([[1]]).__dict__ if hasattr(kind, "__init__") else ()


def leaves(x):
    """All leaves, in order."""
    found = []
    swap(x, lambda leaf: found.append(leaf) or leaf)
    return found


def is_composite(x):
    """Is it a sparse or ragged tensor?"""
    return _parts(x) is not None


class Place:
    """Stands in a structure for the i-th of a list of tensors."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def taken_apart(structure, is_tensor):
    """The structure with places, and the tensors that stood there."""
    tensors = []

    def take(leaf):
        if not is_tensor(leaf):
            return leaf
        tensors.append(leaf)
        return Place(len(tensors) - 1)

    return swap(structure, take), tensors


def put_together(structure, tensors):
    """The structure with tensors in place of places."""
    return swap(structure, lambda leaf: tensors[leaf.index] if type(leaf) is Place else leaf)


def is_graph_tensor(x):
    return isinstance(x, Tensor)


def is_value(x):
    return isinstance(x, _core.Tensor)
