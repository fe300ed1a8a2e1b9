"""Functions of tf.signal of the rarer kind: lapped transforms, their windows, and Fourier transforms of any axes."""

import math

from brio import _core
from brio._axes import positive_axis
from brio._core import _signal
from brio.errors import InvalidArgumentError
from brio.signal import dct, kaiser_window, vorbis_window


def kaiser_bessel_derived_window(window_length, beta=12.0, dtype="float32", name=None):
    """The window derived from Kaiser's, whose squares add up to 1 where frames overlap by half.

    >>> tf.signal.kaiser_bessel_derived_window(4).numpy().round(3).tolist()
    [0.007000000216066837, 1.0, 1.0, 0.007000000216066837]
    """
    sums = _core.cumsum(kaiser_window(int(window_length) // 2 + 1, beta, dtype=dtype))
    half = _core.sqrt(sums[:-1] / sums[-1])
    return _core.concat([half, _core.reverse(half, [0])], 0)


def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """The modified discrete cosine transform of frames that overlap by half.

    >>> tf.signal.mdct(tf.ones([1000]), 200).shape
    TensorShape([9, 100])
    """
    length = int(frame_length)
    if length % 4:
        raise ValueError(f"[mdct] frame_length is {length}; it must be a multiple of 4")
    frames = _signal.frame(signals, length, length // 2, pad_end=pad_end)
    frames = frames * (window_fn(length, dtype=frames.dtype) if window_fn is not None else 1.0 / math.sqrt(2))
    a, b, c, d = _core.split(frames, 4, axis=-1)
    return dct(_core.concat([-_core.reverse(c, [-1]) - d, a - _core.reverse(b, [-1])], -1), type=4, norm=norm)


def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """The signals of which these are the modified discrete cosine transforms.

    >>> x = tf.sin(tf.range(1200.0) / 20)
    >>> y = tf.signal.inverse_mdct(tf.signal.mdct(x, 400))
    >>> bool(tf.reduce_max(tf.abs(y - x)[200:-200]) < 1e-3)
    True
    """
    x = _core.convert_to_tensor(mdcts)
    half = int(x.shape[-1])
    if half < 2 or half % 2:
        raise InvalidArgumentError(
            f"[inverse_mdct] takes rows of an even number of coefficients, but got shape {tuple(x.shape)}"
        )
    back = dct(x, type=4, norm=norm) if norm == "ortho" else dct(x, type=4) * (0.5 / half)
    first, second = _core.split(back, 2, axis=-1)
    frames = _core.concat([second, -_core.reverse(second, [-1]), -_core.reverse(first, [-1]), -first], -1)
    frames = frames * (window_fn(2 * half, dtype=x.dtype) if window_fn is not None else 1.0 / math.sqrt(2))
    return _signal.overlap_and_add(frames, half)


def _plan(who, x, fft_length, axes, norm):
    rank = x.shape.rank
    if axes is None:
        axes = list(range(rank)) if fft_length is None else list(range(rank - len(fft_length), rank))
    axes = [positive_axis(who, a, rank) for a in axes]
    lengths = [None] * len(axes) if fft_length is None else [int(n) for n in fft_length]
    if len(lengths) != len(axes):
        raise InvalidArgumentError(f"[{who}] {len(lengths)} lengths for {len(axes)} axes")
    if norm not in (None, "backward", "forward", "ortho"):
        raise ValueError(f"[{who}] norm is {norm!r}; it is 'backward', 'forward' or 'ortho'")
    return axes, lengths


def _along(f, x, axis):
    """f of the last axis, of another one."""
    rank = x.shape.rank
    if axis == rank - 1:
        return f(x)
    order = [i for i in range(rank) if i != axis] + [axis]
    return _core.transpose(f(_core.transpose(x, order)), sorted(range(rank), key=order.__getitem__))


def _fitted(x, axis, size):
    """Cut or filled up with zeros to a size."""
    have = int(x.shape[axis])
    if size < have:
        return _core.slice(x, [0] * x.shape.rank, [size if i == axis else -1 for i in range(x.shape.rank)])
    return _core.pad(x, [[0, size - have if i == axis else 0] for i in range(x.shape.rank)]) if size > have else x


def _scaled(x, sizes, norm, inverse):
    """What the transforms, of which the inverse ones divide by the sizes, are multiplied with."""
    n = math.prod(sizes)
    if norm == "ortho":
        return x * _core.cast(math.sqrt(n) if inverse else 1 / math.sqrt(n), x.dtype)
    return x * _core.cast(float(n) if inverse else 1.0 / n, x.dtype) if norm == "forward" else x


def _complex(x):
    x = _core.convert_to_tensor(x)
    return x if x.dtype.is_complex else _core.cast(x, "complex128" if x.dtype == _core.float64 else "complex64")


def _transformed(who, f, x, fft_length, axes, norm, inverse):
    x = _complex(x)
    axes, lengths = _plan(who, x, fft_length, axes, norm)
    for axis, length in zip(axes, lengths):
        x = _along(f, x if length is None else _fitted(x, axis, length), axis)
    return _scaled(x, [int(x.shape[a]) for a in axes], norm, inverse)


def fftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The Fourier transform along some axes, all of them where none are given.

    >>> tf.signal.fftnd(tf.ones([2, 2], tf.complex64), [2, 2], [0, 1]).numpy()[0, 0].item()
    (4+0j)
    """
    return _transformed("fftnd", _signal.fft, input_tensor, fft_length, axes, norm, False)


def ifftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of fftnd."""
    return _transformed("ifftnd", _signal.ifft, input_tensor, fft_length, axes, norm, True)


def rfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The Fourier transform of real numbers along some axes;
    of the last one the half that is not a mirror of the other."""
    x = _core.convert_to_tensor(input_tensor)
    if x.dtype not in (_core.float32, _core.float64):
        raise ValueError(f"[rfftnd] takes float32 and float64, but got {x.dtype.name}")
    axes, lengths = _plan("rfftnd", x, fft_length, axes, norm)
    for axis, length in zip(axes, lengths):
        x = x if length is None else _fitted(x, axis, length)
    sizes = [int(x.shape[a]) for a in axes]
    x = _along(lambda v: _signal.rfft(v), x, axes[-1])
    for axis in axes[:-1]:
        x = _along(_signal.fft, x, axis)
    return _scaled(x, sizes, norm, False)


def irfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of rfftnd; the last length is twice that of the axis, less 2, where none is given."""
    x = _complex(input_tensor)
    axes, lengths = _plan("irfftnd", x, fft_length, axes, norm)
    lengths = (
        [int(x.shape[a]) for a in axes[:-1]] + [2 * (int(x.shape[axes[-1]]) - 1)] if fft_length is None else lengths
    )
    for axis, length in zip(axes[:-1], lengths):
        x = _along(_signal.ifft, _fitted(x, axis, length), axis)
    x = _along(lambda v: _signal.irfft(v, [lengths[-1]]), _fitted(x, axes[-1], lengths[-1] // 2 + 1), axes[-1])
    return _scaled(x, lengths, norm, True)
