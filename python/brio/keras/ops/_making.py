"""keras.ops: NumPy's functions that make tensors."""

import numpy as np

import brio as tf
from brio.keras.ops._convert import as_dtype, name_of, own, result_type, tensor, together


def array(x, dtype=None):
    """x as a tensor."""
    return tensor(x) if dtype is None else tf.cast(tensor(x), dtype)


def arange(start, stop=None, step=None, dtype=None):
    """The numbers from start up to stop, which is left out, by step."""
    start, stop, step = (
        (0, start, 1 if step is None else step) if stop is None else (start, stop, 1 if step is None else step)
    )
    if dtype is None:
        dtype = result_type(
            *(
                name_of(v) if hasattr(v, "dtype") else "float" if isinstance(v, float) else "int"
                for v in (start, stop, step)
            )
        )
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
    wide = dtype if "float" in dtype else "float64" if dtype.endswith(("32", "64")) else "float32"
    start, stop = as_dtype(start, wide), as_dtype(stop, wide)
    parts = num - 1 if endpoint else num
    step = (stop - start) / tf.cast(parts, wide) if parts > 0 else tf.constant(np.nan)
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


__all__ = own(globals())
