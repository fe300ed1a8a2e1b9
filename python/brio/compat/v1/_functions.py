"""Functions of TensorFlow 1 that have other names or other parameters today."""

from brio import _core, _more_arrays, _more_math
from brio._core import _linalg, _math, _random
from brio._graph import by_rule, wrap

FUNCTIONS = {}


def _add(name, function, kind=None):
    function.__name__ = getattr(function, "__name__", name)
    FUNCTIONS[name] = wrap.door(function, kind or wrap.kind_of(name))


def _public(kind=None):
    def take(function):
        _add(function.__name__, function, kind)
        return FUNCTIONS[function.__name__]

    return take


# ---- reductions, whose axes were once reduction_indices


def _reduction(name):
    original = getattr(_core, name, None) or getattr(_math, name)

    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = axis if axis is not None else reduction_indices
        return original(input_tensor, axis, bool(keepdims if keepdims is not None else keep_dims))

    reduce.__name__, reduce.__doc__ = name, original.__doc__
    reduce.rule = lambda x, *_, **__: by_rule.Spec(
        "bool" if name in ("reduce_any", "reduce_all") else x.dtype, None
    )  # an axis that is fed
    _add(name, reduce)


for _name in (
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_any",
    "reduce_all",
    "reduce_logsumexp",
):
    _reduction(_name)


@_public()
def argmax(input, axis=None, name=None, dimension=None, output_type="int64"):
    """Where the largest element lies along an axis."""
    return _core.argmax(
        input, axis if axis is not None else (dimension if dimension is not None else 0), output_type=output_type
    )


@_public()
def argmin(input, axis=None, name=None, dimension=None, output_type="int64"):
    """Where the smallest element lies along an axis."""
    return _core.argmin(
        input, axis if axis is not None else (dimension if dimension is not None else 0), output_type=output_type
    )


FUNCTIONS["arg_max"], FUNCTIONS["arg_min"] = FUNCTIONS["argmax"], FUNCTIONS["argmin"]


@_public()
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Without axes of size 1."""
    return _core.squeeze(input, axis if axis is not None else squeeze_dims)


@_public("ExpandDims")
def expand_dims(input, axis=None, name=None, dim=None):
    """With another axis of size 1."""
    return _core.expand_dims(input, axis if axis is not None else dim)


@_public()
def count_nonzero(
    input_tensor=None,
    axis=None,
    keepdims=None,
    dtype="int64",
    name=None,
    reduction_indices=None,
    keep_dims=None,
    input=None,
):
    """How many elements are not 0."""
    x = _core.convert_to_tensor(input if input is not None else input_tensor)
    ones = _core.cast(_core.not_equal(x, _core.zeros_like(x)), dtype)
    return _core.reduce_sum(ones, axis if axis is not None else reduction_indices, bool(keepdims or keep_dims))


@_public("Where")
def where(condition, x=None, y=None, name=None):
    """Elements of x where the condition holds, else of y; without them, where it holds.
    A condition of one axis chooses rows."""
    if x is None and y is None:
        return _core.where(condition)
    condition, x = _core.convert_to_tensor(condition), _core.convert_to_tensor(x)
    if condition.shape.rank == 1 and x.shape.rank > 1:
        condition = _core.reshape(condition, [-1] + [1] * (x.shape.rank - 1))
    return _core.where(condition, x, y)


@_public()
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Rows at indices."""
    return _core.gather(params, indices, axis=batch_dims if axis is None else axis, batch_dims=batch_dims)


@_public()
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None):
    """The norm of vectors or matrices."""
    return _core.norm(tensor, ord, axis, bool(keepdims or keep_dims))


@_public()
def global_norm(t_list, name=None):
    """The norm of all tensors together."""
    return _core.sqrt(_core.add_n([_core.reduce_sum(_core.square(t)) for t in t_list if t is not None]))


def _cast_to(name, dtype):
    def cast(x, name=None):
        return _core.cast(x, dtype)

    cast.__name__, cast.__doc__ = name, f"The same as {dtype}."
    _add(name, cast, "Cast")


for _name, _dtype in (
    ("to_float", "float32"),
    ("to_double", "float64"),
    ("to_int32", "int32"),
    ("to_int64", "int64"),
    ("to_bfloat16", "bfloat16"),
):
    _cast_to(_name, _dtype)


# ---- other names of what there is

_RENAMED = {
    "log": (_math, "log"), "log1p": (_math, "log1p"), "is_nan": (_math, "is_nan"), "is_inf": (_math, "is_inf"),
    "is_finite": (_math, "is_finite"), "rsqrt": (_math, "rsqrt"), "reciprocal": (_math, "reciprocal"),
    "ceil": (_math, "ceil"), "floor_div": (_math, "floordiv"), "mod": (_math, "floormod"),
    "floormod": (_math, "floormod"), "matrix_inverse": (_linalg, "inv"), "matrix_determinant": (_linalg, "det"),
    "matrix_solve": (_linalg, "solve"), "matrix_band_part": (_linalg, "band_part"), "matrix_diag": (_linalg, "diag"),
    "matrix_diag_part": (_linalg, "diag_part"), "diag": (None, "linalg.tensor_diag"),
    "diag_part": (None, "linalg.tensor_diag_part"), "trace": (_linalg, "trace"), "cholesky": (_linalg, "cholesky"),
    "svd": (None, "linalg.svd"), "qr": (_linalg, "qr"), "matrix_transpose": (_linalg, "matrix_transpose"),
    "self_adjoint_eig": (_linalg, "eigh"), "unsorted_segment_sum": (_math, "unsorted_segment_sum"),
    "segment_sum": (_math, "segment_sum"), "segment_mean": (_math, "segment_mean"),
    "segment_max": (_math, "segment_max"), "invert_permutation": (None, "math.invert_permutation"),
    "confusion_matrix": (None, "math.confusion_matrix"), "bincount": (None, "math.bincount"),
    "polygamma": (_math, "polygamma"), "lgamma": (_math, "lgamma"), "digamma": (_math, "digamma"),
    "erf": (_math, "erf"), "erfc": (_math, "erfc"), "accumulate_n": (_core, "add_n"),
    "squared_difference": (_math, "squared_difference"), "logical_xor": (_math, "logical_xor"), "conj": (_math, "conj"),
    "real": (_math, "real"), "imag": (_math, "imag"), "angle": (_math, "angle"), "cross": (_linalg, "cross"),
    "log_sigmoid": (_math, "log_sigmoid"), "random_shuffle": (_random, "shuffle"), "random_gamma": (_random, "gamma"),
    "random_poisson": (_random, "poisson"), "random_crop": (None, "image.random_crop"),
    "verify_tensor_all_finite": (None, "debugging.assert_all_finite"),
    "check_numerics": (None, "debugging.check_numerics"), "sparse_tensor_to_dense": (None, "sparse.to_dense"),
    "sparse_tensor_dense_matmul": (None, "sparse.sparse_dense_matmul"),
    "sparse_reduce_sum": (None, "sparse.reduce_sum"), "string_to_number": (None, "strings.to_number"),
    "string_join": (None, "strings.join"), "string_split": (None, "strings.split"),
    "regex_replace": (None, "strings.regex_replace"), "decode_raw": (None, "io.decode_raw"),
    "decode_csv": (None, "io.decode_csv"), "parse_example": (None, "io.parse_example"),
    "parse_single_example": (None, "io.parse_single_example"), "read_file": (None, "io.read_file"),
    "top_k": (None, "math.top_k"), "extract_image_patches": (None, "image.extract_patches"),
    "space_to_depth": (None, "nn.space_to_depth"), "depth_to_space": (None, "nn.depth_to_space"),
    "assert_equal": (None, "debugging.assert_equal"), "assert_positive": (None, "debugging.assert_positive"),
    "assert_non_negative": (None, "debugging.assert_non_negative"),
    "assert_greater": (None, "debugging.assert_greater"), "assert_less": (None, "debugging.assert_less"),
    "assert_greater_equal": (None, "debugging.assert_greater_equal"),
    "assert_less_equal": (None, "debugging.assert_less_equal"), "assert_rank": (None, "debugging.assert_rank"),
    "serialize_tensor": (None, "io.serialize_tensor"), "parse_tensor": (None, "io.parse_tensor"),
}  # fmt: skip


class _Lazy(dict):
    """FUNCTIONS, with those under other names that exist."""

    def __contains__(self, name):
        if dict.__contains__(self, name):
            return True
        found = _renamed(name)
        if found is None:
            return False
        self[name] = found
        return True

    def __iter__(self):
        return iter({*dict.keys(self), *(n for n in _RENAMED if n in self)})


def _renamed(name):
    home, other = _RENAMED.get(name, (None, None))
    if other is None:
        return None
    if home is not None:
        function = getattr(home, other, None)
    else:
        import importlib

        module, _, other = other.rpartition(".")
        function = getattr(importlib.import_module(f"brio.{module}"), other, None)
    if function is None or hasattr(function, "_behind") or isinstance(function, type):
        return function
    return wrap.door(function, wrap.kind_of(name))


# ---- random numbers


@_public("random_normal")
def random_normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    """Numbers of a normal distribution."""
    return _random.normal(shape, mean, stddev, dtype, seed=seed)


@_public("random_uniform")
def random_uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    """Numbers from [minval, maxval)."""
    return _random.uniform(shape, minval, maxval, dtype, seed=seed)


@_public("truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    """Numbers of a normal distribution within two standard deviations."""
    return _random.truncated_normal(shape, mean, stddev, dtype, seed=seed)


@_public("multinomial")
def multinomial(logits, num_samples, seed=None, name=None, output_dtype="int64"):
    """Class numbers, drawn by logits."""
    return _random.categorical(logits, num_samples, dtype=output_dtype, seed=seed)


@_public("div")
def div(x, y, name=None):
    """The quotient; of integers, rounded down."""
    x = _core.convert_to_tensor(x)
    return _math.floordiv(x, y) if x.dtype.is_integer else _core.divide(x, y)


@_public("SparseToDense")
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A tensor with values at indices."""
    indices = _core.convert_to_tensor(sparse_indices)
    values = _core.convert_to_tensor(sparse_values)
    if indices.shape.rank < 2:
        indices = _core.reshape(indices, [-1, 1])
    values = _core.broadcast_to(values, [indices.shape[0]])
    if validate_indices:
        _check_order(indices, output_shape)
    base = _core.fill(output_shape, _core.cast(default_value, values.dtype))
    return _core.tensor_scatter_nd_update(base, indices, values)


def _check_order(indices, shape):
    """Fails where indices are not in order, or one is there twice."""
    steps = _math.cumprod(_core.cast(shape, "int64"), exclusive=True, reverse=True)
    flat = _core.reduce_sum(_core.cast(indices, "int64") * steps, 1)
    _core._assert_with_data(
        _core.reduce_all(flat[1:] > flat[:-1]), "[sparse_to_dense] indices are out of order or repeated", [indices]
    )


@_public("boolean_mask")
def boolean_mask(tensor, mask, name="boolean_mask", axis=None):
    """The elements where the mask holds."""
    return _core.boolean_mask(tensor, mask, 0 if axis is None else axis)


@_public("meshgrid")
def meshgrid(*args, **kwargs):
    """Coordinates of a grid."""
    return _more_arrays.meshgrid(*args, **kwargs)


@_public("clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    """Scaled down where the norm, divided by the number of elements, is above a limit."""
    t = _core.convert_to_tensor(t)
    size = _core.cast(_core.size(t), t.dtype)
    mean = _core.sqrt(_core.reduce_sum(_core.square(t))) / size
    return t * clip_norm * _core.minimum(1.0 / mean, 1.0 / _core.cast(clip_norm, t.dtype))


@_public("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Tensors, scaled down together where their norm is above a limit; and that norm."""
    made, norm_ = _more_math.clip_by_global_norm([t for t in t_list if t is not None], clip_norm, use_norm)
    made = iter(made)
    return [None if t is None else next(made) for t in t_list], norm_


def trainable_initializers():
    """Names of initializers, as TensorFlow 1 has them at its root."""
    from brio.compat.v1 import initializers

    return {
        "constant_initializer": initializers.constant, "zeros_initializer": initializers.zeros,
        "ones_initializer": initializers.ones, "random_uniform_initializer": initializers.random_uniform,
        "random_normal_initializer": initializers.random_normal,
        "truncated_normal_initializer": initializers.truncated_normal,
        "uniform_unit_scaling_initializer": initializers.uniform_unit_scaling,
        "variance_scaling_initializer": initializers.variance_scaling,
        "orthogonal_initializer": initializers.orthogonal, "glorot_uniform_initializer": initializers.glorot_uniform,
        "glorot_normal_initializer": initializers.glorot_normal,
    }  # fmt: skip


FUNCTIONS.update(trainable_initializers())
FUNCTIONS = _Lazy(FUNCTIONS)
