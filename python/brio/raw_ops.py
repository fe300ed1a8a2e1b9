"""tf.raw_ops: the operations by their own names, with keyword arguments as TensorFlow's.
Each is made when it is first asked for (_raw_table.py)."""

import ast as _ast
import collections as _collections
import functools as _functools
import re as _re

import brio as _tf
from brio import _raw_table
from brio._missing import explain as _explain


@_functools.lru_cache(None)
def _rows():
    """(arguments, fields, expression) of each operation."""
    found = {}
    for arguments, names in _raw_table.BY_ARGUMENTS.items():
        given = ", ".join(a.arg for a in _ast.parse(f"lambda {arguments}: 0").body[0].value.args.args)
        for pair in names.split():
            name, _, function = pair.partition("=")
            found[name] = (arguments, (), f"tf.{function}({given})")
    for row in filter(None, _raw_table.ROWS.replace("\n    ", " ").splitlines()):
        name, arguments, fields, expression = _re.match(r"(\w+)\((.*?)\)(?: -> ([\w ]+))? = (.*)", row).groups()
        found[name] = (arguments, tuple((fields or "").split()), expression)
    return found


def __getattr__(name):
    if name.startswith("__"):  # Python itself asks for these
        raise AttributeError(name)
    if name not in _rows():
        raise AttributeError(_explain(__name__, name))
    arguments, fields, expression = _rows()[name]
    taken = f"*, {arguments}, name=None" if arguments else "name=None"
    made = eval(f"lambda {taken}: {expression}", {**_HELPERS, "tf": _tf})  # noqa: S307  our own table
    if fields:
        made = _with_fields(made, _collections.namedtuple(name, fields))
    made.__name__ = made.__qualname__ = name
    made.__module__ = __name__
    made.__doc__ = f"The operation {name}: {expression}"
    globals()[name] = made
    return made


def __dir__():
    return sorted(_rows())


def _with_fields(function, kind):
    @_functools.wraps(function)
    def called(**arguments):
        return kind(*function(**arguments))

    return called


# ---- what expressions of the table use


def _whole(x):
    """A number that may be given as a tensor."""
    return x if isinstance(x, int) else int(x.numpy() if hasattr(x, "numpy") else x)


def _vjp(function, x, direction):
    """The gradient of a function at x along a direction."""
    x, direction = _tf.convert_to_tensor(x), _tf.convert_to_tensor(direction)
    with _tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=direction)


def _zeros(shape, like):
    return _tf.zeros(shape, _tf.convert_to_tensor(like).dtype)


def _padded(padding, explicit):
    """ "EXPLICIT" and numbers in one row as the pairs that functions of tf.nn take."""
    return [list(explicit[i : i + 2]) for i in range(0, len(explicit), 2)] if padding == "EXPLICIT" else padding


def _leading(condition, x):
    """A condition for whole rows of x, where it has fewer axes."""
    condition, rank = _tf.convert_to_tensor(condition), len(_tf.convert_to_tensor(x).shape)
    for _ in range(rank - len(condition.shape) if len(condition.shape) == 1 else 0):
        condition = _tf.expand_dims(condition, -1)
    return condition


def _drawn(seed, seed2):
    """The seed of an operation that has two: none where both are 0, which is a new one each time."""
    return None if not seed and not seed2 else int(seed) * 1000003 + int(seed2)


def _parts(sparse):
    return sparse.indices, sparse.values, sparse.dense_shape


def _nothing(_):
    return None


def _counts(arr, size, weights, binary):
    weights = _tf.convert_to_tensor(weights)
    has_weights = weights.shape.num_elements() != 0 and not binary
    arr = _tf.convert_to_tensor(arr)
    kind = {"weights": weights} if has_weights else {"dtype": weights.dtype}
    n = _whole(size)
    axis = -1 if len(arr.shape) == 2 else None
    return _tf.math.bincount(arr, minlength=n, maxlength=n, axis=axis, binary_output=binary, **kind)


def _bucketized(input, boundaries):
    input = _tf.convert_to_tensor(input)
    places = _tf.searchsorted(
        _tf.constant(boundaries, "float64"), _tf.reshape(_tf.cast(input, "float64"), [-1]), "right"
    )
    return _tf.reshape(places, _tf.shape(input))


def _population_count(x):
    """How many bits are set, as uint8."""
    x = _tf.convert_to_tensor(x)
    bits = x.dtype.size * 8
    one = _tf.ones_like(x)
    total = _tf.zeros_like(x)
    for i in range(bits):
        total = total + _tf.bitwise.bitwise_and(_tf.bitwise.right_shift(x, _tf.cast(i, x.dtype)), one)
    return _tf.cast(total, "uint8")


def _concat_offset(axis, shapes):
    shapes = [_tf.convert_to_tensor(s) for s in shapes]
    at = _tf.one_hot(axis, shapes[0].shape[0], dtype=shapes[0].dtype)
    starts = [_tf.zeros_like(shapes[0])]
    for shape in shapes[:-1]:
        starts.append(starts[-1] + shape * at)
    return starts


def _list_diff(x, y, out_idx):
    """What of x is not in y, in order, and where it lies."""
    x, y = _tf.convert_to_tensor(x), _tf.convert_to_tensor(y)
    absent = _tf.logical_not(_tf.reduce_any(_tf.equal(_tf.expand_dims(x, 1), _tf.expand_dims(y, 0)), axis=1))
    places = _tf.where(absent)[:, 0]
    return _tf.gather(x, places), _tf.cast(places, out_idx)


def _broadcast_gradient_args(s0, s1):
    """The axes over which gradients of operands of these shapes are summed."""
    sizes = [_tf.convert_to_tensor(s).numpy().tolist() for s in (s0, s1)]
    rank = max(map(len, sizes))
    full = [[1] * (rank - len(s)) + s for s in sizes]
    both_one = [a == b == 1 for a, b in zip(*full)]
    out = []
    for own, other in (full, full[::-1]):
        out.append([i for i, (a, b) in enumerate(zip(own, other)) if (a == 1 and b != 1) or both_one[i]])
    if full[0] == full[1] and len(sizes[0]) == len(sizes[1]):
        out = [[], []]
    dtype = _tf.convert_to_tensor(s0).dtype
    return tuple(_tf.constant(axes, dtype, shape=[len(axes)]) for axes in out)


def _fused_batch_norm(x, scale, offset, mean, variance, epsilon, factor, data_format, training):
    given = [_tf.convert_to_tensor(t, dtype_hint="float32") for t in (x, scale, offset, mean, variance)]
    y, m, v = _tf.compat.v1.nn.fused_batch_norm(*given, epsilon, data_format, training, exponential_avg_factor=factor)
    return y, m, v, m, v


def _cross_entropy(features, labels):
    features, labels = _tf.convert_to_tensor(features), _tf.convert_to_tensor(labels)
    return _tf.nn.softmax_cross_entropy_with_logits(labels, features), _tf.nn.softmax(features) - labels


def _ctc_loss(inputs, indices, values, sequence_length):
    inputs, indices = _tf.convert_to_tensor(inputs), _tf.convert_to_tensor(indices, dtype_hint="int64")
    shape = _tf.stack([_tf.shape(inputs, "int64")[1], _tf.reduce_max(indices[:, 1]) + 1])
    labels = _tf.SparseTensor(indices, values, shape)
    with _tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = _tf.compat.v1.nn.ctc_loss(labels, inputs, sequence_length)
    return loss, tape.gradient(loss, inputs)


def _full_range(shape, seed, dtype):
    """Whole numbers of all that a dtype holds."""
    dtype = _tf.as_dtype(dtype)
    signed = _tf.as_dtype("int32" if dtype.size == 4 else "int64")
    return _tf.bitcast(_tf.random.stateless_uniform(shape, seed, signed.min, signed.max, signed), dtype)


def _string_split(input, delimiter, skip_empty):
    """The pieces of texts between any of the letters of delimiter, as a sparse tensor."""
    delimiter = delimiter.numpy() if hasattr(delimiter, "numpy") else delimiter
    letters = _tf.compat.as_text(delimiter)
    if not letters:
        return _tf.strings.unicode_split(input, "UTF-8").to_sparse()
    if len(letters) > 1:
        input = _tf.strings.regex_replace(
            input, "[" + "".join("\\" + c if not c.isalnum() else c for c in letters) + "]", letters[0]
        )
    pieces = _tf.strings.split(input, letters[0])
    return (_tf.ragged.boolean_mask(pieces, pieces != "") if skip_empty else pieces).to_sparse()


def _resized(method, images, size, align_corners, half_pixel_centers):
    return getattr(_tf.compat.v1.image, f"resize_{method}")(
        images, size, align_corners, half_pixel_centers=half_pixel_centers
    )


def _fill_empty_rows(indices, values, dense_shape, default_value):
    filled, empty = _tf.sparse.fill_empty_rows(_tf.SparseTensor(indices, values, dense_shape), default_value)
    rows = _tf.convert_to_tensor(indices)[:, 0]
    places = _tf.searchsorted(filled.indices[:, 0], rows, "left", "int64")
    first = _tf.searchsorted(rows, rows, "left", "int64")  # a row's entries stay in order
    return filled.indices, filled.values, empty, places + _tf.range(_tf.shape(rows, "int64")[0]) - first


def _sparse_to_dense(indices, shape, values, default):
    indices, values = _tf.convert_to_tensor(indices), _tf.convert_to_tensor(values)
    rank = int(_tf.convert_to_tensor(shape).shape[0])
    places = _tf.reshape(indices, [-1, rank])
    if len(values.shape) == 0:
        values = _tf.fill([places.shape[0]], values)
    return _tf.tensor_scatter_nd_update(
        _tf.fill(shape, _tf.cast(default, values.dtype) if values.dtype != "string" else default), places, values
    )


_HELPERS = {
    name[1:]: value for name, value in list(globals().items()) if callable(value) and name[0] == "_" and name[1] != "_"
}
