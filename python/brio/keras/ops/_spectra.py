"""keras.ops: spectra of signals and back, with complex numbers as pairs (real, imaginary)."""

import numpy as np

import brio as tf
from brio import _core
from brio.keras.ops._convert import of_values, tensor, together


def _complex(name, x):
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"[{name}] takes a pair (real, imaginary)")
    return tf.complex(*together(*x))


def irfft(x, fft_length=None):
    """The real numbers of which (real, imaginary) is the Fourier transform.

    >>> keras.ops.irfft(keras.ops.rfft(np.float32([1, 2, 3, 4]))).numpy().round(4).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return tf.signal.irfft(_complex("irfft", x), None if fft_length is None else [fft_length])


def ifft2(x):
    """The inverse of fft2, of (real, imaginary) along the last two axes, as such a pair.

    >>> keras.ops.ifft2((np.float32([[4, 0], [0, 0]]), np.zeros((2, 2), "float32")))[0].numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    made = tf.signal.ifft2d(_complex("ifft2", x))
    return tf.math.real(made), tf.math.imag(made)


def _frames(name, window, sequence_length, fft_length, dtype):
    """A window in the middle of fft_length numbers."""
    if fft_length < sequence_length:
        raise ValueError(f"[{name}] fft_length is {fft_length}; it is {sequence_length}, the sequence_length, or more")
    if window is None:
        return None
    if isinstance(window, str):
        if window not in ("hann", "hamming"):
            raise ValueError(f"[{name}] window is {window!r}; it is 'hann', 'hamming', None or numbers")
        window = getattr(tf.signal, f"{window}_window")(sequence_length, periodic=True, dtype=dtype)
    window = _core.cast(tensor(window), dtype)
    if tuple(window.shape) != (sequence_length,):
        raise ValueError(
            f"[{name}] the window has shape {tuple(window.shape)}; it is ({sequence_length},), as sequence_length says"
        )
    before = (fft_length - sequence_length) // 2
    window = _core.pad(window, [[before, fft_length - sequence_length - before]])
    return window


def _cut(x, length, step):
    """Windows of signals, one every `step` samples, (..., windows, length).
    Unlike tf.signal.frame for any number of signals, known later."""
    samples = x.shape[-1] if x.shape[-1] is not None else _core.shape(x)[-1]
    windows = (samples - length) // step + 1
    starts = _core.range(max(windows, 0) if isinstance(samples, int) else _core.maximum(windows, 0)) * step
    return _core.gather(x, starts[:, None] + _core.range(length), axis=-1)


def _overlapped(frames, step):
    """The sum of windows, one every `step` samples."""
    count, length = frames.shape[-2:]
    at = (np.arange(count)[:, None] * step + np.arange(length)).reshape(-1)
    summed = tf.math.unsorted_segment_sum(
        tf.transpose(_core.reshape(frames, [-1, len(at)])), _core.constant(at, "int32"), int(at[-1]) + 1
    )
    return _core.reshape(tf.transpose(summed), _core.concat([_core.shape(frames)[:-2], [int(at[-1]) + 1]], 0))


def _checked(name, sequence_stride):
    if not isinstance(sequence_stride, int) or sequence_stride <= 0:
        raise ValueError(f"[{name}] sequence_stride is {sequence_stride}; it is 1 or more")


def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """The spectra of windows of signals, (real, imaginary);
    with `center` a window is around each step, the signal being mirrored at its ends.

    >>> real, imaginary = keras.ops.stft(np.ones((2, 100), "float32"), 16, 8, 16)
    >>> real.shape
    TensorShape([2, 13, 9])
    """
    _checked("stft", sequence_stride)
    x = tensor(x)
    if x.dtype not in ("float32", "float64"):
        raise TypeError(f"[stft] takes float32 or float64, but got {getattr(x.dtype, 'name', x.dtype)}")
    if center:
        x = _core.pad(x, [[0, 0]] * (len(x.shape) - 1) + [[fft_length // 2, fft_length // 2]], mode="REFLECT")
    window, frames = _frames("stft", window, sequence_length, fft_length, x.dtype), _cut(x, fft_length, sequence_stride)
    made = tf.signal.rfft(frames if window is None else frames * window, [fft_length])
    return tf.math.real(made), tf.math.imag(made)


@of_values
def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """The signals of which (real, imaginary) are the spectra of windows.

    >>> signal = np.sin(np.arange(128.0, dtype="float32"))
    >>> back = keras.ops.istft(keras.ops.stft(signal, 32, 8, 32), 32, 8, 32)
    >>> bool(np.allclose(back[24:-24], signal[24:-24], atol=1e-4))
    True
    """
    _checked("istft", sequence_stride)
    spectra = _complex("istft", x)
    window = _frames("istft", window, sequence_length, fft_length, tf.math.real(spectra).dtype)
    frames = tf.signal.irfft(spectra, [fft_length])
    if window is not None:
        undo = tf.signal.inverse_stft_window_fn(sequence_stride, lambda length, dtype=None: window)
        frames = frames * undo(fft_length, dtype=frames.dtype)
    made = _overlapped(frames, sequence_stride)
    start = fft_length // 2 if center else 0
    if length is not None:
        return made[..., start : start + length]
    return made[..., start : -(fft_length // 2)] if center else made
