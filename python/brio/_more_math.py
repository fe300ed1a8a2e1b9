"""Functions of tf.math and of tf that are made of others."""

from collections import namedtuple

from brio import _core
from brio._core import _math
from brio.errors import InvalidArgumentError

TopKV2 = namedtuple("TopKV2", ["values", "indices"])


def top_k(input, k=1, sorted=True, index_type="int32", name=None):
    """The k largest of the last axis, largest first, and where they lie."""
    values, indices = _math._top_k(input, k)
    return TopKV2(values, indices if _core.as_dtype(index_type) == _core.int32 else _core.cast(indices, index_type))


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of all tensors of a list."""
    return _core.add_n(inputs)


def scalar_mul(scalar, x, name=None):
    """x times one number."""
    return _core.multiply(scalar, x)


def bessel_i0e(x, name=None):
    """exp(-|x|) times the modified Bessel function of order 0."""
    return _scaled_bessel(x, 0)


def bessel_i1e(x, name=None):
    """exp(-|x|) times the modified Bessel function of order 1."""
    return _scaled_bessel(x, 1)


def _scaled_bessel(x, order):
    x = _core.convert_to_tensor(x)
    if x.dtype in (_core.float16, _core.bfloat16):
        return _core.cast(_scaled_bessel(_core.cast(x, "float32"), order), x.dtype)
    # The function itself overflows where it is large: from 60 on its asymptotic series is exact to the last bits.
    size = _core.abs(x)
    near, far = _core.clip_by_value(x, -60.0, 60.0), _core.maximum(size, 60.0)
    small = _core.exp(-_core.abs(near)) * (_math.bessel_i0 if order == 0 else _math.bessel_i1)(near)
    term = total = _core.ones_like(x)
    for k in range(1, 12):
        term = term * (((2 * k - 1) ** 2 - 4 * order * order) / (8.0 * k)) / far
        total = total + term
    large = total / _core.sqrt(far * 6.283185307179586)
    return _core.where(size < 60.0, small, large if order == 0 else large * _core.sign(x))


def lbeta(x, name=None):
    """The logarithm of |Beta(x)|, over the last axis."""
    x = _core.convert_to_tensor(x)
    wide = _core.cast(x, "float32") if x.dtype.size < 4 else x  # a sum that is rounded to a whole number may be a pole
    return _core.cast(
        _core.reduce_sum(_math.lgamma(wide), axis=-1) - _math.lgamma(_core.reduce_sum(wide, axis=-1)), x.dtype
    )


def bincount(
    arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None, binary_output=False
):
    """How often each of 0, 1, ... occurs among integers."""
    arr = _core.convert_to_tensor(arr)
    if axis is None or axis == 0:
        if arr.shape.rank != 1:
            arr = _core.reshape(arr, [-1])
            weights = None if weights is None else _core.reshape(weights, [-1])
        counts = _math._bincount(arr, weights, minlength, maxlength, dtype)
    elif axis == -1:
        if arr.shape.rank > 2:
            raise InvalidArgumentError(
                f"[bincount] along axis -1 takes a list or a matrix, but got shape {tuple(arr.shape)}"
            )
        if arr.shape.rank != 2:
            return bincount(arr, weights, minlength, maxlength, dtype, binary_output=binary_output)
        n = int(_core.reduce_max(arr)) + 1 if arr.shape.num_elements() else 0
        n = max(n, minlength or 0)
        if maxlength is not None:
            n = min(n, maxlength)
        rows = [None] * arr.shape[0] if weights is None else _core.unstack(_core.convert_to_tensor(weights))
        counts = _core.stack([_math._bincount(row, w, n, n, dtype) for row, w in zip(_core.unstack(arr), rows)])
    else:
        raise ValueError(f"[bincount] axis is {axis}; it is None, 0 or -1")
    return _core.cast(_core.cast(counts, "bool"), counts.dtype) if binary_output else counts


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype="int32", name=None):
    """How often each label (row) was predicted as each class (column)."""
    labels = _core.cast(_core.reshape(labels, [-1]), "int64")
    predictions = _core.cast(_core.reshape(predictions, [-1]), "int64")
    if num_classes is None:
        num_classes = int(_core.maximum(_core.reduce_max(labels), _core.reduce_max(predictions))) + 1
    ones = _core.ones_like(labels, dtype) if weights is None else _core.cast(_core.reshape(weights, [-1]), dtype)
    return _core.scatter_nd(_core.stack([labels, predictions], axis=1), ones, [num_classes, num_classes])


def invert_permutation(x, name=None):
    """The permutation that undoes another."""
    x = _core.convert_to_tensor(x)
    return _core.scatter_nd(_core.expand_dims(x, 1), _core.range(x.shape[0], dtype=x.dtype), [x.shape[0]])


def _steps(x):
    x = _core.reshape(x, [-1])
    return x[:-1], x[1:]


def is_non_decreasing(x, name=None):
    """True where no element is smaller than the one before."""
    before, after = _steps(x)
    return _core.reduce_all(before <= after)


def is_strictly_increasing(x, name=None):
    """True where every element is larger than the one before."""
    before, after = _steps(x)
    return _core.reduce_all(before < after)


def zero_fraction(value, name=None):
    """The share of elements that are 0."""
    value = _core.convert_to_tensor(value)
    return _core.reduce_mean(_core.cast(_core.equal(value, _core.zeros_like(value)), "float32"))


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """All tensors scaled down so that together they have this length, where they are longer;
    and their length before."""
    return _core._clip_by_global_norm(list(t_list), clip_norm, use_norm)


def saturate_cast(value, dtype, name=None):
    """The elements as another dtype, those that it does not hold moved to its ends."""
    value = _core.convert_to_tensor(value)
    dtype = _core.as_dtype(dtype)
    if dtype.is_complex or value.dtype.is_complex:
        return _core.cast(value, dtype)
    if dtype.min > value.dtype.min:
        value = _core.maximum(value, _core.constant(_at_most(dtype.min, value.dtype), value.dtype))
    if dtype.max < value.dtype.max:
        value = _core.minimum(value, _core.constant(_at_most(dtype.max, value.dtype), value.dtype))
    return _core.cast(value, dtype)


def _at_most(limit, dtype):
    """An end of one dtype as a number of another, rounded towards 0 so that it still fits."""
    import numpy as np

    if dtype.is_integer:
        return int(limit)
    near = dtype.as_numpy_dtype(limit)
    if abs(float(near)) > abs(float(limit)):
        near = np.nextafter(near, dtype.as_numpy_dtype(0))
    return float(near)


def timestamp(name=None):
    """The seconds since 1970, as a float64. In a tf.function it is read in each run."""
    import time

    if not _core._tracing():
        return _core.constant(time.time(), "float64")
    from brio._control import numpy_function

    made = numpy_function(lambda: time.time(), [], "float64")
    made.set_shape([])
    return made
