"""Rarer parts of tf.data.experimental: groups that are reduced, tables, batches of parsed examples,
and records that are written."""

from brio import _core, _nest
from brio._sparse import SparseTensor
from brio._spec import TensorSpec
from brio.data import _elements
from brio.data._dataset import AUTOTUNE, Dataset
from brio.data._readers import TFRecordDataset
from brio.data._sources_of import text_of
from brio.errors import InvalidArgumentError
from brio.lookup import KeyValueTensorInitializer, StaticHashTable, StaticVocabularyTable


def _called(function, element):
    """A function of an element, whose items are its arguments where it is a tuple."""
    return function(*element) if type(element) is tuple else function(element)


def dense_to_sparse_batch(batch_size, row_shape):
    """For Dataset.apply: batches of tensors of other sizes as sparse tensors;
    a size of row_shape that is None is the largest of the batch.

    >>> rows = (
    ...     tf.data.Dataset.range(3)
    ...     .map(lambda n: tf.range(n))
    ...     .apply(tf.data.experimental.dense_to_sparse_batch(3, [4]))
    ... )
    >>> next(iter(rows)).dense_shape.numpy().tolist()
    [3, 4]
    """
    wanted = [None if n is None or int(n) < 0 else int(n) for n in row_shape]

    def sparse(x):
        sizes = _core.shape(x, "int64")
        places = _core.where(_core.ones_like(x, dtype="bool"))
        shape = _core.stack([sizes[i] if n is None else _core.constant(n, "int64") for i, n in enumerate(wanted)])
        _core._assert_with_data(
            sizes <= shape, "[dense_to_sparse_batch] an element is larger than row_shape", [sizes, shape]
        )
        return SparseTensor(places, _core.reshape(x, [-1]), shape)

    return lambda dataset: dataset.map(sparse).batch(batch_size)


class Reducer:
    """What group_by_reducer does with the elements of a key: init_func(key) is a state, reduce_func(state, element) the
    next, finalize_func(state) the result."""

    def __init__(self, init_func, reduce_func, finalize_func):
        self._functions = init_func, reduce_func, finalize_func

    init_func = property(lambda self: self._functions[0], doc="The state before the first element of a key.")
    reduce_func = property(lambda self: self._functions[1], doc="The state after an element.")
    finalize_func = property(lambda self: self._functions[2], doc="The result of a state.")


def group_by_reducer(key_func, reducer):
    """For Dataset.apply: one result for each key, in the order of keys.

    >>> total = tf.data.experimental.Reducer(
    ...     lambda key: tf.constant(0, tf.int64), lambda state, x: state + x, lambda state: state
    ... )
    >>> parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, total)
    >>> [int(x) for x in tf.data.Dataset.range(5).apply(parity)]
    [6, 4]
    """

    def apply(dataset):
        def after(state, element):
            return reducer.reduce_func(state, element)

        def results():
            states = {}
            for element in dataset:
                key = int(_called(key_func, element))
                if key not in states:
                    states[key] = reducer.init_func(_core.constant(key, "int64"))
                states[key] = after(states[key], element)
            for key in sorted(states):
                yield _called(reducer.finalize_func, states[key])

        return Dataset.from_generator(results, output_signature=spec_of(dataset, after))

    def spec_of(dataset, after):
        state = reducer.init_func(_core.constant(0, "int64"))
        spec = _elements.normalize(_called(reducer.finalize_func, state), lists=True)[0]
        for element in dataset.take(2):
            state = after(state, element)
            spec = _elements.common(spec, _elements.normalize(_called(reducer.finalize_func, state), lists=True)[0])
        return spec

    return apply


def from_list(elements, name=None):
    """A dataset of the items of a list, which have one structure and the same shapes.

    >>> [x.numpy().tolist() for x, _ in tf.data.experimental.from_list([([1, 2], "a"), ([3, 4], "b")])]
    [[1, 2], [3, 4]]
    """
    if not elements:
        raise ValueError("Empty list elements. Please provide a non-empty list of elements.")
    if not isinstance(elements, (list, tuple)):
        raise ValueError(f"`elements` must be a list, but got {type(elements).__name__}")
    rows = [_elements.normalize(tuple(e) if isinstance(e, tuple) else e) for e in elements]
    spec, first = rows[0]
    if any(not _elements._same_structure(spec, other) for other, _ in rows):
        raise ValueError("[from_list] the elements have other structures or dtypes")
    if any(tuple(a.shape) != tuple(b.shape) for _, tensors in rows for a, b in zip(tensors, first)):
        raise ValueError("[from_list] the elements have other shapes; use from_generator")
    return Dataset.from_tensor_slices(
        _elements.pack(spec, [_core.stack(column) for column in zip(*(tensors for _, tensors in rows))])
    )


class DatasetInitializer(KeyValueTensorInitializer):
    """Keys and values for a table, from a dataset of pairs.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> int(tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1).lookup(tf.constant("b")))
    2
    """

    def __init__(self, dataset):
        spec = dataset.element_spec
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise ValueError(f"a table is made of a dataset of pairs (key, value), but its elements are {spec}")
        rows = list(dataset)
        keys, values = ([row[i] for row in rows] for i in (0, 1))
        empty = [_core.constant([], s.dtype, shape=[0]) for s in spec]
        super().__init__(_core.stack(keys) if rows else empty[0], _core.stack(values) if rows else empty[1])


def table_from_dataset(
    dataset=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=None,
    hasher_spec=None,
    key_dtype="string",
    name=None,
):
    """A table of the pairs (key, value) of a dataset;
    words that are not known get default_value, or share num_oov_buckets numbers.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], ["x", "y"]))
    >>> tf.data.experimental.table_from_dataset(pairs, default_value="?").lookup(
    ...     tf.constant(["b", "c"])
    ... ).numpy().tolist()
    [b'y', b'?']
    """
    spec, key_dtype = dataset.element_spec, _core.as_dtype(key_dtype)
    if default_value is None:
        default_value = -1
        if not isinstance(spec, tuple) or len(spec) != 2 or not (spec[1].dtype.is_integer or spec[1].dtype.is_floating):
            raise ValueError(f"[table_from_dataset] values of {spec} need a default_value")
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and int(vocab_size) < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype != "string":
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    if vocab_size is not None:
        dataset = dataset.take(int(vocab_size))
    initializer = DatasetInitializer(dataset)
    return (
        StaticVocabularyTable(initializer, num_oov_buckets)
        if num_oov_buckets
        else StaticHashTable(initializer, default_value)
    )


def index_table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None, key_dtype="string", name=None
):
    """A table from the words of a dataset to their numbers.

    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> tf.data.experimental.index_table_from_dataset(words).lookup(tf.constant(["b", "c"])).numpy().tolist()
    [1, -1]
    """
    return table_from_dataset(
        dataset.enumerate().map(lambda i, word: (word, i)),
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )


def pad_to_cardinality(cardinality, mask_key="valid"):
    """For Dataset.apply: elements of zeros behind the others until there are so many; mask_key says which are real.

    >>> padded = tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(x["a"]), bool(x["valid"])) for x in padded]
    [(1, True), (2, True), (0, False)]
    """

    def apply(dataset):
        known = int(dataset.cardinality())
        if known < 0:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a known cardinality, but has cardinality "
                f"{known}"
            )
        if known > cardinality:
            raise ValueError(f"[pad_to_cardinality] the dataset has {known} elements already, more than {cardinality}")
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError(
                f"`pad_to_cardinality` requires its input dataset to be a dictionary, but its elements are {spec}"
            )
        blank = _elements.pack(spec, _elements.made_up(spec))
        blank = _nest.map_structure(
            lambda leaf, x: x if leaf.dtype == _core.string else _core.zeros_like(x), spec, blank
        )
        marked = lambda flag: lambda x: {**x, mask_key: _core.constant(flag)}
        filler = Dataset.from_tensors({**blank, mask_key: _core.constant(False)}).repeat(cardinality - known)
        made = dataset.map(marked(True))
        return made.concatenate(filler) if cardinality > known else made

    return apply


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """For Dataset.apply: batches of serialised Examples, parsed as tf.io.parse_example."""
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    from brio import io

    return lambda dataset: dataset.map(lambda x: io.parse_example(x, features), num_parallel_calls, deterministic)


def make_batched_features_dataset(file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None,
                                  num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                                  prefetch_buffer_size=None, reader_num_threads=None, parser_num_threads=None,
                                  sloppy_ordering=False, drop_final_batch=False):  # fmt: skip
    """Batches of the features of Examples in files, by name; with label_key pairs of features and that one."""
    reader = TFRecordDataset if reader is None else reader
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    threads = 1 if reader_num_threads is None else int(reader_num_threads)
    dataset = files.interleave(
        lambda file: reader(file, *(reader_args or [])),
        cycle_length=AUTOTUNE if threads == AUTOTUNE else threads,
        block_length=1,
    )
    if isinstance(dataset.element_spec, tuple):  # keys and values
        dataset = dataset.map(lambda _, value: value)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=bool(drop_final_batch) or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, 2 if parser_num_threads is None else parser_num_threads))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {list(features)}."
            )
        dataset = dataset.map(lambda x: ({k: v for k, v in x.items() if k != label_key}, x[label_key]))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


class TFRecordWriter:
    """Writes the texts of a dataset to a TFRecord file.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.data.experimental.TFRecordWriter(file).write(tf.data.Dataset.from_tensor_slices(["x", "y"]))
    >>> [x.numpy() for x in tf.data.TFRecordDataset(file)]
    [b'x', b'y']
    """

    def __init__(self, filename, compression_type=None):
        self._filename, self._compression = text_of(filename), compression_type or ""

    def write(self, dataset):
        """Writes each element, a text."""
        if not hasattr(dataset, "_brio_dataset"):
            raise TypeError(f"Invalid `dataset`: {dataset!r} is no tf.data.Dataset")
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != _core.string or spec.shape.rank != 0:
            raise TypeError(f"Invalid `dataset`: its elements are {spec}, not scalar texts")
        from brio import io

        with io.TFRecordWriter(self._filename, io.TFRecordOptions(self._compression)) as file:
            for record in dataset:
                file.write(record.numpy())


class FixedLengthRecordDataset(Dataset):
    """Records of one length in files, between a header and a footer.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(file, b"HabcdefF")
    >>> [x.numpy() for x in tf.data.FixedLengthRecordDataset(file, 3, header_bytes=1, footer_bytes=1)]
    [b'abc', b'def']
    """

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):  # fmt: skip
        from brio import io

        length, header, footer = (int(n or 0) for n in (record_bytes, header_bytes, footer_bytes))
        if length < 1:
            raise InvalidArgumentError(f"[FixedLengthRecordDataset] record_bytes is {length}; it is 1 or more")
        how = text_of(compression_type or "")

        def records(file):
            data = io.read_file(file)
            data = (io.decode_compressed(data, how) if how else data).numpy()
            body = data[header : len(data) - footer]
            if len(data) < header + footer or len(body) % length:
                raise InvalidArgumentError(
                    f"[FixedLengthRecordDataset] {text_of(file)} has {len(data)} bytes: without {header} before and "
                    f"{footer} behind, not a multiple of {length}"
                )
            pieces = [body[i : i + length] for i in range(0, len(body), length)]
            return Dataset.from_tensor_slices(_core.constant(pieces, "string", shape=[len(pieces)]))

        names = (
            filenames
            if isinstance(filenames, Dataset)
            else Dataset.from_tensor_slices(_core.reshape(_core.convert_to_tensor(filenames, "string"), [-1]))
        )
        many = num_parallel_reads is not None and int(num_parallel_reads) > 1
        made = names.interleave(records, cycle_length=int(num_parallel_reads)) if many else names.flat_map(records)
        super().__init__(made._brio_dataset, TensorSpec([], "string"), made._examples)


class NumpyIterator:
    """An iterator over a dataset whose elements are NumPy's arrays."""

    def __init__(self, dataset):
        self._iterator = iter(dataset)

    def __iter__(self):
        return self

    def __next__(self):
        element = next(self._iterator)
        return _nest.map_structure(lambda x: x.numpy() if hasattr(x, "numpy") else x, element)

    def next(self):
        """The next element."""
        return self.__next__()

    def save(self):
        """Where the iterator is, for restore()."""
        return self._iterator.save()

    def restore(self, state):
        """Goes where save() was."""
        self._iterator.restore(state)

    def __repr__(self):
        return f"NumpyIterator(iterator={self._iterator!r})"
