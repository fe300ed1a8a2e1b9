"""keras.ops: functions of NumPy's that fewer programs call, made of those that many do."""

import numpy as np

import brio as tf
from brio.keras.ops import _picking, _reducing, _shaping
from brio.keras.ops._convert import floating, is_whole, name_of, own, tensor, together


def _is_float(x):
    return "float" in name_of(x)


def _wide_floating(x):
    """Whole numbers as float32, but int64 as float64: so Keras has it in a few functions."""
    return tf.cast(x, "float64") if name_of(x) == "int64" else floating(x)


# ---- element by element


def fabs(x):
    """The distance from 0, as a float."""
    return tf.abs(floating(x))


def trunc(x):
    """Numbers without what is behind the point."""
    x = tensor(x)
    return x if is_whole(name_of(x)) else tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


def cbrt(x):
    """The third root."""
    x = _wide_floating(tensor(x))
    return tf.sign(x) * tf.pow(tf.abs(x), 1 / 3)


def fmod(x1, x2):
    """The rest of a division, with the sign of x1."""
    x1, x2 = together(x1, x2)
    return tf.math.floormod(tf.abs(x1), tf.abs(x2)) * tf.sign(x1)


def fmax(x1, x2):
    """The larger of two numbers; a number rather than NaN."""
    x1, x2 = together(x1, x2)
    return tf.where(_is_nan(x1), x2, tf.where(_is_nan(x2), x1, tf.maximum(x1, x2)))


def fmin(x1, x2):
    """The smaller of two numbers; a number rather than NaN."""
    x1, x2 = together(x1, x2)
    return tf.where(_is_nan(x1), x2, tf.where(_is_nan(x2), x1, tf.minimum(x1, x2)))


def heaviside(x1, x2):
    """0 below 0, 1 above it, and x2 at it."""
    x1, x2 = map(_wide_floating, together(tensor(x1), tensor(x2)))
    return tf.where(x1 < 0, tf.zeros_like(x1), tf.where(x1 > 0, tf.ones_like(x1), x2))


def sinc(x):
    """sin(πx) / (πx)."""
    x = floating(x) * np.pi
    return tf.where(tf.equal(x, 0), tf.ones_like(x), tf.sin(x) / tf.where(tf.equal(x, 0), tf.ones_like(x), x))


def isposinf(x):
    """Is it infinity?"""
    x = floating(x)
    return tf.logical_and(tf.math.is_inf(x), x > 0)


def isneginf(x):
    """Is it minus infinity?"""
    x = floating(x)
    return tf.logical_and(tf.math.is_inf(x), x < 0)


def isreal(x):
    """Has it no imaginary part?"""
    x = tensor(x)
    return tf.equal(tf.math.imag(x), 0) if "complex" in name_of(x) else tf.ones_like(x, dtype="bool")


def logaddexp2(x1, x2):
    """log2(2**x1 + 2**x2)."""
    x1, x2 = together(floating(x1), floating(x2))
    apart = x1 - x2
    made = tf.maximum(x1, x2) + tf.math.log1p(tf.exp(-tf.abs(apart) * float(np.log(2)))) / float(np.log(2))
    return tf.where(tf.math.is_nan(apart), x1 + x2, made)  # of two infinities the sum


def ldexp(x1, x2):
    """x1 · 2**x2."""
    x1 = floating(x1)
    made = x1 * tf.pow(tf.cast(2, x1.dtype), tf.cast(tensor(x2), x1.dtype))
    return tf.where(tf.logical_or(tf.math.is_inf(x1), tf.equal(x1, 0)), x1, made)  # which no power changes


def bitwise_invert(x):
    """All bits turned round."""
    return tf.bitwise.invert(tensor(x))


def bitwise_left_shift(x, y):
    """Bits moved to the left."""
    return tf.bitwise.left_shift(*together(x, y))


def bitwise_right_shift(x, y):
    """Bits moved to the right."""
    return tf.bitwise.right_shift(*together(x, y))


left_shift, right_shift = bitwise_left_shift, bitwise_right_shift


def isin(x1, x2, assume_unique=False, invert=False):
    """Which elements of x1 are among those of x2."""
    x1, x2 = together(x1, x2)
    found = tf.reduce_any(tf.equal(tf.expand_dims(x1, -1), tf.reshape(x2, [-1])), -1)
    return tf.logical_not(found) if invert else found


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Are all elements nearly the same?"""
    from brio.keras.ops import numpy

    return tf.reduce_all(numpy.isclose(x1, x2, rtol, atol, equal_nan))


# ---- without NaN


def _is_nan(x):
    return tf.math.is_nan(x) if _is_float(x) else tf.zeros_like(x, dtype="bool")


def _instead(x, value):
    """x with a number in the place of NaN."""
    x = tensor(x)
    return tf.where(_is_nan(x), tf.cast(value, x.dtype), x) if _is_float(x) else x


def nansum(x, axis=None, keepdims=False):
    """The sum of what is no NaN."""
    return _reducing.sum(_instead(x, 0), axis=axis, keepdims=keepdims)


def nanprod(x, axis=None, keepdims=False, dtype=None):
    """The product of what is no NaN."""
    return _reducing.prod(_instead(x, 1), axis=axis, keepdims=keepdims, dtype=dtype)


def _counted(x, axis, keepdims):
    return tf.reduce_sum(tf.cast(tf.logical_not(_is_nan(x)), x.dtype), axis, keepdims)


def nanmean(x, axis=None, keepdims=False):
    """The mean of what is no NaN."""
    x = floating(x)
    return tf.reduce_sum(_instead(x, 0), axis, keepdims) / _counted(x, axis, keepdims)


def nanvar(x, axis=None, keepdims=False):
    """The variance of what is no NaN."""
    x = floating(x)
    apart = tf.square(x - nanmean(x, axis, True))  # of infinity it is NaN, and counts
    return tf.reduce_sum(tf.where(_is_nan(x), tf.zeros_like(apart), apart), axis, keepdims) / _counted(
        x, axis, keepdims
    )


def nanstd(x, axis=None, keepdims=False):
    """The deviation of what is no NaN."""
    return tf.sqrt(nanvar(x, axis, keepdims))


def _extreme(f, of_bools, beyond, x, axis, keepdims):
    x = tensor(x)
    if not _is_float(x):
        return (of_bools if name_of(x) == "bool" else f)(x, axis, keepdims)
    made = f(_instead(x, beyond), axis, keepdims)
    return tf.where(tf.reduce_all(_is_nan(x), axis, keepdims), tf.cast(np.nan, x.dtype), made)


def nanmax(x, axis=None, keepdims=False):
    """The largest of what is no NaN."""
    return _extreme(tf.reduce_max, tf.reduce_any, -np.inf, x, axis, keepdims)


def nanmin(x, axis=None, keepdims=False):
    """The smallest of what is no NaN."""
    return _extreme(tf.reduce_min, tf.reduce_all, np.inf, x, axis, keepdims)


def nancumsum(x, axis=None, dtype=None):
    """Running sums that pass NaN over; infinities count as the largest numbers, as in Keras."""
    from brio.keras.ops import numpy

    return _reducing.cumsum(numpy.nan_to_num(x), axis=axis, dtype=dtype)


def ptp(x, axis=None, keepdims=False):
    """The largest less the smallest."""
    x = tensor(x)
    return tf.reduce_max(x, axis, keepdims) - tf.reduce_min(x, axis, keepdims)


def percentile(x, q, axis=None, method="linear", keepdims=False):
    """The number below which q percent lie."""
    from brio.keras.ops import numpy

    return numpy.quantile(x, floating(q) / 100, axis=axis, method=method, keepdims=keepdims)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area below points, by trapezoids."""
    y = floating(y)
    if x is not None:
        x = tf.cast(tensor(x), y.dtype)
        along = axis if len(x.shape) > 1 else -1  # one row of places serves all
        dx = _shaping.moveaxis(_reducing.diff(x, axis=along), along, -1)
    y = _shaping.moveaxis(y, axis, -1)
    return tf.reduce_sum((y[..., 1:] + y[..., :-1]) * (tf.cast(dx, y.dtype) / 2), -1)


# ---- shapes


def _turned(x, axis):
    x = tensor(x)
    return tf.reverse(x, [axis]) if len(x.shape) else x  # one number is the same from either end


def flipud(x):
    """Rows from the last to the first."""
    return _turned(x, 0)


def fliplr(x):
    """Columns from the last to the first."""
    return _turned(x, 1)


def dstack(xs):
    """Tensors side by side along the third axis."""
    deep = [tensor(x) for x in xs]
    deep = [tf.reshape(x, [1, -1, 1]) if len(x.shape) < 2 else x[..., None] if len(x.shape) == 2 else x for x in deep]
    return tf.concat(together(*deep), 2)


def hsplit(x, indices_or_sections):
    """Parts side by side."""
    return _shaping.split(x, indices_or_sections, axis=0 if len(tensor(x).shape) == 1 else 1)


def vsplit(x, indices_or_sections):
    """Parts one below the other."""
    return _shaping.split(x, indices_or_sections, axis=0)


def dsplit(x, indices_or_sections):
    """Parts along the third axis."""
    return _shaping.split(x, indices_or_sections, axis=2)


def diagflat(x, k=0):
    """A matrix with all elements on a diagonal."""
    return _picking.diag(tf.reshape(tensor(x), [-1]), k)


def kron(x1, x2):
    """Each element of x1 times all of x2, in their places."""
    x1, x2 = together(x1, x2)
    rank = max(len(x1.shape), len(x2.shape))
    grow = lambda x: tf.reshape(x, [1] * (rank - len(x.shape)) + list(x.shape))
    a, b = grow(x1), grow(x2)
    for axis in range(rank):
        a, b = tf.expand_dims(a, 2 * axis + 1), tf.expand_dims(b, 2 * axis)
    product = a * b
    return tf.reshape(product, [int(product.shape[2 * i]) * int(product.shape[2 * i + 1]) for i in range(rank)])


# ---- windows, whose numbers depend on nothing but their length


def _number(x):
    """The one number of a tensor or an array; of a complex one what is real of it."""
    x = np.asarray(tensor(x)).real
    if x.size != 1:
        raise TypeError(f"[keras.ops] a window takes numbers, but got an array of shape {x.shape}")
    return x.reshape(())


def _window(name, made):
    def window(x):
        return tf.constant(made(float(_number(x))).astype("float32"))

    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"The {name} window of so many numbers."
    return window


def _open(f):
    """Of a length that need not be whole: f is of the places below it, and of the last place of the window."""
    return lambda length: np.ones(1) if length == 1 else f(np.arange(length), length - 1)


bartlett = _window("bartlett", _open(lambda at, last: np.where(at <= last / 2, 2 * at / last, 2 - 2 * at / last)))
blackman = _window(
    "blackman",
    _open(lambda at, last: 0.42 - 0.5 * np.cos(2 * np.pi * at / last) + 0.08 * np.cos(4 * np.pi * at / last)),
)
hamming = _window("hamming", lambda length: np.hamming(int(length)))
hanning = _window("hanning", lambda length: np.hanning(int(length)))


def kaiser(x, beta):
    """The kaiser window of so many numbers."""
    return tf.constant(np.kaiser(int(_number(x)), float(_number(beta))).astype("float32"))


__all__ = own(globals())
