"""tf.math: elementwise functions, reductions, running folds, segments, order."""

_X = "tf.constant([-1.5, -0.5, 0.0, 0.25, 2.0])"
_UNIT = "tf.constant([-0.9, -0.3, 0.0, 0.5, 0.8])"
_POSITIVE = "tf.constant([0.1, 0.5, 1.0, 2.5, 7.0])"
_MATRIX = "tf.constant([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])"

CASES = []


def case(name, source, **options):
    CASES.append((name, source, options))


# Elementwise, with their gradients.
for _name, _of in (
    [(n, _X) for n in "tf.abs tf.negative tf.sign tf.exp tf.square tf.sin tf.cos tf.tan tf.atan tf.sinh tf.cosh tf.tanh tf.asinh "
     "tf.sigmoid tf.math.abs tf.math.exp tf.math.expm1 tf.math.erf tf.math.erfc tf.math.log_sigmoid tf.math.sigmoid tf.math.sin "
     "tf.math.cos tf.math.square tf.math.tanh tf.math.softplus tf.math.softsign tf.math.bessel_i0 "
     "tf.math.bessel_i0e tf.math.negative tf.math.sign tf.math.tan tf.math.sinh tf.math.cosh tf.math.atan "
     "tf.math.asinh".split()]
    + [(n, _UNIT) for n in "tf.asin tf.acos tf.atanh tf.math.asin tf.math.acos tf.math.atanh tf.math.erfinv".split()]
    + [(n, _POSITIVE) for n in "tf.sqrt tf.math.sqrt tf.math.log tf.math.log1p tf.math.rsqrt tf.math.reciprocal tf.math.lgamma "
       "tf.math.digamma tf.math.reciprocal_no_nan".split()]
    + [("tf.acosh", "tf.constant([1.1, 2.0, 5.0])"), ("tf.math.acosh", "tf.constant([1.1, 2.0, 5.0])"),
       # At 0 TensorFlow gives bessel_i1 a slope of 1; it is 1/2.
       ("tf.math.bessel_i1", _POSITIVE), ("tf.math.bessel_i1e", _POSITIVE), ("tf.math.ndtri", "tf.constant([0.01, 0.3, 0.5, 0.9])"), ("tf.math.erfcinv", "tf.constant([0.1, 0.7, 1.0, 1.8])")]
):  # fmt: skip
    _short = _name.replace("tf.", "").replace(".", "_")
    case(
        _short,
        f"x = {_of}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = {_name}(x)\nresult = [y, t.gradient(y, x)]",
    )

for _name in ("floor", "round", "math.ceil", "math.floor", "math.round", "math.rint"):
    case(_name.replace(".", "_"), f"tf.{_name}([-2.5, -1.5, -0.2, 0.5, 1.5, 2.7])")
for _name in ("is_nan", "is_inf", "is_finite"):
    case(_name, f"tf.math.{_name}([1.0, float('nan'), float('inf'), -float('inf')])")
case("abs_int", "tf.abs([-3, 0, 4])")
case("abs_complex", "tf.abs(tf.constant([3 + 4j, 1j]))")
case("sqrt_of_integers", "tf.sqrt([1, 4])", raises="Exception")
case("sqrt_float64", "tf.sqrt(tf.constant([2.0, 3.0], tf.float64))")
case("exp_float16", "tf.exp(tf.constant([1.0, 2.0], tf.float16))")
case("logical_not", "[tf.logical_not([True, False]), tf.math.logical_not([True, False])]")
case("name_is_taken", "tf.sqrt([4.0], name='root')")
case("by_keyword", "tf.math.log(x=[1.0, 2.0])")

# Two operands.
for _name in (
    "add subtract multiply divide truediv maximum minimum math.add math.subtract math.multiply math.divide math.maximum "
    "math.minimum math.squared_difference math.floordiv math.floormod math.mod truncatediv truncatemod atan2 "
    "math.xdivy math.multiply_no_nan math.divide_no_nan"
).split():
    case(_name.replace(".", "_"), f"tf.{_name}([[1.5], [-2.5]], [2.0, -0.5, 4.0])")
for _name in "equal not_equal less less_equal greater greater_equal".split():
    case(_name, f"[tf.{_name}([1, 2, 3], [2, 2, 2]), tf.math.{_name}([1.0, 2.0], 2.0)]")
for _name in "and or".split():
    case(
        f"logical_{_name}",
        f"[tf.logical_{_name}([True, True, False], [True, False, False]), tf.math.logical_{_name}(True, False)]",
    )
case("logical_xor", "tf.math.logical_xor([True, True, False], [True, False, False])")
case("pow", "[tf.pow([2.0, 3.0], 2.0), tf.pow(2, [1, 2, 3]), tf.math.pow(4.0, 0.5)]")
case(
    "squares_of_negatives",
    """
x = tf.Variable([[-1.5, 2.0], [0.0, -3.0]])
with tf.GradientTape() as t:
  y = tf.reduce_mean((x - [0.5, 1.0]) ** 2) + tf.reduce_sum(x ** 3) + tf.reduce_sum(tf.pow(x, 2.0))
result = [y, t.gradient(y, x), tf.constant([-3, 4]) ** 2, tf.constant([1 + 2j]) ** 2, x ** 2.0, tf.pow(x, 1.0)]""",
)
case(
    "pow_of_a_watched_exponent",
    """
p = tf.constant(2.0)
with tf.GradientTape() as t:
  t.watch(p)
  y = tf.constant([1.5, 3.0]) ** p
result = [y, t.gradient(y, p)]""",
)
case(
    "powers_of_negatives",
    "[tf.pow([-2.0, -0.5, 0.0, -3.0], 3.0), tf.pow([-2.0, 0.0, -1.0], -1.0), tf.pow([-2.0, -8.0], [0.5, 2.0])]",
)
case("floordiv_int", "tf.math.floordiv([7, -7], [2, 2])")
case("truncatediv_int", "[tf.truncatediv([7, -7], 2), tf.truncatemod([7, -7], 2)]")
case("realdiv", "tf.realdiv([3.0, 1.0], 2.0)")
case("divide_ints", "tf.divide(7, 2)")
case("int_divide_tensor", "tf.divide(tf.constant([1, 3]), tf.constant([2, 2]))")
case(
    "divide_no_nan_zero",
    "[tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]), tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 4.0])]",
)
case(
    "xlogy",
    "[tf.math.xlogy([0.0, 2.0], [0.0, 3.0]), tf.math.xlog1py([0.0, 2.0], [-1.0, 3.0]), tf.math.xdivy([0.0, 2.0], [0.0, 4.0])]",
)
case("polygamma", "tf.math.polygamma([1.0, 2.0], [1.5, 2.5])")
case("nextafter", "tf.math.nextafter([1.0, 0.0], [2.0, -1.0])", rtol=0)
case("polyval", "tf.math.polyval([3.0, 2.0, 1.0], [1.0, 2.0])")
case(
    "add_broadcast_gradient",
    "x = tf.Variable([[1.0], [2.0]])\nwith tf.GradientTape() as t:\n  y = tf.add(x, [1.0, 2.0, 3.0])\nresult = t.gradient(y, x)",
)
case("add_shapes", "tf.add([1.0, 2.0], [1.0, 2.0, 3.0])")
case("add_dtypes", "tf.add(tf.constant(1.0), tf.constant(1, tf.int64))")
case("add_n", "[tf.add_n([[1.0, 2.0], [3.0, 4.0]]), tf.math.add_n([tf.constant(1), tf.constant(2)])]")
case("add_n_shapes", "tf.add_n([[1.0], [1.0, 2.0]])", raises="Exception")
case("accumulate_n", "tf.math.accumulate_n([[1.0, 2.0], [3.0, 4.0]])")
case("scalar_mul", "[tf.scalar_mul(2.0, tf.constant([1.0, 2.0])), tf.math.scalar_mul(3, tf.constant([1, 2]))]")

# Complex numbers.
case("complex", "tf.complex([1.0, 2.0], [3.0, -1.0])")
case(
    "complex_parts",
    "z = tf.constant([1 + 2j, -3j]); [tf.math.real(z), tf.math.imag(z), tf.math.angle(z), tf.math.conj(z)]",
)
case("complex_double", "tf.complex(np.array([1.0]), np.array([2.0]))")
case("dtypes_complex", "tf.dtypes.complex(1.0, 2.0)")
case("complex_exp", "tf.exp(tf.complex([0.0, 1.0], [np.float32(np.pi), 0.5]))")

# Reductions.
for _name in "reduce_sum reduce_prod reduce_max reduce_min reduce_mean reduce_logsumexp".split():
    case(
        _name,
        f"x = {_MATRIX}; [tf.{_name}(x), tf.{_name}(x, 0), tf.{_name}(x, axis=[0, 1]), tf.{_name}(x, axis=-1, keepdims=True)]",
    )
    case(f"math_{_name}", f"tf.math.{_name}({_MATRIX}, axis=1)")
for _name in "reduce_std reduce_variance reduce_euclidean_norm".split():
    case(
        _name, f"x = {_MATRIX}; [tf.math.{_name}(x), tf.math.{_name}(x, 0), tf.math.{_name}(x, axis=-1, keepdims=True)]"
    )
for _name in "reduce_any reduce_all".split():
    case(
        _name,
        f"x = tf.constant([[True, False], [True, True]]); [tf.{_name}(x), tf.{_name}(x, 0), tf.math.{_name}(x, 1, keepdims=True)]",
    )
case("reduce_mean_int", "tf.reduce_mean([1, 2, 4])")
case("reduce_sum_empty", "tf.reduce_sum(tf.zeros([0, 3]), axis=0)")
case("reduce_max_list", "tf.reduce_max([3, 1, 2])")
case("reduce_axis_out_of_range", "tf.reduce_sum([1.0, 2.0], axis=2)", raises="Exception")
case("reduce_bool_sum", "tf.reduce_sum(tf.constant([True, False]))", raises="Exception")
case(
    "reduce_gradient",
    f"x = {_MATRIX}\nwith tf.GradientTape(persistent=True) as t:\n  t.watch(x)\n  a, b, c = tf.reduce_max(x), tf.reduce_mean(x), tf.reduce_prod(x)\nresult = [t.gradient(a, x), t.gradient(b, x), t.gradient(c, x)]",
)
case(
    "l2_normalize",
    f"[tf.math.l2_normalize({_MATRIX}, axis=1), tf.math.l2_normalize([3.0, 4.0]), tf.nn.l2_normalize({_MATRIX}, 0, epsilon=100.0)]",
)
case(
    "count_nonzero",
    "x = tf.constant([[0, 1, 2], [0, 0, 3]]); [tf.math.count_nonzero(x), tf.math.count_nonzero(x, axis=0), tf.math.count_nonzero(x, 1, keepdims=True, dtype=tf.int32)]",
)
case("zero_fraction", "[tf.math.zero_fraction([0.0, 1.0, 0.0, 3.0]), tf.nn.zero_fraction([0, 1])]")
case(
    "cumsum",
    f"x = {_MATRIX}; [tf.cumsum(x), tf.cumsum(x, 1), tf.math.cumsum(x, axis=-1, exclusive=True), tf.cumsum(x, 1, reverse=True), tf.cumsum(x, 1, True, True)]",
)
case("cumprod", f"x = {_MATRIX}; [tf.math.cumprod(x), tf.math.cumprod(x, 1, exclusive=True, reverse=True)]")
case("cumulative_logsumexp", f"tf.math.cumulative_logsumexp({_MATRIX}, axis=1)")
case(
    "cumsum_gradient",
    "x = tf.Variable([1.0, 2.0, 3.0])\nwith tf.GradientTape() as t:\n  y = tf.cumsum(x) * [1.0, 10.0, 100.0]\nresult = t.gradient(y, x)",
)
for _name in "sum mean prod max min".split():
    case(f"segment_{_name}", f"tf.math.segment_{_name}([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1])")
for _name in "sum mean prod max min sqrt_n".split():
    case(
        f"unsorted_segment_{_name}",
        f"tf.math.unsorted_segment_{_name}([1.0, 2.0, 3.0, 4.0], [0, 1, 0, -1], num_segments=2)",
    )
case(
    "argmax",
    f"x = {_MATRIX}; [tf.argmax(x), tf.argmax(x, 1), tf.math.argmax(x, axis=-1, output_type=tf.int32), tf.argmax([3, 9, 2])]",
)
case("argmin", f"x = {_MATRIX}; [tf.argmin(x), tf.math.argmin(x, 1), tf.argmin(x, axis=-1, output_type=tf.int32)]")
case(
    "sort",
    "x = tf.constant([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]]); [tf.sort(x), tf.sort(x, axis=0), tf.sort(x, direction='DESCENDING'), tf.sort([3, 1, 2])]",
)
case(
    "argsort",
    "x = tf.constant([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]]); [tf.argsort(x), tf.argsort(x, axis=0, direction='DESCENDING', stable=True)]",
)
case("sort_direction", "tf.sort([1.0], direction='UP')")
case(
    "top_k",
    "a = tf.math.top_k([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]], k=2); [a.values, a.indices, tf.nn.top_k([1, 3, 2])[0]]",
)
case("top_k_unpacked", "values, indices = tf.math.top_k([1.0, 5.0, 3.0], 2, sorted=True); [values, indices]")
case(
    "in_top_k",
    "[tf.math.in_top_k([0, 1], [[0.1, 0.9, 0.0], [0.1, 0.9, 0.0]], 1), tf.nn.in_top_k([0], [[0.3, 0.5, 0.2]], k=2)]",
)
case(
    "searchsorted",
    "[tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 9.0]), tf.searchsorted([1, 3, 3, 5], [3], side='right', out_type=tf.int64)]",
)
case(
    "bincount",
    "x = [1, 1, 2, 5]; [tf.math.bincount(x), tf.math.bincount(x, minlength=8), tf.math.bincount(x, maxlength=3), tf.math.bincount(x, weights=[1.0, 0.5, 2.0, 3.0]), tf.math.bincount(x, dtype=tf.int64)]",
)
case(
    "bincount_rows",
    "[tf.math.bincount([[1, 1, 0], [2, 2, 2]], axis=-1), tf.math.bincount([[1, 1, 0], [2, 2, 2]], axis=-1, binary_output=True)]",
)
case("histogram", "tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)")
case(
    "confusion_matrix",
    "[tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]), tf.math.confusion_matrix([0, 1], [1, 1], num_classes=3, weights=[2.0, 3.0], dtype=tf.float32)]",
)
case("invert_permutation", "tf.math.invert_permutation([3, 4, 0, 2, 1])")
case(
    "is_increasing",
    "[tf.math.is_non_decreasing([1, 1, 3]), tf.math.is_strictly_increasing([1, 1, 3]), tf.math.is_strictly_increasing([])]",
)
case("lbeta", "tf.math.lbeta([[1.0, 2.0], [3.0, 0.5]])")

# Clipping.
case(
    "clip_by_value",
    "[tf.clip_by_value([-1.0, 0.5, 9.0], 0, 1), tf.clip_by_value([1, 5, 9], 2, 8), tf.clip_by_value([[1.0, 5.0]], [2.0, 2.0], [3.0, 9.0])]",
)
case(
    "clip_by_norm",
    "[tf.clip_by_norm([3.0, 4.0], 2.0), tf.clip_by_norm([[3.0, 4.0], [0.3, 0.4]], 1.0, axes=[1]), tf.clip_by_norm([0.3, 0.4], 2)]",
)
case("clip_by_global_norm", "a, n = tf.clip_by_global_norm([tf.constant([3.0, 0.0]), tf.constant([4.0])], 2.5); [a, n]")
case(
    "clip_by_global_norm_none",
    "a, n = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 10.0); [a[0], a[1], a[2], n]",
)
case(
    "clip_by_global_norm_use_norm", "tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 1.0, use_norm=tf.constant(10.0))"
)
case(
    "clip_gradient",
    "x = tf.Variable([-1.0, 0.5, 9.0])\nwith tf.GradientTape() as t:\n  y = tf.clip_by_value(x, 0.0, 1.0)\nresult = t.gradient(y, x)",
)
case("saturate_cast", "[tf.saturate_cast([-5, 300, 7], tf.uint8), tf.saturate_cast([-1.5, 400.0, 7.9], tf.int8)]")

# Bits.
case(
    "bitwise",
    "a, b = tf.constant([5, 12], tf.uint8), tf.constant([3, 10], tf.uint8); [tf.bitwise.bitwise_and(a, b), tf.bitwise.bitwise_or(a, b), tf.bitwise.bitwise_xor(a, b), tf.bitwise.invert(a), tf.bitwise.left_shift(a, 2), tf.bitwise.right_shift(a, 1)]",
)

# Products.
case(
    "matmul",
    "[tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]), tf.linalg.matmul([[1, 2]], [[3], [4]]), tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True)]",
)
case("matmul_batch", "tf.matmul(tf.reshape(tf.range(12.0), [2, 2, 3]), tf.reshape(tf.range(6.0), [3, 2]))")
case(
    "matmul_adjoint",
    "a = tf.constant([[1 + 1j, 2j], [3, 4 - 1j]], tf.complex64); [tf.matmul(a, a, adjoint_a=True), tf.matmul(a, a, adjoint_b=True)]",
)
case("matmul_shapes", "tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))")
case("matmul_dtypes", "tf.matmul(tf.zeros([2, 2]), tf.zeros([2, 2], tf.float64))")
case(
    "tensordot",
    "a = tf.reshape(tf.range(24.0), [2, 3, 4]); b = tf.reshape(tf.range(12.0), [4, 3]); [tf.tensordot(a, b, 1), tf.tensordot(a, b, [[2, 1], [0, 1]]), tf.tensordot([1.0, 2.0], [3.0, 4.0], axes=0)]",
)
case(
    "einsum",
    "a = tf.reshape(tf.range(6.0), [2, 3]); [tf.einsum('ij->ji', a), tf.einsum('ij,kj->ik', a, a), tf.einsum('ii', tf.eye(3)), tf.linalg.einsum('...ij->...i', a)]",
)
