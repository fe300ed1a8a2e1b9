"""tf.math.special: functions that have names of their own."""

from brio import _missing
from brio import _special_functions as _of
from brio._core._math import bessel_i0, bessel_i1  # noqa: F401
from brio._more_math import bessel_i0e, bessel_i1e  # noqa: F401

__getattr__ = _missing.attribute_error_of("brio.math.special")


def __dir__():
    return [n for n in globals() if not n.startswith("_")]


def bessel_j0(x, name=None):
    """J of order 0, a Bessel function of the first kind.

    >>> round(float(tf.math.special.bessel_j0(1.5)), 4)
    0.5118
    """
    return _of._j0(x)


def bessel_j1(x, name=None):
    """J of order 1, a Bessel function of the first kind.

    >>> round(float(tf.math.special.bessel_j1(1.5)), 4)
    0.5579
    """
    return _of._j1(x)


def bessel_y0(x, name=None):
    """Y of order 0, a Bessel function of the second kind, of positive numbers.

    >>> round(float(tf.math.special.bessel_y0(1.5)), 4)
    0.3824
    """
    return _of._y0(x)


def bessel_y1(x, name=None):
    """Y of order 1, a Bessel function of the second kind, of positive numbers.

    >>> round(float(tf.math.special.bessel_y1(1.5)), 4)
    -0.4123
    """
    return _of._y1(x)


def bessel_k0(x, name=None):
    """K of order 0, a modified Bessel function of the second kind, of positive numbers.

    >>> round(float(tf.math.special.bessel_k0(1.5)), 4)
    0.2138
    """
    return _of._k0(x)


def bessel_k0e(x, name=None):
    """exp(x) times the modified Bessel function K of order 0.

    >>> round(float(tf.math.special.bessel_k0e(1.5)), 4)
    0.9582
    """
    return _of._k0e(x)


def bessel_k1(x, name=None):
    """K of order 1, a modified Bessel function of the second kind, of positive numbers.

    >>> round(float(tf.math.special.bessel_k1(1.5)), 4)
    0.2774
    """
    return _of._k1(x)


def bessel_k1e(x, name=None):
    """exp(x) times the modified Bessel function K of order 1.

    >>> round(float(tf.math.special.bessel_k1e(1.5)), 4)
    1.2432
    """
    return _of._k1e(x)


def dawsn(x, name=None):
    """Dawson's integral: exp(-x²) times the integral of exp(t²) from 0 to x.

    >>> round(float(tf.math.special.dawsn(1.5)), 4)
    0.4282
    """
    return _of._dawson(x)


def expint(x, name=None):
    """The exponential integral Ei of positive numbers: the integral of exp(t) / t up to x.

    >>> round(float(tf.math.special.expint(1.5)), 4)
    3.3013
    """
    return _of._exponential_integral(x)


def fresnel_cos(x, name=None):
    """The integral of cos(π t² / 2) from 0 to x.

    >>> round(float(tf.math.special.fresnel_cos(1.5)), 4)
    0.4453
    """
    return _of._fresnel_cos(x)


def fresnel_sin(x, name=None):
    """The integral of sin(π t² / 2) from 0 to x.

    >>> round(float(tf.math.special.fresnel_sin(1.5)), 4)
    0.6975
    """
    return _of._fresnel_sin(x)


def spence(x, name=None):
    """Spence's function: minus the integral of log(t) / (t - 1) from 1 to x.

    >>> round(float(tf.math.special.spence(1.5)), 4)
    -0.4484
    """
    return _of._spence(x)
