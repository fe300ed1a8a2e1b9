"""tf.compat.v1.random: as tf.random, with the seed of the graph."""

import importlib

from brio._graph import state as _state
from brio.compat.v1.nn import log_uniform_candidate_sampler, uniform_candidate_sampler


def set_random_seed(seed):
    """The seed of the graph: operations that draw begin with it in each session."""
    _state.set_random_seed(seed)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    return getattr(importlib.import_module("brio.random"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.random"))))
