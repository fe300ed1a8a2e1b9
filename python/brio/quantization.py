"""tf.quantization: numbers as a few bits would keep them."""

from brio import _core, _missing
from brio._axes import positive_axis
from brio.errors import InvalidArgumentError

__getattr__ = _missing.attribute_error_of(__name__)


def _levels(who, num_bits, narrow_range):
    if not 2 <= int(num_bits) <= 16:
        raise InvalidArgumentError(f"[{who}] num_bits is {num_bits}; it is 2 to 16")
    return (1.0 if narrow_range else 0.0), float(2 ** int(num_bits) - 1)


def _nudged(low, high, least, most):
    """The range moved so that 0 is one of its levels, and the step between levels."""
    scale = (high - low) / (most - least)
    zero = least - low / scale
    nudged = _core.clip_by_value(_core.floor(zero + 0.5), least, most)
    return (least - nudged) * scale, (most - nudged) * scale, scale


def _faked(who, x, low, high, num_bits, narrow_range):
    """(numbers on levels, which of them were inside, below and above the range)."""
    least, most = _levels(who, num_bits, narrow_range)
    empty = _core.logical_and(_core.equal(low, 0.0), _core.equal(high, 0.0))
    bottom, top, scale = _nudged(low, _core.where(empty, _core.ones_like(high), high), least, most)
    held = _core.clip_by_value(x, bottom, top)
    made = _core.floor((held - bottom) * (1.0 / scale) + 0.5) * scale + bottom
    made = _core.where(empty, _core.zeros_like(made), made)
    inside = _core.logical_or(_core.logical_and(x >= bottom, x <= top), empty)
    return (
        made,
        inside,
        _core.logical_and(x < bottom, _core.logical_not(empty)),
        _core.logical_and(x > top, _core.logical_not(empty)),
    )


def _kept(values, which):
    return _core.where(which, values, _core.zeros_like(values))


def _of_range(who, inputs, low, high, num_bits, narrow_range, axes):
    """A fake quantization with gradients for the numbers and for both ends of the range."""
    from brio._control import custom_gradient

    x = _core.convert_to_tensor(inputs, dtype_hint="float32")
    low, high = (_core.convert_to_tensor(v, dtype_hint=x.dtype) for v in (low, high))

    @custom_gradient
    def faked(x, low, high):
        made, inside, below, above = _faked(who, x, low, high, num_bits, narrow_range)

        def gradient(g):
            return _kept(g, inside), _core.reduce_sum(_kept(g, below), axes), _core.reduce_sum(_kept(g, above), axes)

        return made, gradient

    return faked(x, low, high)


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Numbers as integers of num_bits over a fixed range would keep them.

    >>> tf.quantization.fake_quant_with_min_max_args([0.1, 9.0], 0, 1.5, num_bits=2).numpy().tolist()
    [0.0, 1.5]
    """
    low, high = float(min), float(max)
    if low > 0 or high < 0 or low >= high:
        raise InvalidArgumentError(f"[fake_quant_with_min_max_args] the range {low} to {high} must hold 0")
    return _of_range(
        "fake_quant_with_min_max_args", inputs, _core.constant(low), _core.constant(high), num_bits, narrow_range, None
    )


def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_args for its inputs."""
    x = _core.convert_to_tensor(inputs, dtype_hint="float32")
    _, inside, _, _ = _faked(
        "fake_quant_with_min_max_args_gradient",
        x,
        _core.constant(float(min)),
        _core.constant(float(max)),
        num_bits,
        narrow_range,
    )
    return _kept(_core.convert_to_tensor(gradients), inside)


def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Numbers as integers of num_bits over a range would keep them; the ends of the range may be trained.

    >>> tf.quantization.fake_quant_with_min_max_vars(
    ...     [0.4, 9.0], tf.Variable(0.0), tf.Variable(3.0), num_bits=2
    ... ).numpy().tolist()
    [0.0, 3.0]
    """
    return _of_range("fake_quant_with_min_max_vars", inputs, min, max, num_bits, narrow_range, None)


def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradients of fake_quant_with_min_max_vars for its inputs and both ends."""
    return _gradients(
        "fake_quant_with_min_max_vars_gradient", gradients, inputs, min, max, num_bits, narrow_range, None
    )


def _gradients(who, gradients, inputs, low, high, num_bits, narrow_range, axes):
    g, x = _core.convert_to_tensor(gradients), _core.convert_to_tensor(inputs, dtype_hint="float32")
    low, high = (_core.convert_to_tensor(v, dtype_hint=x.dtype) for v in (low, high))
    _, inside, below, above = _faked(who, x, low, high, num_bits, narrow_range)
    return _kept(g, inside), _core.reduce_sum(_kept(g, below), axes), _core.reduce_sum(_kept(g, above), axes)


def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """As fake_quant_with_min_max_vars, with a range for each channel, the last axis.

    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(
    ...     [[0.6, 2.0]], [0.0, 0.0], [3.0, 1.5], num_bits=2
    ... ).numpy().tolist()
    [[1.0, 1.5]]
    """
    axes = list(range(_core.convert_to_tensor(inputs).shape.rank - 1))
    return _of_range("fake_quant_with_min_max_vars_per_channel", inputs, min, max, num_bits, narrow_range, axes)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """The gradients of fake_quant_with_min_max_vars_per_channel for its inputs and both ends."""
    axes = list(range(_core.convert_to_tensor(inputs).shape.rank - 1))
    return _gradients(
        "fake_quant_with_min_max_vars_per_channel_gradient", gradients, inputs, min, max, num_bits, narrow_range, axes
    )


def quantize_and_dequantize_v2(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                               round_mode="HALF_TO_EVEN", name=None, narrow_range=False, axis=None):  # fmt: skip
    """Numbers rounded to levels that are the same on both sides of 0; the range is that of the numbers where none is
    given, or one for each place of an axis.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, -1.0, 0.5], 0.0, 0.0, num_bits=3).numpy().round(3).tolist()
    [0.0, -1.0, 0.5]
    """
    from brio._control import custom_gradient

    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise InvalidArgumentError(
            f"[quantize_and_dequantize_v2] round_mode is {round_mode!r}; it is 'HALF_TO_EVEN' or 'HALF_UP'"
        )
    if not 1 <= int(num_bits) <= 62:
        raise InvalidArgumentError(f"[quantize_and_dequantize_v2] num_bits is {num_bits}; it is 1 to 62")
    x = _core.convert_to_tensor(input)
    rank = x.shape.rank
    shape = None
    if axis is not None:
        axis = positive_axis("quantize_and_dequantize", axis, rank)
        shape = [-1 if i == axis else 1 for i in range(rank)]
    low, high = (_core.convert_to_tensor(v, dtype_hint=x.dtype) for v in (input_min, input_max))
    given_low, given_high = (
        v if shape is None else _core.reshape(v, shape if v.shape.rank else [1] * rank) for v in (low, high)
    )
    if not range_given:
        others = None if axis is None else [i for i in range(rank) if i != axis]
        low, high = _core.reduce_min(x, others), _core.reduce_max(x, others)
    if shape is not None:
        low, high = _core.reshape(low, shape), _core.reshape(high, shape)
    if signed_input:
        least, most = -float(2 ** (num_bits - 1)) + bool(narrow_range), float(2 ** (num_bits - 1) - 1)
    else:
        least, most = 0.0, float(2**num_bits - 1)
    zero = _core.zeros_like(low)
    huge = _core.fill(_core.shape(low), _core.cast(x.dtype.max, x.dtype))
    # The side that needs larger steps decides; the other end follows from it.
    by_low = _core.where(least * low > 0, least / _core.where(_core.equal(low, zero), _core.ones_like(low), low), huge)
    by_high = _core.where(
        most * high > 0, most / _core.where(_core.equal(high, zero), _core.ones_like(high), high), huge
    )
    first = by_low < by_high
    scale = _core.where(first, by_low, by_high)
    bottom = _core.where(first, low, least / scale)
    top = _core.where(first, most / scale, high)
    nearest = _core.round if round_mode == "HALF_TO_EVEN" else (lambda v: _core.floor(v + 0.5))

    @custom_gradient
    def rounded(x):
        made = nearest((_core.clip_by_value(x, bottom, top) if range_given else x) * scale) / scale

        def gradient(g):
            return _kept(
                g, _core.logical_and(x >= given_low, x <= given_high)
            )  # as in TensorFlow, also where that is not the range

        return made, gradient

    return rounded(x)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                            round_mode="HALF_TO_EVEN", name=None, narrow_range=False, axis=None):  # fmt: skip
    """As quantize_and_dequantize_v2, under the name that it had before."""
    return quantize_and_dequantize_v2(
        input, input_min, input_max, signed_input, num_bits, range_given, round_mode, name, narrow_range, axis
    )
