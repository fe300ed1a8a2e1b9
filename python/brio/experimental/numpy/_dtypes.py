"""NumPy's rules for dtypes: what values become by themselves, and together."""

import numpy as np

import brio as tf
from brio import _core

_plain_float, _plain_complex = float, complex  # what numbers of Python are


def prefer_float32(yes):
    """Are Python's floats float32, not float64?"""
    global _plain_float, _plain_complex
    _plain_float, _plain_complex = (np.dtype(np.float32), np.dtype(np.complex64)) if yes else (float, complex)


def _kinds(x):
    """What np.result_type is asked with: numbers of Python have no size, in lists neither."""
    if isinstance(x, (_core.Tensor, _core.Variable)):
        return [np.dtype(x.dtype.as_numpy_dtype)]
    if type(x) is float or x is float:
        return [x if _plain_float is float else _plain_float]
    if type(x) is complex or x is complex:
        return [x if _plain_complex is complex else _plain_complex]
    if isinstance(x, (bool, int, float, complex, np.dtype, type)):
        return [x]
    if isinstance(x, _core.DType):
        return [np.dtype(x.as_numpy_dtype)]
    if isinstance(x, (list, tuple)):
        return [kind for v in x for kind in _kinds(v)] or [np.dtype(np.float64)]
    return [np.asarray(x).dtype]


def joined(*arrays_and_dtypes):
    """The dtype of values and dtypes together, NumPy's."""
    kinds = [kind for x in arrays_and_dtypes for kind in _kinds(x)]
    plain = {type(kind): type(kind)() for kind in kinds if isinstance(kind, (bool, int, float, complex))}  # one of each
    return np.result_type(*plain.values(), *{k for k in kinds if isinstance(k, (np.dtype, type))})


def asarray(a, dtype=None):
    """A tensor of numbers, lists, arrays and tensors."""
    wanted = joined(a if dtype is None else dtype)
    if isinstance(a, (_core.Tensor, _core.Variable)):
        return tf.convert_to_tensor(a) if a.dtype == wanted.name else tf.cast(a, wanted)
    if isinstance(a, (list, tuple)) and any(isinstance(v, (_core.Tensor, _core.Variable, list, tuple)) for v in a):
        return tf.stack([asarray(v, wanted) for v in a])
    return tf.constant(np.asarray(a).astype(wanted))


def alike(*values, dtype=None):
    """Tensors of one dtype."""
    wanted = joined(*values) if dtype is None else dtype
    return [asarray(v, wanted) for v in values]


def to_float(x):
    """Whole numbers as float64, or float32 where that was preferred."""
    return (
        x
        if x.dtype.is_floating or x.dtype.is_complex
        else tf.cast(x, "float64" if _plain_float is float else "float32")
    )


def to_int(x, dtype=None):
    """Whole numbers of less than 64 bits as those of 64, unless a dtype was asked for."""
    if dtype is not None or not (x.dtype.is_integer or x.dtype.is_bool):
        return x
    return tf.cast(x, "uint64" if x.dtype.is_unsigned else "int64")


def lift_one(f, floats=False):
    """A function of one tensor as NumPy's."""

    def call(x):
        x = asarray(x)
        return f(to_float(x) if floats else x)

    return _like(f, call)


def lift_two(f, floats=False):
    """A function of two tensors as NumPy's."""

    def call(x1, x2):
        a, b = alike(x1, x2)
        return f(to_float(a), to_float(b)) if floats else f(a, b)

    return _like(f, call)


def _like(f, call):
    call.__name__, call.__qualname__, call.__module__ = f.__name__, f.__name__, __package__
    call.__doc__ = f.__doc__
    return call
