"""tf.compat.v1.nn: as tf.nn, with TensorFlow 1's parameters."""

import importlib
import math

import numpy as np

from brio import _core
from brio._core import _math, _nn, _random
from brio._graph import wrap
from brio.compat.v1 import rnn_cell
from brio.compat.v1._rnn import bidirectional_dynamic_rnn, dynamic_rnn, static_bidirectional_rnn, static_rnn


def _door(kind=None):
    def take(function):
        return wrap.door(function, kind or wrap.kind_of(function.__name__))

    return take


@_door("dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """x with a share of its elements 0 and the others larger; keep_prob, or 1 - rate, of them stay."""
    if rate is None and keep_prob is None:
        raise ValueError("You must provide a rate to dropout.")
    return dropped(x, 1 - keep_prob if rate is None else rate, noise_shape, seed)


def dropped(x, rate, noise_shape=None, seed=None):
    """dropout() by a rate that may be a tensor."""
    x = _core.convert_to_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"x has to be a floating point tensor since it will be scaled. Received x.dtype={x.dtype.name}"
        )
    if isinstance(rate, (int, float)) and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    if isinstance(rate, (int, float)) and rate == 0:
        return _core.identity(x)
    rate = _core.reshape(_core.cast(rate, x.dtype), [])  # one number: it changes no shape
    shape = (
        x.shape
        if noise_shape is None
        else [x.shape[i] if n is None or n == -1 else n for i, n in enumerate(noise_shape)]
    )
    keep = _core.cast(_random.uniform(shape, dtype=x.dtype, seed=seed) >= rate, x.dtype)
    return x * (1.0 / (1.0 - rate)) * keep


def _given(a, b, what):
    if (a is None) == (b is None):
        raise ValueError(f"Must specify one of {what}")
    return a if a is not None else b


@_door("Conv2D")
def conv2d(
    input,
    filter=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
    filters=None,
):
    """Filters slid over pictures."""
    return _nn.conv2d(
        input,
        _given(filter, filters, "filter and filters"),
        list(strides) if isinstance(strides, (list, tuple)) else strides,
        padding,
        data_format,
        dilations,
    )


@_door("Conv1D")
def conv1d(
    value=None,
    filters=None,
    stride=None,
    padding=None,
    use_cudnn_on_gpu=None,
    data_format=None,
    name=None,
    input=None,
    dilations=None,
):
    """Filters slid over sequences."""
    return _nn.conv1d(
        _given(value, input, "value and input"), filters, stride, padding, data_format or "NWC", dilations
    )


@_door("conv2d_transpose")
def conv2d_transpose(
    value=None,
    filter=None,
    output_shape=None,
    strides=None,
    padding="SAME",
    data_format="NHWC",
    name=None,
    input=None,
    filters=None,
    dilations=None,
):
    """The gradient of conv2d, as an operation."""
    return _nn.conv2d_transpose(
        _given(value, input, "value and input"),
        _given(filter, filters, "filter and filters"),
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
    )


@_door("depthwise")
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """Filters of each channel by itself."""
    return _nn.depthwise_conv2d(
        input, filter, strides, padding, data_format or "NHWC", dilations if dilations is not None else rate
    )


@_door("separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
):
    """Filters of each channel, then a product over channels."""
    return _nn.separable_conv2d(
        input,
        depthwise_filter,
        pointwise_filter,
        strides,
        padding,
        data_format or "NHWC",
        dilations if dilations is not None else rate,
    )


@_door("MaxPool")
def max_pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
    """The largest of each window."""
    return _nn.max_pool(_given(value, input, "value and input"), ksize, strides, padding, data_format)


@_door("AvgPool")
def avg_pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
    """The mean of each window."""
    return _nn.avg_pool(_given(value, input, "value and input"), ksize, strides, padding, data_format)


def _named_only(who, sentinel, labels, logits):
    if sentinel is not None or labels is None or logits is None:
        raise ValueError(f"Only call `{who}` with named arguments (labels=..., logits=..., ...)")


@_door("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of labels, which are taken as constants, and logits."""
    _named_only("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return _nn.softmax_cross_entropy_with_logits(_core.stop_gradient(labels), logits, dim if axis is None else axis)


@_door("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits_v2(labels=None, logits=None, axis=None, name=None, dim=None):
    """The cross entropy of labels and logits."""
    axis = axis if axis is not None else dim
    return _nn.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis)


@_door("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of class numbers and logits."""
    _named_only("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


@_door("logistic_loss")
def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of labels 0 and 1 and logits, element by element."""
    _named_only("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return _nn.sigmoid_cross_entropy_with_logits(labels, logits)


@_door("logistic_loss")
def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """The same, where positive labels have a weight."""
    return _nn.weighted_cross_entropy_with_logits(labels if labels is not None else targets, logits, pos_weight)


@_door("Softmax")
def softmax(logits, axis=None, name=None, dim=None):
    """exp(x) divided by its sum along an axis."""
    axis = axis if axis is not None else dim
    return _nn.softmax(logits, -1 if axis is None else axis)


@_door("LogSoftmax")
def log_softmax(logits, axis=None, name=None, dim=None):
    """The logarithm of softmax()."""
    axis = axis if axis is not None else dim
    return _nn.log_softmax(logits, -1 if axis is None else axis)


@_door("l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x scaled to length 1 along an axis."""
    return _math.l2_normalize(x, axis if axis is not None else dim, epsilon)


@_door("moments")
def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """The mean and the variance over axes."""
    return _nn.moments(x, axes, None, bool(keepdims or keep_dims))


@_door("FusedBatchNormV3")
def fused_batch_norm(
    x,
    scale,
    offset,
    mean=None,
    variance=None,
    epsilon=0.001,
    data_format="NHWC",
    is_training=True,
    name=None,
    exponential_avg_factor=1.0,
):
    """Batch normalisation of pictures: the result, the mean and the variance."""
    x = _core.convert_to_tensor(x)
    if data_format == "NCHW":
        x = _core.transpose(x, [0, 2, 3, 1])
    y, m, v = x, mean, variance
    if is_training:
        m, v = _nn.moments(x, list(range(x.shape.rank - 1)))
    y = (x - m) * _math.rsqrt(v + epsilon) * scale + offset
    if is_training:
        n = _core.cast(_core.reduce_prod(_core.shape(x)[:-1]), v.dtype)
        v = v * (n / _core.maximum(n - 1.0, 1.0))
        if exponential_avg_factor != 1.0:
            m = mean * (1 - exponential_avg_factor) + m * exponential_avg_factor
            v = variance * (1 - exponential_avg_factor) + v * exponential_avg_factor
    if data_format == "NCHW":
        y = _core.transpose(y, [0, 3, 1, 2])
    return y, m, v


@_door("embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """The rows of a table at these ids."""
    from brio import nn

    lookup = getattr(nn.embedding_lookup, "_behind", nn.embedding_lookup)
    return lookup(_whole(params, partition_strategy), ids, max_norm)


def _whole(params, strategy):
    """A table that may be in parts: "mod" deals rows out one by one, "div" in one piece each."""
    if not isinstance(params, (list, tuple)):
        return params
    if len(params) == 1:
        return params[0]
    parts = [_core.convert_to_tensor(p) for p in params]
    if strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {strategy}. Must be one of either `mod` or `div`.")
    n, total = len(parts), sum(int(p.shape[0]) for p in parts)
    whole = _core.concat(parts, 0)
    if strategy == "div":
        return whole
    return _core.gather(whole, np.argsort(np.concatenate([np.arange(k, total, n) for k in range(n)])))


@_door("xw_plus_b")
def xw_plus_b(x, weights, biases, name=None):
    """x @ weights + biases."""
    return _core.matmul(x, weights) + biases


@_door("relu_layer")
def relu_layer(x, weights, biases, name=None):
    """relu(x @ weights + biases)."""
    return _nn.relu(_core.matmul(x, weights) + biases)


# ---- losses over a sample of the classes


def _log_uniform(range_max):
    k = np.arange(range_max, dtype=np.float64)
    return (np.log(k + 2) - np.log(k + 1)) / math.log(range_max + 1)


def _tries(p, count):
    """How many draws give so many different classes, on average."""
    tries = float(count)
    for _ in range(30):
        missing = np.power(1 - np.minimum(p, 1 - 1e-12), tries)
        slope = -(missing * np.log1p(-np.minimum(p, 1 - 1e-12))).sum()
        step = (count - (1 - missing).sum()) / max(slope, 1e-12)
        tries += step
        if abs(step) < 1e-3:
            break
    return tries


@_door("LogUniformCandidateSampler")
def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes drawn with probabilities that fall with their number, and how often true and drawn ones are expected."""
    return _sampled(_log_uniform(range_max), true_classes, num_sampled, unique, seed)


@_door("UniformCandidateSampler")
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes drawn equally often."""
    return _sampled(np.full(range_max, 1.0 / range_max), true_classes, num_sampled, unique, seed)


def _sampled(p, true_classes, count, unique, seed):
    if unique and count > len(p):
        raise ValueError(f"[candidate_sampler] {count} different classes are asked for, but there are {len(p)}")
    logits = _core.constant(np.log(p).astype(np.float32))
    if unique:  # the largest of logits with Gumbel noise: drawn one by one, none twice
        noise = -_math.log(-_math.log(_random.uniform([len(p)], 1e-20, 1.0, seed=seed)))
        drawn = _core.cast(
            _core._math.top_k(logits + noise, count)[1]
            if hasattr(_core._math, "top_k")
            else _core.argsort(logits + noise, direction="DESCENDING")[:count],
            "int64",
        )
        expected = -np.expm1(_tries(p, count) * np.log1p(-np.minimum(p, 1 - 1e-12)))
    else:
        drawn = _core.reshape(
            _random.categorical(_core.reshape(logits, [1, -1]), count, dtype="int64", seed=seed), [count]
        )
        expected = p * count
    expected = _core.constant(expected.astype(np.float32))
    return drawn, _core.gather(expected, true_classes), _core.gather(expected, drawn)


def _sampled_logits(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true,
    sampled_values,
    remove_accidental_hits,
    seed,
    subtract=True,
):
    """Logits of the true classes and of a sample, and their labels."""
    labels = _core.cast(labels, "int64")
    flat = _core.reshape(labels, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler._behind(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_expected, sampled_expected = (_core.stop_gradient(s) for s in sampled_values)
    sampled = _core.cast(sampled, "int64")
    true_w, true_b = _core.gather(weights, flat), _core.gather(biases, flat)
    sampled_w, sampled_b = _core.gather(weights, sampled), _core.gather(biases, sampled)
    width = true_w.shape[-1]
    true_logits = _core.reduce_sum(
        _core.expand_dims(inputs, 1) * _core.reshape(true_w, [-1, num_true, width]), 2
    ) + _core.reshape(true_b, [-1, num_true])
    sampled_logits = _core.matmul(inputs, sampled_w, transpose_b=True) + sampled_b
    if remove_accidental_hits:
        hits = _core.reduce_any(_core.equal(_core.expand_dims(labels, 2), _core.reshape(sampled, [1, 1, -1])), 1)
        sampled_logits = _core.where(hits, sampled_logits + np.finfo(np.float32).min, sampled_logits)
    if subtract:
        true_logits = true_logits - _math.log(true_expected)
        sampled_logits = sampled_logits - _math.log(sampled_expected)
    logits = _core.concat([true_logits, sampled_logits], 1)
    ones = _core.ones_like(true_logits) / num_true
    return logits, _core.concat([ones, _core.zeros_like(sampled_logits)], 1)


@_door("nce_loss")
def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy="mod", name="nce_loss", seed=None):  # fmt: skip
    """Noise-contrastive estimation: true classes against a sample of the others."""
    weights, biases = _whole(weights, partition_strategy), _whole(biases, partition_strategy)
    logits, labels = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return _core.reduce_sum(_nn.sigmoid_cross_entropy_with_logits(labels, logits), 1)


@_door("sampled_softmax_loss")
def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss",
                         seed=None):  # fmt: skip
    """The cross entropy of a softmax over the true classes and a sample of the others."""
    weights, biases = _whole(weights, partition_strategy), _whole(biases, partition_strategy)
    logits, labels = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return _nn.softmax_cross_entropy_with_logits(_core.stop_gradient(labels), logits)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    return getattr(importlib.import_module("brio.nn"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.nn"))))


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):  # fmt: skip
    """Minus the log of the probability that logits read as sparse labels; the last class is the blank."""
    from brio import _ctc

    return _ctc.sparse_loss(
        labels,
        inputs,
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
        time_major,
        logits,
    )


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """The most likely readings of logits whose last class is the blank; repeated labels of a reading are one."""
    from brio import _ctc

    return _ctc.beam_search(inputs, sequence_length, int(beam_width), int(top_paths), bool(merge_repeated))
