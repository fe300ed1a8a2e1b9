"""tf.signal."""

import math as _math

from brio import _core
from brio._core import _signal
from brio._core._signal import *
from brio._lazy import names as _names

__getattr__, __dir__, _HOMES = _names(__name__, {
    "_more_signal": "fftnd ifftnd inverse_mdct irfftnd kaiser_bessel_derived_window mdct rfftnd",
})  # fmt: skip


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The spectrum of each frame of signals."""
    return _signal._stft(signals, int(frame_length), int(frame_step), fft_length, window_fn, pad_end)


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """The signals of which these are the spectra."""
    return _signal._inverse_stft(stfts, int(frame_length), int(frame_step), fft_length, window_fn)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window with which inverse_stft undoes an stft of a window."""

    def window(frame_length, dtype="float32"):
        return _signal._inverse_stft_window(int(frame_step), forward_window_fn, int(frame_length), dtype)

    return window


def kaiser_window(window_length, beta=12.0, dtype="float32", name=None):
    """Kaiser's window."""
    n = int(window_length)
    if n == 1:
        return _core.ones([1], dtype)
    half = (n - 1) / 2.0
    at = _core.range(-half, half + 0.1, dtype="float64") / half
    i0 = _core._math.bessel_i0
    beta = _core.constant(float(beta), "float64")
    window = i0(beta * _core.sqrt(_core.maximum(1.0 - _core.square(at), _core.zeros_like(at)))) / i0(beta)
    return _core.cast(window, dtype)


def vorbis_window(window_length, dtype="float32", name=None):
    """Vorbis' window, whose squares add up to 1 where frames overlap by half."""
    n = int(window_length)
    at = _core.range(n, dtype=dtype)
    inner = _core.sin(_math.pi / n * (at + 0.5))
    return _core.sin(_math.pi / 2 * _core.square(inner))


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The discrete cosine transform of the last axis."""
    x = _cropped(input, n, axis)
    size = x.shape[-1]
    if size == 0 and type != 1:
        return x
    if type == 1:
        if size < 2:
            raise ValueError(f"[dct] type 1 takes 2 elements or more along the last axis, but the shape is {x.shape}")
        mirrored = _core.concat([x, _core.reverse(x, [-1])[..., 1:-1]], axis=-1)
        return _core._math.real(rfft(mirrored))
    if type == 2:
        # The first half of the spectrum of the signal, padded to twice its length and turned by half a sample.
        spectrum = rfft(x, [2 * size])[..., :size]
        return _normed(2 * _core._math.real(spectrum * _turn(size, x.dtype, -1)), size, norm)
    if type == 3:
        if norm == "ortho":
            x = x * _core.concat(
                [_core.ones([1], x.dtype) * _math.sqrt(size), _core.ones([size - 1], x.dtype) * _math.sqrt(size / 2)], 0
            )
        else:
            x = x * size
        spectrum = _core.complex(x, _core.zeros_like(x)) * _turn(size, x.dtype, 1)
        return irfft(spectrum, [2 * size])[..., :size] * 2
    if type == 4:
        wide = _core.complex(x, _core.zeros_like(x)) * _turn(size, x.dtype, -1)
        spectrum = fft(_core.concat([wide, _core.zeros_like(wide)], -1))[..., :size]
        angles = (_core.range(size, dtype=x.dtype) * 2.0 + 1.0) * (-_math.pi / (4 * size))
        made = 2 * _core._math.real(spectrum * _core.complex(_core.cos(angles), _core.sin(angles)))
        return made * _math.sqrt(0.5 / size) if norm == "ortho" else made
    raise ValueError(f"[dct] type {type} is not supported; it is 1, 2, 3 or 4")


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The inverse of dct, but for a factor where norm is None."""
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type), n, axis, norm)


def _cropped(input, n, axis):
    if axis != -1:
        raise ValueError("[dct] only the last axis is supported")
    x = _core.convert_to_tensor(input)
    size = x.shape[-1]
    if size is None:  # the transform is made of as many factors: the function runs op by op, for any size
        from brio.errors import _UnknownValueError

        raise _UnknownValueError(
            "[dct] the size of the last axis is not known when the function is traced; let its input_signature say it"
        )
    if n is not None and n < 1:
        raise ValueError(f"[dct] n is {n}; it must be 1 or more")
    if n is None or n == size:
        return x
    if n < size:
        return x[..., :n]
    return _core.pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, n - size]])


def _turn(size, dtype, sign):
    angles = _core.range(size, dtype=dtype) * (sign * _math.pi * 0.5 / size)
    return _core.complex(_core.cos(angles), _core.sin(angles))


def _normed(x, size, norm):
    if norm is None:
        return x
    if norm != "ortho":
        raise ValueError(f"[dct] norm is {norm!r}; it is None or 'ortho'")
    first = 0.5 / _math.sqrt(size)
    return x * _core.concat(
        [_core.ones([1], x.dtype) * first, _core.ones([size - 1], x.dtype) * (first * _math.sqrt(2))], 0
    )


def linear_to_mel_weight_matrix(
    num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
    dtype="float32", name=None,
):  # fmt: skip
    """The matrix that takes a spectrum to bins of the mel scale."""
    import numpy as np

    def mel(hertz):
        return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)

    if (
        num_mel_bins <= 0
        or lower_edge_hertz < 0
        or lower_edge_hertz >= upper_edge_hertz
        or upper_edge_hertz > sample_rate / 2
    ):
        raise ValueError(
            "[linear_to_mel_weight_matrix] the edges must rise from 0 to half the sample rate, and there must be bins"
        )
    frequencies = mel(np.linspace(0.0, sample_rate / 2.0, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), num_mel_bins + 2)
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    weights = np.maximum(0.0, np.minimum((frequencies - low) / (centre - low), (high - frequencies) / (high - centre)))
    return _core.cast(np.pad(weights, [[1, 0], [0, 0]]), dtype)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Mel-frequency cepstral coefficients."""
    x = _core.convert_to_tensor(log_mel_spectrograms)
    if x.shape[-1] == 0:
        raise ValueError(
            "[mfccs_from_log_mel_spectrograms] takes one mel bin or more along the last axis, but the shape is "
            f"{x.shape}"
        )
    return dct(x, type=2) * _core.cast(1.0 / _math.sqrt(2.0 * x.shape[-1]), x.dtype)
