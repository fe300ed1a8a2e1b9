"""tf.experimental.numpy.random: random tensors, float64 as NumPy's are."""

import brio as _tf
from brio._missing import attribute_error_of as _attribute_error_of

__getattr__ = _attribute_error_of(__name__)


def seed(s):
    """Makes the numbers that follow the same each time."""
    _tf.random.set_seed(int(s))


def randn(*args):
    """Normal numbers of these sizes."""
    return standard_normal(args)


def standard_normal(size=None):
    """Normal numbers of this shape."""
    return _tf.random.normal(_sizes(size), dtype="float64")


def rand(*size):
    """Numbers in [0, 1) of these sizes."""
    return uniform(size=size)


def random(size=None):
    """Numbers in [0, 1) of this shape."""
    return uniform(size=size)


def uniform(low=0.0, high=1.0, size=None):
    """Numbers in [low, high)."""
    return _tf.random.uniform(_sizes(size), low, high, dtype="float64")


def randint(low, high=None, size=None, dtype="int64"):
    """Whole numbers in [low, high), or in [0, low)."""
    low, high = (0, low) if high is None else (low, high)
    return _tf.cast(_tf.random.uniform(_sizes(size), low, high, dtype="int64"), dtype)


def poisson(lam=1.0, size=None):
    """How often something happens that happens lam times on average."""
    return _tf.cast(_tf.random.poisson(_sizes(size), lam, dtype="float64"), "int64")


def _sizes(size):
    return [] if size is None else [int(size)] if not hasattr(size, "__len__") else [int(n) for n in size]
