"""tf.experimental.numpy: NumPy's functions of tensors, with NumPy's dtypes. Whole numbers are int64 and others float64
unless they come with a dtype; operands of different dtypes become what np.result_type says."""

import numpy as _np
from numpy import (
    bool_, complex64, complex128, e, float16, float32, float64, iinfo, inf, int8, int16, int32, int64, int_, newaxis,
    pi, uint8, uint16, uint32, uint64,
)  # fmt: skip

import brio as _tf
from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.experimental.numpy import _dtypes, random
from brio.experimental.numpy._dtypes import alike, asarray, joined, lift_one, lift_two, to_float, to_int
from brio.keras import ops as _ops

ndarray = _core.Tensor
__getattr__ = _attribute_error_of(__name__)

_ANY = (
    "abs absolute negative square conj conjugate real imag isnan isinf isfinite logical_not bitwise_not ravel signbit "
    "sign copy"
).split()
_FLOATS = (
    "arccos arccosh arcsin arcsinh arctan arctanh ceil cos cosh deg2rad exp exp2 expm1 floor log log10 log1p log2 "
    "rad2deg reciprocal sin sinh sqrt tan tanh"
).split()
_PAIRS = (
    "add subtract multiply maximum minimum mod remainder floor_divide power equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor matmul dot vdot inner outer"
).split()
_FLOAT_PAIRS = "divide true_divide arctan2 hypot logaddexp".split()
for _name in _ANY:
    globals()[_name] = lift_one(getattr(_ops, _name))
for _name in _FLOATS:
    globals()[_name] = lift_one(getattr(_ops, _name), floats=True)
for _name in _PAIRS:
    globals()[_name] = lift_two(getattr(_ops, _name))
for _name in _FLOAT_PAIRS:
    globals()[_name] = lift_two(getattr(_ops, _name), floats=True)


def array(val, dtype=None, copy=True, ndmin=0):
    """A tensor of numbers, lists, arrays and tensors."""
    made = asarray(val, dtype)
    return _tf.reshape(made, [1] * (ndmin - made.shape.rank) + list(made.shape)) if made.shape.rank < ndmin else made


# ---- making


def zeros(shape, dtype=float64):
    """A tensor of zeros."""
    return _tf.zeros(_shape(shape), dtype)


def ones(shape, dtype=float64):
    """A tensor of ones."""
    return _tf.ones(_shape(shape), dtype)


def empty(shape, dtype=float64):
    """A tensor of zeros: nothing is left uninitialized."""
    return zeros(shape, dtype)


def full(shape, fill_value, dtype=None):
    """A tensor of one value."""
    return _tf.broadcast_to(asarray(fill_value, dtype), _shape(shape))


def zeros_like(a, dtype=None):
    """Zeros in the shape of a."""
    return _tf.zeros_like(asarray(a, dtype))


def ones_like(a, dtype=None):
    """Ones in the shape of a."""
    return _tf.ones_like(asarray(a, dtype))


def full_like(a, fill_value, dtype=None):
    """One value in the shape of a."""
    a = asarray(a, dtype)
    return full(a.shape, fill_value, a.dtype)


def eye(N, M=None, k=0, dtype=float64):
    """A matrix with ones on its k-th diagonal."""
    return _ops.eye(N, M, k, dtype)


def identity(n, dtype=float64):
    """The identity matrix."""
    return eye(n, dtype=dtype)


def arange(start, stop=None, step=1, dtype=None):
    """The numbers from start up to stop, which is left out, by step."""
    start, stop = (0, start) if stop is None else (start, stop)
    return _tf.range(*alike(start, stop, step, dtype=dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """num numbers at equal distances from start to stop."""
    start, stop = (to_float(x) for x in alike(start, stop))
    made = _ops.linspace(start, stop, num, endpoint, retstep, None, axis)
    if retstep:
        return (made[0] if dtype is None else _tf.cast(made[0], dtype)), made[1]
    return made if dtype is None else _tf.cast(made, dtype)


def _shape(shape):
    return (
        [int(n) for n in _np.atleast_1d(_np.asarray(shape, int64))] if not isinstance(shape, _tf.TensorShape) else shape
    )


# ---- reductions


def sum(a, axis=None, dtype=None, keepdims=None):
    """The sum along axes; small whole numbers become int64."""
    return _tf.reduce_sum(to_int(asarray(a, dtype), dtype), axis, bool(keepdims))


def prod(a, axis=None, dtype=None, keepdims=None):
    """The product along axes; small whole numbers become int64."""
    return _tf.reduce_prod(to_int(asarray(a, dtype), dtype), axis, bool(keepdims))


def mean(a, axis=None, dtype=None, out=None, keepdims=None):
    """The mean along axes."""
    return _tf.reduce_mean(to_float(asarray(a, dtype)), axis, bool(keepdims))


def std(a, axis=None, keepdims=None):
    """The standard deviation along axes."""
    return _tf.math.reduce_std(to_float(asarray(a)), axis, bool(keepdims))


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    """The variance along axes."""
    a = to_float(asarray(a, dtype))
    made = _tf.math.reduce_variance(a, axis, bool(keepdims))
    if not ddof:
        return made
    n = a.shape.num_elements() // max(made.shape.num_elements(), 1)
    return made * (n / (n - ddof))


def amax(a, axis=None, out=None, keepdims=None):
    """The largest along axes."""
    return _ops.max(asarray(a), axis, bool(keepdims))


def amin(a, axis=None, out=None, keepdims=None):
    """The smallest along axes."""
    return _ops.min(asarray(a), axis, bool(keepdims))


max, min = amax, amin


def all(a, axis=None, keepdims=None):
    """True where all along axes are."""
    return _ops.all(asarray(a, bool_), axis, bool(keepdims))


def any(a, axis=None, keepdims=None):
    """True where one or more along axes are."""
    return _ops.any(asarray(a, bool_), axis, bool(keepdims))


def argmax(a, axis=None):
    """Where the first of the largest is."""
    return _tf.cast(_ops.argmax(asarray(a), axis), int64)


def argmin(a, axis=None):
    """Where the first of the smallest is."""
    return _tf.cast(_ops.argmin(asarray(a), axis), int64)


def cumsum(a, axis=None, dtype=None):
    """The running sum along an axis."""
    return _ops.cumsum(to_int(asarray(a, dtype), dtype), axis)


def cumprod(a, axis=None, dtype=None):
    """The running product along an axis."""
    return _ops.cumprod(to_int(asarray(a, dtype), dtype), axis)


# ---- shapes


def reshape(a, newshape, order="C"):
    """The same elements in another shape."""
    if order not in ("C", "A"):
        raise ValueError(f"[reshape] order is {order!r}; rows lie one behind the other here: 'C'")
    return _tf.reshape(asarray(a), newshape if hasattr(newshape, "__len__") else [newshape])


def transpose(a, axes=None):
    """The axes in another order; by default reversed."""
    return _tf.transpose(asarray(a), axes)


def expand_dims(a, axis):
    """A new axis of size 1."""
    return _tf.expand_dims(asarray(a), axis)


def squeeze(a, axis=None):
    """Without axes of size 1."""
    return _tf.squeeze(asarray(a), axis)


def _first(name):
    f = getattr(_ops, name)

    def call(a, *args, **kwargs):
        return f(asarray(a), *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f.__doc__
    return call


for _name in "flip roll repeat tile sort diag tril triu trace take moveaxis swapaxes broadcast_to rot90 diff".split():
    globals()[_name] = _first(_name)


def argsort(a, axis=-1, kind="quicksort", order=None):
    """The places that put a in order along an axis."""
    return _tf.cast(_ops.argsort(asarray(a), axis), int64)


def concatenate(arys, axis=0):
    """Tensors joined along an axis."""
    return _tf.concat(alike(*arys), axis)


def stack(arrays, axis=0):
    """Tensors joined along a new axis."""
    return _tf.stack(alike(*arrays), axis)


def hstack(tup):
    """Tensors joined side by side."""
    return _ops.hstack(alike(*tup))


def vstack(tup):
    """Tensors joined one below the other."""
    return _ops.concatenate([_tf.reshape(x, [1, -1]) if len(x.shape) < 2 else x for x in alike(*tup)], 0)


def append(arr, values, axis=None):
    """arr with values behind it."""
    return _ops.append(*alike(arr, values), axis)


def split(ary, indices_or_sections, axis=0):
    """Parts along an axis: so many equal ones, or cut at indices."""
    return _ops.split(asarray(ary), indices_or_sections, axis)


def size(x, axis=None):
    """How many elements there are, or how many along an axis."""
    x = asarray(x)
    return x.shape.num_elements() if axis is None else x.shape[axis]


def ndim(a):
    """How many axes there are."""
    return asarray(a).shape.rank


def shape(a):
    """The sizes, as a tuple."""
    return tuple(asarray(a).shape)


def flatten(a, order="C"):
    """All elements in one row."""
    return ravel(a)  # noqa: F821


# ---- the rest


def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
    """From now on operators join dtypes as NumPy does, and tensors have NumPy's methods:
    x.T, x.reshape(2, -1), x.astype(...)."""
    if dtype_conversion_mode != "legacy":
        raise ValueError(
            "[experimental_enable_numpy_behavior] Brio has NumPy's own rules alone: leave dtype_conversion_mode out"
        )
    _core._join_dtypes(True)
    _dtypes.prefer_float32(bool(prefer_float32))
    for cls in (_core.Tensor, _core.Variable):
        cls.T = property(transpose)
        cls.size = property(size)
        cls.transpose = lambda self, *axes: transpose(self, _several(axes) if axes else None)
        cls.reshape = lambda self, *shape: reshape(self, _several(shape))
        cls.flatten, cls.ravel, cls.clip = flatten, ravel, clip  # noqa: F821
        cls.astype = lambda self, dtype: _tf.cast(self, dtype)
        cls.tolist = lambda self: self.numpy().tolist()


def _several(given):
    """Sizes or axes, which come as one list or one by one."""
    return given[0] if len(given) == 1 else given


def result_type(*arrays_and_dtypes):
    """The dtype of values and dtypes together."""
    return _tf.as_dtype(joined(*arrays_and_dtypes))


def where(condition, x=None, y=None):
    """x where the condition holds, otherwise y; or the places where it holds."""
    condition = asarray(condition, bool_)
    if x is None and y is None:
        return tuple(_tf.cast(places, int64) for places in _ops.nonzero(condition))
    return _tf.where(condition, *alike(x, y))


def clip(a, a_min, a_max):
    """a with what lies outside of [a_min, a_max] moved to its ends."""
    a, low, high = alike(*(v for v in (a, a_min, a_max)))
    return _tf.minimum(_tf.maximum(a, low), high)


def tensordot(a, b, axes=2):
    """The sum of products over several axes."""
    return _tf.tensordot(*alike(a, b), axes)


def einsum(subscripts, *operands, **kwargs):
    """Products and sums as an equation says: einsum('ij,jk->ik', a, b)."""
    return _tf.einsum(subscripts, *alike(*operands))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Are elements equal but for rounding?"""
    a, b = (to_float(x) for x in alike(a, b))
    return _ops.isclose(a, b, rtol, atol, equal_nan)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Are all elements equal but for rounding?"""
    return _tf.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1, a2):
    """Are shapes and elements equal?"""
    a1, a2 = asarray(a1), asarray(a2)
    return _tf.reduce_all(equal(a1, a2)) if a1.shape == a2.shape else _tf.constant(False)  # noqa: F821


# Python's own names and the tools of this file are not NumPy's.
__all__ = [
    n
    for n in dir()
    if not n.startswith("_") and n not in ("alike", "joined", "lift_one", "lift_two", "to_float", "to_int")
]
