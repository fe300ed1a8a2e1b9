"""keras.initializers.STFT: weights with which a convolution computes spectra of windows."""

import math

import numpy as np

from brio import _core
from brio.keras.initializers import Initializer

# Windows that are sums of cosines, by their coefficients.
_COSINES = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}
_SAME = {"rect": "boxcar", "rectangular": "boxcar", "ones": "boxcar", "box": "boxcar", "hanning": "hann", "han": "hann",
         "hamm": "hamming", "ham": "hamming", "black": "blackman", "nutl": "nuttall", "bkh": "blackmanharris",
         "flat": "flattop", "bart": "bartlett", "tri": "triang", "triangle": "triang", "bman": "bohman",
         "halfcosine": "cosine"}  # fmt: skip


def _symmetric(name, n):
    at = np.arange(n)
    if n == 1:
        return np.ones(1)
    if name in _COSINES:
        return sum((-1) ** k * c * np.cos(2 * math.pi * k * at / (n - 1)) for k, c in enumerate(_COSINES[name]))
    apart = np.abs(2 * at / (n - 1) - 1)  # from the middle
    if name == "bartlett":
        return 1 - apart
    if name == "triang":
        return 1 - np.abs(2 * at - (n - 1)) / (n + n % 2)
    if name == "cosine":
        return np.sin(math.pi / n * (at + 0.5))
    if name == "bohman":
        made = (1 - apart) * np.cos(math.pi * apart) + np.sin(math.pi * apart) / math.pi
        made[[0, -1]] = 0
        return made
    return None


def window_numbers(name, n, periodic):
    """The numbers of a window of this name: those of SciPy's."""
    found = _symmetric(_SAME.get(name, name), n + 1 if periodic and n > 1 else n)
    if found is not None:
        return found[:n]
    try:
        import scipy.signal
    except ImportError:
        known = ", ".join([*_COSINES, "bartlett", "triang", "cosine", "bohman"])
        raise ValueError(
            f"[STFT] there is no window {name!r} without the package scipy; there are {known}, or give an array"
        ) from None
    return scipy.signal.get_window(name, n, periodic)


class STFT(Initializer):
    """Weights (window, 1, frequencies) with which a convolution gives the real or the imaginary parts of spectra of
    windows.

    >>> keras.initializers.STFT("real", window=None)((4, 1, 3)).numpy()[:, 0, 2].round(3).tolist()
    [1.0, -1.0, 1.0, -1.0]
    """

    def __init__(self, side="real", window="hann", scaling="density", periodic=False):
        if side not in ("real", "imag"):
            raise ValueError(f"[STFT] side is {side!r}; it is 'real' or 'imag'")
        if scaling not in (None, "density", "spectrum"):
            raise ValueError(f"[STFT] scaling is {scaling!r}; it is 'density', 'spectrum' or None")
        if isinstance(window, str):
            window_numbers(window, 1, periodic)  # is there one of that name?
        self.side, self.window, self.scaling, self.periodic = side, window, scaling, periodic

    def __call__(self, shape, dtype=None, **kwargs):
        length, _, frequencies = shape
        angle = -2 * math.pi * np.arange(length)[:, None] * (np.arange(frequencies) / max(2 * (frequencies - 1), 1))
        made = (np.cos if self.side == "real" else np.sin)(angle)
        if self.window is not None:
            window = (
                window_numbers(self.window, length, self.periodic)
                if isinstance(self.window, str)
                else np.asarray(self.window, "float64")
            )
            if window.shape != (length,):
                raise ValueError(f"[STFT] the window has shape {window.shape}; the weights are of windows of {length}")
            scale = {None: 1.0, "density": math.sqrt(np.square(window).sum()), "spectrum": np.abs(window).sum()}[
                self.scaling
            ]
            made = made * window[:, None] / scale
        return _core.constant(made[:, None, :], dtype or "float32")

    def get_config(self):
        """What it was made with."""
        return {"side": self.side, "window": self.window, "periodic": self.periodic, "scaling": self.scaling}


STFT.__module__ = "brio.keras.initializers"  # where configs find it
