"""Layers called on ragged tensors: those of elements work on the values, some others along the rows."""

from brio import _core
from brio._ragged import RaggedTensor
from brio._ragged_calls import concat
from brio._ragged_operators import of_values
from brio._ragged_reductions import along

_OF_ELEMENTS = set(
    (
        "Activation Add AlphaDropout Average Discretization Dropout ELU GaussianDropout GaussianNoise Hashing Identity "
        "LeakyReLU Maximum Minimum Multiply ReLU Rescaling Subtract"
    ).split()
)
_OVER_ROWS = {"GlobalAveragePooling1D": "reduce_mean", "GlobalMaxPooling1D": "reduce_max"}
_CODES = ("CategoryEncoding", "StringLookup", "IntegerLookup")


def is_ragged(x):
    """Is this a ragged tensor, or are some among these?"""
    return type(x) is RaggedTensor or (isinstance(x, (list, tuple)) and any(type(v) is RaggedTensor for v in x))


def called(layer, kind, run, args, kwargs):
    """The result of a layer of C++'s; run(args, kwargs) is its call on plain tensors.
    Throws TypeError where it takes no ragged tensor."""
    x = args[0]
    if kind == "Embedding":
        return x.with_flat_values(run((x.flat_values, *args[1:]), kwargs))
    if kind in _OF_ELEMENTS:
        return of_values(lambda flat: run((flat, *args[1:]), kwargs), (x,), {})
    if kind == "Concatenate":
        return concat(x, layer.axis)
    if kind in _OVER_ROWS and x.shape.rank == 3:
        made = along(_OVER_ROWS[kind], x, 1)
        return _core.expand_dims(made, 1) if getattr(layer, "keepdims", False) else made
    if kind in _CODES and x.ragged_rank == 1 and x.values.shape.rank == 1:
        each = run((_core.expand_dims(x.values, 1), *args[1:]), kwargs)  # one hot for each value
        if layer.output_mode == "count":
            return along("reduce_sum", x.with_values(each), 1)
        if layer.output_mode == "multi_hot":
            return _core.maximum(along("reduce_max", x.with_values(each), 1), _core.zeros([1], each.dtype))
    raise TypeError(f"[{layer.name}] a {kind} takes no ragged tensor here; x.to_tensor() fills short rows up")
