"""keras.quantizers: numbers as whole numbers of few bits, and back."""

import numpy as np

import brio as tf
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _serialization

__all__ = [
    "AbsMaxQuantizer",
    "Quantizer",
    "abs_max_quantize",
    "deserialize",
    "fake_quant_with_min_max_vars",
    "get",
    "pack_int4",
    "serialize",
    "unpack_int4",
]
__getattr__ = _attribute_error_of(__name__)


def abs_max_quantize(inputs, axis, value_range=(-127, 127), dtype="int8", epsilon=1e-7, to_numpy=False):
    """(numbers scaled so that the largest along axes is the end of value_range, and rounded; the scale that they were
    multiplied by).

    >>> numbers, scale = keras.quantizers.abs_max_quantize(tf.constant([[0.5, -1.0]]), axis=-1)
    >>> numbers.numpy().tolist()
    [[63, -127]]
    """
    inputs = tf.convert_to_tensor(inputs)
    scale = tf.cast(value_range[1] / (tf.reduce_max(tf.abs(inputs), axis=axis, keepdims=True) + epsilon), inputs.dtype)
    return tf.cast(
        tf.clip_by_value(tf.round(inputs * scale), float(value_range[0]), float(value_range[1])), dtype
    ), scale


class Quantizer:
    """What makes whole numbers of few bits of a tensor. Derive from it and write __call__(x) and get_config().

    >>> keras.quantizers.Quantizer().output_dtype
    'int8'
    """

    def __init__(self, output_dtype="int8"):
        self.output_dtype = output_dtype

    def __call__(self, x):
        return x

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)

    def get_config(self):
        """What it was made with: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs get_config()")


class AbsMaxQuantizer(Quantizer):
    """abs_max_quantize() with these arguments.

    >>> keras.quantizers.AbsMaxQuantizer(axis=-1)(tf.constant([[0.5, -1.0]]))[0].numpy().tolist()
    [[63, -127]]
    """

    def __init__(self, axis=None, value_range=(-127, 127), epsilon=1e-7, output_dtype="int8"):
        super().__init__(output_dtype)
        if output_dtype == "int8" and (value_range[0] < -128 or value_range[1] > 127):
            raise ValueError(f"[AbsMaxQuantizer] value_range is {value_range}; int8 has -128 to 127")
        self.axis = (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)
        self.value_range, self.epsilon = value_range, epsilon

    def __call__(self, x, axis=None, to_numpy=False):
        axis = self.axis if axis is None else axis
        return abs_max_quantize(
            x, -1 if axis is None else axis, self.value_range, self.output_dtype, self.epsilon, to_numpy
        )

    def get_config(self):
        """What it was made with."""
        config = {"value_range": self.value_range, "epsilon": self.epsilon, "output_dtype": self.output_dtype}
        return config if self.axis is None else {**config, "axis": self.axis}


def fake_quant_with_min_max_vars(inputs, min_vals, max_vals, num_bits=8, narrow_range=False, axis=None):
    """inputs rounded to the numbers of num_bits bits between min_vals and max_vals, which are one pair,
    or one for each place of an axis.

    >>> keras.quantizers.fake_quant_with_min_max_vars(
    ...     tf.constant([0.1, 0.9, 7.0]), 0.0, 1.0, num_bits=1
    ... ).numpy().tolist()
    [0.0, 1.0, 1.0]
    """
    inputs = tf.convert_to_tensor(inputs)
    x, low, high = (tf.cast(tf.convert_to_tensor(v), "float32") for v in (inputs, min_vals, max_vals))
    if axis is None:
        low, high = tf.reshape(low, []), tf.reshape(high, [])
    else:
        along = [-1 if i == axis % len(x.shape) else 1 for i in range(len(x.shape))]
        low, high = tf.reshape(low, along), tf.reshape(high, along)
    least, most = int(narrow_range), (1 << int(num_bits)) - 1
    scale, inverse = (high - low) / (most - least), (most - least) / (high - low)
    zero = tf.round(tf.clip_by_value(least - low / scale, float(least), float(most)))
    # The ends are moved so that 0 is a number; gradients go to them as they were given.
    begin, end = (least - zero) * scale, (most - zero) * scale
    begin, end = low + tf.stop_gradient(begin - low), high + tf.stop_gradient(end - high)
    inside = tf.where(x < begin, begin, tf.where(x > end, end, x))
    made = tf.floor((inside - begin) * inverse - tf.floor(-begin * inverse + 0.5) + 0.5) * scale
    return tf.cast(inside + tf.stop_gradient(made - inside), inputs.dtype)


def _is_of_bytes(name, dtype):
    if dtype not in ("int8", "uint8"):
        raise ValueError(f"[{name}] dtype is {dtype!r}; it is 'int8' or 'uint8'")


def pack_int4(arr, axis=0, dtype="int8"):
    """(pairs of numbers of 4 bits along an axis as bytes, their shape, how many numbers there were).

    >>> packed, shape, length = keras.quantizers.pack_int4(tf.constant([1, 2, 3], "int8"))
    >>> packed.numpy().tolist(), shape, length
    ([33, 3], (2,), 3)
    """
    _is_of_bytes("pack_int4", dtype)
    array = np.asarray(arr)
    if array.dtype.name != dtype:
        raise TypeError(f"[pack_int4] arr is {array.dtype.name}, and dtype {dtype!r}; cast it")
    array = np.ascontiguousarray(np.moveaxis(array, axis, 0)).view("uint8")
    count = array.shape[0]
    array = np.concatenate([array, np.zeros((count % 2, *array.shape[1:]), "uint8")]) & 15
    packed = np.ascontiguousarray(np.moveaxis(array[::2] | array[1::2] << 4, 0, axis)).view(dtype)
    return tf.convert_to_tensor(packed), tuple(packed.shape), count


def unpack_int4(packed, orig_len, axis=0, dtype="int8"):
    """The numbers that pack_int4() made bytes of.

    >>> keras.quantizers.unpack_int4(tf.constant([33, 3], "int8"), 3).numpy().tolist()
    [1, 2, 3]
    """
    _is_of_bytes("unpack_int4", dtype)
    packed = tf.convert_to_tensor(packed)
    if packed.dtype not in ("int8", "uint8"):
        raise TypeError(f"[unpack_int4] packed is {packed.dtype.name}; it is int8 or uint8")
    axis %= len(packed.shape)
    whole = tf.cast(packed, "int32")
    halves = tf.stack(
        [tf.bitwise.bitwise_and(whole, 15), tf.bitwise.bitwise_and(tf.bitwise.right_shift(whole, 4), 15)], axis + 1
    )
    sizes = [tf.shape(packed)[i] if n is None else n for i, n in enumerate(packed.shape)]
    numbers = tf.reshape(halves, [*sizes[:axis], sizes[axis] * 2, *sizes[axis + 1 :]])
    numbers = numbers[(slice(None),) * axis + (slice(None, orig_len),)]
    return tf.cast(tf.bitwise.bitwise_xor(numbers, 8) - 8 if dtype == "int8" else numbers, dtype)


def serialize(initializer):
    """The config of a quantizer."""
    return _serialization.serialize_keras_object(initializer)


def deserialize(config, custom_objects=None):
    """A quantizer of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)


def get(identifier, **kwargs):
    """A quantizer from its name, its config, or itself."""
    known = {
        "Quantizer": Quantizer,
        "quantizer": Quantizer,
        "AbsMaxQuantizer": AbsMaxQuantizer,
        "abs_max_quantizer": AbsMaxQuantizer,
    }
    made = (
        deserialize(identifier)
        if isinstance(identifier, dict)
        else known.get(identifier)
        if isinstance(identifier, str)
        else identifier
    )
    if made is None and identifier is None:
        return None
    if not callable(made):
        raise ValueError(
            f"[quantizers] {identifier!r} is no quantizer; it is one of {', '.join(known)}, a config or a Quantizer"
        )
    return made(**kwargs) if isinstance(made, type) else made
