"""keras.layers.HashedCrossing: several columns of categories as one, by the hash of their numbers together."""

import brio as tf
from brio.keras._layer import Layer

_KEY, _MULTIPLIER = 0xDECAFCAFFE, 0xC6A4A7935BD1E995  # of TensorFlow's hash


class HashedCrossing(Layer):
    """Whole numbers or strings of several columns as one of num_bins, or as a row with a 1 there.

    >>> keras.layers.HashedCrossing(num_bins=5)([tf.constant([[1], [4]]), tf.constant([[2], [2]])]).shape
    TensorShape([2, 1])
    """

    def __init__(self, num_bins, output_mode="int", sparse=False, name=None, dtype=None, **kwargs):
        if output_mode not in ("int", "one_hot"):
            raise ValueError(f"[HashedCrossing] output_mode is {output_mode!r}; it is 'int' or 'one_hot'")
        if sparse:
            raise ValueError("[HashedCrossing] sparse=True is not supported; leave it out")
        super().__init__(
            name=name, dtype=dtype or ("int64" if output_mode == "int" else None), autocast=False, **kwargs
        )
        self.num_bins, self.output_mode, self.sparse = num_bins, output_mode, sparse

    def call(self, inputs):
        for x in inputs:
            if not x.dtype.is_integer and x.dtype != "string":
                raise ValueError(
                    f"[HashedCrossing] takes whole numbers and strings, but got {x.dtype.name}; make bins of it with "
                    "Discretization"
                )
        result = crossed(inputs, self.num_bins)
        if self.output_mode == "int":
            return result
        rows = tf.squeeze(result, -1) if len(result.shape) > 1 else result
        return tf.one_hot(rows, self.num_bins, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **self._base_config(),
            "num_bins": self.num_bins,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


def crossed(columns, bins):
    """The hash that tf.sparse.cross_hashed has of whole numbers, as one of so many bins."""
    multiplier, far = tf.constant(_MULTIPLIER, "uint64"), tf.constant(47, "uint64")
    xor = tf.bitwise.bitwise_xor
    mix = lambda v: xor(v, tf.bitwise.right_shift(v, far))
    result = tf.constant(_KEY, "uint64")
    for column in columns:
        number = fingerprint(column) if column.dtype == "string" else tf.cast(tf.cast(column, "int64"), "uint64")
        result = xor(xor(result, multiplier), mix(number * multiplier) * multiplier)
        result = mix(mix(result * multiplier) * multiplier)
    return tf.cast(tf.math.floormod(result, tf.constant(bins, "uint64")), "int64")


def fingerprint(texts):
    """The 64 bits of each text's hash, of which there are the rests by two numbers:
    h = q 2**62 + r is q + r by 2**62 - 1."""
    low, both = (tf.strings.to_hash_bucket_fast(texts, n) for n in (1 << 62, (1 << 62) - 1))
    high = tf.math.floormod(both - low, tf.constant((1 << 62) - 1, "int64"))
    return tf.bitwise.bitwise_or(
        tf.cast(low, "uint64"), tf.bitwise.left_shift(tf.cast(high, "uint64"), tf.constant(62, "uint64"))
    )


HashedCrossing.__module__ = "brio.keras.layers"  # where configs find it
