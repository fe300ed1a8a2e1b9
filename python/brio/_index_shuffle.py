"""tf.random_index_shuffle: where numbers lie in a random order that is never written down.

A small block cipher (Simon's, of few rounds) permutes the numbers below a power of 4;
one that falls beyond max_index is sent through it again."""

import numpy as np

from brio import _core
from brio._host import on_host
from brio.errors import InvalidArgumentError

_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5


def _round_keys(seed, rounds, bits):
    mask = (1 << bits) - 1

    def right(x, n):
        return (x >> n | x << (bits - n)) & mask

    keys, sequence = [int(s) & 0xFFFFFFFF & mask for s in seed], _SEQUENCE & mask
    while len(keys) < rounds:
        keys.append((_CONSTANT & mask) ^ (sequence & 1) ^ keys[-3] ^ right(keys[-1], 3) ^ right(keys[-1], 4))
        sequence >>= 1
    return keys


def _permuted(x, keys, bits):
    """The cipher on uint64 numbers of 2 * bits bits."""
    word, mask = np.uint64(bits), np.uint64((1 << bits) - 1)

    def left(x, n):
        return (x << np.uint64(n) | x >> np.uint64(bits - n)) & mask

    high, low = x >> word & mask, x & mask
    for first, second in zip(keys[::2], keys[1::2]):
        high = high ^ (left(low, 1) & left(low, 8)) ^ left(low, 2) ^ np.uint64(first)
        low = low ^ (left(high, 1) & left(high, 8)) ^ left(high, 2) ^ np.uint64(second)
    return high << word | low


def _shuffled(index, seed, most, rounds):
    if most == 0:
        return np.zeros_like(index)
    size = int(np.ceil(np.log2(float(most))))
    bits = max(size + size % 2, 16) // 2
    keys = _round_keys(seed, rounds, bits)
    made = _permuted(index.astype(np.uint64), keys, bits)
    while (beyond := made > np.uint64(most)).any():
        made[beyond] = _permuted(made[beyond], keys, bits)
    return made.astype(index.dtype)


def random_index_shuffle(index, seed, max_index, rounds=4, name=None):
    """The places of numbers from 0 to max_index in a random order of them, a function of the seed (three numbers).

    >>> sorted(tf.random_index_shuffle(tf.range(5), seed=[1, 2, 3], max_index=4).numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    index, seed = _core.convert_to_tensor(index), _core.convert_to_tensor(seed)
    most = _core.cast(max_index, index.dtype)
    if rounds < 4 or rounds % 2:
        raise InvalidArgumentError(f"[random_index_shuffle] rounds is {rounds}; it is even, and 4 or more")
    if seed.shape.rank not in (1, 2) or seed.shape[-1] != 3:
        raise InvalidArgumentError(f"[random_index_shuffle] seed has shape {seed.shape}; it has three numbers")

    def shuffled(index, seed, most):
        if (np.broadcast_to(most, index.shape) < index).any() or (index < 0).any():
            raise InvalidArgumentError(
                f"[random_index_shuffle] index {index.tolist()} is not between 0 and max_index {most.tolist()}"
            )
        n = max([1, *(len(x) for x, rank in ((index, 1), (most, 1), (seed, 2)) if x.ndim == rank)])
        if seed.ndim == 1 and most.ndim == 0:
            return _shuffled(np.atleast_1d(index), seed, int(most), rounds).reshape(index.shape)
        rows = np.broadcast_to(index, n), np.broadcast_to(seed, (n, 3)), np.broadcast_to(most, n)
        return np.concatenate([_shuffled(i[None], s, int(m), rounds) for i, s, m in zip(*rows)])

    lengths = [x.shape[0] for x, rank in ((index, 1), (most, 1), (seed, 2)) if x.shape.rank == rank]
    return on_host(shuffled, [index, seed, most], [(lengths[:1], index.dtype)])[0]


def index_shuffle(index, seed, max_index):
    """The same, for a seed of two numbers.

    >>> sorted(tf.random.experimental.index_shuffle(tf.range(5), [1, 2], 4).numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    seed = _core.convert_to_tensor(seed)
    first = _core.fill([*seed.shape[:-1], 1], _core.cast(498247692, seed.dtype))
    return random_index_shuffle(index, _core.concat([first, seed], -1), max_index)
