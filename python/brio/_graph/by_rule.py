"""What functions give that need values, or the number that a size is, to be called:
their dtypes, and what follows of their sizes.

A rule takes what the function takes, with graph tensors for tensors, and returns Specs in the structure of its results.
It is asked where calling the function on tensors without values failed because of that (infer.py), so it may be silent
about what is wrong.
"""

import numpy as np

from brio import _core
from brio._graph import nested
from brio._graph.core import Tensor
from brio._graph.infer import Found

RULES = {}  # by function


class Spec:
    """A result: its dtype, and sizes among which None is one of its own; dims None: of unknown rank."""

    def __init__(self, dtype, dims):
        self.dtype, self.dims = _core.as_dtype(dtype), None if dims is None else tuple(dims)


def of_call(graph, function, args, kwargs):
    """A function that gives what a call of this one gives; None where there is no rule for it."""
    if not RULES:
        _declare()
    function = getattr(function, "_behind", function)
    rule = RULES.get(function) or getattr(function, "rule", None)  # some carry theirs
    if rule is None:
        return None

    def found():
        structure, specs = nested.taken_apart(
            rule(*args, **{k: v for k, v in kwargs.items() if k != "name"}), lambda x: isinstance(x, Spec)
        )
        return Found(
            structure,
            [
                (s.dtype, None if s.dims is None else tuple(graph.new_size() if d is None else d for d in s.dims), None)
                for s in specs
            ],
        )

    return found


def dims_of(x):
    """The sizes of a graph tensor or of a value; None where the rank is unknown."""
    return x.dims if isinstance(x, Tensor) else np.shape(x)


def _dtype_of(x):
    return x.dtype if isinstance(x, Tensor) else _core.convert_to_tensor(x).dtype


def _of_shape(shape):
    """The dims of what is given this shape."""
    if not isinstance(shape, Tensor):
        return [d if isinstance(d, int) else None for d in shape]
    return None if shape.dims is None or type(shape.dims[0]) is not int else [None] * shape.dims[0]


def _same_rank(x):
    return None if dims_of(x) is None else [None] * len(dims_of(x))


def _same(x, *_, **__):
    return Spec(_dtype_of(x), dims_of(x))


def _with(dims, axis, size=None):
    """dims with another size at an axis, which may be one of a tensor's; None where there are none."""
    if dims is None or not isinstance(axis, int):
        return None if dims is None else [None] * len(dims)
    made = list(dims)
    made[axis] = size
    return made


def _after(dims, ids):
    """A size of its own, and dims behind the axes that ids have."""
    return None if dims is None or dims_of(ids) is None else [None, *dims[len(dims_of(ids)) :]]


# ---- arrays


def _one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None):
    dims = dims_of(indices)
    if dims is not None:
        at = len(dims) if axis in (None, -1) else axis
        dims = [*dims[:at], None, *dims[at:]]
    given = next((v for v in (on_value, off_value) if v is not None), None)
    return Spec(dtype or ("float32" if given is None else _dtype_of(given)), dims)


def _repeat(input, repeats, axis=None):
    return Spec(_dtype_of(input), [None] if axis is None else _with(dims_of(input), axis))


def _reduced(dtype=None):
    def rule(input_tensor, axis=None, keepdims=False):
        return Spec(dtype or _dtype_of(input_tensor), _same_rank(input_tensor) if keepdims is True else None)

    return rule


def _pad(tensor, paddings, *_, **__):
    dims = dims_of(tensor)
    if dims is None or isinstance(paddings, Tensor):
        return Spec(_dtype_of(tensor), _same_rank(tensor))
    return Spec(
        _dtype_of(tensor),
        [
            d + sum(map(int, p)) if all(isinstance(n, (int, np.integer)) for n in p) else None
            for d, p in zip(dims, paddings)
        ],
    )


def _arg(input, axis=None, output_type="int64"):
    dims = dims_of(input)
    return Spec(output_type, None if dims is None else [None] * (len(dims) - 1))


def _split(value, num_or_size_splits, axis=0, num=None):
    sizes = dims_of(num_or_size_splits)
    count = (
        num
        if num is not None
        else num_or_size_splits
        if isinstance(num_or_size_splits, int)
        else sizes[0]
        if sizes
        else None
    )
    if type(count) is not int:
        raise ValueError("[split] how many parts there are is not known; give num")
    return [Spec(_dtype_of(value), _with(dims_of(value), axis)) for _ in range(count)]


def _range(start, limit=None, delta=1, dtype=None):
    with_dtype = [x for x in (start, limit, delta) if isinstance(x, Tensor)]
    return Spec(dtype or max((t.dtype for t in with_dtype), key=lambda d: (d.is_floating, d.size)), [None])


def _top_k(input, k=1, sorted=True, index_type="int32"):
    from brio import _more_math

    dims = _with(dims_of(input), -1, k if isinstance(k, int) else None)
    return _more_math.TopKV2(Spec(_dtype_of(input), dims), Spec(index_type, dims))


def _concat(values, axis):
    return Spec(_dtype_of(values[0]), next((_same_rank(v) for v in values if dims_of(v) is not None), None))


def _expand_dims(input, axis):
    return Spec(_dtype_of(input), None if dims_of(input) is None else [None] * (len(dims_of(input)) + 1))


def _gather(params, indices, validate_indices=None, axis=None, batch_dims=0):
    p, i = dims_of(params), dims_of(indices)
    return Spec(
        _dtype_of(params),
        None
        if p is None or i is None or not isinstance(batch_dims, int)
        else [None] * (len(p) + len(i) - 1 - batch_dims),
    )


def _bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32", axis=None, binary_output=False):
    dims = dims_of(arr)
    return Spec(
        dtype if weights is None else _dtype_of(weights), [None] if axis is None or dims is None else [*dims[:-1], None]
    )


def _mean_dtype(data):
    dtype = _dtype_of(data)
    return dtype if not dtype.is_integer else "float32" if dtype.size < 4 else "float64"


# ---- pictures


def _resized(images, size, *_, **how):
    nearest = how.get("method") in ("nearest", 1)
    return with_sides(
        images,
        [None, None] if how.get("preserve_aspect_ratio") else _of_shape(size),
        _dtype_of(images) if nearest else "float32",
    )


def with_sides(pictures, sides, dtype=None):
    """Pictures of another height and width, which are given or None."""
    dims = dims_of(pictures)
    return Spec(
        dtype or _dtype_of(pictures),
        None if dims is None else [*dims[:-3], *(n if isinstance(n, int) else None for n in sides), dims[-1]],
    )


def _cropped(image, offset_height, offset_width, target_height, target_width):
    return with_sides(image, [target_height, target_width])


def _central(image, central_fraction):
    return with_sides(image, [None, None])


def _to_sides(image, target_height, target_width, *_, **__):
    return with_sides(image, [target_height, target_width])


def _boxes(image, boxes, box_indices, crop_size, *_, **__):
    n = dims_of(boxes)
    return Spec("float32", [n[0] if n else None, *_of_shape(crop_size), dims_of(image)[-1] if dims_of(image) else None])


def _combined(boxes, scores, max_output_size_per_class, max_total_size, *_, pad_per_class=False, **__):
    from brio.image import _Combined

    n, size = (
        dims_of(boxes)[0] if dims_of(boxes) else None,
        None if pad_per_class or not isinstance(max_total_size, int) else max_total_size,
    )
    return _Combined(
        Spec("float32", [n, size, 4]), Spec("float32", [n, size]), Spec("float32", [n, size]), Spec("int32", [n])
    )


# ---- convolutions, matrices, signals


def _conv(input, filters, *_, data_format=None, **__):
    dims = dims_of(filters)
    if dims is None or str(data_format).startswith("NC"):
        return Spec(_dtype_of(input), None if dims is None else [None] * len(dims))
    return Spec(_dtype_of(input), [dims_of(input)[0] if dims_of(input) else None, *[None] * (len(dims) - 2), dims[-1]])


def _conv_transpose(input, filters, output_shape, *_, **__):
    return Spec(_dtype_of(input), _of_shape(output_shape))


def _matrix(change, dtype=None):
    """A rule by what becomes of the dims of matrices."""

    def rule(x, *others, **__):
        dims = dims_of(x)
        return Spec(dtype or _dtype_of(x), None if dims is None else change(tuple(dims)))

    return rule


def _lstsq(matrix, rhs, *_, **__):
    a, b = dims_of(matrix), dims_of(rhs)
    return Spec(_dtype_of(matrix), None if a is None or b is None else [*a[:-2], a[-1], b[-1]])


def _complex(x):
    return "complex128" if _dtype_of(x).size == 8 else "complex64"


def _rfft(input_tensor, fft_length=None):
    return Spec(_complex(input_tensor), _with(dims_of(input_tensor), -1))


def _frame(signal, frame_length, frame_step, *_, axis=-1, **__):
    dims = dims_of(signal)
    known = (
        None
        if dims is None or axis not in (-1, len(dims) - 1)
        else [*dims[:-1], None, frame_length if isinstance(frame_length, int) else None]
    )
    return Spec(_dtype_of(signal), known if dims is None or known else [None] * (len(dims) + 1))


def _stft(signals, frame_length, frame_step, fft_length=None, *_, **__):
    dims, length = dims_of(signals), frame_length if fft_length is None else fft_length
    bins = (
        None
        if not isinstance(length, int)
        else (length if fft_length is not None else 1 << (length - 1).bit_length()) // 2 + 1
    )
    return Spec(_complex(signals), None if dims is None else [*dims[:-1], None, bins])


def _inverse_stft(stfts, *_, **__):
    return Spec(
        "float64" if _dtype_of(stfts).size == 16 else "float32",
        None if dims_of(stfts) is None else [*dims_of(stfts)[:-2], None],
    )


def _unstack(value, num=None, axis=0):
    if not isinstance(num, int):
        raise ValueError(f"[unstack] how many parts there are is not known: the shape is {value.shape}; give num")
    dims = dims_of(value)
    return [
        Spec(_dtype_of(value), None if dims is None else [d for i, d in enumerate(dims) if i != axis % len(dims)])
        for _ in range(num)
    ]


def _dense(sp_input, *_, **__):
    return Spec(sp_input.values.dtype, None if _rank_of(sp_input) is None else [None] * _rank_of(sp_input))


def _product(sp_a, b, *_, **__):
    return Spec(_dtype_of(b if isinstance(b, Tensor) else sp_a), [None, None])


def _picture(contents, channels=0, *_, dtype="uint8", **__):
    return Spec(dtype, [None, None, channels if isinstance(channels, int) and channels > 0 else None])


def _any_picture(contents, channels=None, dtype="uint8", expand_animations=True):
    return Spec(dtype, None if expand_animations else [None, None, channels or None])  # with frames it has four axes


def _suppressed(boxes, scores, max_output_size, *_, **__):
    return Spec("int32", [None])


# ---- texts


def _text(x, *_, **__):
    return Spec("string", dims_of(x))


def _joined(inputs, separator=""):
    ranked = [dims_of(x) for x in inputs]
    longest = None if None in ranked else max(ranked, key=len)
    return Spec("string", longest)


def _reduce_join(inputs, axis=None, keepdims=False, separator=""):
    dims = dims_of(inputs)
    if axis is None:
        return Spec("string", None if dims is None and keepdims else [1] * len(dims) if keepdims else [])
    if dims is None or not isinstance(axis, int):
        return Spec("string", _same_rank(inputs) if keepdims else None)
    axis %= len(dims)
    return Spec("string", [*dims[:axis], *([1] if keepdims else []), *dims[axis + 1 :]])


def _ragged(dtype, rows):
    from brio._ragged import RaggedTensor

    made = object.__new__(RaggedTensor)
    made.values, made.row_splits = Spec(dtype, [None]), Spec("int64", [rows + 1 if type(rows) is int else None])
    return made


def _ranges(starts, limits=None, deltas=1, dtype=None, **__):
    given = [x for x in (starts, limits, deltas) if x is not None]
    return _ragged(
        dtype or _dtype_of(next(x for x in given if isinstance(x, Tensor))),
        max((dims_of(x) for x in given), key=len, default=[1])[0],
    )


def _pieces(dtype):
    def rule(input, *_, **__):
        dims = dims_of(input)
        if dims == ():
            return Spec(dtype, [None])
        if dims is None or len(dims) > 1:
            raise ValueError("[strings] texts of rank 0 and 1 can be cut in a graph; reshape them to a vector first")
        return _ragged(dtype, dims[0])

    return rule


def _sparse(dtype, rank):
    from brio._sparse import SparseTensor

    made = object.__new__(SparseTensor)
    made.indices, made.values, made.dense_shape = (
        Spec("int64", [None, rank]),
        Spec(dtype, [None]),
        Spec("int64", [rank]),
    )
    return made


def _features(batch):
    def rule(serialized, features, example_names=None):
        from brio import io

        dims, made = dims_of(serialized) or [], {}
        for key, feature in features.items():
            if isinstance(feature, io.FixedLenFeature):
                made[key] = Spec(feature.dtype, [*(dims if batch else []), *feature.shape])
            elif isinstance(feature, io.VarLenFeature):
                made[key] = _sparse(feature.dtype, 2 if batch else 1)
            else:
                raise ValueError(
                    f"[parse_example] feature {key!r} has a shape that is not known before a run; parse it with "
                    "tf.py_function"
                )
        return made

    return rule


def _csv(records, record_defaults, *_, **__):
    made = []
    for default in record_defaults:
        is_dtype = not hasattr(default, "shape") and not isinstance(default, (list, tuple, int, float, str, bytes))
        made.append(Spec(default if is_dtype else _dtype_of(default), dims_of(records)))
    return made


def _rank_of(x):
    """Of a tensor or a sparse one; None where it is not known."""
    if isinstance(x, Tensor):
        return None if x.dims is None else len(x.dims)
    return x.indices.dims[1] if type(x.indices.dims[1]) is int else None


def _set(a, *_, **__):
    return _sparse(getattr(a, "values", a).dtype, _rank_of(a))


def _set_size(a, *_, **__):
    return Spec("int32", None if _rank_of(a) is None else [None] * (_rank_of(a) - 1))


def _decoded(inputs, sequence_length, *_, **__):
    dims = dims_of(inputs)
    return [_sparse("int64", 2)], Spec(_dtype_of(inputs), [None if dims is None else dims[1], 1])


def _declare():
    """Fills RULES."""
    import brio as tf

    rules = {
        "reshape": lambda tensor, shape: Spec(_dtype_of(tensor), _of_shape(shape)),
        "broadcast_to": lambda input, shape: Spec(_dtype_of(input), _of_shape(shape)),
        "fill": lambda dims, value, layout=None: Spec(_dtype_of(value), _of_shape(dims)),
        "scatter_nd": lambda indices, updates, shape: Spec(_dtype_of(updates), _of_shape(shape)),
        "tile": lambda input, multiples: Spec(_dtype_of(input), _same_rank(input)),
        "pad": _pad,
        "transpose": lambda a, *_, **__: Spec(_dtype_of(a), _same_rank(a)),
        "one_hot": _one_hot,
        "repeat": _repeat,
        "split": _split,
        "range": _range,
        "eye": lambda num_rows, num_columns=None, batch_shape=None, dtype="float32": Spec(
            dtype, [*(batch_shape or []), None, None]
        ),
        "sequence_mask": lambda lengths, maxlen=None, dtype="bool": Spec(
            dtype, None if dims_of(lengths) is None else [*dims_of(lengths), None]
        ),
        "linspace": lambda start, stop, num, axis=0: Spec(
            _dtype_of(start), None if dims_of(start) is None else [None] * (len(dims_of(start)) + 1)
        ),
        "argmax": _arg,
        "argmin": _arg,
        "concat": _concat,
        "expand_dims": _expand_dims,
        "gather": _gather,
        "math.top_k": _top_k,
        "squeeze": lambda input, axis=None: Spec(_dtype_of(input), None),
        "roll": _same,
        "reverse": _same,
        "cumsum": _same,
        "dynamic_partition": lambda data, partitions, num_partitions: [
            Spec(_dtype_of(data), _after(dims_of(data), partitions)) for _ in range(num_partitions)
        ],
        "dynamic_stitch": lambda indices, data: Spec(_dtype_of(data[0]), _after(dims_of(data[0]), indices[0])),
        "math.bincount": _bincount,
        "math.confusion_matrix": lambda labels, predictions, num_classes=None, weights=None, dtype="int32": Spec(
            dtype, [None, None]
        ),
        "random.categorical": lambda logits, num_samples, dtype=None, seed=None: Spec(
            dtype or "int64", _with(dims_of(logits), -1)
        ),
        "unstack": _unstack,
        "ragged.range": _ranges,
        "edit_distance": lambda *_, **__: Spec("float32", None),
        "sparse.to_dense": _dense,
        "sparse.sparse_dense_matmul": _product,
        "random.shuffle": _same,
        "bitcast": lambda input, type: Spec(
            type, dims_of(input) if _core.as_dtype(type).size == _dtype_of(input).size else None
        ),
        "nn.conv_transpose": _conv_transpose,
        "nn.conv2d_transpose": _conv_transpose,
        "nn.conv3d_transpose": _conv_transpose,
        "nn.conv1d_transpose": _conv_transpose,
        "linalg.diag": _matrix(lambda d: [*d[:-1], None, None]),
        "linalg.diag_part": _matrix(lambda d: [*d[:-2], None]),
        "linalg.trace": _matrix(lambda d: d[:-2]),
        "linalg.tensor_diag": _matrix(lambda d: d + d),
        "linalg.tensor_diag_part": _matrix(lambda d: d[: len(d) // 2]),
        "linalg.expm": _same,
        "linalg.lstsq": _lstsq,
        "linalg.matrix_rank": _matrix(lambda d: d[:-2], "int32"),
        "linalg.pinv": _matrix(lambda d: [*d[:-2], d[-1], d[-2]]),
        "signal.rfft": _rfft,
        "signal.frame": _frame,
        "signal.stft": _stft,
        "signal.inverse_stft": _inverse_stft,
        "signal.dct": _same,
        "signal.idct": _same,
        "signal.mfccs_from_log_mel_spectrograms": _same,
        "signal.overlap_and_add": _matrix(lambda d: [*d[:-2], None]),
        "image.random_crop": lambda value, size, *_, **__: Spec(_dtype_of(value), _of_shape(size)),
        "image.stateless_random_crop": lambda value, size, *_, **__: Spec(_dtype_of(value), _of_shape(size)),
        "image.resize_with_crop_or_pad": _to_sides,
        "image.resize_with_pad": _to_sides,
        "image.pad_to_bounding_box": _cropped,
        "image.central_crop": _central,
        "image.crop_and_resize": _boxes,
        "image.combined_non_max_suppression": _combined,
        "image.sobel_edges": _matrix(lambda d: [*d, 2]),
        "image.total_variation": _matrix(lambda d: d[:-3]),
        "image.image_gradients": lambda image: (_same(image), _same(image)),
        "image.per_image_standardization": _matrix(lambda d: d, "float32"),
        "image.resize": _resized,
        "image.crop_to_bounding_box": _cropped,
        "image.non_max_suppression": _suppressed,
        "io.decode_raw": lambda input_bytes, out_type, *_, **__: Spec(
            out_type, None if dims_of(input_bytes) is None else [*dims_of(input_bytes), None]
        ),
        "io.decode_csv": _csv,
        "io.parse_tensor": lambda serialized, out_type: Spec(out_type, None),
        "io.serialize_tensor": lambda tensor: Spec("string", []),
        "io.read_file": lambda filename: Spec("string", []),
        "io.decode_image": _any_picture,
        "io.encode_base64": _text,
        "io.decode_base64": _text,
        "io.encode_png": lambda image, *_, **__: Spec("string", []),
        "io.encode_jpeg": lambda image, *_, **__: Spec("string", []),
        "io.parse_example": _features(True),
        "io.parse_single_example": _features(False),
        "io.matching_files": lambda pattern: Spec("string", [None]),
        "strings.join": _joined,
        "strings.reduce_join": _reduce_join,
        "strings.format": lambda *_, **__: Spec("string", []),
        "strings.split": _pieces("string"),
        "strings.bytes_split": _pieces("string"),
        "strings.unicode_split": _pieces("string"),
        "strings.unicode_decode": _pieces("int32"),
        "strings.ngrams": lambda data, *_, **__: Spec("string", [*dims_of(data)[:-1], None]),
        "sets.union": _set,
        "sets.intersection": _set,
        "sets.difference": _set,
        "sets.size": _set_size,
        "nn.ctc_greedy_decoder": _decoded,
    }
    for name in ("zeros", "ones"):
        rules[name] = lambda shape, dtype="float32", layout=None: Spec(dtype, _of_shape(shape))
    for name in ("uniform", "normal", "truncated_normal"):
        rules[f"random.{name}"] = lambda shape, *_, dtype="float32", **__: Spec(dtype, _of_shape(shape))
    for name in ("sum", "mean", "max", "min", "prod"):
        rules[f"reduce_{name}"] = _reduced()
    for name in ("any", "all"):
        rules[f"reduce_{name}"] = _reduced("bool")
    for name in ("sum", "prod", "max", "min", "mean"):
        rules[f"math.segment_{name}"] = lambda data, segment_ids: Spec(
            _dtype_of(data), _after(dims_of(data), segment_ids)
        )
    for name in ("sum", "prod", "max", "min", "sqrt_n"):
        rules[f"math.unsorted_segment_{name}"] = lambda data, segment_ids, num_segments: Spec(
            _dtype_of(data), _after(dims_of(data), segment_ids)
        )
    rules["math.unsorted_segment_mean"] = lambda data, segment_ids, num_segments: Spec(
        _mean_dtype(data), _after(dims_of(data), segment_ids)
    )
    for name in ("conv1d", "conv2d", "conv3d", "convolution"):
        rules[f"nn.{name}"] = _conv
    for name in ("hann", "hamming", "kaiser", "vorbis"):
        rules[f"signal.{name}_window"] = lambda window_length, *_, dtype="float32", **__: Spec(dtype, [None])
    for name in ("random_flip_left_right", "random_flip_up_down", "stateless_random_flip_left_right",
                 "stateless_random_flip_up_down", "adjust_jpeg_quality", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq",
                 "yiq_to_rgb"):  # fmt: skip
        rules[f"image.{name}"] = _same
    for name in ("decode_png", "decode_jpeg", "decode_bmp"):
        rules[f"io.{name}"] = _picture
    for name in ("lower", "upper", "strip", "substr", "regex_replace", "as_string", "unicode_transcode"):
        rules[f"strings.{name}"] = _text
    for name, rule in rules.items():
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        RULES[getattr(function, "_behind", function)] = rule
