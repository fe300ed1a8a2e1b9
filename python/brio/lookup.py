"""tf.lookup: tables from keys to values."""

import os

from brio import _core, _missing

__getattr__ = _missing.attribute_error_of(__name__)


class TextFileIndex:
    """What of a line of a text file is a key or a value."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


class KeyValueTensorInitializer:
    """Keys and values for a table, from tensors."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self.keys = _core.convert_to_tensor(keys, key_dtype)
        self.values = _core.convert_to_tensor(values, value_dtype)
        if self.keys.shape != self.values.shape:
            raise ValueError(f"[KeyValueTensorInitializer] {self.keys.shape} keys for {self.values.shape} values")
        self.key_dtype, self.value_dtype = self.keys.dtype, self.values.dtype


class TextFileInitializer(KeyValueTensorInitializer):
    """Keys and values for a table, from the lines of a text file."""

    def __init__(
        self,
        filename,
        key_dtype,
        key_index,
        value_dtype,
        value_index,
        vocab_size=None,
        delimiter="\t",
        name=None,
        value_index_offset=0,
    ):
        with open(os.fspath(filename.numpy() if hasattr(filename, "numpy") else filename), encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file][:vocab_size]

        def column(index, dtype):
            if index == TextFileIndex.LINE_NUMBER:
                return [i + value_index_offset for i in range(len(lines))]
            cells = lines if index == TextFileIndex.WHOLE_LINE else [line.split(delimiter)[index] for line in lines]
            dtype = _core.as_dtype(dtype)
            return cells if dtype == _core.string else [float(c) if dtype.is_floating else int(c) for c in cells]

        super().__init__(column(key_index, key_dtype), column(value_index, value_dtype), key_dtype, value_dtype)


def _plain(tensor):
    return _core.reshape(tensor, [-1]).numpy().tolist()


class StaticHashTable:
    """The value of each key, and a default for what is no key."""

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        self.default_value = _core.convert_to_tensor(default_value, self.value_dtype)
        self.name = name or "hash_table"
        keys = _plain(initializer.keys)
        self._places = {}
        for i, key in enumerate(keys):
            known = self._places.setdefault(key, i)
            if known != i and _plain(initializer.values)[known] != _plain(initializer.values)[i]:
                from brio.errors import InvalidArgumentError

                raise InvalidArgumentError(f"[StaticHashTable] key {key!r} has two values")
        # The default lies behind the values.
        self._values = _core.concat(
            [_core.reshape(initializer.values, [-1]), _core.reshape(self.default_value, [1])], 0
        )
        self._keys = initializer.keys

    def lookup(self, keys, name=None):
        """The values of keys."""
        keys = _core.convert_to_tensor(keys, dtype_hint=self.key_dtype)
        if keys.dtype != self.key_dtype:
            raise TypeError(f"[StaticHashTable] keys are of {self.key_dtype.name}, but got {keys.dtype.name}")
        if _core._journalling():  # one step of what Dataset.map writes down
            return _core._journal_call(lambda k: [self.lookup(k)], [keys])[0]
        last = self._values.shape[0] - 1
        if not _core._is_known(keys):  # in a traced function
            return _core.reshape(
                _core.gather(self._values, self._traced_places(_core.reshape(keys, [-1]), last)), keys.shape
            )
        places = [self._places.get(key, last) for key in _plain(keys)]
        return _core.reshape(
            _core.gather(self._values, _core.constant(places, "int32", shape=[len(places)])), keys.shape
        )

    def _traced_places(self, keys, otherwise):
        if not self._places:
            return _core.zeros_like(keys, "int32")
        if self.key_dtype == _core.string:
            return _core.gather(_core.constant([otherwise, *self._places.values()], "int32"), self._word_numbers(keys))
        known = sorted(self._places)
        row, places = (
            _core.constant(known, self.key_dtype),
            _core.constant([self._places[key] for key in known], "int32"),
        )
        at = _core.minimum(_core.searchsorted(row, keys), len(known) - 1)
        return _core.where(_core.equal(_core.gather(row, at), keys), _core.gather(places, at), otherwise)

    def _word_numbers(self, keys):
        """0 for what is no key, 1 for the first key, and so on:
        strings are looked up by the layer for it, which is part of a graph."""
        if "_words" not in self.__dict__:
            from brio.keras.layers import StringLookup

            self._words = StringLookup(
                vocabulary=[key.decode() for key in self._places], mask_token=None, num_oov_indices=1
            )
        return self._words(keys)

    __getitem__ = lookup

    def size(self, name=None):
        """How many keys there are."""
        return _core.constant(len(self._places), "int64")


class _Mutable:
    """A table that keys are inserted into and removed from. Values may be tensors of one shape, the default's."""

    def __init__(self, key_dtype, value_dtype, default_value, name=None):
        self.key_dtype, self.value_dtype, self.name = (
            _core.as_dtype(key_dtype),
            _core.as_dtype(value_dtype),
            name or "table",
        )
        self.default_value = _core.convert_to_tensor(default_value, self.value_dtype)
        self._rows = {}

    def _keys(self, keys):
        keys = _core.convert_to_tensor(keys, dtype_hint=self.key_dtype)
        if keys.dtype != self.key_dtype:
            raise TypeError(f"[{self.name}] keys are of {self.key_dtype.name}, but got {keys.dtype.name}")
        return keys

    def insert(self, keys, values, name=None):
        """Sets the values of keys."""
        keys, values = self._keys(keys), _core.convert_to_tensor(values, self.value_dtype)
        shape = [*keys.shape, *self.default_value.shape]
        if list(values.shape) != shape:
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(
                f"[{self.name}] {list(keys.shape)} keys need values of shape {shape}, but got {list(values.shape)}"
            )
        self._rows.update(zip(_plain(keys), _core.unstack(_core.reshape(values, [-1, *self.default_value.shape]))))

    insert_or_assign = insert

    def remove(self, keys, name=None):
        """Forgets keys."""
        for key in _plain(self._keys(keys)):
            self._rows.pop(key, None)

    erase = remove

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys."""
        keys = self._keys(keys)
        if _core._journalling():  # one step of what Dataset.map writes down
            return _core._journal_call(lambda k: [self.lookup(k)], [keys])[0]
        default = (
            self.default_value
            if dynamic_default_values is None
            else _core.convert_to_tensor(dynamic_default_values, self.value_dtype)
        )
        found = [self._rows.get(key, default) for key in _plain(keys)]
        shape = [*keys.shape, *self.default_value.shape]
        return _core.reshape(_core.stack(found), shape) if found else _core.zeros(shape, self.value_dtype)

    __getitem__ = lookup

    def size(self, name=None):
        """How many keys there are."""
        return _core.constant(len(self._rows), "int64")

    def export(self, name=None):
        """All keys, and their values."""
        keys = _core.constant(list(self._rows), self.key_dtype, shape=[len(self._rows)])
        return keys, self.lookup(keys)


class experimental:
    """tf.lookup.experimental: tables that change."""

    class MutableHashTable(_Mutable):
        """A table that keys are inserted into and removed from."""

        def __init__(
            self,
            key_dtype,
            value_dtype,
            default_value,
            name="MutableHashTable",
            checkpoint=True,
            experimental_is_anonymous=False,
        ):
            super().__init__(key_dtype, value_dtype, default_value, name)

    class DenseHashTable(_Mutable):
        """The same. TensorFlow needs two keys that are never used: they are taken and not needed."""

        def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                     name="MutableDenseHashTable", checkpoint=True, experimental_is_anonymous=False):  # fmt: skip
            super().__init__(key_dtype, value_dtype, default_value, name)


class StaticVocabularyTable:
    """The number of each word; words that are not known share the numbers behind them."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False):
        if num_oov_buckets < 1:
            raise ValueError("[StaticVocabularyTable] num_oov_buckets must be 1 or more")
        self._table = None if initializer is None else StaticHashTable(initializer, -1)
        self._buckets = int(num_oov_buckets)
        self.key_dtype = _core.as_dtype(lookup_key_dtype) if lookup_key_dtype else initializer.key_dtype

    def lookup(self, keys, name=None):
        """The numbers of words."""
        keys = _core.convert_to_tensor(keys, dtype_hint=self.key_dtype)
        words = keys if keys.dtype == _core.string else _core._strings.as_string(keys)
        known = 0 if self._table is None else len(self._table._places)
        hashed = _core._strings.to_hash_bucket_fast(words, self._buckets) + known
        if self._table is None:
            return hashed
        found = self._table.lookup(keys)
        return _core.where(_core.equal(found, -1), hashed, found)

    __getitem__ = lookup

    def size(self, name=None):
        """How many numbers there are."""
        return _core.constant((0 if self._table is None else len(self._table._places)) + self._buckets, "int64")
