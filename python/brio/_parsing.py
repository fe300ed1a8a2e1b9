"""tf.io: writing TFRecord files, and tf.train.Examples as tensors."""

import collections
import functools

from brio import _core
from brio._core import _io
from brio._shape import TensorShape


class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """Just the values of a shape."""

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """Any number of values, as a sparse tensor."""


class FixedLenSequenceFeature(
    collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
    """Any number of elements of a shape, filled up in batches."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """Any number of values, as a ragged tensor; `partitions` say how the values of each example are cut into rows.

    >>> tf.io.RaggedFeature(tf.int64, "values", partitions=[tf.io.RaggedFeature.RowLengths("lengths")]).partitions
    (RowLengths(key='lengths'),)
    """

    RowSplits = collections.namedtuple("RowSplits", ["key"])
    RowLengths = collections.namedtuple("RowLengths", ["key"])
    RowStarts = collections.namedtuple("RowStarts", ["key"])
    RowLimits = collections.namedtuple("RowLimits", ["key"])
    ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
    UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype="int32", validate=False):
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        if not isinstance(partitions, (list, tuple)) or isinstance(partitions, kinds):
            raise TypeError("[RaggedFeature] partitions must be a list or a tuple of them")
        for one in partitions:
            if not isinstance(one, kinds):
                raise TypeError(
                    f"[RaggedFeature] {one!r} is no partition; it must be a RaggedFeature.RowLengths or one of its kin"
                )
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


class SparseFeature(
    collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])
):
    """Values that stand in one feature and their places in others, as a sparse tensor of that size.

    >>> tf.io.SparseFeature(index_key="at", value_key="what", dtype=tf.float32, size=100).size
    100
    """

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class TFRecordOptions:
    """How TFRecord files are compressed."""

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None,
                 window_bits=None, compression_level=None, compression_method=None, mem_level=None,
                 compression_strategy=None):  # fmt: skip
        self.compression_type = compression_type or ""
        self.compression_level = -1 if compression_level is None else int(compression_level)


class TFRecordWriter:
    """Writes a TFRecord file, which appears under its name when it is closed, or with the first flush()."""

    def __init__(self, path, options=None):
        import os

        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        path = path.numpy() if hasattr(path, "numpy") else path
        self._core = _io._RecordWriter(os.fsdecode(path), options.compression_type, options.compression_level)

    def write(self, record):
        """Adds a record: bytes."""
        self._core.write(record)

    def flush(self):
        """What was written so far can be read under the file's name, also if the program ends without close()."""
        self._core.flush()

    def close(self):
        """Writes out what is held back and closes the file."""
        self._core.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _row(key, feature):
    dtype = _core.as_dtype(feature.dtype)
    if isinstance(feature, FixedLenFeature):
        shape = TensorShape(feature.shape)
        if not shape.is_fully_defined():
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature."
            )
        return key, "fixed", tuple(shape), dtype, _default(feature.default_value, dtype, shape), False
    if isinstance(feature, FixedLenSequenceFeature):
        return (
            key,
            "sequence",
            tuple(TensorShape(feature.shape)),
            dtype,
            feature.default_value,
            bool(feature.allow_missing),
        )
    if isinstance(feature, VarLenFeature):
        return key, "var", (), dtype, None, False
    if isinstance(feature, RaggedFeature):
        return feature.value_key or key, "var", (), dtype, None, False
    raise ValueError(
        f"Unsupported feature type {type(feature).__name__} of {key!r}: give a FixedLenFeature, VarLenFeature or "
        "FixedLenSequenceFeature"
    )


def _default(value, dtype, shape):
    """A default of one value stands for all of them."""
    if value is None:
        return None
    value = _core.convert_to_tensor(value, dtype)
    n = shape.num_elements()
    if value.shape.num_elements() == 1 and n != 1:
        return _core.fill(list(shape), _core.reshape(value, []))
    if value.shape.num_elements() != n:
        raise ValueError(f"a default of shape {value.shape} does not fill shape {shape}")
    return _core.reshape(value, list(shape))


def _unpacked(features, tensors, single):
    """What each feature is, of the tensors that C++ gives for it."""
    from brio._ragged import RaggedTensor
    from brio._sparse import SparseTensor

    made, tensors = {}, iter(tensors)
    for key, feature in features:
        if isinstance(feature, VarLenFeature):
            made[key] = SparseTensor(next(tensors), next(tensors), next(tensors))
        elif isinstance(feature, RaggedFeature):
            indices, values, dense_shape = next(tensors), next(tensors), next(tensors)
            if not single:
                rows = RaggedTensor.from_value_rowids(values, indices[:, 0], int(dense_shape[0]))
                values = rows.with_row_splits_dtype(feature.row_splits_dtype)
            made[key] = values
        else:
            made[key] = next(tensors)
    return made


def _listed(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _plain(features):
    """Features with those that a SparseFeature is made of in its place, or a RaggedFeature that has partitions."""
    plain = {k: f for k, f in features.items() if not _of_several(f)}
    for key, feature in features.items():
        if _of_several(feature) and not isinstance(feature, SparseFeature):
            plain[_values_of(key)] = RaggedFeature(
                feature.dtype, feature.value_key or key, (), feature.row_splits_dtype
            )
            for i, part in enumerate(feature.partitions):
                if hasattr(part, "key"):
                    plain[f"{_values_of(key)}/{i}"] = RaggedFeature("int64", part.key)
        if isinstance(feature, SparseFeature):
            if len(_listed(feature.index_key)) != len(_listed(feature.size)):
                raise ValueError(
                    f"feature {key!r} has {len(_listed(feature.index_key))} keys of places, but "
                    f"{len(_listed(feature.size))} sizes"
                )
            for name, dtype in [
                (feature.value_key, feature.dtype),
                *((k, "int64") for k in _listed(feature.index_key)),
            ]:
                if name in plain and not (
                    isinstance(plain[name], VarLenFeature) and _core.as_dtype(plain[name].dtype) == dtype
                ):
                    raise ValueError(
                        f"feature {name!r}, which {key!r} is made of, is asked for as {plain[name]} too; make it a "
                        "VarLenFeature"
                    )
                plain.setdefault(name, VarLenFeature(_core.as_dtype(dtype)))
    return plain


def _with_sparse(features, found, single):
    """The tensors of `features` of those of their plain parts."""
    made = {}
    for key, feature in features.items():
        if isinstance(feature, SparseFeature):
            made[key] = _placed(feature, found, single)
        else:
            made[key] = _cut(key, feature, found, single) if _of_several(feature) else found[key]
    return made


def _of_several(feature):
    return isinstance(feature, SparseFeature) or isinstance(feature, RaggedFeature) and len(feature.partitions) > 0


def _values_of(key):
    """The name under which the values of a RaggedFeature with partitions are parsed."""
    return f"{key}/values of rows"


def _cut(key, feature, found, single):
    """The values of a RaggedFeature in the rows that its partitions say, the outermost first."""
    import numpy as np

    from brio import _ragged_rows
    from brio._ragged import RaggedTensor

    parsed = found[_values_of(key)]
    values = parsed if single else parsed.values
    counts = np.array([parsed.shape[0]], np.int64) if single else np.diff(parsed._at)  # of the values of each example
    dtype = _core.as_dtype(feature.row_splits_dtype)
    made = values
    for i, part in reversed(list(enumerate(feature.partitions))):
        kind = type(part).__name__
        if kind == "UniformRowLength":
            n = int(part.length)
            if n < 1 or (counts % n).any():
                raise ValueError(
                    f"[RaggedFeature] {key!r}: rows of {n} values do not hold the {counts[:8].tolist()} of the examples"
                )
            made, counts = _ragged_rows.uniform(made, n, int(counts.sum()) // n, dtype), counts // n
            continue
        given = found[f"{_values_of(key)}/{i}"]
        numbers = (given if single else given.values).numpy().astype(np.int64)
        own = np.array([len(numbers)], np.int64) if single else np.diff(given._at)  # of the numbers of each example
        lengths, counts = _lengths_of(kind, numbers, own, counts)
        splits = _ragged_rows.splits_of(lengths)
        made = RaggedTensor(made, _core.constant(splits, dtype))
    if single:
        return made
    return RaggedTensor(made, _core.constant(_ragged_rows.splits_of(counts), dtype))


def _lengths_of(kind, numbers, own, counts):
    """(lengths of all rows, how many rows each example has) of a partition of `counts` values in each example."""
    import numpy as np

    ends = np.cumsum(own)
    if kind == "RowLengths":
        return numbers, own
    if kind == "ValueRowIds":
        rows = np.zeros(len(own), np.int64)
        rows[own > 0] = numbers[ends[own > 0] - 1] + 1
        first = np.cumsum(rows) - rows
        return np.bincount(numbers + np.repeat(first, own), minlength=int(rows.sum())).astype(np.int64), rows
    last = np.zeros(len(numbers), bool)
    last[(ends - 1)[own > 0]] = True
    begin = np.zeros(len(numbers), bool)
    begin[(ends - own)[own > 0]] = True
    if kind == "RowSplits":
        return np.diff(numbers)[~last[:-1]] if len(numbers) else numbers, np.maximum(own - 1, 0)
    if kind == "RowStarts":
        behind = np.append(numbers[1:], 0)
        behind[last] = counts[own > 0]
        return behind - numbers, own
    before = np.append(0, numbers[:-1])
    before[begin] = 0
    return numbers - before, own


def _placed(feature, found, single):
    from brio import sparse

    values = found[feature.value_key]
    columns = [_core.cast(found[k].values, "int64") for k in _listed(feature.index_key)]
    sizes = [int(n) for n in _listed(feature.size)]
    if any(c.shape[0] != values.values.shape[0] for c in columns):
        raise ValueError(
            f"feature {feature.value_key!r} has {values.values.shape[0]} values, but other numbers of places"
        )
    first = [] if single else [values.indices[:, 0]]
    shape = sizes if single else [int(values.dense_shape[0]), *sizes]
    made = sparse.SparseTensor(_core.stack([*first, *columns], axis=1), values.values, shape)
    return made if feature.already_sorted else sparse.reorder(made)


def _allowing_sparse(parse):
    @functools.wraps(parse)
    def call(serialized, features, example_names=None, name=None):
        if not features or not any(map(_of_several, features.values())):
            return parse(serialized, features)
        single = _core.convert_to_tensor(serialized).shape.rank == 0
        return _with_sparse(features, parse(serialized, _plain(features)), single)

    return call


def _sorted(features):
    if not features:
        raise ValueError("Missing features. features is None or empty.")
    return sorted(features.items())


@_allowing_sparse
def parse_single_example(serialized, features, example_names=None, name=None):
    """The features of one serialized tf.train.Example, by name."""
    features = _sorted(features)
    parser = _io._ExampleParser([_row(k, f) for k, f in features])
    return _unpacked(features, _io._parse(parser, serialized, True), True)


@_allowing_sparse
def parse_example(serialized, features, example_names=None, name=None):
    """The features of a batch of serialized tf.train.Examples, by name."""
    serialized = _core.convert_to_tensor(serialized)
    if serialized.shape.rank == 0:
        return parse_single_example(serialized, features)
    features = _sorted(features)
    parser = _io._ExampleParser([_row(k, f) for k, f in features])
    return _unpacked(features, _io._parse(parser, serialized, False), False)


def _sequence(serialized, context_features, sequence_features, single):
    context = sorted((context_features or {}).items())
    lists = sorted((sequence_features or {}).items())
    parser = _io._SequenceParser([_row(k, f) for k, f in context], [_row(k, f) for k, f in lists])
    tensors = _io._parse_sequence(parser, serialized, single)
    n = sum(3 if isinstance(f, (VarLenFeature, RaggedFeature)) else 1 for _, f in context)
    m = n + sum(3 if isinstance(f, (VarLenFeature, RaggedFeature)) else 1 for _, f in lists)
    lengths = {k: length for (k, f), length in zip(lists, tensors[m:]) if isinstance(f, FixedLenSequenceFeature)}
    return _unpacked(context, tensors[:n], single), _unpacked(lists, tensors[n:m], single), lengths


def parse_single_sequence_example(
    serialized, context_features=None, sequence_features=None, example_name=None, name=None
):
    """The context and the lists of one serialized tf.train.SequenceExample."""
    return _sequence(serialized, context_features, sequence_features, True)[:2]


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """The contexts, the lists and their lengths of a batch of serialized tf.train.SequenceExamples."""
    return _sequence(serialized, context_features, sequence_features, False)
