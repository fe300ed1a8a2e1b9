"""keras.ops: mathematics that NumPy has no name for."""

import brio as tf
from brio.keras.ops._convert import floating, tensor, together
from brio.keras.ops._spectra import ifft2, irfft, istft, stft  # noqa: F401


def erf(x):
    """The error function."""
    return tf.math.erf(floating(x))


def erfinv(x):
    """The inverse of the error function."""
    return tf.math.erfinv(floating(x))


def rsqrt(x):
    """1 / sqrt(x)."""
    return tf.math.rsqrt(floating(x))


def logsumexp(x, axis=None, keepdims=False):
    """log(sum(exp(x))) along an axis, which never overflows."""
    return tf.reduce_logsumexp(floating(x), axis=axis, keepdims=keepdims)


def top_k(x, k, sorted=True):
    """The k largest along the last axis, and where they are."""
    return tf.math.top_k(tensor(x), k, sorted)


def in_top_k(targets, predictions, k):
    """Is the target's value among the k largest?"""
    return tf.math.in_top_k(tensor(targets), floating(predictions), k)


def _segments(name, doc, f, in_order):
    def call(data, segment_ids, num_segments=None, sorted=False):
        data, ids = tensor(data), tensor(segment_ids)
        if sorted and num_segments is None:
            return in_order(data, ids)
        return f(
            data,
            ids,
            (int(tf.reduce_max(ids)) + 1 if 0 not in ids.shape else 0) if num_segments is None else num_segments,
        )

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


segment_sum = _segments(
    "segment_sum", "The sum of rows that share an id.", tf.math.unsorted_segment_sum, tf.math.segment_sum
)
segment_max = _segments(
    "segment_max", "The largest of rows that share an id.", tf.math.unsorted_segment_max, tf.math.segment_max
)


segment_min = _segments(
    "segment_min", "The smallest of rows that share an id.", tf.math.unsorted_segment_min, tf.math.segment_min
)
segment_prod = _segments(
    "segment_prod", "The product of rows that share an id.", tf.math.unsorted_segment_prod, tf.math.segment_prod
)


def erfc(x):
    """1 less the error function."""
    return tf.math.erfc(floating(x))


def logdet(x):
    """The logarithm of the determinant of a matrix that is positive definite."""
    return tf.linalg.logdet(floating(x))


def cdist(x, y):
    """The distance of each row of x from each row of y."""
    x, y = (floating(v) for v in together(tensor(x), tensor(y)))
    if min(len(x.shape), len(y.shape)) < 2 or x.shape[-1] != y.shape[-1]:
        raise ValueError(f"[cdist] takes rows of one length, but got shapes {tuple(x.shape)} and {tuple(y.shape)}")
    return tf.sqrt(tf.reduce_sum(tf.square(tf.expand_dims(x, -2) - tf.expand_dims(y, -3)), -1))


def view_as_complex(x):
    """Pairs of numbers in the last axis as complex numbers."""
    x = tensor(x)
    if not len(x.shape) or x.shape[-1] != 2:
        raise ValueError(
            f"[view_as_complex] x has shape {tuple(x.shape)}; its last axis must have 2 numbers, the real and the "
            "imaginary one"
        )
    return tf.complex(tf.cast(x[..., 0], "float32"), tf.cast(x[..., 1], "float32"))


def view_as_real(x):
    """Complex numbers as pairs in a new last axis."""
    x = tensor(x)
    return tf.stack([tf.math.real(x), tf.math.imag(x)], -1)


def extract_sequences(x, sequence_length, sequence_stride):
    """Windows of the last axis, one every sequence_stride elements."""
    return tf.signal.frame(tensor(x), sequence_length, sequence_stride)


def fft(x):
    """The discrete Fourier transform of (real, imaginary), as such a pair."""
    made = tf.signal.fft(tf.complex(*together(*x)))
    return tf.math.real(made), tf.math.imag(made)


def fft2(x):
    """The discrete Fourier transform of (real, imaginary) along the last two axes, as such a pair."""
    made = tf.signal.fft2d(tf.complex(*together(*x)))
    return tf.math.real(made), tf.math.imag(made)


def rfft(x, fft_length=None):
    """The discrete Fourier transform of real numbers, as (real, imaginary)."""
    made = tf.signal.rfft(floating(x), None if fft_length is None else [fft_length])
    return tf.math.real(made), tf.math.imag(made)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("tf", "floating", "tensor", "together")]
