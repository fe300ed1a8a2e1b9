"""keras.ops: NumPy's functions."""

import builtins

import numpy as np

import brio as tf
from brio.keras.ops._convert import as_dtype, floating, is_whole, name_of, named, one, result_type, tensor, together, two
from brio.keras.ops.core import shape

_UNARY = {
    "abs": lambda x: x if _never_negative(x) else tf.abs(x), "absolute": lambda x: x if _never_negative(x) else tf.abs(x), "negative": tf.negative, "round": tf.round, "sign": tf.sign,
    "square": lambda x: tf.square(tf.cast(x, "int32") if name_of(x) == "bool" else x), "isnan": lambda x: tf.zeros(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_nan(x),
    "isinf": lambda x: tf.zeros(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_inf(x), "isfinite": lambda x: tf.ones(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_finite(x), "logical_not": lambda x: tf.logical_not(tf.cast(x, "bool")),
    "ndim": lambda x: len(x.shape), "copy": tf.identity, "conj": tf.math.conj, "conjugate": tf.math.conj, "real": tf.math.real, "imag": tf.math.imag, "invert": tf.bitwise.invert,
    "bitwise_not": tf.bitwise.invert, "ravel": lambda x: tf.reshape(x, [-1]), "signbit": lambda x: (x < 0) | ((x == 0) & (1 / x < 0)) if tf.as_dtype(x.dtype).is_floating else x < 0,
}  # fmt: skip
_FLOATING = {
    "ceil": tf.math.ceil, "floor": tf.floor,
    "arccos": tf.math.acos, "arccosh": tf.math.acosh, "arcsin": tf.math.asin, "arcsinh": tf.math.asinh, "arctan": tf.math.atan, "arctanh": tf.math.atanh,
    "cos": tf.cos, "cosh": tf.math.cosh, "exp": tf.exp, "expm1": tf.math.expm1, "exp2": lambda x: tf.pow(tf.cast(2, x.dtype), x), "log": tf.math.log, "log1p": tf.math.log1p,
    "log2": lambda x: tf.math.log(x) / tf.math.log(tf.cast(2, x.dtype)), "log10": lambda x: tf.math.log(x) / tf.math.log(tf.cast(10, x.dtype)),
    "reciprocal": tf.math.reciprocal, "sin": tf.sin, "sinh": tf.math.sinh, "sqrt": tf.sqrt, "tan": tf.math.tan, "tanh": tf.tanh,
}
_WIDE_FLOATING = {"deg2rad": lambda x: x * (np.pi / 180), "rad2deg": lambda x: x * (180 / np.pi)}  # fmt: skip
_BINARY = {
    "add": tf.add, "subtract": tf.subtract, "multiply": lambda a, b: tf.logical_and(a, b) if name_of(a) == "bool" else tf.multiply(a, b),
    "maximum": lambda a, b: tf.logical_or(a, b) if name_of(a) == "bool" else tf.maximum(a, b), "minimum": lambda a, b: tf.logical_and(a, b) if name_of(a) == "bool" else tf.minimum(a, b), 
    "floor_divide": tf.math.floordiv, "power": tf.pow, "logical_and": lambda a, b: tf.logical_and(tf.cast(a, "bool"), tf.cast(b, "bool")),
    "logical_or": lambda a, b: tf.logical_or(tf.cast(a, "bool"), tf.cast(b, "bool")), "logical_xor": lambda a, b: tf.math.logical_xor(tf.cast(a, "bool"), tf.cast(b, "bool")),
}
# Numbers of Python are int32 and float32 to these, whatever stands beside them.
_OF_TENSORS = {
    "mod": lambda a, b: tf.math.floormod(*_not_bool(a, b)), "remainder": lambda a, b: tf.math.floormod(*_not_bool(a, b)), "bitwise_and": tf.bitwise.bitwise_and,
    "bitwise_or": tf.bitwise.bitwise_or, "bitwise_xor": tf.bitwise.bitwise_xor, "equal": tf.equal, "not_equal": tf.not_equal, "less": lambda a, b: tf.less(*_not_bool(a, b)),
    "less_equal": lambda a, b: tf.less_equal(*_not_bool(a, b)), "greater": lambda a, b: tf.greater(*_not_bool(a, b)), "greater_equal": lambda a, b: tf.greater_equal(*_not_bool(a, b)),
}  # fmt: skip
_FLOATING_BINARY = {"divide": tf.divide, "true_divide": tf.divide, "divide_no_nan": tf.math.divide_no_nan}
_FLOATING_OF_TENSORS = {"arctan2": tf.math.atan2, "logaddexp": lambda a, b: _log_of_sum(a, b)}  # fmt: skip
# What has no function of its own in C++.
_DOCS = {
    "multiply": "x1 times x2.", "maximum": "The larger of x1 and x2.", "minimum": "The smaller of x1 and x2.",
    "abs": "The size without the sign.", "absolute": "The size without the sign.", "square": "x times x.", "isnan": "True where x is NaN.", "isinf": "True where x is infinite.",
    "isfinite": "True where x is neither NaN nor infinite.", "mod": "The remainder of x1 / x2, with the sign of x2.", "remainder": "The remainder of x1 / x2, with the sign of x2.",
    "less": "True where x1 is less than x2.", "less_equal": "True where x1 is less than x2, or equal.", "greater": "True where x1 is greater than x2.",
    "greater_equal": "True where x1 is greater than x2, or equal.",
    "deg2rad": "Degrees as radians.", "exp2": "2 to the power of x.", "log10": "The logarithm to base 10.",
    "log2": "The logarithm to base 2.", "logaddexp": "log(exp(x1) + exp(x2)), which never overflows.", "logical_and": "True where both are.",
    "logical_not": "True where x is not.", "logical_or": "True where one or both are.", "logical_xor": "True where one is and the other is not.",
    "ndim": "How many axes there are.", "rad2deg": "Radians as degrees.", "ravel": "All elements in one row.", "signbit": "True where x has a minus: -0.0, too.",
}  # fmt: skip
named(globals(), _UNARY, one, _DOCS)
named(globals(), _FLOATING, lambda f: one(f, True), _DOCS)
named(globals(), _BINARY, two, _DOCS)
named(globals(), _FLOATING_BINARY, lambda f: two(f, True), _DOCS)
named(globals(), _OF_TENSORS, lambda f: two(f, plain=False), _DOCS)
named(globals(), _FLOATING_OF_TENSORS, lambda f: two(f, True, plain=False), _DOCS)
named(globals(), _WIDE_FLOATING, lambda f: lambda x: f(_wide_floating(tensor(x))), _DOCS)


def _never_negative(x):
    return "uint" in name_of(x) or name_of(x) == "bool"


def _not_bool(a, b):
    return (tf.cast(a, "int32"), tf.cast(b, "int32")) if name_of(a) == "bool" else (a, b)


def _wide_floating(x):
    """Whole numbers as floats: those of 64 bits as float64."""
    return tf.cast(x, "float64") if name_of(x) in ("int64", "uint64") else floating(x)


def _log_of_sum(a, b):
    apart = a - b
    return tf.where(tf.math.is_nan(apart), a + b, tf.maximum(a, b) + tf.math.log1p(tf.exp(-tf.abs(apart))))


def hypot(x1, x2):
    """sqrt(x1 squared + x2 squared), which never overflows."""
    a, b = (tf.abs(_wide_floating(v)) for v in together(tensor(x1), tensor(x2)))
    larger = tf.maximum(a, b)
    return larger * tf.sqrt(1 + tf.square(tf.math.divide_no_nan(tf.minimum(a, b), larger)))


def round(x, decimals=0):  # noqa: F811
    """The nearest number of so many decimals; halves go to the even one."""
    x = tensor(x)
    whole = is_whole(name_of(x))
    if not decimals or (whole and decimals > 0):
        return x if whole else tf.round(x)
    wide = floating(x)
    factor = tf.cast(10.0**decimals, wide.dtype)
    return as_dtype(tf.round(wide * factor) / factor, name_of(x))


# ---- making


def array(x, dtype=None):
    """x as a tensor."""
    return tensor(x) if dtype is None else tf.cast(tensor(x), dtype)


def arange(start, stop=None, step=None, dtype=None):
    """The numbers from start up to stop, which is left out, by step."""
    start, stop, step = (0, start, 1 if step is None else step) if stop is None else (start, stop, 1 if step is None else step)
    if dtype is None:
        dtype = result_type(*(name_of(v) if hasattr(v, "dtype") else "float" if isinstance(v, float) else "int" for v in (start, stop, step)))
    return tf.cast(tf.range(start, stop, step), dtype)


def zeros(shape, dtype=None):
    """A tensor of zeros."""
    return tf.zeros(shape, dtype or "float32")


def ones(shape, dtype=None):
    """A tensor of ones."""
    return tf.ones(shape, dtype or "float32")


def empty(shape, dtype=None):
    """A tensor of zeros: nothing is left uninitialized."""
    return zeros(shape, dtype)


def full(shape, fill_value, dtype=None):
    """A tensor of one value."""
    return tf.broadcast_to(tf.cast(tensor(fill_value), dtype or "float32"), shape)


def zeros_like(x, dtype=None):
    """Zeros in the shape of x."""
    return tf.zeros_like(tensor(x), dtype)


def ones_like(x, dtype=None):
    """Ones in the shape of x."""
    return tf.ones_like(tensor(x), dtype)


def full_like(x, fill_value, dtype=None):
    """One value in the shape of x."""
    x = tensor(x)
    return tf.broadcast_to(tf.cast(tensor(fill_value), dtype or x.dtype), x.shape)


def eye(N, M=None, k=0, dtype=None):
    """A matrix with ones on its k-th diagonal."""
    return tensor(np.eye(N, M, k), dtype or "float32") if k else tf.eye(N, M, dtype=dtype or "float32")


def identity(n, dtype=None):
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    """A matrix with ones on and below its k-th diagonal."""
    return tensor(np.tri(N, M, k).astype("float32"), dtype or "float32")


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """num numbers at equal distances from start to stop."""
    if num < 0:
        raise ValueError(f"[linspace] num is {num}; it must be 0 or more")
    start, stop = together(start, stop)
    dtype = tf.as_dtype(dtype).name if dtype is not None else result_type(name_of(start), name_of(stop), "float")
    wide = dtype if "float" in dtype else "float32" if "64" not in dtype else "float64"
    start, stop = as_dtype(start, wide), as_dtype(stop, wide)
    parts = num - 1 if endpoint else num
    step = (stop - start) / tf.cast(parts, wide) if parts > 0 else tf.cast(np.nan, wide)
    made = tf.linspace(start, stop if endpoint or num < 2 else stop - step, num, axis=axis)
    made = as_dtype(tf.floor(made) if "int" in dtype else made, dtype)
    return (made, step) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    """base to the power of num numbers at equal distances from start to stop."""
    made = linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    return tf.pow(tf.cast(base, made.dtype), made)


def meshgrid(*x, indexing="xy"):
    """The coordinates of a grid, one tensor for each axis."""
    return tf.meshgrid(*[tensor(v) for v in x], indexing=indexing)


# ---- reducing


def _reduction(f, floats=False):
    def call(x, axis=None, keepdims=False):
        return f(floating(x) if floats else tensor(x), axis=axis, keepdims=keepdims)

    return call


named(globals(), {"mean": tf.reduce_mean, "std": tf.math.reduce_std, "var": tf.math.reduce_variance}, lambda f: _reduction(f, True), _DOCS)


def _summed(x):
    """Small whole numbers as those of 32 bits, which sums and products are counted in."""
    x = tensor(x)
    return as_dtype(x, {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}.get(name_of(x), name_of(x)))


def sum(x, axis=None, keepdims=False):
    """The sum along axes; of small integers in 32 bits."""
    return tf.reduce_sum(_summed(x), axis=axis, keepdims=keepdims)


def prod(x, axis=None, keepdims=False, dtype=None):
    """The product along axes; of small integers in 32 bits."""
    return tf.reduce_prod(_summed(x) if dtype is None else tf.cast(tensor(x), dtype), axis=axis, keepdims=keepdims)


def _extreme(f, of_bools, beside, x, axis, keepdims, initial):
    x = tensor(x)
    if initial is None and 0 in x.shape:
        raise tf.errors.InvalidArgumentError(f"[keras.ops] the largest or smallest of a tensor without elements, of shape {tuple(x.shape)}; give initial")
    if name_of(x) == "bool":
        made = of_bools(x, axis=axis, keepdims=keepdims)
        return made if initial is None else tf.cast(beside(tf.cast(made, "int32"), tf.cast(initial, "int32")), "bool")
    made = f(x, axis=axis, keepdims=keepdims)
    return made if initial is None else beside(made, initial)


def max(x, axis=None, keepdims=False, initial=None):
    """The largest along axes."""
    return _extreme(tf.reduce_max, tf.reduce_any, maximum, x, axis, keepdims, initial)  # noqa: F821


def min(x, axis=None, keepdims=False, initial=None):
    """The smallest along axes."""
    return _extreme(tf.reduce_min, tf.reduce_all, minimum, x, axis, keepdims, initial)  # noqa: F821


amax, amin = max, min


def all(x, axis=None, keepdims=False):
    """True where all along axes are."""
    return tf.reduce_all(tf.cast(tensor(x), "bool"), axis=axis, keepdims=keepdims)


def any(x, axis=None, keepdims=False):
    """True where one or more along axes are."""
    return tf.reduce_any(tf.cast(tensor(x), "bool"), axis=axis, keepdims=keepdims)


def argmax(x, axis=None, keepdims=False):
    """Where the first of the largest is."""
    return _arg(tf.argmax, x, axis, keepdims)


def argmin(x, axis=None, keepdims=False):
    """Where the first of the smallest is."""
    return _arg(tf.argmin, x, axis, keepdims)


def _arg(f, x, axis, keepdims):
    x = tensor(x)
    made = tf.cast(f(tf.reshape(x, [-1]) if axis is None else x, axis=0 if axis is None else axis), "int32")
    if keepdims:
        made = tf.reshape(made, [1] * len(x.shape)) if axis is None else tf.expand_dims(made, axis)
    return made


def count_nonzero(x, axis=None):
    """How many are not 0."""
    return tf.cast(tf.math.count_nonzero(tensor(x), axis=axis), "int32")


def average(x, axis=None, weights=None):
    """The mean along an axis, with weights where they are given."""
    if weights is None:
        return tf.reduce_mean(floating(x), axis=axis)
    x, weights = (floating(v) for v in together(x, weights))
    if len(weights.shape) == 1 and len(x.shape) > 1:
        weights = tf.reshape(weights, [-1 if i == axis % len(x.shape) else 1 for i in range(len(x.shape))])
    return tf.reduce_sum(x * weights, axis=axis) / tf.reduce_sum(tf.broadcast_to(weights, x.shape), axis=axis)


def _running(x, axis, dtype):
    x = tensor(x) if axis is not None else tf.reshape(tensor(x), [-1])
    dtype = dtype or name_of(x)
    return tf.cast(x, "int32" if dtype == "bool" else dtype)


def cumsum(x, axis=None, dtype=None):
    """The running sum along an axis."""
    return tf.cumsum(_running(x, axis, dtype), axis=axis or 0)


def cumprod(x, axis=None, dtype=None):
    """The running product along an axis."""
    return tf.math.cumprod(_running(x, axis, dtype), axis=axis or 0)


def median(x, axis=None, keepdims=False):
    """The number in the middle."""
    return quantile(x, 0.5, axis, keepdims=keepdims)


def quantile(x, q, axis=None, method="linear", keepdims=False):
    """The numbers below which the shares q lie."""
    x = floating(x)
    rank = len(x.shape)
    axes = list(range(rank)) if axis is None else sorted(a % rank for a in (axis if isinstance(axis, (list, tuple)) else [axis]))
    rest = [a for a in range(rank) if a not in axes]
    rows = tf.reshape(tf.transpose(x, rest + axes), [*(x.shape[a] for a in rest), -1])
    lost = tf.reduce_any(tf.math.is_nan(rows), -1)
    rows = tf.sort(rows)
    n, at = int(rows.shape[-1]), np.asarray(q, np.float64)
    place = at * (n - 1)
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    share = {"linear": place - low, "lower": 0 * place, "higher": np.ceil(place) - low, "nearest": np.rint(place) - low, "midpoint": 0.5 * (high > low)}[method]
    a, b = tf.gather(rows, low.reshape(-1), axis=-1), tf.gather(rows, high.reshape(-1), axis=-1)
    made = a + (b - a) * tf.cast(tensor(np.reshape(share, -1)), x.dtype)
    made = tf.where(lost[..., None], tf.cast(np.nan, x.dtype), made)
    made = tf.transpose(made, [len(rest), *range(len(rest))])
    sizes = [1 if a in axes else x.shape[a] for a in range(rank) if keepdims or a not in axes]
    return tf.reshape(made, [*at.shape, *sizes])


def diff(a, n=1, axis=-1):
    """The differences of neighbours along an axis, n times."""
    a = tensor(a)
    if n < 0:
        raise ValueError(f"[diff] n is {n}; it must be 0 or more")
    rank = len(a.shape)
    axis = axis % rank if -rank <= axis < rank else axis
    for _ in range(builtins.min(n, a.shape[axis]) if -rank <= axis < rank else n):  # of nothing there are no differences
        part = lambda s: a[tuple(s if i == axis else builtins.slice(None) for i in range(rank))]  # noqa: B023, E731
        later, sooner = part(builtins.slice(1, None)), part(builtins.slice(None, -1))
        a = tf.not_equal(later, sooner) if name_of(a) == "bool" else later - sooner
    return a


def trace(x, offset=0, axis1=0, axis2=1):
    """The sum of a diagonal."""
    return tf.reduce_sum(_summed(diagonal(x, offset, axis1, axis2)), -1)


# ---- shapes


def reshape(x, newshape):
    """The same elements in another shape."""
    return tf.reshape(tensor(x), newshape)


def transpose(x, axes=None):
    """The axes in another order; by default reversed."""
    return tf.transpose(tensor(x), axes)


def expand_dims(x, axis):
    """A new axis of size 1."""
    x = tensor(x)
    if not isinstance(axis, (list, tuple)):
        return tf.expand_dims(x, axis)
    rank = len(x.shape) + len(axis)
    for a in sorted(a % rank for a in axis):  # places in the result
        x = tf.expand_dims(x, a)
    return x


def squeeze(x, axis=None):
    """Without axes of size 1."""
    return tf.squeeze(tensor(x), axis if axis is None or isinstance(axis, (list, tuple)) else [axis])


def concatenate(xs, axis=0):
    """Tensors joined along an axis."""
    return tf.concat(together(*xs), axis)


def stack(x, axis=0):
    """Tensors joined along a new axis."""
    if not isinstance(x, (list, tuple)) and 0 in tensor(x).shape[:1]:
        return tensor(x)
    return tf.stack(together(*x) if isinstance(x, (list, tuple)) else tf.unstack(tensor(x)), axis)


def hstack(xs):
    """Tensors joined side by side."""
    xs = together(*xs)
    return tf.concat(xs, 0 if len(xs[0].shape) == 1 else 1)


def vstack(xs):
    """Tensors joined one below the other."""
    return tf.concat(together(*xs), 0)  # vectors become one row of numbers, as in Keras


def append(x1, x2, axis=None):
    """x1 with x2 behind it."""
    a, b = together(x1, x2)
    return tf.concat([tf.reshape(a, [-1]), tf.reshape(b, [-1])], 0) if axis is None else tf.concat([a, b], axis)


def split(x, indices_or_sections, axis=0):
    """Parts along an axis: so many equal ones, or cut at indices."""
    x = tensor(x)
    if isinstance(indices_or_sections, int):
        return tf.split(x, indices_or_sections, axis)
    places = [0, *(int(i) for i in indices_or_sections), int(x.shape[axis])]
    return tf.split(x, [b - a for a, b in zip(places, places[1:])], axis)


array_split = split


def tile(x, repeats):
    """x repeated along each axis."""
    x = tensor(x)
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = builtins.max(len(x.shape), len(repeats))
    x = tf.reshape(x, [1] * (rank - len(x.shape)) + list(x.shape))
    return tf.tile(x, [1] * (rank - len(repeats)) + repeats)


def repeat(x, repeats, axis=None):
    """Each element repeated."""
    x = tensor(x)
    return tf.repeat(tf.reshape(x, [-1]) if axis is None else x, repeats, axis=0 if axis is None else axis)


def flip(x, axis=None):
    """x backwards along axes."""
    x = tensor(x)
    return tf.reverse(x, list(range(len(x.shape))) if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis])


def roll(x, shift, axis=None):
    """Elements moved along an axis; what leaves at one end enters at the other."""
    x = tensor(x)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), x.shape)
    return tf.roll(x, shift, axis)


def rot90(array, k=1, axes=(0, 1)):
    """Turned by k quarters in the plane of two axes."""
    array = tensor(array)
    for _ in range(k % 4):
        array = flip(swapaxes(array, *axes), axes[0])
    return array


def moveaxis(x, source, destination):
    """Axes moved to other places."""
    x = tensor(x)
    listed = lambda v: [v] if isinstance(v, int) else list(v)  # noqa: E731
    rank = len(x.shape)
    source, destination = [a % rank for a in listed(source)], [a % rank for a in listed(destination)]
    order = [a for a in range(rank) if a not in source]
    for to, at in sorted(zip(destination, source)):
        order.insert(to, at)
    return tf.transpose(x, order)


def swapaxes(x, axis1, axis2):
    """Two axes in each other's place."""
    x = tensor(x)
    order = list(range(len(x.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(x, order)


def broadcast_to(x, shape):
    """x repeated to this shape."""
    return tf.broadcast_to(tensor(x), shape)


def pad(x, pad_width, mode="constant", constant_values=None):
    """x with a border."""
    x = tensor(x)
    rank = len(x.shape)
    if isinstance(pad_width, int):
        pad_width = [(pad_width, pad_width)] * rank
    elif isinstance(pad_width[0], int):
        pad_width = [tuple(pad_width) if len(pad_width) == 2 else (pad_width[0],) * 2] * rank
    elif len(pad_width) == 1:
        pad_width = list(pad_width) * rank
    pad_width = [(p[0], p[-1]) for p in pad_width]
    return tf.pad(x, pad_width, mode.upper(), 0 if constant_values is None else constant_values)


def size(x):
    """How many elements there are."""
    return tf.size(tensor(x))


# ---- picking


def where(condition, x1=None, x2=None):
    """x1 where the condition holds, otherwise x2; or the places where it holds."""
    condition = tf.cast(tensor(condition), "bool")
    if x1 is None and x2 is None:
        return nonzero(condition)
    a, b = together(x1, x2)
    return tf.where(condition, a, b)


def nonzero(x):
    """The places of elements that are not 0, one tensor for each axis."""
    return tuple(tf.cast(v, "int32") for v in tf.unstack(tf.where(tf.cast(tensor(x), "bool")), axis=1))


def select(condlist, choicelist, default=0):
    """For each element the choice of the first condition that holds."""
    made = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        made = where(condition, choice, made)
    return made


def take(x, indices, axis=None):
    """Elements or slices at indices."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    n = tf.cast(tf.shape(x)[axis], indices.dtype)
    return tf.gather(x, tf.where(indices < 0, indices + n, indices), axis=axis)


def take_along_axis(x, indices, axis=None):
    """Elements at indices, which have the shape of the result."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        return tf.gather(tf.reshape(x, [-1]), tf.reshape(indices, [-1]))
    axis %= len(x.shape)
    last = len(x.shape) - 1
    sizes = [a if a == b or b == 1 else b for a, b in zip(x.shape, indices.shape)]
    sizes[axis] = indices.shape[axis]
    full = [n if i != axis else x.shape[axis] for i, n in enumerate(sizes)]
    x, indices = tf.broadcast_to(x, full), tf.broadcast_to(indices, sizes)
    x, indices = swapaxes(x, axis, last), swapaxes(indices, axis, last)
    indices = tf.where(indices < 0, indices + tf.cast(x.shape[-1], indices.dtype), indices)
    return swapaxes(tf.gather(x, indices, axis=-1, batch_dims=last), axis, last)


def sort(x, axis=-1):
    """In order along an axis."""
    x = tensor(x)
    return tf.cast(tf.sort(tf.cast(x, "uint8"), axis=axis), "bool") if name_of(x) == "bool" else tf.sort(x, axis=axis)


def argsort(x, axis=-1):
    """The places that put x in order along an axis."""
    x = tensor(x) if axis is not None else tf.reshape(tensor(x), [-1])
    x = tf.cast(x, "uint8") if name_of(x) == "bool" else x
    return tf.cast(tf.argsort(x, axis=-1 if axis is None else axis, stable=True), "int32")


def searchsorted(sorted_sequence, values, side="left"):
    """Where values would be put into a sorted sequence."""
    return tf.searchsorted(tensor(sorted_sequence), tensor(values), side)


def digitize(x, bins):
    """The number of the bin that each element falls into."""
    bins, x = (floating(v) for v in together(bins, x))
    return tf.reshape(tf.searchsorted(bins, tf.reshape(x, [-1]), "right"), x.shape)


def bincount(x, weights=None, minlength=0, sparse=False):
    """How often each whole number occurs."""
    x = tensor(x)
    dtype = "int32"
    if weights is not None:
        weights = tensor(weights)
        dtype = result_type(name_of(x), name_of(weights))
        weights = as_dtype(weights, {"bfloat16": "float32", "float16": "float32"}.get(name_of(weights), name_of(weights)))
    counted = x if name_of(x) in ("int32", "int64") else tf.cast(x, "int32")
    made = tf.math.bincount(counted, weights=weights, minlength=minlength, axis=-1)
    return as_dtype(made, dtype)


def unique(x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None, size=None, fill_value=None):
    """Each value once, in order."""
    x = tensor(x)
    array, flat = np.asarray(x), axis is None
    if axis is None:
        array, axis = array.reshape(-1), 0
    values, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    inverse = inverse.reshape(-1)
    if not sorted:  # in the order in which they come
        order = np.argsort(first, kind="stable")
        values, first, counts = np.take(values, order, axis), first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    if size is not None:
        lacks = builtins.max(size - len(first), 0)
        fill = values.reshape(-1).min() if fill_value is None and values.size else fill_value or 0
        cut = lambda v, filler: np.concatenate([np.asarray(v)[:size], np.full(lacks, filler, np.asarray(v).dtype)])  # noqa: E731
        values = np.take(values, range(builtins.min(size, len(first))), axis)
        values = np.concatenate([values, np.full((*values.shape[:axis], lacks, *values.shape[axis + 1:]), fill, values.dtype)], axis)
        first, counts = cut(first, 0), cut(counts, 0)
    inverse = inverse.reshape(x.shape) if flat else inverse
    values = as_dtype(tensor(values), name_of(x))
    made = [values] + ([first.astype("int32")] if return_index else []) + ([inverse.astype("int32")] if return_inverse else []) + ([counts.astype("int32")] if return_counts else [])
    return tensor(made[0]) if len(made) == 1 else tuple(tensor(v) for v in made)


def diag(x, k=0):
    """A matrix with this diagonal, or the diagonal of a matrix."""
    x = tensor(x)
    return tf.linalg.diag(x, k=k) if len(x.shape) == 1 else diagonal(x, k)


def diagonal(x, offset=0, axis1=0, axis2=1):
    """The diagonal along two axes."""
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    return tf.linalg.diag_part(x, k=offset)


def tril(x, k=0):
    """x with zeros above its k-th diagonal."""
    x = tensor(x)
    return tf.where(tensor(np.tri(*x.shape[-2:], k, dtype=bool)), x, tf.zeros_like(x))


def triu(x, k=0):
    """x with zeros below its k-th diagonal."""
    x = tensor(x)
    return tf.where(tensor(~np.tri(*x.shape[-2:], k - 1, dtype=bool)), x, tf.zeros_like(x))


def clip(x, x_min, x_max):
    """x with what lies outside of [x_min, x_max] moved to its ends."""
    x = tensor(x)
    x = tf.cast(x, "int32") if name_of(x) == "bool" else x
    bound = lambda v: tf.cast(v, x.dtype) if hasattr(v, "dtype") or is_whole(name_of(x)) else v  # noqa: E731
    return tf.clip_by_value(x, bound(x_min), bound(x_max))


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """x with numbers for what is NaN or infinite."""
    x = tensor(x)
    if is_whole(name_of(x)):
        return x
    largest = float(tf.as_dtype(name_of(x)).max) if name_of(x) != "bfloat16" else 3.3895313892515355e38
    x = tf.where(tf.math.is_nan(x), tf.cast(nan, x.dtype), x)
    x = tf.where(x == np.inf, tf.cast(largest if posinf is None else posinf, x.dtype), x)
    return tf.where(x == -np.inf, tf.cast(-largest if neginf is None else neginf, x.dtype), x)


def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Are elements equal but for rounding?"""
    a, b = together(tensor(x1), tensor(x2))
    if "float" not in name_of(a):
        return tf.equal(a, b)
    made = tf.abs(a - b) <= atol + rtol * tf.abs(b)
    return tf.logical_or(made, tf.logical_and(tf.math.is_nan(a), tf.math.is_nan(b))) if equal_nan else made


# ---- products


def _factors(*operands):
    """Tensors of one dtype. Products of int8 are counted in int32; bools are as numbers, and the result is to be bool."""
    made = together(*operands)
    if name_of(made[0]) == "int8":
        return [tf.cast(x, "int32") for x in made], "int32"
    if name_of(made[0]) == "bool":
        return [tf.cast(x, "float32") for x in made], "bool"
    return made, name_of(made[0])


def matmul(x1, x2):
    """The product of matrices in the last two axes; of int8 in int32."""
    if builtins.min(len(shape(x1)), len(shape(x2))) == 1:
        (a, b), dtype = _factors(x1, x2)
        if len(a.shape) == 1 and len(b.shape) > 1:  # a row before a stack of matrices
            return as_dtype(tf.matmul(a[None], b)[..., 0, :], dtype)
        return as_dtype(tf.tensordot(a, b, [[-1], [0]]), dtype)
    (a, b), dtype = _factors(x1, x2)
    return as_dtype(tf.matmul(a, b), dtype)


def dot(x1, x2):
    """The sum of products over the last axis of x1 and the last but one of x2."""
    a, b = together(tensor(x1), tensor(x2))
    return _product(a, b, lambda a, b: tf.tensordot(a, b, [[-1], [0 if len(b.shape) == 1 else len(b.shape) - 2]]))


def _product(a, b, f):
    dtype = name_of(a)
    if dtype == "bool":
        a, b = tf.cast(a, "float32"), tf.cast(b, "float32")
    return as_dtype(a * b if not a.shape or not b.shape else f(a, b), dtype)


def vdot(x1, x2):
    """The sum of products of all elements."""
    return dot(tf.reshape(tensor(x1), [-1]), tf.reshape(tensor(x2), [-1]))


def inner(x1, x2):
    """The sum of products over the last axes."""
    a, b = together(tensor(x1), tensor(x2))
    return _product(a, b, lambda a, b: tf.tensordot(a, b, [[-1], [-1]]))


def outer(x1, x2):
    """The product of each element with each."""
    a, b = together(tensor(x1), tensor(x2))
    return multiply(tf.reshape(a, [-1, 1]), tf.reshape(b, [1, -1]))  # noqa: F821


def tensordot(x1, x2, axes=2):
    """The sum of products over several axes."""
    a, b = together(tensor(x1), tensor(x2))
    if name_of(a) == "bool":
        return tf.cast(tf.tensordot(tf.cast(a, "float32"), tf.cast(b, "float32"), axes), "bool")
    return tf.tensordot(a, b, axes)


def einsum(subscripts, *operands):
    """Products and sums as an equation says: einsum('ij,jk->ik', a, b)."""
    operands, dtype = _factors(*operands)
    return as_dtype(tf.einsum(subscripts, *operands), dtype)


def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product."""
    a, b = together(tensor(x1), tensor(x2))
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat = a.shape[-1] == b.shape[-1] == 2
    grown = lambda v: tf.pad(v, [[0, 0]] * (len(v.shape) - 1) + [[0, 1]]) if v.shape[-1] == 2 else v  # noqa: E731
    a, b = grown(a), grown(b)
    shape = tf.broadcast_static_shape(a.shape, b.shape)
    made = tf.linalg.cross(tf.broadcast_to(a, shape), tf.broadcast_to(b, shape))
    return made[..., 2] if flat else moveaxis(made, -1, axisc)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("np", "tf", "builtins", "as_dtype", "floating", "is_whole", "name_of", "named", "one", "result_type", "tensor", "together", "two", "shape")]
