"""tf.experimental.numpy: dtypes and shapes are NumPy's."""

_MAKING = {
    "zeros": "tnp.zeros((2, 3))", "ones": "tnp.ones([2])", "ones_of": "tnp.ones(3, tnp.int32)", "full": "tnp.full((2, 2), 7)", "full_half": "tnp.full([2], 0.5, dtype=tnp.float32)",
    "zeros_like": "tnp.zeros_like([1, 2])", "ones_like": "tnp.ones_like(tf.constant([1.0]))", "full_like": "tnp.full_like([1.5, 2.5], 3)", "eye": "tnp.eye(3)", "eye_k": "tnp.eye(2, 3, 1, dtype=tnp.int32)",
    "identity": "tnp.identity(2)", "arange": "tnp.arange(5)", "arange_float": "tnp.arange(0.0, 1.0, 0.25)", "arange_of": "tnp.arange(1, 4, dtype=tnp.float32)", "linspace": "tnp.linspace(0, 1, 5)",
    "linspace_open": "tnp.linspace(1.0, 2.0, 4, endpoint=False)", "array": "tnp.array([1, 2, 3])", "array_floats": "tnp.array([1, 2.5])", "array_nested": "tnp.array([[1, 2], [3, 4]], dtype=tnp.float32)",
    "array_tensors": "tnp.array([tf.constant(1.0), tf.constant(2.0)])", "array_ndmin": "tnp.array(3, ndmin=2)", "asarray": "tnp.asarray(np.arange(3, dtype=np.int32))", "copy": "tnp.copy([1.0, 2.0])",
    "asarray_bool": "tnp.asarray([True, False])", "asarray_half": "tnp.asarray([1, 2], tnp.float16)",
}  # fmt: skip
_X = {
    "ints": "[1, 2, 3]",
    "small": "tf.constant([1, 2, 3])",
    "floats": "[0.25, 0.5, 0.75]",
    "float32": "tf.constant([0.25, 0.5, 0.75])",
}
_OF_ALL = ("abs", "negative", "square", "sign")
_ONE = "abs negative square sign sqrt exp log sin cos tan tanh ceil floor reciprocal log1p expm1 exp2 log2 log10 isnan isfinite".split()
_PAIRS = "add subtract multiply divide true_divide floor_divide mod power maximum minimum equal less greater_equal matmul dot inner outer".split()
_REDUCTIONS = "sum prod mean std var max min amax amin argmax argmin cumsum cumprod".split()
_REST = {
    "result_type": "str(tnp.result_type(1, tnp.float32(1)))", "reshape": "tnp.reshape([1, 2, 3, 4], (2, -1))", "reshape_flat": "tnp.reshape([[1, 2], [3, 4]], 4)", "transpose": "tnp.transpose([[1, 2, 3]])",
    "expand_dims": "tnp.expand_dims([1, 2], 0)", "squeeze": "tnp.squeeze([[1.0]])", "ravel": "tnp.ravel([[1, 2], [3, 4]])", "concatenate": "tnp.concatenate([[1, 2], [3.5]])", "stack": "tnp.stack([[1, 2], [3, 4]], axis=1)",
    "hstack": "tnp.hstack([[1], [2]])", "vstack": "tnp.vstack([[1, 2], [3, 4]])", "append": "tnp.append([1, 2], [3])", "split": "tnp.split(tnp.arange(6), 3)", "split_at": "tnp.split(tnp.arange(6), [2])",
    "where": "tnp.where([True, False], 1, 2.5)", "where_places": "tnp.where([0, 3, 0, 4])", "clip": "tnp.clip([1, 5, 9], 2, 6)", "clip_floats": "tnp.clip([1.0, 5.0], 2, 3)", "tensordot": "tnp.tensordot([[1, 2]], [[3], [4]], 1)",
    "einsum": "tnp.einsum('ij,j->i', [[1, 2], [3, 4]], [1.0, 2.0])", "isclose": "tnp.isclose([1.0, 2.0], [1.0, 2.1])", "allclose": "tnp.allclose([1.0], [1.0 + 1e-9])", "array_equal": "tnp.array_equal([1, 2], [1, 2])",
    "array_not_equal": "tnp.array_equal([1, 2], [1, 2, 3])", "size": "int(tnp.size([[1, 2]]))", "ndim": "int(tnp.ndim([[1, 2]]))", "shape": "list(tnp.shape([[1, 2]]))", "flip": "tnp.flip([[1, 2], [3, 4]])", "roll": "tnp.roll([1, 2, 3], 1)",
    "repeat": "tnp.repeat([1, 2], 2)", "tile": "tnp.tile([1, 2], 2)", "sort": "tnp.sort([3, 1, 2])", "argsort": "tnp.argsort([3, 1, 2])", "diag": "tnp.diag([1, 2])", "tril": "tnp.tril(tnp.ones((2, 2)))", "triu": "tnp.triu(tnp.ones((2, 2)))",
    "trace": "tnp.trace([[1, 2], [3, 4]])", "take": "tnp.take([10, 20, 30], [2, 0])", "moveaxis": "tnp.moveaxis(tnp.zeros((1, 2, 3)), 0, -1)", "swapaxes": "tnp.swapaxes(tnp.zeros((1, 2, 3)), 0, 2)",
    "broadcast_to": "tnp.broadcast_to([1, 2], (2, 2))", "all": "tnp.all([1, 0])", "any": "tnp.any([[1, 0], [0, 0]], axis=1)", "constants": "[tnp.pi, tnp.e, tnp.inf, tnp.newaxis]",
    "types": "[tnp.zeros([2], tnp.float64), tnp.ones([2], tnp.int64)]", "ndarray": "isinstance(tnp.ones(2), tnp.ndarray)", "tensor_in": "tnp.ones(2) + tf.ones([2], tf.float64)", "randn": "[tnp.random.randn(2, 3).dtype, tnp.random.randn(2, 3).shape]",
    "rand": "[tnp.random.rand(4).dtype, bool(tnp.all(tnp.random.rand(4) < 1.0))]", "randint": "[tnp.random.randint(3, size=(2,)).dtype, bool(tnp.all(tnp.random.randint(2, 4, (9,)) >= 2))]",
    "uniform": "[tnp.random.uniform(2.0, 3.0, [3]).dtype, bool(tnp.all(tnp.random.uniform(2.0, 3.0, [3]) >= 2.0))]", "standard_normal": "tnp.random.standard_normal([2]).shape",
    "arctan2": "tnp.arctan2([1.0, 2.0], [3.0, 4.0])", "sum_axis": "tnp.sum([[1, 2], [3, 4]], axis=0, keepdims=True)", "mean_of": "tnp.mean([1, 2], dtype=tnp.float32)", "sum_bool": "tnp.sum([True, True])",
}  # fmt: skip


def _cases():
    say = lambda text: text.replace("tnp.", "tf.experimental.numpy.")
    for name, text in {**_MAKING, **_REST}.items():
        yield name, say(text)
    for name in _ONE:  # TensorFlow's own take whole numbers only after experimental_enable_numpy_behavior()
        for kind, x in _X.items() if name in _OF_ALL else list(_X.items())[2:]:
            yield f"{name}/{kind}", f"tf.experimental.numpy.{name}({x})"
    for name in _REDUCTIONS:
        for kind, x in _X.items():
            yield f"{name}/{kind}", f"tf.experimental.numpy.{name}({x})"
    for name in _PAIRS:
        for (kind, x), y in zip(
            _X.items(), ("[2.0, 1.0, 4.0]", "[2, 1, 4]", "tf.constant([2.0, 1.0, 4.0])", "[2, 1, 4]")
        ):
            yield f"{name}/{kind}", f"tf.experimental.numpy.{name}({x}, {y})"


CASES = list(_cases())
