"""keras.ops: NumPy's functions that reduce axes, or run along them."""

import builtins

import numpy as np

import brio as tf
from brio.keras.ops._convert import as_dtype, floating, name_of, named, own, tensor, together
from brio.keras.ops._elementwise import maximum, minimum
from brio.keras.ops._shaping import moveaxis


def _reduction(f, floats=False):
    def call(x, axis=None, keepdims=False):
        return f(floating(x) if floats else tensor(x), axis=axis, keepdims=keepdims)

    return call


named(
    globals(),
    {"mean": tf.reduce_mean, "std": tf.math.reduce_std, "var": tf.math.reduce_variance},
    lambda f: _reduction(f, True),
    {},
)


def _summed(x):
    """Small whole numbers as those of 32 bits, which sums and products are counted in."""
    x = tensor(x)
    return as_dtype(
        x,
        {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}.get(
            name_of(x), name_of(x)
        ),
    )


def sum(x, axis=None, keepdims=False):
    """The sum along axes; of small integers in 32 bits."""
    return tf.reduce_sum(_summed(x), axis=axis, keepdims=keepdims)


def prod(x, axis=None, keepdims=False, dtype=None):
    """The product along axes; of small integers in 32 bits."""
    return tf.reduce_prod(_summed(x) if dtype is None else tf.cast(tensor(x), dtype), axis=axis, keepdims=keepdims)


def _extreme(f, of_bools, beside, x, axis, keepdims, initial):
    x = tensor(x)
    if initial is None and 0 in x.shape:
        raise tf.errors.InvalidArgumentError(
            f"[keras.ops] the largest or smallest of a tensor without elements, of shape {tuple(x.shape)}; give initial"
        )
    if name_of(x) == "bool":
        made = of_bools(x, axis=axis, keepdims=keepdims)
        return made if initial is None else tf.cast(beside(tf.cast(made, "int32"), tf.cast(initial, "int32")), "bool")
    made = f(x, axis=axis, keepdims=keepdims)
    return made if initial is None else beside(made, initial)


def max(x, axis=None, keepdims=False, initial=None):
    """The largest along axes."""
    return _extreme(tf.reduce_max, tf.reduce_any, maximum, x, axis, keepdims, initial)


def min(x, axis=None, keepdims=False, initial=None):
    """The smallest along axes."""
    return _extreme(tf.reduce_min, tf.reduce_all, minimum, x, axis, keepdims, initial)


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
    x = x if dtype is None else tf.cast(x, dtype)
    return tf.cast(x, "int32") if name_of(x) == "bool" else x


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
    axes = (
        list(range(rank))
        if axis is None
        else sorted(a % rank for a in (axis if isinstance(axis, (list, tuple)) else [axis]))
    )
    rest = [a for a in range(rank) if a not in axes]
    rows = tf.reshape(tf.transpose(x, rest + axes), [*(x.shape[a] for a in rest), -1])
    lost = tf.reduce_any(tf.math.is_nan(rows), -1)
    rows = tf.sort(rows)
    n, at = int(rows.shape[-1]), np.asarray(tensor(q)).astype("float64")
    place = at * (n - 1)
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    share = {
        "linear": place - low,
        "lower": 0 * place,
        "higher": np.ceil(place) - low,
        "nearest": np.rint(place) - low,
        "midpoint": 0.5 * (high > low),
    }[method]
    a, b = tf.gather(rows, low.reshape(-1), axis=-1), tf.gather(rows, high.reshape(-1), axis=-1)
    share = tf.cast(tensor(np.reshape(share, -1)), x.dtype)
    made = tf.where(share == 0, a, tf.where(share == 1, b, a * (1 - share) + b * share))  # a or b may be infinite
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
    if not -rank <= axis < rank:
        raise ValueError(f"[diff] axis {axis} is not there: the shape is {tuple(a.shape)}")
    axis %= rank
    for _ in range(builtins.min(n, a.shape[axis])):  # of nothing there are no differences
        part = lambda s: a[tuple(s if i == axis else slice(None) for i in range(rank))]  # noqa: B023
        later, sooner = part(slice(1, None)), part(slice(None, -1))
        a = tf.not_equal(later, sooner) if name_of(a) == "bool" else later - sooner
    return a


def trace(x, offset=0, axis1=0, axis2=1):
    """The sum of a diagonal."""
    x = moveaxis(_summed(x), (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    if offset and offset in (columns, -rows if rows else 0):  # just outside there is nothing to sum
        return tf.reduce_sum(tf.zeros_like(x), (-2, -1))
    return tf.reduce_sum(tf.linalg.diag_part(x, k=offset), -1)


__all__ = own(globals())
