"""Bessel functions of the first and second kind, exponential integrals, Fresnel's, Dawson's and Spence's functions,
in float64 inside.

Each is a sum of terms that are the same for every element:
quadrature where its rule converges beyond all digits, a series elsewhere."""

import functools
import math

from brio import _core
from brio._core import _math

_EULER = 0.5772156649015329


def _with_slope(slope):
    """Makes of a function of float64 tensors one of floats of any width,
    with a derivative that is shorter than that of its sum."""

    def made(function):
        def called(x):
            x = _core.convert_to_tensor(x)
            if x.dtype != "float64":
                return _core.cast(called(_core.cast(x, "float64")), x.dtype)
            return _core._custom_gradient(lambda at: (function(at), lambda up: up * slope(at)), x)

        return called

    return made


def _of_positive(x, found, at_zero):
    """What was found for positive numbers; at_zero for 0, and NaN below."""
    return _core.where(
        x > 0,
        found,
        _core.where(_core.equal(x, 0), _core.constant(at_zero, "float64"), _core.constant(math.nan, "float64")),
    )


def _sum(terms):
    return functools.reduce(_core.add, terms)


def _asymptotic(ratio, x, count):
    """Terms of a series in 1/x, each ratio(k)/x times the one before."""
    term, found = _core.ones_like(x), []
    for k in range(count):
        if k:
            term = term * ratio(k) / x
        found.append(term)
    return found


# ---- J and Y: the trapezoidal rule on Bessel's integral, Hankel's series from 25 on

_FAR, _NODES = 25.0, 32


@functools.lru_cache(None)
def _angles():
    """(sine, weight of J, weight of the sum that Y adds) of the rule's places."""
    rows = []
    for j in range(_NODES):
        angle = (j + 0.5) * math.pi / 2 / _NODES
        extra = sum((-1) ** (k + 1) * math.cos(2 * k * angle) / k for k in range(1, _NODES + 1))
        rows.append((math.sin(angle), 1 / _NODES, extra * 4 / math.pi / _NODES))
    return rows


def _hankel(order, x):
    """(cosine-like, sine-like) parts of Bessel functions of large numbers, and the phase."""
    terms = _asymptotic(lambda k: (4 * order**2 - (2 * k - 1) ** 2) / (8 * k), x, 16)
    even = _sum([t * (-1) ** i for i, t in enumerate(terms[::2])])
    odd = _sum([t * (-1) ** i for i, t in enumerate(terms[1::2])])
    return even, odd, x - (order / 2 + 0.25) * math.pi, _core.sqrt(2 / (math.pi * x))


def _first_kind(order, x):
    size = _core.abs(x)
    near, far = _core.minimum(size, _FAR), _core.maximum(size, _FAR)
    if order == 0:
        close = _sum([w * _core.cos(near * s) for s, w, _ in _angles()])
    else:
        close = _sum([w * s * _core.sin(near * s) for s, w, _ in _angles()])
    even, odd, phase, scale = _hankel(order, far)
    found = _core.where(size < _FAR, close, scale * (even * _core.cos(phase) - odd * _core.sin(phase)))
    return found if order == 0 else found * _core.sign(x)


def _second_kind(order, x):
    near, far = _core.clip_by_value(x, 1e-300, _FAR), _core.maximum(x, _FAR)
    log = 2 / math.pi * (_math.log(near / 2) + _EULER)
    if order == 0:
        close = log * _first_kind(0, near) + _sum([w * _core.cos(near * s) for s, _, w in _angles()])
    else:
        close = (
            log * _first_kind(1, near)
            - 2 / math.pi * _first_kind(0, near) / near
            + _sum([w * s * _core.sin(near * s) for s, _, w in _angles()])
        )
    even, odd, phase, scale = _hankel(order, far)
    found = _core.where(x < _FAR, close, scale * (even * _core.sin(phase) + odd * _core.cos(phase)))
    return _of_positive(x, found, -math.inf)


def _slope_j1(x):
    safe = _core.where(_core.equal(x, 0), 1.0, x)
    return _core.where(_core.equal(x, 0), 0.5, _first_kind(0, x) - _first_kind(1, safe) / safe)


_j0 = _with_slope(lambda x: -_first_kind(1, x))(functools.partial(_first_kind, 0))
_j1 = _with_slope(_slope_j1)(functools.partial(_first_kind, 1))
_y0 = _with_slope(lambda x: -_second_kind(1, x))(functools.partial(_second_kind, 0))
_y1 = _with_slope(lambda x: _second_kind(0, x) - _second_kind(1, x) / x)(functools.partial(_second_kind, 1))


# ---- K: its series up to 2, the trapezoidal rule on exp(-x (cosh t - 1)) from there on


def _third_kind(order, x):
    """exp(x) times the modified Bessel function of the second kind."""
    near, far = _core.clip_by_value(x, 1e-300, 2.0), _core.maximum(x, 2.0)
    square, log = near * near / 4, _math.log(near / 2)
    power, harmonic, terms = _core.ones_like(near), 0.0, []
    for k in range(14):
        if k:
            power = power * square / (k * (k + order))
            harmonic += 1 / k
        if order == 0:
            terms.append(power * (harmonic - _EULER - log))
        else:
            terms.append(power * (log - (2 * harmonic + 1 / (k + 1) - 2 * _EULER) / 2))
    close = _sum(terms) if order == 0 else 1 / near + near / 2 * _sum(terms)
    step, root, terms = 0.375, _core.sqrt(far), []
    for k in range(25):
        half = _core.sinh(k * step / 2 / root)
        above = 2 * half * half  # cosh t - 1
        value = _core.exp(-far * above) * (1.0 if order == 0 else above + 1)
        terms.append(value * (step / 2 if k == 0 else step))
    found = _core.where(x < 2, close * _core.exp(near), _sum(terms) / root)
    return _of_positive(x, found, math.inf)


def _plain_k(order, x):
    return _third_kind(order, x) * _core.exp(-x)


_k0e = _with_slope(lambda x: _third_kind(0, x) - _third_kind(1, x))(functools.partial(_third_kind, 0))
_k1e = _with_slope(lambda x: _third_kind(1, x) * (1 - 1 / x) - _third_kind(0, x))(functools.partial(_third_kind, 1))
_k0 = _with_slope(lambda x: -_plain_k(1, x))(functools.partial(_plain_k, 0))
_k1 = _with_slope(lambda x: -_plain_k(0, x) - _plain_k(1, x) / x)(functools.partial(_plain_k, 1))


# ---- integrals


@functools.lru_cache(None)
def _gauss(count):
    """Places and weights of Gauss' rule on [0, 1]."""
    import numpy as np

    places, weights = np.polynomial.legendre.leggauss(count)
    return list(zip(((places + 1) / 2).tolist(), (weights / 2).tolist()))


@_with_slope(lambda x: 1 - 2 * x * _dawson(x))
def _dawson(x):
    size = _core.abs(x)
    near, far = _core.minimum(size, 7.0), _core.maximum(size, 7.0)
    step = 0.25
    terms = [
        (_core.exp(-_core.square(near - n * step)) - _core.exp(-_core.square(near + n * step))) / n
        for n in range(1, 55, 2)
    ]
    series = _asymptotic(lambda k: (2 * k - 1) / 2, far * far, 20)
    return _core.sign(x) * _core.where(size < 7, _sum(terms) / math.sqrt(math.pi), _sum(series) / (2 * far))


@_with_slope(lambda x: _core.exp(x) / x)
def _exponential_integral(x):
    near, far = _core.clip_by_value(x, 1e-300, 40.0), _core.maximum(x, 40.0)
    close = _EULER + _math.log(near) + _sum([_math.expm1(near * t) * (w / t) for t, w in _gauss(40)])
    found = _core.where(x < 40, close, _core.exp(far) / far * _sum(_asymptotic(lambda k: k, far, 40)))
    return _of_positive(x, found, -math.inf)


def _fresnel(x, sine):
    size = _core.abs(x)
    near, far = _core.minimum(size, 6.0), _core.maximum(size, 6.0)
    wave = _core.sin if sine else _core.cos
    close = near * _sum([w * wave(near * near * (math.pi / 2 * t * t)) for t, w in _gauss(56)])
    terms = _asymptotic(lambda k: 2 * k - 1, math.pi * far * far, 24)
    even = _sum([t * (-1) ** i for i, t in enumerate(terms[::2])]) / (math.pi * far)
    odd = _sum([t * (-1) ** i for i, t in enumerate(terms[1::2])]) / (math.pi * far)
    phase = math.pi / 2 * far * far
    cos, sin = _core.cos(phase), _core.sin(phase)
    rest = even * cos + odd * sin if sine else odd * cos - even * sin
    return _core.sign(x) * _core.where(size < 6, close, 0.5 - rest)


_fresnel_sin = _with_slope(lambda x: _core.sin(math.pi / 2 * x * x))(lambda x: _fresnel(x, True))
_fresnel_cos = _with_slope(lambda x: _core.cos(math.pi / 2 * x * x))(lambda x: _fresnel(x, False))

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def _slope_of_spence(x):
    away = _core.abs(x - 1) > 1e-7
    safe = _core.where(away, x, 2.0)
    return _core.where(away, _math.log(safe) / (1 - safe), -1 + (x - 1) / 2)


@_with_slope(_slope_of_spence)
def _spence(x):
    large = x > 2
    x1 = _core.where(large, 1 / _core.where(large, x, 3.0), x)
    small = x1 < 0.5
    x2 = _core.where(small, 1 - x1, x1)
    u = -_math.log(x2)
    total, power = u - u * u / 4, u
    for k, number in enumerate(_BERNOULLI, 1):
        power = power * u * u / (2 * k * (2 * k + 1))
        total = total + number * power
    safe = _core.where(_core.equal(x1, 0), 0.5, x1)
    mirrored = math.pi**2 / 6 - _core.where(_core.equal(x1, 0), 0.0, _math.log(safe) * _math.log1p(-safe)) - total
    found = _core.where(small, mirrored, total)
    log = _math.log(_core.where(large, x, 1.0))
    return _core.where(x < 0, _core.constant(math.nan, "float64"), _core.where(large, -found - log * log / 2, found))
