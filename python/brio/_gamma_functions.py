"""Incomplete gamma and beta functions and Hurwitz's zeta function."""

import numpy as np

from brio import _core
from brio._core import _math
from brio._host import on_host
from brio.errors import InvalidArgumentError

_STEPS = 2000  # no series or fraction needs more for arguments up to some 10⁵


def _together(who, *given):
    """Tensors of one dtype and shape; a number is of the dtype of the tensors."""
    like = next((x for x in given if hasattr(x, "dtype")), None)
    made = [_core.convert_to_tensor(x, dtype_hint=None if like is None else like.dtype) for x in given]
    if not all(x.dtype.is_floating for x in made):
        raise InvalidArgumentError(
            f"[{who}] takes floating-point numbers, but got {', '.join(x.dtype.name for x in made)}"
        )
    if all(tuple(x.shape) == tuple(made[0].shape) for x in made):
        return made
    nothing = _core.zeros_like(made[0])
    for x in made[1:]:
        nothing = nothing + _core.zeros_like(x)
    return [x + nothing for x in made]  # sizes that are not known yet are spread too


def _digamma(x):
    """By the recurrence up to 10 and the asymptotic series behind; for x > 0."""
    x, total = x.copy(), np.zeros_like(x)
    for _ in range(10):
        low = x < 10
        total[low] -= 1 / x[low]
        x[low] += 1
    y = 1 / (x * x)
    return total + np.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))


def _log_gamma(x):
    x, shift = x.copy(), np.zeros_like(x)
    for _ in range(10):
        low = x < 10
        shift[low] -= np.log(x[low])
        x[low] += 1
    y = 1 / (x * x)
    return (
        shift
        + (x - 0.5) * np.log(x)
        - x
        + 0.9189385332046727
        + (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    )


def _gamma_parts(a, x):
    """P(a, x), Q(a, x) and dP/da, for a > 0 and finite x > 0, as float64."""
    p, q, slope = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    series = (x <= 1) | (x <= a)
    for which, compute in ((series, _by_series), (~series, _by_fraction)):
        if which.any():
            p[which], q[which], slope[which] = compute(a[which], x[which])
    return p, q, slope


def _by_series(a, x):
    front = np.exp(a * np.log(x) - x - _log_gamma(a + 1))
    term, total = np.ones_like(a), np.ones_like(a)
    turn, turned = np.zeros_like(a), np.zeros_like(a)  # the derivative of a term by a, and their sum
    for n in range(1, _STEPS):
        step = x / (a + n)
        turn = step * (turn - term / (a + n))
        term = term * step
        total, turned = total + term, turned + turn
        if (term <= 1e-17 * total).all() and (np.abs(turn) <= 1e-17 * np.abs(turned)).all():
            break
    p = np.minimum(front * total, 1.0)
    return p, 1 - p, front * (total * (np.log(x) - _digamma(a + 1)) + turned)


def _by_fraction(a, x):
    """Q by Lentz's continued fraction, and beside each number its derivative by a."""
    tiny = 1e-300
    b = x + 1 - a
    db = -np.ones_like(a)
    c, dc = np.full_like(a, 1 / tiny), np.zeros_like(a)
    d = 1 / np.where(b == 0, tiny, b)
    dd = -d * d * db
    h, dh = d, dd
    for n in range(1, _STEPS):
        an, dan = -n * (n - a), float(n)
        b = b + 2
        bottom = an * d + b
        dbottom = dan * d + an * dd + db
        bottom = np.where(np.abs(bottom) < tiny, tiny, bottom)
        c_new = b + an / c
        dc = db + dan / c - an * dc / (c * c)
        c = np.where(np.abs(c_new) < tiny, tiny, c_new)
        d = 1 / bottom
        dd = -d * d * dbottom
        factor, dfactor = c * d, dc * d + c * dd
        dh = dh * factor + h * dfactor
        h = h * factor
        if (np.abs(factor - 1) < 1e-16).all() and (np.abs(dfactor) < 1e-16).all():
            break
    front = np.exp(a * np.log(x) - x - _log_gamma(a))
    q = np.clip(front * h, 0.0, 1.0)
    return 1 - q, q, -front * (h * (np.log(x) - _digamma(a)) + dh)


def _incomplete(a, x, which):
    kind, shape = a.dtype, a.shape
    a, x = (np.asarray(v, np.float64).reshape(-1) for v in (a, x))
    good = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    p, q, slope = (np.full(a.shape, np.nan) for _ in range(3))
    with np.errstate(all="ignore"):
        if good.any():
            p[good], q[good], slope[good] = _gamma_parts(a[good], x[good])
    edges = (
        ((x == 0) & (a > 0), 0.0, 1.0),
        ((x == np.inf) & (a > 0) & np.isfinite(a), 1.0, 0.0),
        ((a == np.inf) & (x >= 0) & np.isfinite(x), 0.0, 1.0),
    )
    for edge, low, high in edges:
        p[edge], q[edge], slope[edge] = low, high, 0.0
    return {"p": p, "q": q, "slope": slope}[which].astype(kind).reshape(shape)


def _of(which, a, x):
    return on_host(lambda a, x: _incomplete(a, x, which), [a, x], [(x.shape, x.dtype)])[0]


def _gamma(a, x, which):
    from brio._control import custom_gradient

    a, x = _together("igamma" if which == "p" else "igammac", a, x)
    sign = 1.0 if which == "p" else -1.0

    @custom_gradient
    def compute(a, x):
        def gradient(above):
            by_x = sign * _core.exp(-x + _math.xlogy(a - 1.0, x) - _math.lgamma(a))
            return above * sign * _of("slope", a, x), above * by_x

        return _of(which, a, x), gradient

    return compute(a, x)


def igamma(a, x, name=None):
    """The lower incomplete gamma function P(a, x), a share of 1.

    >>> [round(float(p), 4) for p in tf.math.igamma(2.0, [1.0, 3.0])]
    [0.2642, 0.8009]
    """
    return _gamma(a, x, "p")


def igammac(a, x, name=None):
    """The upper incomplete gamma function Q(a, x) = 1 - P(a, x).

    >>> [round(float(q), 4) for q in tf.math.igammac(2.0, [1.0, 3.0])]
    [0.7358, 0.1991]
    """
    return _gamma(a, x, "q")


def _beta_fraction(a, b, x):
    """Lentz's continued fraction of the incomplete beta function."""
    tiny = 1e-300
    c = np.ones_like(x)
    d = 1 / np.where(np.abs(1 - (a + b) * x / (a + 1)) < tiny, tiny, 1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + step * d
            d = 1 / np.where(np.abs(d) < tiny, tiny, d)
            c = 1 + step / c
            c = np.where(np.abs(c) < tiny, tiny, c)
            h = h * d * c
        if (np.abs(d * c - 1) < 1e-16).all():
            break
    return h


def _beta(a, b, x):
    kind, shape = x.dtype, x.shape
    a, b, x = (np.asarray(v, np.float64).reshape(-1) for v in (a, b, x))
    made = np.full(x.shape, np.nan)
    good = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    made[(a > 0) & (b > 0) & (x == 0)], made[(a > 0) & (b > 0) & (x == 1)] = 0.0, 1.0
    with np.errstate(all="ignore"):
        a, b, x = a[good], b[good], x[good]
        swap = x > (a + 1) / (a + b + 2)
        p, q, y = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1 - x, x)
        front = np.exp(_log_gamma(a + b) - _log_gamma(a) - _log_gamma(b) + p * np.log(y) + q * np.log1p(-y)) / p
        found = front * _beta_fraction(p, q, y)
        made[good] = np.clip(np.where(swap, 1 - found, found), 0.0, 1.0)
    return made.astype(kind).reshape(shape)


def betainc(a, b, x, name=None):
    """The regularized incomplete beta function I_x(a, b), a share of 1. It has a gradient for x.

    >>> round(float(tf.math.betainc(2.0, 3.0, 0.5)), 4)
    0.6875
    """
    from brio._control import custom_gradient

    a, b, x = _together("betainc", a, b, x)

    @custom_gradient
    def compute(a, b, x):
        def gradient(above):
            log_beta = _math.lgamma(a) + _math.lgamma(b) - _math.lgamma(a + b)
            slope = _core.exp(_math.xlog1py(b - 1.0, -x) + _math.xlogy(a - 1.0, x) - log_beta)
            return None, None, above * slope

        return on_host(_beta, [a, b, x], [(x.shape, x.dtype)])[0], gradient

    return compute(a, b, x)


# B_2k / (2k)! of Euler's and Maclaurin's formula.
_BERNOULLI = [
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000,
    77683 / 14101100039391805440000, -236364091 / 1693824136731743669452800000,
]  # fmt: skip


def _hurwitz(x, q):
    shape, kind = q.shape, q.dtype
    x, q = (np.asarray(v, np.float64).reshape(-1) for v in (x, q))
    with np.errstate(all="ignore"):
        total = np.zeros_like(q)
        for n in range(12):
            total += np.power(q + n, -x)
        far = q + 12
        power = np.power(far, -x)
        total += power * far / (x - 1) + 0.5 * power
        term = x * power / far
        for k, share in enumerate(_BERNOULLI):
            total += share * term
            term = term * (x + 2 * k + 1) * (x + 2 * k + 2) / (far * far)
        made = np.where((q <= 0) & (q == np.floor(q)), np.inf, total)
        made = np.where(x == 1, np.inf, made)
        made = np.where((x < 1) | ((q <= 0) & (q != np.floor(q)) & (x != np.floor(x))), np.nan, made)
    return made.astype(kind).reshape(shape)


def zeta(x, q, name=None):
    """Hurwitz's zeta function: the sum of (q + n)^-x over n = 0, 1, ... It has a gradient for q.

    >>> round(float(tf.math.zeta(2.0, 1.0)), 4)
    1.6449
    """
    from brio._control import custom_gradient

    x, q = _together("zeta", x, q)

    @custom_gradient
    def compute(x, q):
        def gradient(above):
            return None, above * -x * zeta(x + 1.0, q)

        return on_host(_hurwitz, [x, q], [(q.shape, q.dtype)])[0], gradient

    return compute(x, q)
