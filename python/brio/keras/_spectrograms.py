"""MelSpectrogram and STFTSpectrogram: what frequencies there are in signals, over time."""

import math
import warnings

import brio as tf
from brio import _core
from brio.keras import backend
from brio.keras._input_spec import InputSpec
from brio.keras._layer import Layer
from brio.keras._stft_initializer import STFT, window_numbers
from brio.keras.ops._spectra import stft


class MelSpectrogram(Layer):
    """How loud signals, (batch, samples) or (samples,), are in bands of the mel scale, (batch, bands, windows);
    in decibels unless told otherwise.

    >>> keras.layers.MelSpectrogram(fft_length=256, sequence_stride=64, num_mel_bins=20)(
    ...     np.ones((2, 1024), "float32")
    ... ).shape
    TensorShape([2, 20, 17])
    """

    def __init__(self, fft_length=2048, sequence_stride=512, sequence_length=None, window="hann", sampling_rate=16000,
                 num_mel_bins=128, min_freq=20.0, max_freq=None, power_to_db=True, top_db=80.0, mag_exp=2.0,
                 min_power=1e-10, ref_power=1.0, **kwargs):  # fmt: skip
        super().__init__(**kwargs)
        self.fft_length, self.sequence_stride, self.sequence_length, self.window = (
            fft_length,
            sequence_stride,
            sequence_length or fft_length,
            window,
        )
        if self.fft_length < self.sequence_length:
            raise ValueError(
                f"[MelSpectrogram] fft_length is {fft_length}; it is {self.sequence_length}, the sequence_length, or "
                "more"
            )
        self.sampling_rate, self.num_mel_bins = sampling_rate, num_mel_bins
        self.min_freq, self.max_freq = min_freq, max_freq or int(sampling_rate / 2)
        self.power_to_db, self.top_db, self.mag_exp, self.min_power, self.ref_power = (
            power_to_db,
            top_db,
            mag_exp,
            min_power,
            ref_power,
        )

    def call(self, inputs):
        signals = _core.cast(inputs, self.compute_dtype if self.compute_dtype in ("float32", "float64") else "float32")
        real, imaginary = stft(
            signals, self.sequence_length, self.sequence_stride, self.fft_length, self.window, center=True
        )
        loud = tf.pow(tf.sqrt(tf.square(real) + tf.square(imaginary)), self.mag_exp)
        mel = tf.signal.linear_to_mel_weight_matrix(
            self.num_mel_bins, loud.shape[-1], self.sampling_rate, self.min_freq, self.max_freq
        )
        loud = _core.tensordot(loud, _core.cast(mel, loud.dtype), axes=1)
        if self.power_to_db:
            decibels = lambda x: 10.0 * (tf.math.log(tf.maximum(x, self.min_power)) / math.log(10.0))
            loud = decibels(loud) - 10.0 * math.log10(max(abs(self.ref_power), self.min_power))
            loud = tf.maximum(loud, tf.reduce_max(loud) - self.top_db)
        return _core.cast(tf.linalg.matrix_transpose(loud), self.compute_dtype)


_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")


class STFTSpectrogram(Layer):
    """Spectra of windows of signals, (batch, samples, channels), by a convolution whose weights can be trained.

    >>> keras.layers.STFTSpectrogram("log", frame_length=64, frame_step=32)(np.ones((2, 512, 1), "float32")).shape
    TensorShape([2, 15, 33])
    """

    def __init__(self, mode="log", frame_length=256, frame_step=None, fft_length=None, window="hann", periodic=False,
                 scaling="density", padding="valid", expand_dims=False, data_format=None, **kwargs):  # fmt: skip
        if mode not in _MODES:
            raise ValueError(f"[STFTSpectrogram] mode is {mode!r}; it is one of {', '.join(_MODES)}")
        if frame_step is not None and not 1 <= frame_step <= frame_length:
            raise ValueError(
                f"[STFTSpectrogram] frame_step is {frame_step}; it lies in [1, {frame_length}], up to the frame_length"
            )
        if fft_length is not None and fft_length < frame_length:
            raise ValueError(
                f"[STFTSpectrogram] fft_length is {fft_length}; it is {frame_length}, the frame_length, or more"
            )
        if fft_length is not None and fft_length & -fft_length != fft_length:
            warnings.warn(f"[STFTSpectrogram] fft_length is {fft_length}; a power of two is better", stacklevel=2)
        if scaling not in (None, "density", "spectrum") or padding not in ("valid", "same"):
            allowed = "None, 'density' or 'spectrum', and 'valid' or 'same'"
            raise ValueError(f"[STFTSpectrogram] scaling is {scaling!r} and padding {padding!r}; they are {allowed}")
        if isinstance(window, str):
            window_numbers(window, 1, periodic)
        super().__init__(**kwargs)
        self.mode, self.frame_length, self.frame_step, self.fft_length = mode, frame_length, frame_step, fft_length
        self.window, self.periodic, self.scaling, self.padding = window, periodic, scaling, padding
        self.expand_dims, self.data_format = expand_dims, data_format or backend.image_data_format()
        self.input_spec = InputSpec(ndim=3)

    def build(self, input_shape):
        shape = (self.frame_length, 1, (self.fft_length or 2 ** math.ceil(math.log2(self.frame_length))) // 2 + 1)
        for side, but in (("real", "imag"), ("imag", "real")):
            if self.mode != but:
                made = self.add_weight(
                    name=f"{side}_kernel", shape=shape, initializer=STFT(side, self.window, self.scaling, self.periodic)
                )
                setattr(self, f"{side}_kernel", made)

    def call(self, inputs):
        if inputs.dtype not in ("float16", "float32", "float64"):
            raise TypeError(f"[STFTSpectrogram] takes float16, float32 or float64, but got {inputs.dtype.name}")
        signals = inputs if self.data_format == "channels_first" else _core.transpose(inputs, [0, 2, 1])
        real, imaginary = (
            None if self.mode == but else self._parts(signals, side)
            for side, but in (("real", "imag"), ("imag", "real"))
        )
        if self.mode in ("real", "imag"):
            return self._shaped(real if imaginary is None else imaginary)
        if self.mode == "angle":
            return self._shaped(tf.atan2(imaginary, real))
        if self.mode == "stft":
            return self._shaped(_core.concat([real, imaginary], axis=-1))
        power = tf.square(real) + tf.square(imaginary)
        if self.mode == "psd":
            return self._shaped(power + _core.pad(power[..., 1:-1], [[0, 0], [0, 0], [0, 0], [1, 1]]))
        loud = tf.sqrt(tf.maximum(power, backend.epsilon()))
        return self._shaped(loud if self.mode == "magnitude" else tf.math.log(tf.maximum(loud, backend.epsilon())))

    def _parts(self, signals, side):
        """The real or the imaginary parts, (batch, channels, windows, frequencies)."""
        channels, samples = signals.shape[1], _core.shape(signals)[2]
        step = self.frame_step or self.frame_length // 2
        kernel = _core.cast(getattr(self, f"{side}_kernel"), signals.dtype)
        made = tf.nn.conv1d(_core.reshape(signals, [-1, samples, 1]), kernel, step, self.padding.upper())
        return _core.reshape(made, [-1, channels, _core.shape(made)[1], made.shape[2]])

    def _shaped(self, x):
        """(batch, windows, channels · frequencies), or with the channels apart."""
        if self.expand_dims:
            return x if self.data_format == "channels_first" else _core.transpose(x, [0, 2, 3, 1])
        windows, count = _core.shape(x)[2], x.shape[1] * x.shape[3]
        if self.data_format == "channels_first":
            return _core.reshape(_core.transpose(x, [0, 1, 3, 2]), [-1, count, windows])
        return _core.reshape(_core.transpose(x, [0, 2, 1, 3]), [-1, windows, count])


for _cls in (MelSpectrogram, STFTSpectrogram):
    _cls.__module__ = "brio.keras.layers"  # where configs find it
