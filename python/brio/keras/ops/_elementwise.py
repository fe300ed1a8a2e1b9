"""keras.ops: NumPy's functions of each element by itself."""

import numpy as np

import brio as tf
from brio.keras.ops._convert import as_dtype, floating, is_whole, name_of, named, one, own, tensor, together, two

_UNARY = {
    "abs": lambda x: x if _never_negative(x) else tf.abs(x),
    "absolute": lambda x: x if _never_negative(x) else tf.abs(x), "negative": tf.negative, "round": tf.round,
    "sign": tf.sign, "square": lambda x: tf.square(tf.cast(x, "int32") if name_of(x) == "bool" else x),
    "isnan": lambda x: tf.zeros(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_nan(x),
    "isinf": lambda x: tf.zeros(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_inf(x),
    "isfinite": lambda x: tf.ones(x.shape, "bool") if is_whole(name_of(x)) else tf.math.is_finite(x),
    "logical_not": lambda x: tf.logical_not(tf.cast(x, "bool")), "ndim": lambda x: len(x.shape), "copy": tf.identity,
    "conj": tf.math.conj, "conjugate": tf.math.conj, "real": tf.math.real, "imag": tf.math.imag,
    "invert": tf.bitwise.invert, "bitwise_not": tf.bitwise.invert, "ravel": lambda x: tf.reshape(x, [-1]),
    "signbit": lambda x: (x < 0) | ((x == 0) & (1 / x < 0)) if tf.as_dtype(x.dtype).is_floating else x < 0,
}  # fmt: skip
_FLOATING = {
    "ceil": tf.math.ceil,
    "floor": tf.floor,
    "arccos": tf.math.acos,
    "arccosh": tf.math.acosh,
    "arcsin": tf.math.asin,
    "arcsinh": tf.math.asinh,
    "arctan": tf.math.atan,
    "arctanh": tf.math.atanh,
    "cos": tf.cos,
    "cosh": tf.math.cosh,
    "exp": tf.exp,
    "expm1": tf.math.expm1,
    "exp2": lambda x: tf.pow(tf.cast(2, x.dtype), x),
    "log": tf.math.log,
    "log1p": tf.math.log1p,
    "log2": lambda x: tf.math.log(x) / tf.math.log(tf.cast(2, x.dtype)),
    "log10": lambda x: tf.math.log(x) / tf.math.log(tf.cast(10, x.dtype)),
    "reciprocal": tf.math.reciprocal,
    "sin": tf.sin,
    "sinh": tf.math.sinh,
    "sqrt": tf.sqrt,
    "tan": tf.math.tan,
    "tanh": tf.tanh,
}
_WIDE_FLOATING = {"deg2rad": lambda x: x * (np.pi / 180), "rad2deg": lambda x: x * (180 / np.pi)}  # fmt: skip
_BINARY = {
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": lambda a, b: tf.logical_and(a, b) if name_of(a) == "bool" else tf.multiply(a, b),
    "maximum": lambda a, b: tf.logical_or(a, b) if name_of(a) == "bool" else tf.maximum(a, b),
    "minimum": lambda a, b: tf.logical_and(a, b) if name_of(a) == "bool" else tf.minimum(a, b),
    "floor_divide": tf.math.floordiv,
    "power": tf.pow,
    "logical_and": lambda a, b: tf.logical_and(tf.cast(a, "bool"), tf.cast(b, "bool")),
    "logical_or": lambda a, b: tf.logical_or(tf.cast(a, "bool"), tf.cast(b, "bool")),
    "logical_xor": lambda a, b: tf.math.logical_xor(tf.cast(a, "bool"), tf.cast(b, "bool")),
}
# Numbers of Python are int32 and float32 to these, whatever stands beside them.
_OF_TENSORS = {
    "mod": lambda a, b: tf.math.floormod(*_not_bool(a, b)),
    "remainder": lambda a, b: tf.math.floormod(*_not_bool(a, b)), "bitwise_and": tf.bitwise.bitwise_and,
    "bitwise_or": tf.bitwise.bitwise_or, "bitwise_xor": tf.bitwise.bitwise_xor, "equal": tf.equal,
    "not_equal": tf.not_equal, "less": lambda a, b: tf.less(*_not_bool(a, b)),
    "less_equal": lambda a, b: tf.less_equal(*_not_bool(a, b)), "greater": lambda a, b: tf.greater(*_not_bool(a, b)),
    "greater_equal": lambda a, b: tf.greater_equal(*_not_bool(a, b)),
}  # fmt: skip
_FLOATING_BINARY = {"divide": tf.divide, "true_divide": tf.divide, "divide_no_nan": tf.math.divide_no_nan}
_FLOATING_OF_TENSORS = {"arctan2": tf.math.atan2, "logaddexp": lambda a, b: _log_of_sum(a, b)}  # fmt: skip
# What has no function of its own in C++.
_DOCS = {
    "multiply": "x1 times x2.", "maximum": "The larger of x1 and x2.", "minimum": "The smaller of x1 and x2.",
    "abs": "The size without the sign.", "absolute": "The size without the sign.", "square": "x times x.",
    "isnan": "True where x is NaN.", "isinf": "True where x is infinite.",
    "isfinite": "True where x is neither NaN nor infinite.", "mod": "The remainder of x1 / x2, with the sign of x2.",
    "remainder": "The remainder of x1 / x2, with the sign of x2.", "less": "True where x1 is less than x2.",
    "less_equal": "True where x1 is less than x2, or equal.", "greater": "True where x1 is greater than x2.",
    "greater_equal": "True where x1 is greater than x2, or equal.", "deg2rad": "Degrees as radians.",
    "exp2": "2 to the power of x.", "log10": "The logarithm to base 10.", "log2": "The logarithm to base 2.",
    "logaddexp": "log(exp(x1) + exp(x2)), which never overflows.", "logical_and": "True where both are.",
    "logical_not": "True where x is not.", "logical_or": "True where one or both are.",
    "logical_xor": "True where one is and the other is not.", "ndim": "How many axes there are.",
    "rad2deg": "Radians as degrees.", "ravel": "All elements in one row.",
    "signbit": "True where x has a minus: -0.0, too.",
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


def round(x, decimals=0):
    """The nearest number of so many decimals; halves go to the even one."""
    x = tensor(x)
    whole = is_whole(name_of(x))
    if not decimals or (whole and decimals > 0):
        return x if whole else tf.round(x)
    wide = floating(x)
    factor = tf.cast(10.0**decimals, wide.dtype)
    return as_dtype(tf.round(wide * factor) / factor, name_of(x))


def clip(x, x_min, x_max):
    """x with what lies outside of [x_min, x_max] moved to its ends."""
    x = tensor(x)
    x = tf.cast(x, "int32") if name_of(x) == "bool" else x
    bound = lambda v: tf.cast(v, x.dtype) if hasattr(v, "dtype") or is_whole(name_of(x)) else v
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


__all__ = own(globals())
