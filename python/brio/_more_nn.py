"""Functions of tf.nn that are made of others:
windows, morphology, gradients of depthwise convolutions, isotonic regression."""

from collections import namedtuple

from brio import _core
from brio._axes import positive_axis
from brio.errors import InvalidArgumentError

MaxPoolWithArgmax = namedtuple("MaxPoolWithArgmax", ["output", "argmax"])
FractionalMaxPool = namedtuple("FractionalMaxPool", ["output", "row_pooling_sequence", "col_pooling_sequence"])
FractionalAvgPool = namedtuple("FractionalAvgPool", ["output", "row_pooling_sequence", "col_pooling_sequence"])
IsotonicRegression = namedtuple("IsotonicRegression", ["output", "segments"])
TopK = namedtuple("ApproxTopK", ["values", "indices"])


def _pair(who, what, given):
    """Sizes along rows and columns of 3, [3], [3, 2] or [1, 3, 2, 1]."""
    numbers = [int(n) for n in given] if isinstance(given, (list, tuple)) else [int(given)]
    if len(numbers) == 4 and numbers[0] == numbers[3] == 1:
        return numbers[1:3]
    if len(numbers) not in (1, 2):
        raise InvalidArgumentError(
            f"[{who}] {what} is {given}; it is one number, one for rows and one for columns, or [1, rows, columns, 1]"
        )
    return numbers * 2 if len(numbers) == 1 else numbers


def _steps(who, size, window, stride, padding):
    """How many windows there are along an axis, and how many places lie before the first element and behind the
    last."""
    if padding == "VALID":
        count = (size - window) // stride + 1
        if count < 1:
            raise InvalidArgumentError(f"[{who}] a window of {window} does not fit into {size} with padding='VALID'")
        return count, 0, 0
    if padding != "SAME":
        raise InvalidArgumentError(f"[{who}] padding is {padding!r}; it is 'SAME' or 'VALID'")
    count = -(-size // stride)
    missing = max((count - 1) * stride + window - size, 0)
    return count, missing // 2, missing - missing // 2


def _lowest(dtype):
    return float("-inf") if dtype.is_floating else int(dtype.min)


def _taps(who, x, window, strides, rates, padding):
    """What lies at each place of the windows: (row, column, pixels (batch, windows, windows, channels)),
    and numbers of windows and padding."""
    sizes = [(k - 1) * r + 1 for k, r in zip(window, rates)]
    (rows, top, bottom), (columns, left, right) = (
        _steps(who, int(x.shape[1 + i]), sizes[i], strides[i], padding) for i in (0, 1)
    )
    padded = (
        _core.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]], constant_values=_lowest(x.dtype))
        if top + bottom + left + right
        else x
    )
    taps = []
    for i in range(window[0]):
        for j in range(window[1]):
            y, z = i * rates[0], j * rates[1]
            part = padded[
                :,
                y : y + (rows - 1) * strides[0] + 1 : strides[0],
                z : z + (columns - 1) * strides[1] + 1 : strides[1],
                :,
            ]
            taps.append((i, j, part))
    return taps, (rows, columns), (top, left)


def max_pool_with_argmax(
    input, ksize, strides, padding, data_format="NHWC", output_dtype="int64", include_batch_in_index=False, name=None
):
    """The largest element of each window, and its place in the flattened picture, or batch.

    >>> output, argmax = tf.nn.max_pool_with_argmax(tf.reshape([1.0, 4.0, 3.0, 2.0], [1, 2, 2, 1]), 2, 2, "VALID")
    >>> output.numpy().item(), argmax.numpy().item()
    (4.0, 1)
    """
    who = "max_pool_with_argmax"
    if data_format != "NHWC":
        raise ValueError(f"[{who}] data_format is {data_format!r}; it is 'NHWC'")
    x = _core.convert_to_tensor(input)
    (height, width), steps = _pair(who, "ksize", ksize), _pair(who, "strides", strides)
    taps, (rows, columns), (top, left) = _taps(who, x, (height, width), steps, (1, 1), padding)
    channels = x.shape[3]
    y = _core.reshape(_core.range(rows, dtype="int64") * steps[0] - top, [-1, 1, 1])
    z = _core.reshape(_core.range(columns, dtype="int64") * steps[1] - left, [-1, 1])
    best = at = None
    for i, j, part in taps:
        place = ((y + i) * x.shape[2] + (z + j)) * channels + _core.range(channels, dtype="int64")
        place = _core.zeros_like(part, "int64") + place
        if best is None:
            best, at = part, place
        else:
            more = part > best
            best, at = _core.where(more, part, best), _core.where(more, place, at)
    if include_batch_in_index:
        first = _core.range(_core.shape(x, out_type="int64")[0], dtype="int64") * (x.shape[1] * x.shape[2] * channels)
        at = at + _core.reshape(first, [-1, 1, 1, 1])
    return MaxPoolWithArgmax(best, _core.cast(at, output_dtype))


def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """Greyscale dilation: the largest of pixel plus filter in each window, channel by channel.

    >>> tf.nn.dilation2d(
    ...     tf.reshape([1.0, 2.0, 3.0, 0.0], [1, 2, 2, 1]), tf.zeros([2, 2, 1]),
    ...     [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1],
    ... ).numpy().item()
    3.0
    """
    who = "dilation2d"
    if data_format != "NHWC":
        raise ValueError(f"[{who}] data_format is {data_format!r}; it is 'NHWC'")
    x = _core.convert_to_tensor(input)
    filters = _core.convert_to_tensor(filters, dtype_hint=x.dtype)
    if filters.shape.rank != 3 or filters.shape[2] != x.shape[3]:
        raise InvalidArgumentError(
            f"[{who}] filters have shape {tuple(filters.shape)}; for pictures of {x.shape[3]} channels it is (rows, "
            f"columns, {x.shape[3]})"
        )
    taps, _, _ = _taps(
        who,
        x,
        [int(n) for n in filters.shape[:2]],
        _pair(who, "strides", strides),
        _pair(who, "dilations", dilations),
        padding,
    )
    best = None
    for i, j, part in taps:
        found = part + filters[i, j]
        best = found if best is None else _core.where(found > best, found, best)
    return best


def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """Greyscale erosion: the smallest of pixel minus filter, mirrored, in each window."""
    filters = _core.convert_to_tensor(filters)
    return -dilation2d(
        -_core.convert_to_tensor(value), _core.reverse(filters, [0, 1]), strides, padding, data_format, dilations
    )


def _edges(size, count, pseudo_random, seed):
    """Where windows of almost the same size begin, and the end: (count + 1,)."""
    whole, rest = divmod(size, count)
    if not rest:
        return _core.range(count + 1, dtype="int64") * whole
    if pseudo_random:
        alpha = size / count
        most = min((whole + 2) / alpha - 1, (size + 1 - whole) / alpha - (count - 1))
        u = _core._random.uniform([], 0.0, most, "float64", seed=seed)
        inner = _core.cast(_core.floor((_core.range(1, count, dtype="float64") + u) * alpha), "int64")
        return _core.concat([_core.zeros([1], "int64"), inner, _core.constant([size], "int64")], 0)
    steps = _core._random.shuffle(_core.constant([whole + 1] * rest + [whole] * (count - rest), "int64"), seed=seed)
    return _core.concat([_core.zeros([1], "int64"), _core.cumsum(steps)], 0)


def _pooled(x, axis, edges, longest, overlapping, mean):
    size = x.shape[axis]
    first, last = edges[:-1], _core.minimum(edges[1:] - (0 if overlapping else 1), _core.constant(size - 1, "int64"))
    shape = [-1] + [1] * (x.shape.rank - axis - 1)
    best = total = None
    for step in range(longest):
        at = first + step
        part = _core.gather(x, _core.minimum(at, last), axis=axis)
        if mean:
            part = part * _core.reshape(_core.cast(at <= last, x.dtype), shape)
            total = part if total is None else total + part
        else:
            best = part if best is None else _core.where(part > best, part, best)
    return total / _core.reshape(_core.cast(last - first + 1, x.dtype), shape) if mean else best


def _fractional(who, value, pooling_ratio, pseudo_random, overlapping, seed, mean):
    x = _core.convert_to_tensor(value)
    ratios = list(pooling_ratio) if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio]
    ratios = ratios[1:3] if len(ratios) == 4 else ratios * 2 if len(ratios) == 1 else ratios
    if len(ratios) != 2 or any(r < 1 for r in ratios):
        raise ValueError(
            f"[{who}] pooling_ratio is {pooling_ratio}; it is 1 or more, one number or one for rows and one for columns"
        )
    made = []
    for axis, ratio in zip((1, 2), ratios):
        size = int(x.shape[axis])
        count = int(size / ratio)
        edges = _edges(size, count, pseudo_random, (seed + axis - 1) if seed else None)
        longest = size // count + (2 if pseudo_random else 1) + bool(overlapping)
        x = _pooled(x, axis, edges, longest if size % count else size // count + bool(overlapping), overlapping, mean)
        made.append(edges)
    return x, made[0], made[1]


def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """The largest of each window where windows differ in size by one, at random, so that a picture shrinks by a
    fraction: (pictures, edges of rows, of columns).

    >>> tf.nn.fractional_max_pool(tf.ones([2, 30, 30, 3]), 1.44).output.shape
    TensorShape([2, 20, 20, 3])
    """
    return FractionalMaxPool(
        *_fractional("fractional_max_pool", value, pooling_ratio, pseudo_random, overlapping, seed, False)
    )


def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """The mean of each window where windows differ in size by one: (pictures, edges of rows, of columns)."""
    return FractionalAvgPool(
        *_fractional("fractional_avg_pool", value, pooling_ratio, pseudo_random, overlapping, seed, True)
    )


def _pools(rows):
    """The number of the run of equal fitted values that each element is in:
    pool adjacent violators, rows that are to fall."""
    import numpy as np

    made = np.zeros(rows.shape, np.int32)
    for row, out in zip(rows.astype(np.float64).tolist(), made):
        means, sizes = [], []
        for value in row:
            mean, size = value, 1
            while means and means[-1] < mean:
                before, count = means.pop(), sizes.pop()
                mean, size = (before * count + mean * size) / (count + size), count + size
            means.append(mean)
            sizes.append(size)
        out[:] = np.repeat(np.arange(len(sizes)), sizes)
    return made


def isotonic_regression(inputs, decreasing=True, axis=-1):
    """The nearest values, in squares, that fall (or rise) along an axis,
    and the number of the run of equal ones that each is in.

    >>> tf.nn.isotonic_regression([3.0, 1.0, 2.0, 0.0])[0].numpy().tolist()
    [3.0, 1.5, 1.5, 0.0]
    """
    from brio._host import on_host

    x = _core.convert_to_tensor(inputs)
    x = x if x.dtype.is_floating else _core.cast(x, "float32" if x.dtype.size < 4 else "float64")
    rank = x.shape.rank
    if rank == 0:  # a run of one
        return IsotonicRegression(x, _core.zeros([], "int32"))
    axis = positive_axis("isotonic_regression", axis, rank)
    order = [i for i in range(rank) if i != axis] + [axis]
    moved = _core.transpose(x, order)
    size = moved.shape[-1]
    rows = _core.reshape(moved if decreasing else -moved, [-1, size])
    runs = on_host(_pools, [_core.stop_gradient(rows)], [(rows.shape, "int32")])[0]
    count = rows.shape[0] * size
    flat = _core.reshape(runs + _core.reshape(_core.range(rows.shape[0]) * size, [-1, 1]), [-1])
    fitted = _core.gather(_core._math.unsorted_segment_mean(_core.reshape(moved, [-1]), flat, count), flat)
    back = sorted(range(rank), key=order.__getitem__)
    return IsotonicRegression(*(_core.transpose(_core.reshape(made, moved.shape), back) for made in (fitted, runs)))


def _extremes(who, operand, k, axis, sign):
    x = _core.convert_to_tensor(operand)
    rank = x.shape.rank
    axis = positive_axis(who, axis, rank)
    order = [i for i in range(rank) if i != axis] + [axis]
    values, places = _core._math._top_k(sign * (x if axis == rank - 1 else _core.transpose(x, order)), k)
    if axis != rank - 1:
        back = sorted(range(rank), key=order.__getitem__)
        values, places = _core.transpose(values, back), _core.transpose(places, back)
    return TopK(sign * values, places)


def approx_max_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k largest along an axis, and where they are; here none of them is missed.

    >>> tf.nn.approx_max_k([1.0, 5.0, 3.0], 2).values.numpy().tolist()
    [5.0, 3.0]
    """
    return _extremes("approx_max_k", operand, k, reduction_dimension, 1)


def approx_min_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k smallest along an axis, and where they are; here none of them is missed."""
    return _extremes("approx_min_k", operand, k, reduction_dimension, -1)


def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """batch_normalization with the offset beta, and with the factor gamma where scale_after_normalization says so."""
    from brio.nn import batch_normalization

    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


def _gradient_of(f, source, upstream):
    with _core.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(source)
        y = f(source)
    return tape.gradient(y, source, output_gradients=upstream)


def _sizes(given):
    return [int(n) for n in (given.numpy() if hasattr(given, "numpy") else given)]


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """What atrous_conv2d's gradient is for its input:
    pixels spread by filters (rows, columns, channels out, channels in) with gaps."""
    value, filters = _core.convert_to_tensor(value), _core.convert_to_tensor(filters)
    zeros = _core.zeros(_sizes(output_shape), value.dtype)
    return _gradient_of(lambda x: _core._nn.conv2d(x, filters, 1, padding, dilations=rate), zeros, value)


def depthwise_conv2d_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006  TensorFlow's default
    name=None,
):
    """The gradient of depthwise_conv2d for its input."""
    rates, filter, above = (
        _rates(dilations, data_format),
        _core.convert_to_tensor(filter),
        _core.convert_to_tensor(out_backprop),
    )
    zeros = _core.zeros(_sizes(input_sizes), above.dtype)
    return _gradient_of(
        lambda x: _core._nn.depthwise_conv2d(x, filter, list(strides), padding, data_format, rates), zeros, above
    )


def depthwise_conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006  TensorFlow's default
    name=None,
):
    """The gradient of depthwise_conv2d for its filters."""
    rates, x, above = (
        _rates(dilations, data_format),
        _core.convert_to_tensor(input),
        _core.convert_to_tensor(out_backprop),
    )
    zeros = _core.zeros(_sizes(filter_sizes), above.dtype)
    return _gradient_of(
        lambda f: _core._nn.depthwise_conv2d(x, f, list(strides), padding, data_format, rates), zeros, above
    )


def _rates(dilations, data_format):
    """Those of rows and columns, of one for each axis."""
    return list(dilations)[2:4] if data_format == "NCHW" else list(dilations)[1:3]


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
    """op(input, number of spatial axes, padding) as if its windows had gaps:
    pixels that are dilation_rate apart become pictures of their own.

    >>> pool = lambda x, n, padding: tf.nn.max_pool2d(x, 2, 1, padding)
    >>> tf.nn.with_space_to_batch(tf.ones([1, 8, 8, 3]), [2, 2], "VALID", pool).shape
    TensorShape([1, 6, 6, 3])
    """
    x = _core.convert_to_tensor(input)
    rates = _sizes(dilation_rate)
    first = data_format is not None and data_format.startswith("NC")
    axes = (
        sorted(spatial_dims)
        if spatial_dims is not None
        else list(range(2 if first else 1, len(rates) + (2 if first else 1)))
    )
    if len(axes) != len(rates):
        raise ValueError(f"[with_space_to_batch] {len(rates)} rates for {len(axes)} spatial axes")
    if all(r == 1 for r in rates):
        return op(x, len(rates), padding)
    pads = [[0, 0]] * len(rates)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("[with_space_to_batch] padding='SAME' needs filter_shape")
        spread = [(k - 1) * (r - 1) + k - 1 for k, r in zip(_sizes(filter_shape), rates)]
        pads = [[n // 2, n - n // 2] for n in spread]
    # Up to the last axis with a rate of its own all take part: the functions move leading axes.
    last = axes[-1]
    block, paddings, crops = [], [], []
    for axis in range(1, last + 1):
        rate, (low, high) = (rates[axes.index(axis)], pads[axes.index(axis)]) if axis in axes else (1, (0, 0))
        more = -(x.shape[axis] + low + high) % rate
        block.append(rate)
        paddings.append([low, high + more])
        crops.append([0, more])
    result = op(_core.space_to_batch(x, block, paddings), len(rates), "VALID")
    return _core.batch_to_space(result, block, crops)


def approx_top_k(input, k, reduction_dimension=-1, recall_target=0.95, is_max_k=True, reduction_input_size_override=-1,
                 aggregate_to_topk=True, name=None):  # fmt: skip
    """The k largest along an axis, or the smallest, and where they are; here none of them is missed.

    >>> tf.approx_top_k([1.0, 5.0, 3.0], k=2).values.numpy().tolist()
    [5.0, 3.0]
    """
    return _extremes("approx_top_k", input, k, reduction_dimension, 1 if is_max_k else -1)


def conv(
    input,
    filter,
    strides,
    padding,
    explicit_paddings=[],  # noqa: B006  TensorFlow's default
    data_format="CHANNELS_LAST",
    dilations=[],  # noqa: B006  TensorFlow's default
    batch_dims=1,
    groups=1,
    name=None,
):
    """A convolution of pictures or volumes, whose number of dimensions is that of the input;
    the first batch_dims axes are of the batch.

    >>> tf.conv(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 3]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 3, 3, 3])
    """
    x, filter = _core.convert_to_tensor(input), _core.convert_to_tensor(filter)
    batch_dims = int(batch_dims)
    batch, rank = list(_core._sizes(x))[:batch_dims], len(x.shape) - batch_dims - 1
    if rank not in (2, 3) or len(filter.shape) != rank + 2:
        shapes = (
            f"an input of shape {x.shape} with {batch_dims} axes of the batch, and a filter of shape {filter.shape}"
        )
        raise InvalidArgumentError(f"[conv] {shapes}; there are 2 or 3 axes of space")
    if data_format not in ("CHANNELS_LAST", "CHANNELS_FIRST"):
        raise InvalidArgumentError(f"[conv] data_format is {data_format!r}; it is 'CHANNELS_LAST' or 'CHANNELS_FIRST'")
    x = _core.reshape(x, [-1, *list(_core._sizes(x))[batch_dims:]])
    first = data_format == "CHANNELS_FIRST"
    if first:
        x = _core.transpose(x, [0, *range(2, rank + 2), 1])
    middle = slice(2, None) if first else slice(1, -1)
    steps, rates = list(strides)[middle], list(dilations)[middle] or [1] * rank
    if padding == "EXPLICIT":
        pairs = [list(explicit_paddings[i : i + 2]) for i in range(0, len(explicit_paddings), 2)][middle]
        x, padding = _core.pad(x, [[0, 0], *pairs, [0, 0]]), "VALID"
    if rank == 2:
        y = _core._nn.conv2d(x, filter, [1, *steps, 1], padding, dilations=[1, *rates, 1])
    else:
        y = _core._nn.conv3d(x, filter, [1, *steps, 1], padding, dilations=[1, *rates, 1])
    if first:
        y = _core.transpose(y, [0, rank + 1, *range(1, rank + 1)])
    return y if batch_dims == 1 else _core.reshape(y, [*batch, *list(_core._sizes(y))[1:]])
