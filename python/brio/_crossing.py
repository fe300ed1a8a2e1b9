"""Crosses of features: for each row all combinations of one value of each column.
tf.sparse.cross and tf.ragged.cross."""

import numpy as np

from brio import _core

_KEY, _MULTIPLIER = 0xDECAFCAFFE, 0xC6A4A7935BD1E995


def _column(x):
    """A column's values, where each row begins among them, and how many each has."""
    if hasattr(x, "flat_values"):
        splits = x.row_splits.numpy()
        return _array(x.flat_values), splits[:-1], np.diff(splits)
    if hasattr(x, "dense_shape"):
        lengths = np.bincount(x.indices[:, 0].numpy(), minlength=int(x.shape[0]))
        return _array(x.values), np.cumsum(lengths) - lengths, lengths
    x = _core.convert_to_tensor(x)
    if x.shape.rank != 2:
        raise ValueError(f"[cross] takes columns of shape (rows, values), but got shape {tuple(x.shape)}")
    return _array(_core.reshape(x, [-1])), np.arange(x.shape[0]) * x.shape[1], np.full(x.shape[0], x.shape[1])


def _array(values):
    if values.dtype != _core.string and not values.dtype.is_integer:
        raise ValueError(
            f"[cross] takes strings and whole numbers, but got {values.dtype.name}; tf.strings.as_string makes strings "
            "of numbers"
        )
    return np.asarray(values.numpy(), object) if values.dtype == _core.string else values.numpy().astype(np.int64)


def _combined(who, inputs):
    """The values of each column in all combinations, and how many each row has; the last column changes first."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"[{who}] takes a list of columns")
    columns = [_column(x) for x in inputs]
    if len({len(lengths) for _, _, lengths in columns}) > 1:
        raise ValueError(
            f"[{who}] the columns have {[len(lengths) for _, _, lengths in columns]} rows; they need as many"
        )
    counts = np.prod([lengths for _, _, lengths in columns], axis=0).astype(np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    made = []
    for values, starts, lengths in columns[::-1]:
        own = lengths[rows]
        made.append(values[starts[rows] + place % own])
        place = place // own
    return made[::-1], counts


def _texts(columns, separator):
    parts = [[v if isinstance(v, bytes) else str(v).encode() for v in column.tolist()] for column in columns]
    return [separator.join(row) for row in zip(*parts)]


def fingerprint64(texts):
    """FarmHash's fingerprints of strings, as uint64:
    put together of two remainders, since a hash bucket has an int64's bits."""
    from brio import strings

    if not len(texts):
        return np.zeros(0, np.uint64)
    x = _core.constant(list(texts), "string")
    low = strings.to_hash_bucket_fast(x, 2**62).numpy().astype(np.uint64)
    rest = strings.to_hash_bucket_fast(x, 2**63 - 1).numpy().astype(np.uint64)
    # h = rest + q (2^63 - 1), which is rest - q in the lowest 62 bits.
    q = (rest - low) & np.uint64(2**62 - 1)
    return rest + q * np.uint64(2**63 - 1)


def _mixed(x):
    return x ^ (x >> np.uint64(47))


def _hashes(columns, num_buckets, hash_key):
    m = np.uint64(_MULTIPLIER)
    size = len(columns[0])
    result = np.full(size, (_KEY if hash_key is None else int(hash_key)) & (2**64 - 1), np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            number = fingerprint64(column.tolist()) if column.dtype == object else column.astype(np.uint64)
            result = result ^ m ^ (_mixed(number * m) * m)
            result = _mixed(_mixed(result * m) * m)
    return (result % np.uint64(num_buckets or 2**63 - 1)).astype(np.int64)


def _sparse(values, counts, dtype):
    from brio._sparse import SparseTensor

    rows = np.repeat(np.arange(len(counts)), counts)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return SparseTensor(
        np.stack([rows, column], 1),
        _core.constant(values, dtype, shape=[len(rows)]),
        [len(counts), int(counts.max(initial=0))],
    )


def _ordered(inputs):
    """Sparse columns come before dense ones."""
    return sorted(inputs, key=lambda x: not hasattr(x, "dense_shape")) if isinstance(inputs, (list, tuple)) else inputs


def sparse_cross(inputs, name=None, separator=None):
    columns, counts = _combined("sparse.cross", _ordered(inputs))
    return _sparse(_texts(columns, ("_X_" if separator is None else separator).encode()), counts, "string")


def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    columns, counts = _combined("sparse.cross_hashed", _ordered(inputs))
    return _sparse(_hashes(columns, int(num_buckets), hash_key), counts, "int64")


def ragged_cross(inputs, name=None):
    columns, counts = _combined("ragged.cross", inputs)
    return _ragged(_texts(columns, b"_X_"), counts, "string")


def ragged_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    columns, counts = _combined("ragged.cross_hashed", inputs)
    return _ragged(_hashes(columns, int(num_buckets), hash_key), counts, "int64")


def _ragged(values, counts, dtype):
    from brio._ragged import RaggedTensor

    return RaggedTensor.from_row_lengths(_core.constant(values, dtype, shape=[int(counts.sum())]), counts.tolist())
