"""Functions of tf called on ragged tensors: installed when the first one is made,
so that other programs pay nothing for it.

What works on elements works on the flat values; what works along rows has a function of its own here.
"""

import functools
import importlib

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor, _count
from brio._ragged_operators import install as _install_operators
from brio._ragged_operators import of_values
from brio._ragged_reductions import reduced, unsorted_segment
from brio._ragged_rows import as_ragged, common_dtype, joined, ranges, splits_of, stacked, taken, uniform
from brio.errors import InvalidArgumentError

_MATH = (
    "abs accumulate_n acos acosh add add_n angle asin asinh atan atan2 atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e "
    "bitcast cast ceil check_numerics clip_by_value complex conj cos cosh digamma divide divide_no_nan equal erf erfc "
    "erfinv exp expm1 floor floordiv floormod greater greater_equal identity imag is_finite is_inf is_nan less "
    "less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum mod "
    "multiply multiply_no_nan ndtri negative nextafter not_equal one_hot ones_like polygamma pow real realdiv "
    "reciprocal reciprocal_no_nan rint round rsqrt saturate_cast sigmoid sign sin sinh softplus softsign sqrt square "
    "squared_difference stop_gradient subtract tan tanh truediv truncatediv truncatemod xdivy xlog1py xlogy zeros_like "
    "zeta"
)
# Functions whose ragged arguments all have the same rows, by module; the others are broadcast to the values.
_ELEMENTWISE = {
    "brio": _MATH + " as_string",
    "brio.math": _MATH,
    "brio.dtypes": "cast saturate_cast complex",
    "brio.debugging": "check_numerics",
    "brio.strings": (
        "as_string join length lower regex_full_match regex_replace strip substr to_hash_bucket to_hash_bucket_fast "
        "to_hash_bucket_strong to_number unicode_script unicode_transcode upper"
    ),
    "brio.io": "decode_base64 decode_raw encode_base64",
    "brio.nn": (
        "dropout elu gelu leaky_relu relu relu6 selu sigmoid sigmoid_cross_entropy_with_logits silu softplus softsign "
        "swish tanh"
    ),
    "brio.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
}


def install():
    """Replaces the functions that know what to do with a ragged tensor."""
    _install_operators()
    for module, names in _ELEMENTWISE.items():
        for name in names.split():
            _replace(module, name, of_values)
    for name, ours in _ALONG_ROWS.items():
        module, _, short = f"brio.{name}".rpartition(".")
        _replace(module, short, lambda f, args, kwargs, ours=ours: ours(*args, **kwargs))
    for name in "sum prod max min mean any all variance std".split():
        for module in ("brio", "brio.math"):
            _replace(module, f"reduce_{name}", functools.partial(reduced, f"reduce_{name}"))
    for name in "sum prod max min mean".split():
        for module in ("brio", "brio.math"):
            for kind in ("segment", "unsorted_segment"):
                if (kind, module) != ("segment", "brio"):
                    ours = unsorted_segment(f"reduce_{name}")
                    _replace(module, f"{kind}_{name}", lambda f, args, kwargs, ours=ours: ours(*args, **kwargs))
    _replace("brio", "is_tensor", lambda f, args, kwargs: True)
    from brio import _ragged_function

    _ragged_function.install()


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
    if type(x) is dict:
        return any(map(_is_ragged, x.values()))
    return type(x) is RaggedTensor or (type(x) in (list, tuple) and any(type(v) is RaggedTensor for v in x))


def _axis_of(axis, rank, who):
    if not -rank <= int(axis) < rank:
        raise ValueError(f"[{who}] axis {axis} is out of range: there are {rank} axes")
    return int(axis) % rank


# ---- joined and repeated


def concat(values, axis, name=None):
    """Ragged tensors and tensors one behind the other, along any axis."""
    parts = [v if type(v) is RaggedTensor else _core.convert_to_tensor(v) for v in values]
    if len({p.shape.rank for p in parts}) > 1:
        raise ValueError(f"[concat] the tensors have {[p.shape.rank for p in parts]} axes; they need as many")
    axis = _axis_of(axis, parts[0].shape.rank, "concat")
    return _concat(parts, axis) if len(parts) > 1 else parts[0]


def _concat(parts, axis):
    if axis == 0:
        return joined(parts)
    if not any(type(p) is RaggedTensor for p in parts):
        return _core.concat(parts, axis)
    depth = max(p.ragged_rank for p in parts if type(p) is RaggedTensor)
    parts = [as_ragged(p, min(depth, p.shape.rank - 1)) for p in parts]
    dtype = common_dtype(parts)
    if axis > 1:
        if any(not np.array_equal(p._at, parts[0]._at) for p in parts[1:]):
            raise InvalidArgumentError(
                "[concat] the ragged tensors have rows of different lengths along an axis before the one they are "
                "joined along"
            )
        like = next((p for p in parts if p._uniform is None), parts[0])
        return like.with_values(_concat([p.values for p in parts], axis - 1))
    if len({len(p) for p in parts}) > 1:
        raise InvalidArgumentError(
            f"[concat] the ragged tensors have {[len(p) for p in parts]} rows; along axis 1 they need as many"
        )
    before = np.cumsum([0, *(_count(p.values) for p in parts[:-1])])
    begins = np.stack([p._at[:-1] + n for p, n in zip(parts, before)], 1)
    lengths = np.stack([np.diff(p._at) for p in parts], 1)
    values = taken(joined([p.values for p in parts]), ranges(begins.reshape(-1), lengths.reshape(-1)))
    return _open(values, lengths.sum(1), dtype)


def _open(values, lengths, dtype="int64"):
    """Rows whose length the shape does not know."""
    splits = splits_of(lengths)
    return RaggedTensor._of(values, _core.constant(splits, dtype), None, splits)


def stack(values, axis=0, name="stack"):
    """Ragged tensors as one with an axis more."""
    parts = [v if type(v) is RaggedTensor else _core.convert_to_tensor(v) for v in values]
    if not parts:
        raise ValueError("[ragged.stack] there is nothing to stack; give at least one tensor")
    axis = _axis_of(axis, parts[0].shape.rank + 1, "stack")
    if axis == 0:
        return stacked(parts)
    if axis == parts[0].shape.rank and not any(type(p) is RaggedTensor for p in parts):
        return _core.stack(parts, axis)
    if axis == 1 and all(p.shape.rank == 1 for p in parts):
        return uniform(_core.reshape(_core.stack(parts, 1), [-1]), len(parts), int(parts[0].shape[0]))
    parts = [p if type(p) is RaggedTensor else as_ragged(p, p.shape.rank - 1) for p in parts]
    return _concat([expand_dims(p, axis) for p in parts], axis) if len(parts) > 1 else expand_dims(parts[0], axis)


def tile(input, multiples, name=None):
    """Repeated along each axis."""
    times = [int(n) for n in _core.convert_to_tensor(multiples).numpy().reshape(-1)]
    if len(times) != input.shape.rank:
        raise ValueError(f"[tile] {len(times)} multiples are given for {input.shape.rank} axes")
    return _tiled(input, times)


def _tiled(x, times):
    if all(n == 1 for n in times):
        return x
    if type(x) is not RaggedTensor:
        return _core.tile(x, times)
    inner = x.with_values(_tiled(x.values, [1, *times[2:]]))
    at, lengths = x._at, np.diff(x._at)
    count, again = times[:2]
    begins = np.tile(np.repeat(at[:-1], again), count)
    order = ranges(begins, np.tile(np.repeat(lengths, again), count))
    one = None if x._uniform is None else x._uniform * again
    made = _open(taken(inner.values, order), np.tile(lengths * again, count), x.row_splits.dtype)
    return RaggedTensor._of(made.values, made.row_splits, one, made._at)


def reverse(tensor, axis, name=None):
    """Rows, or what is in them, from their ends."""
    axes = axis.numpy().tolist() if hasattr(axis, "numpy") else axis if isinstance(axis, (list, tuple)) else [axis]
    axes = {_axis_of(a, tensor.shape.rank, "reverse") for a in axes}
    return _reversed(tensor, axes)


def _reversed(x, axes):
    if type(x) is not RaggedTensor:
        return _core.reverse(x, sorted(axes)) if axes else x
    if 0 in axes:
        x = taken(x, np.arange(len(x))[::-1].copy())
    if 1 in axes:
        at = x._at
        lengths = np.diff(at)
        x = x.with_values(taken(x.values, np.repeat(at[:-1] + at[1:] - 1, lengths) - np.arange(at[-1])))
    inner = {a - 1 for a in axes if a > 1}
    return x.with_values(_reversed(x.values, inner)) if inner else x


def expand_dims(input, axis, name=None):
    """With a new axis of 1."""
    axis = _axis_of(axis, input.shape.rank + 1, "expand_dims")
    dtype = input.row_splits.dtype
    if axis == 0:
        return uniform(input, len(input), 1, dtype)
    if axis == 1:
        return uniform(input, 1, len(input), dtype)
    inner = (
        expand_dims(input.values, axis - 1)
        if type(input.values) is RaggedTensor
        else _core.expand_dims(input.values, axis - 1)
    )
    return input.with_values(inner)


def squeeze(input, axis=None, name=None):
    """Without axes of 1, which must be named."""
    if axis is None:
        raise ValueError("[squeeze] a ragged tensor needs axis=, the axes of 1 to leave out")
    axes = {_axis_of(a, input.shape.rank, "squeeze") for a in (axis if isinstance(axis, (list, tuple)) else [axis])}
    return _squeezed(input, axes)


def _squeezed(x, axes):
    if not axes:
        return x
    if type(x) is not RaggedTensor:
        return _core.squeeze(x, sorted(axes))
    inner = _squeezed(x.values, {a - 1 for a in axes if a > 1})
    x = x.with_values(inner)
    if 1 in axes:
        if not (np.diff(x._at) == 1).all():
            raise InvalidArgumentError("[squeeze] axis 1 has rows of other lengths than 1")
        inner = x.values
        if 0 not in axes:
            return inner
        return inner[0]
    if 0 in axes:
        if len(x) != 1:
            raise InvalidArgumentError(f"[squeeze] axis 0 has {len(x)} rows, not 1")
        return x.values
    return x


def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts along an axis that has one size."""
    axis = _axis_of(axis, value.shape.rank, "split")
    size = value.shape[axis]
    if size is None:
        raise ValueError(
            f"[split] axis {axis} of {value.shape} has rows of different lengths; a ragged tensor is split along the "
            "others"
        )
    wanted = num_or_size_splits.numpy().tolist() if hasattr(num_or_size_splits, "numpy") else num_or_size_splits
    if isinstance(wanted, (list, tuple)):
        sizes = [int(n) for n in wanted]
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = size - sum(sizes) - 1
    else:
        if int(wanted) < 1 or size % int(wanted):
            raise InvalidArgumentError(f"[split] {size} elements along axis {axis} do not make {wanted} equal parts")
        sizes = [size // int(wanted)] * int(wanted)
    if sum(sizes) != size or min(sizes, default=0) < 0:
        raise InvalidArgumentError(f"[split] sizes {sizes} do not add up to the {size} elements along axis {axis}")
    ends = np.cumsum(sizes).tolist()
    return [value[(*[slice(None)] * axis, slice(end - n, end))] for n, end in zip(sizes, ends)]


def unstack(value, num=None, axis=0, name="unstack"):
    """The rows, as a list."""
    if int(axis) != 0:
        raise ValueError(f"[unstack] axis {axis} of a ragged tensor; only its first one is taken apart")
    return list(value)


# ---- picked


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, otherwise y; of a condition alone, its places."""
    if (x is None) != (y is None):
        raise ValueError("[where] x and y must both be given, or neither")
    if x is None:
        from brio._ragged_rows import places_of

        places, holds = places_of(condition)
        return _core.boolean_mask(places, _core.cast(holds, "bool"))
    return of_values(
        _core.where, [v if type(v) is RaggedTensor else _core.convert_to_tensor(v) for v in (condition, x, y)], {}
    )


def dynamic_partition(data, partitions, num_partitions, name=None):
    """The rows of each partition."""
    from brio import ragged

    made = ragged.stack_dynamic_partitions(data, partitions, num_partitions)
    return list(made)


def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    name=None,
):
    """The product of the matrices that ragged tensors have in each row, whose sizes may differ from row to row."""
    if transpose_a and adjoint_a or transpose_b and adjoint_b:
        raise ValueError("[matmul] transpose and adjoint are both asked for; give one of them")
    a, b = (x if type(x) is RaggedTensor else _core.convert_to_tensor(x) for x in (a, b))
    rank = a.shape.rank
    if rank != b.shape.rank or rank < 3:
        raise ValueError(
            f"[matmul] tensors of {a.shape.rank} and {b.shape.rank} axes; ragged ones need as many, three or more"
        )
    turned = {"transpose_a": transpose_a, "transpose_b": transpose_b, "adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
    if rank > 3:
        a, b = (as_ragged(x, 1) for x in (a, b))
        return a.with_values(matmul(a.values, b.values, **turned))
    flip_a, flip_b = transpose_a or adjoint_a, transpose_b or adjoint_b
    if len(a) != len(b) if type(a) is type(b) else _count(a) != _count(b):
        raise InvalidArgumentError(f"[matmul] {_count(a)} matrices are multiplied by {_count(b)}")
    # All are filled up with zeros to one size: what the zeros give is cut away.
    (heights_a, widths_a), (heights_b, widths_b) = _sizes(a), _sizes(b)
    out_rows, inner = (widths_a, heights_a) if flip_a else (heights_a, widths_a)
    inner_b, out_columns = (widths_b, heights_b) if flip_b else (heights_b, widths_b)
    some = (out_rows > 0) & (out_columns > 0)
    if ((inner != inner_b) & some).any():
        at = int(np.argmax((inner != inner_b) & some))
        raise InvalidArgumentError(
            f"[matmul] the matrices of row {at} do not fit: {inner[at]} columns meet {inner_b[at]} rows"
        )
    dense_a, dense_b = (x.to_tensor() if type(x) is RaggedTensor else x for x in (a, b))
    short = max(dense_a.shape[1 if flip_a else 2], dense_b.shape[2 if flip_b else 1])
    dense_a, dense_b = _padded(dense_a, 1 if flip_a else 2, short), _padded(dense_b, 2 if flip_b else 1, short)
    made = _core.matmul(dense_a, dense_b, **turned)
    like = a if type(a) is RaggedTensor else b
    return _cut_matrices(
        made,
        out_rows,
        out_columns,
        like.row_splits.dtype,
        all(x is None or type(x) is not RaggedTensor or x.ragged_rank == 1 for x in (a, b)),
    )


def _sizes(x):
    """(heights, widths) of the matrices; the width of one without rows is that of its rows' shape, or 0."""
    if type(x) is not RaggedTensor:
        return np.full(x.shape[0], int(x.shape[1])), np.full(x.shape[0], int(x.shape[2]))
    heights = np.diff(x._at)
    if type(x.values) is not RaggedTensor:
        return heights, np.full(len(heights), int(x.values.shape[1]))
    lengths = np.diff(x.values._at)
    widths = np.zeros(len(heights), np.int64)
    some = heights > 0
    widths[some] = lengths[x._at[:-1][some]]
    if (lengths != np.repeat(widths, heights)).any():
        raise InvalidArgumentError("[matmul] a matrix has rows of different lengths")
    return heights, widths


def _padded(x, axis, size):
    if x.shape[axis] == size:
        return x
    return _core.pad(x, [[0, size - x.shape[axis] if i == axis else 0] for i in range(3)])


def _cut_matrices(x, heights, widths, dtype, plain_rows):
    count, height, width = (int(n) for n in x.shape)
    order = ranges(np.arange(count) * height, heights)
    values = taken(_core.reshape(x, [count * height, width]), order)
    if (widths == width).all() and plain_rows:
        return _open(values, heights, dtype)
    each = np.repeat(widths, heights)
    inner = taken(_core.reshape(values, [-1]), ranges(np.arange(len(each)) * width, each))
    return _open(_open(inner, each, dtype), heights, dtype)


def softmax(logits, axis=None, name=None):
    """Each row's exponentials divided by their sum."""
    rank = logits.shape.rank
    axis = _axis_of(-1 if axis is None else axis, rank, "softmax")
    if axis > logits.ragged_rank:
        return logits.with_flat_values(_core._nn.softmax(logits.flat_values, axis - logits.ragged_rank))
    return _softmaxed(logits, axis)


def _softmaxed(x, axis):
    if axis > 1:
        return x.with_values(_softmaxed(x.values, axis - 1))
    from brio import math

    if axis == 0 or type(x.values) is RaggedTensor:
        raise ValueError(
            "[softmax] runs along the innermost rows of a ragged tensor; to_tensor(-inf) has the other axes"
        )
    ids, count = x.value_rowids(), len(x)
    greatest = _core.stop_gradient(math.unsorted_segment_max(x.values, ids, count))
    powers = _core.exp(x.values - _core.gather(greatest, ids))
    return x.with_values(powers / _core.gather(math.unsorted_segment_sum(powers, ids, count), ids))


# ---- other shapes of a thing


def size(input, out_type="int32", name=None):
    """The number of elements."""
    return _core.size(input.flat_values, out_type)


def rank(input, name=None):
    """The number of axes."""
    return _core.constant(input.shape.rank)


def embedding_lookup(params, ids, max_norm=None, name=None):
    """A row of params for each number."""
    from brio import nn

    return ids.with_flat_values(nn.embedding_lookup(params, ids.flat_values, max_norm))


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """The texts along axes as one text each."""
    from brio import strings

    rank = inputs.shape.rank
    if axis is None:
        made = strings.reduce_join(inputs.flat_values, separator=separator)
        return _core.reshape(made, [1] * rank) if keepdims else made
    axes = sorted(
        {_axis_of(a, rank, "reduce_join") for a in (axis if isinstance(axis, (list, tuple)) else [axis])}, reverse=True
    )
    for one in axes:
        inputs = _texts_along(inputs, one, separator)
        if keepdims:
            inputs = expand_dims(inputs, one) if type(inputs) is RaggedTensor else _core.expand_dims(inputs, one)
    return inputs


def _texts_along(x, axis, separator):
    from brio import strings

    if type(x) is not RaggedTensor:
        return strings.reduce_join(x, axis=axis, separator=separator)
    if axis > 1:
        return x.with_values(_texts_along(x.values, axis - 1, separator))
    ids, count = x.value_rowids(), len(x)
    if axis == 0:
        lengths = np.diff(x._at)
        ids, count = ranges(np.zeros(len(x), np.int64), lengths), int(lengths.max(initial=0))
    if type(x.values) is RaggedTensor:
        raise ValueError("[reduce_join] joins texts along the innermost rows first; give all axes behind this one too")
    return strings.unsorted_segment_join(x.values, ids, count, separator)


def split_texts(input, sep=None, maxsplit=-1, name=None):
    """The words of each text, in rows of their own."""
    from brio import strings

    return input.with_flat_values(strings.split(input.flat_values, sep, maxsplit))


def _elsewhere(name):
    """A function of _ragged_picking, which is loaded with the first call."""

    def call(*args, **kwargs):
        from brio import _ragged_picking

        return getattr(_ragged_picking, name)(*args, **kwargs)

    return call


_ALONG_ROWS = {
    "concat": concat, "stack": stack, "tile": tile, "reverse": reverse, "expand_dims": expand_dims, "squeeze": squeeze,
    "split": split, "unstack": unstack, "where": where, "gather": _elsewhere("gather"),
    "gather_nd": _elsewhere("gather_nd"), "map_fn": _elsewhere("map_fn"), "boolean_mask": _elsewhere("boolean_mask"),
    "dynamic_partition": dynamic_partition, "matmul": matmul, "linalg.matmul": matmul, "nn.softmax": softmax,
    "size": size, "rank": rank, "nn.embedding_lookup": embedding_lookup, "strings.reduce_join": reduce_join,
    "strings.split": split_texts, "math.bincount": _elsewhere("bincount"),
    "sparse.bincount": _elsewhere("sparse_bincount"),
}  # fmt: skip
