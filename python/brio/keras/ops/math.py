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
        return f(data, ids, (int(tf.reduce_max(ids)) + 1 if 0 not in ids.shape else 0) if num_segments is None else num_segments)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


segment_sum = _segments("segment_sum", "The sum of rows that share an id.", tf.math.unsorted_segment_sum, tf.math.segment_sum)
segment_max = _segments("segment_max", "The largest of rows that share an id.", tf.math.unsorted_segment_max, tf.math.segment_max)


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
