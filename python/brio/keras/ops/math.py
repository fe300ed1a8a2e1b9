"""keras.ops: mathematics that NumPy has no name for."""

import brio as tf
from brio.keras.ops._convert import floating, tensor, together


def erf(x):
    return tf.math.erf(floating(x))


def erfinv(x):
    return tf.math.erfinv(floating(x))


def rsqrt(x):
    return tf.math.rsqrt(floating(x))


def logsumexp(x, axis=None, keepdims=False):
    return tf.reduce_logsumexp(floating(x), axis=axis, keepdims=keepdims)


def top_k(x, k, sorted=True):
    return tf.math.top_k(tensor(x), k, sorted)


def in_top_k(targets, predictions, k):
    return tf.math.in_top_k(tensor(targets), floating(predictions), k)


def _segments(f):
    def call(data, segment_ids, num_segments=None, sorted=False):
        data, ids = tensor(data), tensor(segment_ids)
        return f(data, ids, int(tf.reduce_max(ids)) + 1 if num_segments is None else num_segments)

    return call


segment_sum = _segments(tf.math.unsorted_segment_sum)
segment_max = _segments(tf.math.unsorted_segment_max)


def extract_sequences(x, sequence_length, sequence_stride):
    return tf.signal.frame(tensor(x), sequence_length, sequence_stride)


def fft(x):
    made = tf.signal.fft(tf.complex(*together(*x)))
    return tf.math.real(made), tf.math.imag(made)


def rfft(x, fft_length=None):
    made = tf.signal.rfft(floating(x), None if fft_length is None else [fft_length])
    return tf.math.real(made), tf.math.imag(made)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("tf", "floating", "tensor", "together")]
