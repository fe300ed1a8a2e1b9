"""tf.random."""

from brio import _core
from brio._core._random import *
from brio._core._random import _bits64, _Generator, _stateless_shuffle
from brio._lazy import names as _names

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "=_random_experimental": "experimental",
        "_sampling": (
            "uniform_candidate_sampler log_uniform_candidate_sampler learned_unigram_candidate_sampler "
            "fixed_unigram_candidate_sampler all_candidate_sampler"
        ),
    },
)


def _words(seed, count):
    """count int64 numbers, a function of two numbers."""
    return _core.cast(_bits64([count], seed), "int64")


def split(seed, num=2, alg="auto_select"):
    """num new seeds of two numbers each, a function of one."""
    return _core.reshape(_words(seed, 2 * num), [num, 2])


def fold_in(seed, data, alg="auto_select"):
    """A new seed, a function of one and of a number."""
    first, second = (int(s) for s in seed)
    return _words([first, second ^ int(data)], 2)


def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The rows in another order, a function of the seed alone."""
    return _stateless_shuffle(value, seed)


def stateless_binomial(shape, seed, counts, probs, output_dtype="int32", name=None):
    """How often an event of these probabilities happens in so many trials, a function of the seed alone."""
    counts = _core.cast(counts, "float32")
    trials = int(_core.reduce_max(counts)) if counts.shape.num_elements() else 0
    probs = _core.convert_to_tensor(probs, dtype_hint="float32")
    draws = stateless_uniform([trials] + [int(n) for n in shape], seed, dtype=probs.dtype)
    counted = _core.reshape(_core.range(trials, dtype="float32"), [-1] + [1] * len(shape)) < counts
    return _core.reduce_sum(_core.cast((draws < probs) & counted, output_dtype), axis=0)


class Algorithm:
    """How generators make bits: Brio's are all Philox."""

    PHILOX, THREEFRY, AUTO_SELECT = 1, 2, 3


class Generator(_Generator):
    """Random numbers of one's own: a seed and how many streams were drawn."""

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            super().__init__(0)
            self._restore(*copy_from._state())
        elif state is not None:
            super().__init__(0)
            self.reset(state)
        else:
            raise ValueError("[random.Generator] use Generator.from_seed(seed) or from_non_deterministic_state()")

    @classmethod
    def _of(cls, seed):
        made = cls.__new__(cls)
        _Generator.__init__(made, seed)
        return made

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator that gives the same numbers each time."""
        return cls._of(int(seed))

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator that gives other numbers each time."""
        import secrets

        return cls._of(secrets.randbits(63))

    @classmethod
    def from_state(cls, state, alg=None):
        """A generator that goes on where another was."""
        return cls(state=state)

    @property
    def state(self):
        """The seed and the counter as they are now, in a variable of their own."""
        return _core.Variable([_signed(n) for n in self._state()], trainable=False, dtype="int64")

    @property
    def algorithm(self):
        """The number of the algorithm: 1, Philox."""
        return Algorithm.PHILOX

    @property
    def key(self):
        """The key that the numbers come from."""
        return self.state[0]

    def reset(self, state):
        """Sets the state."""
        seed, counter = (int(n) & (2**64 - 1) for n in list(state)[:2])
        self._restore(seed, counter)

    def reset_from_seed(self, seed):
        """Sets the state to the one of a seed."""
        self._restore(int(seed) & (2**64 - 1), 0)

    def skip(self, delta):
        """Goes on by so many numbers."""
        self._skip(int(delta))

    def make_seeds(self, count=1):
        """Seeds of stateless functions, one a column."""
        return _core.cast(self.uniform_full_int([2, count], "uint64"), "int64")

    def split(self, count=1):
        """count new generators."""
        return [Generator.from_seed(int(seed)) for seed in self.make_seeds(count)[0]]

    def uniform_full_int(self, shape, dtype="uint64", name=None):
        """Integers of all bits of their dtype."""
        pair = [_signed(n) for n in self._state()]
        self._skip(1)
        return _core.cast(_bits64(shape, pair), dtype)

    def binomial(self, shape, counts, probs, dtype="int32", name=None):
        """How often something of this probability happens in so many trials."""
        pair = [_signed(n) for n in self._state()]
        self._skip(1)
        return stateless_binomial(shape, pair, counts, probs, dtype)


def _signed(n):
    return n - 2**64 if n >= 2**63 else n


_global_generator = None


def get_global_generator():
    """The generator that is there for everybody."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator):
    """Puts another generator in the place of the one for everybody."""
    global _global_generator
    _global_generator = generator
