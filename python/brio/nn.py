"""tf.nn."""

from brio import _core
from brio._core import sigmoid, space_to_batch, tanh
from brio._core._math import in_top_k, l2_normalize
from brio._core._nn import *
from brio._lazy import names as _names
from brio._more_math import top_k, zero_fraction

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "_sampling": (
            "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler nce_loss sampled_softmax_loss"
        ),
        "_lookup_sparse": "embedding_lookup_sparse safe_embedding_lookup_sparse",
        "_more_nn": (
            "approx_max_k approx_min_k atrous_conv2d_transpose batch_norm_with_global_normalization "
            "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input dilation2d erosion2d fractional_avg_pool "
            "fractional_max_pool isotonic_regression max_pool_with_argmax with_space_to_batch"
        ),
    },
)


def bias_add(value, bias, data_format=None, name=None):
    """value plus a bias for each channel."""
    value = _core.convert_to_tensor(value)
    if data_format is not None and data_format.startswith("NC"):
        bias = _core.reshape(bias, [-1] + [1] * (value.shape.rank - 2))
    return value + bias


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset."""
    factor = _core._math.rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    return x * factor + (offset - mean * factor if offset is not None else -mean * factor)


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """The mean and variance over axes where elements count as often as their weights say."""
    x = _core.convert_to_tensor(x)
    weights = _core.cast(frequency_weights, x.dtype) + _core.zeros_like(x)
    total = _core.reduce_sum(weights, axes, keepdims=True)
    mean = _core.reduce_sum(weights * x, axes, keepdims=True) / total
    variance = _core.reduce_sum(weights * _core.square(x - mean), axes, keepdims=True) / total
    if keepdims:
        return mean, variance
    return _core.squeeze(mean, axes), _core.squeeze(variance, axes)


def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows of a table at these ids, scaled down to max_norm where they are longer."""
    rows = _core.gather(params, ids)
    if max_norm is None:
        return rows
    first = len(_core.convert_to_tensor(ids).shape)
    return _core.clip_by_norm(rows, max_norm, axes=list(range(first, len(rows.shape))))


def local_response_normalization(input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, name=None):
    """Each pixel divided by (bias + alpha times the squares of near channels) to the power of beta."""
    x = _core.convert_to_tensor(input)
    n = x.shape[-1]
    padded = _core.pad(_core.square(x), [[0, 0]] * (x.shape.rank - 1) + [[depth_radius, depth_radius]])
    near = _core.add_n([padded[..., i : i + n] for i in range(2 * depth_radius + 1)])
    return x / _core.pow(bias + alpha * near, beta)


lrn = local_response_normalization


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(c) - z c, with Stirling's term for z! where the full loss is asked for."""
    import math

    log_input = _core.convert_to_tensor(log_input)
    targets = _core.convert_to_tensor(targets, dtype_hint=log_input.dtype)
    loss = _core.exp(log_input) - log_input * targets
    if compute_full_loss:
        stirling = targets * _core._math.log(targets) - targets + 0.5 * _core._math.log(2.0 * math.pi * targets)
        loss += _core.where((targets >= 0) & (targets <= 1), _core.zeros_like(targets), stirling)
    return loss


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of the losses of examples, by the size of the batch."""
    loss = _core.convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        loss = loss * _core.cast(sample_weight, loss.dtype)
    if global_batch_size is None:
        global_batch_size = loss.shape[0]
    return _core.reduce_sum(loss) / _core.cast(global_batch_size, loss.dtype)


def scale_regularization_loss(regularization_loss):
    """The sum of a regularization loss: there is one replica, so that it counts once."""
    x = _core.convert_to_tensor(regularization_loss)
    total = _core.reduce_sum(x)
    return total / _core.ones([], total.dtype)  # integers give floats


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """The mean and variance of what sufficient_statistics gave."""
    divisor = _core._math.reciprocal(counts)
    shifted = mean_ss * divisor
    mean = shifted if shift is None else shifted + shift
    return mean, variance_ss * divisor - _core.square(shifted)


def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """How many elements there are, their sum, the sum of their squares, and the shift."""
    x = _core.convert_to_tensor(x)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    centred = x if shift is None else x - shift
    squares = _core.square(centred)
    return (
        _core.cast(count, x.dtype), _core.reduce_sum(centred, axes, keepdims),
        _core.reduce_sum(squares, axes, keepdims), shift,
    )  # fmt: skip


def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """The largest ('MAX') or the mean ('AVG') of windows of one to three axes."""
    if dilations is not None and any(d != 1 for d in dilations):
        raise ValueError("[pool] dilations other than 1 are not supported; use strides")
    kinds = {"MAX": _core._nn.max_pool, "AVG": _core._nn.avg_pool}
    if pooling_type not in kinds:
        raise ValueError(f"[pool] pooling_type is {pooling_type!r}; it is 'MAX' or 'AVG'")
    return kinds[pooling_type](input, window_shape, strides or 1, padding, data_format)


def atrous_conv2d(value, filters, rate, padding, name=None):
    """conv2d whose filters have gaps: rate pixels from one tap to the next."""
    return _core._nn.conv2d(value, filters, 1, padding, dilations=rate)


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The most likely class of each step, without blanks and repeats:
    [a sparse tensor], and minus the sum of the logits."""
    import numpy as np

    from brio._sparse import SparseTensor

    logits, lengths = _core.convert_to_tensor(inputs).numpy(), _core.convert_to_tensor(sequence_length).numpy()
    blank = logits.shape[2] - 1 if blank_index is None else int(blank_index) % logits.shape[2]
    indices, values, sums, longest = [], [], [], 0
    for b, n in enumerate(lengths.tolist()):
        best = logits[:n, b].argmax(-1)
        sums.append([-logits[:n, b].max(-1).sum()])
        kept = [
            c for i, c in enumerate(best.tolist()) if c != blank and not (merge_repeated and i and best[i - 1] == c)
        ]
        indices += [[b, i] for i in range(len(kept))]
        values += kept
        longest = max(longest, len(kept))
    decoded = SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2), np.array(values, np.int64), [len(lengths), longest]
    )
    return [decoded], _core.constant(np.array(sums, logits.dtype))


def ctc_loss(
    labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None
):
    """Minus the log of the probability that logits read as the labels: one number for each sequence."""
    from brio import _ctc

    return _ctc.loss(labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name)


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """The most likely readings of logits whose last class is the blank:
    [sparse labels], and the logarithms of their probabilities."""
    from brio import _ctc

    return _ctc.beam_search(inputs, sequence_length, int(beam_width), int(top_paths))


def ctc_unique_labels(labels, name=None):
    """The classes of each row once, and the place of each label among them."""
    from brio import _ctc

    return _ctc.unique_labels(labels, name)


def collapse_repeated(labels, seq_length, name=None):
    """Labels without repeats, and how many are left of each row."""
    from brio import _ctc

    return _ctc.collapse_repeated(labels, seq_length, name)
