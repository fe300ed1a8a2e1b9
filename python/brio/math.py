"""tf.math."""

from brio._core import (
    abs, acos, acosh, add, add_n, argmax, argmin, asin, asinh, atan, atan2, atanh, cos, cosh, cumsum, divide, equal,
    exp, floor, greater, greater_equal, less, less_equal, logical_and, logical_not, logical_or, maximum, minimum,
    multiply, negative, not_equal, pow, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min,
    reduce_prod, reduce_sum, round, sigmoid, sign, sin, sinh, sqrt, square, subtract, tan, tanh, truediv,
)  # fmt: skip
from brio._core._math import *
from brio._core._nn import log_softmax, softmax, softplus, softsign
from brio._lazy import names as _names
from brio._more_math import (
    accumulate_n, bessel_i0e, bessel_i1e, bincount, confusion_matrix, invert_permutation, is_non_decreasing,
    is_strictly_increasing, lbeta, scalar_mul, top_k, zero_fraction,
)  # fmt: skip

__getattr__, __dir__, _HOMES = _names(__name__, {
    "_gamma_functions": "betainc igamma igammac zeta",
    "_more_nn": "approx_max_k approx_min_k",
    "=_math_special": "special",
})  # fmt: skip
