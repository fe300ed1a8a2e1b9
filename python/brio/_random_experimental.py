"""tf.random.experimental: generators, and seeds of seeds."""

from brio._index_shuffle import index_shuffle
from brio.random import (
    Algorithm,
    Generator,
    fold_in,
    get_global_generator,
    set_global_generator,
    split,
    stateless_shuffle,
)

stateless_fold_in, stateless_split = fold_in, split
__all__ = [
    "Algorithm", "Generator", "get_global_generator", "index_shuffle", "set_global_generator", "stateless_fold_in",
    "stateless_shuffle", "stateless_split",
]  # fmt: skip
