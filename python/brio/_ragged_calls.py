"""Functions of tf called on ragged tensors: installed when the first one is made, so that other programs pay nothing for it.

What works on elements works on the flat values; what works along rows has a function of its own here.
"""

import functools
import importlib

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor, _numbers, _stack

# Functions whose ragged arguments all have the same rows, by module; the others are broadcast to the values.
_ELEMENTWISE = {
    "brio": (
        "abs acos acosh add as_string asin asinh atan atan2 atanh cast clip_by_value complex cos cosh divide equal exp expm1 floor greater greater_equal "
        "identity less less_equal logical_and logical_not logical_or maximum minimum multiply negative not_equal one_hot ones_like pow realdiv round "
        "saturate_cast sigmoid sign sin sinh sqrt square stop_gradient subtract tan tanh truediv zeros_like"
    ),
    "brio.math": (
        "abs add ceil cos cumsum digamma divide divide_no_nan equal erf exp expm1 floor floordiv floormod greater greater_equal is_finite is_inf is_nan less "
        "less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum mod multiply multiply_no_nan negative not_equal "
        "pow reciprocal rint round rsqrt sigmoid sign sin softplus sqrt square squared_difference subtract tan tanh truediv truncatediv truncatemod xlogy"
    ),
    "brio.strings": (
        "as_string length lower regex_full_match regex_replace strip substr to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong to_number "
        "unicode_script unicode_transcode upper"
    ),
    "brio.nn": "dropout elu gelu leaky_relu relu relu6 selu sigmoid silu softplus swish tanh",
    "brio.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
}  # fmt: skip


def install():
    """Replaces the functions that know what to do with a ragged tensor."""
    for module, names in _ELEMENTWISE.items():
        for name in names.split():
            _replace(module, name, _of_values)
    for name, ours in _ALONG_ROWS.items():
        modules = ["brio"] if "." not in name else [f"brio.{name.rpartition('.')[0]}"]
        for module in modules:
            _replace(module, name.rpartition(".")[2], lambda f, args, kwargs, ours=ours: ours(*args, **kwargs))
    for name in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean", "reduce_any", "reduce_all"):
        for module in ("brio", "brio.math"):
            _replace(module, name, functools.partial(_reduced, name))


def _replace(module, name, ours):
    found = importlib.import_module(module)
    f = getattr(found, name, None)
    if f is None or hasattr(f, "_takes_ragged"):
        return

    def call(*args, **kwargs):
        if any(map(_is_ragged, args)) or any(map(_is_ragged, kwargs.values())):
            return ours(f, args, kwargs)
        return f(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__, call.__wrapped__, call._takes_ragged = f.__doc__, f, True
    setattr(found, name, call)


def _is_ragged(x):
    return type(x) is RaggedTensor or (type(x) in (list, tuple) and any(type(v) is RaggedTensor for v in x))


def _of_values(f, args, kwargs):
    """f of flat values, in the rows of the first ragged argument."""
    every = [*args, *kwargs.values()]
    like = next(x for x in every if type(x) is RaggedTensor)

    def flat(x):
        if type(x) is RaggedTensor:
            return x.flat_values if x is like else like._beside(x)
        return like._beside(x) if isinstance(x, _core.Tensor) and len(x.shape) else x

    return like.with_flat_values(f(*map(flat, args), **{k: flat(v) for k, v in kwargs.items()}))


# ---- reductions


def _reduced(name, f, args, kwargs):
    given = dict(zip(("input_tensor", "axis", "keepdims"), args), **kwargs)
    x, axis, keepdims = given["input_tensor"], given.get("axis"), given.get("keepdims") or False
    rank = x.shape.rank
    if axis is None:
        return f(x.flat_values)
    axes = sorted({int(a) % rank for a in (axis if isinstance(axis, (list, tuple)) else [axis])}, reverse=True)
    if name == "reduce_mean" and len(axes) > 1:
        total = _reduced("reduce_sum", None, (x, axes, keepdims), {})
        return total / _reduced("reduce_sum", None, (x.with_flat_values(_core.ones_like(x.flat_values)), axes, keepdims), {})
    for one in axes:
        x = _along(name, x, one)
        if keepdims:
            x = expand_dims(x, one) if type(x) is RaggedTensor else _core.expand_dims(x, one)
    return x


def _along(name, x, axis):
    """The reduction of a ragged tensor, or of what an earlier one left, along one axis."""
    plain = getattr(_core, name)
    if type(x) is not RaggedTensor:
        return plain(x, axis)
    if axis > 1:
        inner = _along(name, x.values, axis - 1)
        return RaggedTensor(inner, x.row_splits)
    if isinstance(x.values, RaggedTensor):
        if axis == 1:  # rows of rows: those that share a place are one
            return _stack([_along(name, row, 0) for row in x])
        return _along(name, _merged_rows(x), 0)
    lengths = _core.cast(x.row_lengths(), "int64")
    if axis == 1:
        ids, count = x.value_rowids(), len(x)
    else:
        starts = _core.gather(_core.cast(x.row_splits, "int64"), x.value_rowids())
        ids, count = _core.range(x.values.shape[0], dtype="int64") - starts, max(_numbers(lengths), default=0)
    return _of_segments(name, x.values, ids, count)


def _of_segments(name, values, ids, count):
    from brio import math

    if name in ("reduce_any", "reduce_all"):
        fewest = math.unsorted_segment_min if name == "reduce_all" else math.unsorted_segment_max
        found = fewest(_core.cast(values, "int32"), ids, count)
        return found > 0
    if name == "reduce_mean":
        total, ones = math.unsorted_segment_sum(values, ids, count), _core.ones_like(values)
        return total / math.unsorted_segment_sum(ones, ids, count)
    return getattr(math, f"unsorted_segment_{name[len('reduce_') :]}")(values, ids, count)


def _merged_rows(x):
    raise NotImplementedError("[RaggedTensor] a reduction over the first axis of rows of rows is not supported; use to_tensor()")


# ---- along rows


def concat(values, axis, name=None):
    """Ragged tensors and tensors one behind the other, along rows or along the first axis."""
    parts = [v if type(v) is RaggedTensor else RaggedTensor.from_tensor(v) for v in values]
    axis = int(axis)
    axis = axis + parts[0].shape.rank if axis < 0 else axis
    if axis == 0:
        return RaggedTensor.from_row_lengths(_joined([p.values for p in parts]), [n for p in parts for n in _numbers(p.row_lengths())])
    if axis > 1:
        return parts[0].with_values(concat([p.values for p in parts], axis - 1) if isinstance(parts[0].values, RaggedTensor) else _core.concat([p.values for p in parts], axis - 1))
    if len({len(p) for p in parts}) > 1:
        raise ValueError(f"[concat] the ragged tensors have {[len(p) for p in parts]} rows; along axis 1 they need as many")
    splits = [p.row_splits.numpy() for p in parts]
    before = np.cumsum([0, *(s[-1] for s in splits[:-1])])
    order = [np.arange(s[i], s[i + 1]) + at for i in range(len(parts[0])) for s, at in zip(splits, before)]
    lengths = np.sum([np.diff(s) for s in splits], axis=0)
    return RaggedTensor.from_row_lengths(_taken(_joined([p.values for p in parts]), np.concatenate(order) if order else np.zeros(0, int)), lengths.tolist())


def _joined(values):
    return concat(values, 0) if any(type(v) is RaggedTensor for v in values) else _core.concat(values, 0)


def _taken(values, order):
    """Rows of a tensor, ragged or not, in an order."""
    return gather(values, order) if type(values) is RaggedTensor else _core.gather(values, _core.constant(order.astype("int64")))


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Rows by their numbers. Of a tensor, what each number of a ragged tensor names."""
    if type(indices) is RaggedTensor:
        if type(params) is RaggedTensor:
            return indices.with_flat_values(gather(params, indices.flat_values))
        return indices.with_flat_values(_core.gather(params, indices.flat_values))
    wanted, splits = np.asarray(_core.convert_to_tensor(indices)), params.row_splits.numpy()
    if wanted.ndim == 0:
        return params[int(wanted)]
    if wanted.size and not (0 <= wanted.min() and wanted.max() < len(params)):
        raise ValueError(f"[gather] a row number is out of range: there are {len(params)} rows")
    order = [np.arange(splits[i], splits[i + 1]) for i in wanted.reshape(-1)]
    made = RaggedTensor.from_row_lengths(_taken(params.values, np.concatenate(order) if order else np.zeros(0, int)), [len(o) for o in order])
    return made if wanted.ndim == 1 else RaggedTensor.from_uniform_row_length(made, wanted.shape[-1])


def expand_dims(input, axis, name=None):
    """With a new axis of 1."""
    axis = int(axis)
    axis = axis + input.shape.rank + 1 if axis < 0 else axis
    if axis == 0:
        return RaggedTensor(input, [0, len(input)])
    if axis == 1:
        return RaggedTensor(input, list(range(len(input) + 1)))
    inner = expand_dims(input.values, axis - 1) if type(input.values) is RaggedTensor else _core.expand_dims(input.values, axis - 1)
    return RaggedTensor(inner, input.row_splits)


def tile(input, multiples, name=None):
    """Repeated along each axis."""
    for axis, times in enumerate(_numbers(multiples)):
        if times != 1:
            input = concat([input] * times, axis)
    return input


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, otherwise y."""
    if x is None and y is None:
        raise NotImplementedError("[where] the places where a ragged condition holds are not supported; use to_tensor()")
    return _of_values(_core.where, (condition, x, y), {})


def stack(values, axis=0, name="stack"):
    """Ragged tensors as one with an axis more."""
    from brio import ragged

    return ragged.stack(values, axis)


def size(input, out_type="int32", name=None):
    """The number of elements."""
    return _core.size(input.flat_values, out_type)


def rank(input, name=None):
    """The number of axes."""
    return _core.constant(input.shape.rank)


def reverse(tensor, axis, name=None):
    """Rows, or what is in them, from their ends."""
    (axis,) = [int(a) % tensor.shape.rank for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    if axis == 0:
        return gather(tensor, np.arange(len(tensor))[::-1].copy())
    if axis > 1:
        return tensor.with_values(reverse(tensor.values, axis - 1) if type(tensor.values) is RaggedTensor else _core.reverse(tensor.values, [axis - 1]))
    splits = tensor.row_splits.numpy()
    order = [np.arange(b - 1, a - 1, -1) for a, b in zip(splits, splits[1:])]
    return RaggedTensor(_taken(tensor.values, np.concatenate(order) if order else np.zeros(0, int)), tensor.row_splits)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None, fn_output_signature=None):
    """fn of each row."""
    return _stack([fn(row) for row in elems])


def embedding_lookup(params, ids, max_norm=None, name=None):
    """A row of params for each number."""
    from brio import nn

    return ids.with_flat_values(nn.embedding_lookup(params, ids.flat_values, max_norm))


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """The texts of each row as one text."""
    from brio import strings

    if axis is None:
        return strings.reduce_join(inputs.flat_values, separator=separator)
    axis = int(axis[0] if isinstance(axis, (list, tuple)) else axis) % inputs.shape.rank
    if axis == inputs.shape.rank - 1 and isinstance(inputs.values, RaggedTensor):
        return inputs.with_values(reduce_join(inputs.values, axis - 1, keepdims, separator))
    made = _core.stack([strings.reduce_join(row, separator=separator) for row in inputs])
    return _core.expand_dims(made, 1) if keepdims else made


def join(inputs, separator="", name=None):
    """Texts of several tensors, element by element, as one."""
    from brio import strings

    like = next(x for x in inputs if type(x) is RaggedTensor)
    flat = [x.flat_values if x is like else like._beside(x) for x in inputs]
    return like.with_flat_values(strings.join(flat, separator))


def split(input, sep=None, maxsplit=-1, name=None):
    """The words of each text, in rows of their own."""
    from brio import strings

    return input.with_flat_values(strings.split(input.flat_values, sep, maxsplit))


_ALONG_ROWS = {
    "concat": concat, "gather": gather, "expand_dims": expand_dims, "tile": tile, "where": where, "stack": stack, "size": size, "rank": rank,
    "reverse": reverse, "map_fn": map_fn, "nn.embedding_lookup": embedding_lookup, "strings.reduce_join": reduce_join, "strings.join": join,
    "strings.split": split,
}  # fmt: skip
