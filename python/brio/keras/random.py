"""keras.random."""

import itertools

import brio as tf
from brio import _core
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)


class SeedGenerator:
    """Seeds, each used once: the same numbers are drawn after the same seed."""

    _made = itertools.count(1)

    def __init__(self, seed=None, name=None, **kwargs):
        self._initial_seed = next(SeedGenerator._made) if seed is None else int(seed)
        self.name = name or _core._unique_name("seed_generator")
        self.state = _core.Variable(
            [self._initial_seed & 0x7FFFFFFF, 0], dtype="int64", trainable=False, name="seed_generator_state"
        )

    def next(self, ordered=True):
        """The next pair of seeds."""
        now = _core.identity(self.state)  # in a traced function, what it is at each call
        self.state.assign_add([0, 1])
        return now

    def get_config(self):
        """What it was made with."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)


def _seed(seed):
    """Two numbers for a draw that depends on them alone, or None for one that is new each time."""
    if seed is None:
        return None
    if isinstance(seed, SeedGenerator):
        return seed.next()
    return seed if hasattr(seed, "shape") and len(seed.shape) else [int(seed), 0]


def _drawn(plain, stateless, shape, seed, dtype, *args, **kwargs):
    seed = _seed(seed)
    dtype = dtype or "float32"
    if seed is None:
        return plain(shape, *args, dtype=dtype, **kwargs)
    return stateless(shape, seed, *args, dtype=dtype, **kwargs)


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal numbers."""
    return _drawn(tf.random.normal, tf.random.stateless_normal, shape, seed, dtype, mean, stddev)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal numbers, those further than two deviations out drawn again."""
    return _drawn(tf.random.truncated_normal, tf.random.stateless_truncated_normal, shape, seed, dtype, mean, stddev)


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers in [minval, maxval)."""
    return _drawn(tf.random.uniform, tf.random.stateless_uniform, shape, seed, dtype, minval, maxval)


def randint(shape, minval, maxval, dtype="int32", seed=None):
    """Whole numbers in [minval, maxval)."""
    return _drawn(tf.random.uniform, tf.random.stateless_uniform, shape, seed, dtype, minval, maxval)


def categorical(logits, num_samples, dtype="int32", seed=None):
    """Class numbers, drawn with probabilities in proportion to exp(logits)."""
    seed = _seed(seed)
    made = (
        tf.random.categorical(logits, num_samples)
        if seed is None
        else tf.random.stateless_categorical(logits, num_samples, seed)
    )
    return tf.cast(made, dtype)


def shuffle(x, axis=0, seed=None):
    """The rows in any order."""
    x = tf.convert_to_tensor(x)
    order = tf.argsort(uniform([x.shape[axis]], seed=seed))
    return tf.gather(x, order, axis=axis)


def dropout(inputs, rate, noise_shape=None, seed=None):
    """Sets a part of the elements to 0, and scales the others up."""
    inputs = tf.convert_to_tensor(inputs)
    if rate <= 0:
        return inputs
    kept = (
        uniform(_core.shape(inputs) if noise_shape is None else noise_shape, seed=seed) >= rate
    )  # sizes may be unknown yet
    return tf.where(kept, inputs / (1.0 - rate), tf.zeros_like(inputs))


def gamma(shape, alpha, dtype=None, seed=None):
    """Numbers of a gamma distribution."""
    if seed is None:
        return tf.random.gamma(shape, alpha, dtype=dtype or "float32")
    return tf.random.stateless_gamma(shape, _seed(seed), alpha, dtype=dtype or "float32")


def beta(shape, alpha, beta, dtype=None, seed=None):
    """Numbers of a beta distribution."""
    a, b = (
        gamma(shape, alpha, dtype, seed),
        gamma(shape, beta, dtype, None if seed is None else seed if isinstance(seed, SeedGenerator) else seed + 1),
    )
    return a / (a + b)


def binomial(shape, counts, probabilities, dtype=None, seed=None):
    """How often something of this probability happens in so many trials."""
    trials = tf.range(int(tf.reduce_max(counts)))
    hits = uniform([len(trials), *shape], seed=seed) < probabilities
    counted = tf.reshape(trials, [-1] + [1] * len(shape)) < tf.cast(counts, "int32")
    return tf.cast(tf.reduce_sum(tf.cast(tf.logical_and(hits, counted), "float32"), 0), dtype or "float32")
