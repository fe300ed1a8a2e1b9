"""keras.ops: functions of neural networks."""

import brio as tf
from brio.keras import activations as _a
from brio.keras import losses as _losses
from brio.keras.ops._adaptive import adaptive_average_pool, adaptive_max_pool, fold, unfold  # noqa: F401
from brio.keras.ops._convert import as_dtype, channels_last, floating, name_of, of_values, result_type, tensor

for _name in (
    "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu log_sigmoid log_softmax "
    "mish relu relu6 selu sigmoid silu softmax soft_shrink softplus softsign sparse_plus sparsemax squareplus "
    "tanh_shrink hard_swish swish"
).split():
    if hasattr(_a, _name):
        globals()[_name] = getattr(_a, _name)
threshold = _a.threshold


def gelu(x, approximate=True):
    """x times the normal distribution's share below x."""
    return _a.gelu(x, approximate=approximate)


def separable_conv(
    inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1
):
    """A convolution of each channel by itself, then one of all channels at each place."""
    between = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(between, pointwise_kernel, 1, "valid", data_format)


def depth_to_space(x, block_size, data_format=None):
    """Channels as blocks of pixels."""
    x, back = channels_last(x, data_format)
    return back(tf.nn.depth_to_space(x, block_size))


def space_to_depth(x, block_size, data_format=None):
    """Blocks of pixels as channels."""
    x, back = channels_last(x, data_format)
    return back(tf.nn.space_to_depth(x, block_size))


def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """Class numbers as rows with a 1 at their place."""
    x = tensor(x)
    x = x if name_of(x) in ("uint8", "int8", "int32", "int64") else tf.cast(x, "int64")
    made = tf.one_hot(x, num_classes, axis=axis, dtype="float32" if dtype in (None, "bool") else dtype)
    return tf.cast(made, "bool") if dtype == "bool" else made


def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False, **kwargs):
    """Lists of class numbers as rows with a 1 at each place."""
    made = one_hot(inputs, num_classes, axis, dtype)
    return (tf.reduce_any if name_of(made) == "bool" else tf.reduce_max)(
        made, axis=1 if len(tensor(inputs).shape) > 1 else 0
    )


def binary_crossentropy(target, output, from_logits=False):
    """-target log(output) - (1 - target) log(1 - output), element by element."""
    target, output = floating(target), floating(output)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = tf.clip_by_value(output, 1e-7, 1 - 1e-7)
    return -(target * tf.math.log(output) + (1 - target) * tf.math.log(1 - output))


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-sum(target log(output)) along an axis, for one-hot targets."""
    return _losses.categorical_crossentropy(floating(target), floating(output), from_logits, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log of the output at the target's class."""
    return _losses.sparse_categorical_crossentropy(tensor(target), floating(output), from_logits, axis=axis)


def moments(x, axes, keepdims=False, synchronized=False):
    """The mean and the variance over axes."""
    return tf.nn.moments(floating(x), axes, keepdims=keepdims)


def normalize(x, axis=-1, order=2, epsilon=None):
    """x scaled to length 1 along an axis."""
    x = floating(x)
    x = x if len(x.shape) else tf.reshape(x, [1])
    epsilon = 1e-7 if epsilon is None else epsilon
    if order == 2:
        return x * tf.math.rsqrt(tf.maximum(tf.reduce_sum(x * x, axis=axis, keepdims=True), epsilon * epsilon))
    from brio.keras.ops.linalg import norm

    length = norm(x, ord=order, axis=axis, keepdims=True)
    return x / tf.maximum(length, tf.cast(epsilon, length.dtype))


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    """(x - mean) / sqrt(variance + epsilon) scale + offset, along an axis."""
    x = floating(x)
    shape = [n if i == axis % len(x.shape) else 1 for i, n in enumerate(x.shape)]
    put = lambda v: None if v is None else tf.reshape(tensor(v), shape)
    return tf.nn.batch_normalization(x, put(mean), put(variance), put(offset), put(scale), epsilon)


def _beside(value, x):
    """A weight in the dtype of what it goes with; a number of Python's keeps all its digits."""
    return tensor(value, x.dtype) if isinstance(value, (int, float)) else tf.cast(tensor(value), x.dtype)


def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    """x centred and scaled along its last axis, times gamma, plus beta."""
    x = tensor(x)
    dtype = name_of(x)
    x = tf.cast(x, result_type(dtype, "float32"))
    mean, variance = tf.nn.moments(x, axis, keepdims=True)
    x = (x - mean) * tf.math.rsqrt(variance + (1e-7 if epsilon is None else epsilon))
    x = x if gamma is None else x * _beside(gamma, x)
    return as_dtype(x if beta is None else x + _beside(beta, x), dtype)


def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    """x by the root of its mean square along an axis, times scale."""
    x = tensor(x)
    dtype = name_of(x)
    x = tf.cast(x, result_type(dtype, "float32"))
    x = x * tf.math.rsqrt(tf.reduce_mean(x * x, axis=axis, keepdims=True) + (1e-7 if epsilon is None else epsilon))
    return as_dtype(x if scale is None else x * _beside(scale, x), dtype)


def _window(n, value):
    return [value] * n if isinstance(value, int) else list(value)


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The largest of each window."""
    x, back = channels_last(inputs, data_format)
    n = len(x.shape) - 2
    return back(
        getattr(tf.nn, f"max_pool{n}d")(
            x, _window(n, pool_size), _window(n, pool_size if strides is None else strides), padding.upper()
        )
    )


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The mean of each window."""
    x, back = channels_last(floating(inputs), data_format)
    n = len(x.shape) - 2
    return back(
        getattr(tf.nn, f"avg_pool{n}d")(
            x, _window(n, pool_size), _window(n, pool_size if strides is None else strides), padding.upper()
        )
    )


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution of one to three axes."""
    x, back = channels_last(inputs, data_format)
    kernel = tensor(kernel)
    n = len(x.shape) - 2
    whole = name_of(x) == name_of(kernel) == "int32"
    x, kernel = (tf.cast(v, "float64") if whole else floating(v) for v in (x, kernel))
    made = back(tf.nn.convolution(x, kernel, _window(n, strides), padding.upper(), dilations=_window(n, dilation_rate)))
    return tf.cast(made, "int32") if whole else made


@of_values
def conv_transpose(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1):
    """The gradient of a convolution: what spreads each place over the window around it.
    The kernel is (*sizes, filters, channels)."""
    x, back = channels_last(floating(inputs), data_format)
    kernel = floating(kernel)
    n = len(x.shape) - 2
    strides, rates = _window(n, strides), _window(n, dilation_rate)
    more = [None] * n if output_padding is None else _window(n, output_padding)
    sizes = []
    for i in range(n):
        wide = (kernel.shape[i] - 1) * rates[i] + 1
        size = tf.shape(x)[i + 1] if x.shape[i + 1] is None else x.shape[i + 1]
        if padding.lower() == "same":
            sizes.append(
                size * strides[i] if more[i] is None else (size - 1) * strides[i] + wide - 2 * (wide // 2) + more[i]
            )
        else:
            sizes.append(
                size * strides[i] + max(wide - strides[i], 0)
                if more[i] is None
                else (size - 1) * strides[i] + wide + more[i]
            )
    batch = tf.shape(x)[0] if x.shape[0] is None else x.shape[0]
    return back(
        tf.nn.conv_transpose(x, kernel, [batch, *sizes, kernel.shape[-2]], strides, padding.upper(), dilations=rates)
    )


def sparse_sigmoid(x):
    """0 up to -1, 1 from 1 on, a straight line between."""
    return tf.clip_by_value(0.5 * (floating(x) + 1), 0.0, 1.0)


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution of each channel by itself."""
    x, back = channels_last(floating(inputs), data_format)
    kernel = floating(kernel)
    if len(x.shape) == 3:  # one axis as two of which one is 1
        stride, rate = _window(1, strides)[0], _window(1, dilation_rate)[0]
        return back(depthwise_conv(x[:, None], kernel[None], (stride, stride), padding, None, (1, rate))[:, 0])
    return back(
        tf.nn.depthwise_conv2d(
            x, kernel, [1, *_window(2, strides), 1], padding.upper(), dilations=_window(2, dilation_rate)
        )
    )


def dot_product_attention(
    query, key, value, bias=None, mask=None, scale=None, is_causal=False, flash_attention=None, **kwargs
):
    """(batch, T, heads, size) of queries, keys and values."""
    q, k, v = floating(query), floating(key), floating(value)
    scale = 1.0 / float(q.shape[-1]) ** 0.5 if scale is None else scale
    logits = tf.einsum("btnh,bsnh->bnts", q, k) * scale
    logits = logits if bias is None else logits + tensor(bias)
    if is_causal:
        t, s = logits.shape[-2:]
        seen = tf.range(t)[:, None] >= tf.range(s)[None, :]
        mask = seen if mask is None else tf.logical_and(tensor(mask), seen)
    if mask is not None:
        logits = tf.where(
            tf.broadcast_to(tensor(mask), logits.shape),
            logits,
            tf.cast(-3e38 if logits.dtype == "float32" else -1e9, logits.dtype),
        )
    return tf.einsum("bnts,bsnh->btnh", tf.nn.softmax(logits), v)


def psnr(x1, x2, max_val):
    """The ratio of the largest value to the error, in decibels."""
    from brio.keras.ops.numpy import log10

    x1, x2 = tensor(x1), tensor(x2)
    return 20 * log10(tf.cast(max_val, x2.dtype)) - 10 * log10(tf.reduce_mean(tf.square(x1 - x2)))


def polar(abs_, angle):
    """abs_ exp(i angle): a complex tensor."""
    return tf.complex(floating(abs_) * tf.cos(floating(angle)), floating(abs_) * tf.sin(floating(angle)))


def ctc_loss(target, output, target_length, output_length, mask_index=0):
    """Minus the log of the probability that logits (batch, time, classes) read as the labels."""
    from brio import _ctc

    return _ctc.loss(
        tf.cast(tensor(target), "int32"),
        floating(output),
        target_length,
        output_length,
        logits_time_major=False,
        blank_index=mask_index,
    )


def ctc_decode(
    inputs, sequence_lengths, strategy="greedy", beam_width=100, top_paths=1, merge_repeated=True, mask_index=0
):
    """((paths, batch, time) labels filled up with -1, scores) of logits (batch, time, classes)."""
    from brio import _ctc

    return _ctc.decode(inputs, sequence_lengths, strategy, beam_width, top_paths, merge_repeated, mask_index)


__all__ = [
    n
    for n in dir()
    if not n.startswith("_")
    and n not in ("tf", "as_dtype", "channels_last", "floating", "name_of", "result_type", "tensor")
]
