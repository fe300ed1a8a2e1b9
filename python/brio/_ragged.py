"""RaggedTensor: rows of different lengths, kept as one tensor of all values and where each row begins."""

import numpy as np

from brio import _core
from brio._shape import TensorShape
from brio.errors import InvalidArgumentError


class RaggedTensor:
    """Row i is values[row_splits[i] : row_splits[i + 1]]; values may be ragged themselves.

    >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_list()
    [[1, 2], [], [3]]
    """

    _uniform = None  # the length of all rows, where it is one by construction
    _seen = None  # the row splits as an array, once they were read

    def __init__(self, values, row_splits):
        self.values = values if isinstance(values, RaggedTensor) else _core.convert_to_tensor(values)
        self.row_splits = _integers(row_splits)
        if not isinstance(self.values, RaggedTensor) and self.values.shape.rank == 0:
            raise InvalidArgumentError("[RaggedTensor] values are a scalar; they must have an axis to be cut along")
        if self.row_splits.shape.rank != 1:
            raise InvalidArgumentError(f"[RaggedTensor] row_splits of shape {self.row_splits.shape} must be a vector")
        if not _readable(self.row_splits):
            return
        at, rows = self._at, _count(self.values)
        if len(at) == 0 or at[0] != 0 or at[-1] != rows or (at[1:] < at[:-1]).any():
            raise InvalidArgumentError(f"[RaggedTensor] row_splits {_shown(at)} must rise from 0 to the {rows} values")

    @classmethod
    def _of(cls, values, splits, uniform=None, seen=None):
        """Rows of splits that are known to be right."""
        made = object.__new__(cls)
        made.values = values
        if not _core.is_tensor(splits):
            seen = np.asarray(splits, np.int64) if seen is None else seen
            splits = _core.constant(seen)
        made.row_splits = splits
        if seen is not None:
            made._seen = seen
        if uniform is not None:
            made._uniform = int(uniform)
        return made

    @property
    def _at(self):
        """The row splits as an array. A traced function, which does not know them, runs op by op."""
        if self._seen is None:
            seen = self.row_splits.numpy().astype(np.int64)
            if not _readable(self.row_splits):
                return seen
            self._seen = seen
        return self._seen

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Rows that begin where row_splits says."""
        return cls(values, row_splits)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Rows of these lengths."""
        lengths = _integers(row_lengths)
        return cls(values, _core.concat([_core.zeros([1], lengths.dtype), _core.cumsum(lengths)], 0))

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Rows that begin at these values; the last one ends with them."""
        starts = _integers(row_starts)
        return cls(values, _core.concat([starts, _core.reshape(_core.cast(_count(values), starts.dtype), [1])], 0))

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Rows that end before these values."""
        limits = _integers(row_limits)
        return cls(values, _core.concat([_core.zeros([1], limits.dtype), limits], 0))

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Rows of the values that have their number."""
        ids = _integers(value_rowids)
        if _readable(ids):
            at = ids.numpy()
            if (at[1:] < at[:-1]).any() or (at[:1] < 0).any():
                raise InvalidArgumentError(
                    f"[from_value_rowids] value_rowids {_shown(at)} must not fall, and not be below 0; sort the values "
                    "by their rows"
                )
            least = int(at[-1]) + 1 if len(at) else 0
            count = least if nrows is None else int(nrows)
            if count < least:
                raise ValueError(
                    f"[from_value_rowids] nrows={count}, but value_rowids go up to {least - 1}; nrows must be {least} "
                    "or more"
                )
        else:
            count = int(ids[-1]) + 1 if nrows is None else int(nrows)
        places = _core.range(count + 1, dtype=ids.dtype)
        return cls(values, _core.searchsorted(ids, places, out_type=ids.dtype))

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, name=None, validate=True):
        """Rows of one length, which the shape knows.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape
        TensorShape([2, 2])
        """
        values = values if isinstance(values, RaggedTensor) else _core.convert_to_tensor(values)
        n, count = int(uniform_row_length), _count(values)
        rows = int(nrows) if nrows is not None else count // n if n else 0
        if n < 0 or rows * n != count:
            raise ValueError(
                f"[from_uniform_row_length] {rows} rows of {n} are not the {count} values; uniform_row_length times "
                "nrows must be their number"
            )
        dtype = values.row_splits.dtype if isinstance(values, RaggedTensor) else "int64"
        return cls._of(values, _core.cast(np.arange(rows + 1, dtype=np.int64) * n, dtype), n)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Rows of rows, the outermost splits first."""
        for splits in reversed(list(nested_row_splits)):
            flat_values = cls(flat_values, splits)
        return flat_values

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Rows of rows, the outermost lengths first."""
        for lengths in reversed(list(nested_row_lengths)):
            flat_values = cls.from_row_lengths(flat_values, lengths)
        return flat_values

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """Rows of rows, the outermost numbers of rows first.

        >>> tf.RaggedTensor.from_nested_value_rowids([5, 6, 7], [[0, 0], [0, 1, 1]]).to_list()
        [[[5], [6, 7]]]
        """
        ids = list(nested_value_rowids)
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(ids):
            raise ValueError(
                f"[from_nested_value_rowids] {len(counts)} nested_nrows are given for {len(ids)} nested_value_rowids"
            )
        for one, count in zip(reversed(ids), reversed(counts)):
            flat_values = cls.from_value_rowids(flat_values, one, count)
        return flat_values

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype="int64"):
        """The rows of a sparse matrix, whose values must stand at the beginnings of their rows."""
        if not hasattr(st_input, "dense_shape"):
            raise TypeError(f"[RaggedTensor.from_sparse] takes a SparseTensor, but got a {type(st_input).__name__}")
        places = st_input.indices.numpy().reshape(-1, len(st_input.shape))
        if places.shape[1] != 2:
            raise ValueError(f"[RaggedTensor.from_sparse] takes a sparse matrix, but got {places.shape[1]} axes")
        order = np.lexsort((places[:, 1], places[:, 0]))
        counts = np.bincount(places[:, 0], minlength=int(st_input.shape[0]))
        splits = np.concatenate([[0], np.cumsum(counts)])
        if (places[order, 1] != np.arange(len(order)) - np.repeat(splits[:-1], counts)).any():
            raise InvalidArgumentError(
                "[RaggedTensor.from_sparse] the values of a row must fill its first columns, without gaps"
            )
        return cls._of(
            _core.gather(st_input.values, _core.constant(order.astype(np.int64))), _core.cast(splits, row_splits_dtype)
        )

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype="int64"):
        """The rows of a tensor, without what lies behind their lengths, or without the padding at their ends."""
        from brio._ragged_rows import of_tensor

        return of_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self):
        """The sizes; None where rows differ."""
        splits = self.row_splits.shape[0]
        return TensorShape((None if splits is None else splits - 1, self._uniform) + tuple(self.values.shape[1:]))

    @property
    def ragged_rank(self):
        """How many axes have rows of different lengths."""
        return 1 + (self.values.ragged_rank if isinstance(self.values, RaggedTensor) else 0)

    @property
    def uniform_row_length(self):
        """The length of all rows, where they were made of one length; otherwise None."""
        return None if self._uniform is None else _core.constant(self._uniform, self.row_splits.dtype)

    @property
    def flat_values(self):
        """The values without any of their rows."""
        return self.values.flat_values if isinstance(self.values, RaggedTensor) else self.values

    @property
    def nested_row_splits(self):
        """Where rows begin and end, for each ragged axis."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensor) else ()
        return (self.row_splits,) + inner

    def nrows(self, out_type=None, name=None):
        """How many rows there are."""
        return _core.constant(len(self), out_type or self.row_splits.dtype)

    def row_lengths(self, axis=1, name=None):
        """How long each row is; along an inner axis, of the rows of each row."""
        rank = self.shape.rank
        axis = axis + rank if axis < 0 else axis
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self.row_splits[1:] - self.row_splits[:-1]
        if isinstance(self.values, RaggedTensor):
            return self.with_values(self.values.row_lengths(axis - 1))
        shape = self.values.shape
        return self.with_values(
            _core.fill(list(shape[: axis - 1]), _core.constant(int(shape[axis - 1]), self.row_splits.dtype))
        )

    def row_starts(self, name=None):
        """Where each row begins among the values."""
        return self.row_splits[:-1]

    def row_limits(self, name=None):
        """Where each row ends among the values."""
        return self.row_splits[1:]

    def value_rowids(self, name=None):
        """The row that each value is in."""
        places = _core.range(_count(self.values), dtype=self.row_splits.dtype)
        return _core.searchsorted(self.row_splits, places, side="right", out_type=self.row_splits.dtype) - 1

    def nested_row_lengths(self, name=None):
        """The lengths of rows, from the outermost axis in."""
        return (
            self.row_lengths(),
            *(self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()),
        )

    def nested_value_rowids(self, name=None):
        """The row that each value is in, from the outermost axis in."""
        return (
            self.value_rowids(),
            *(self.values.nested_value_rowids() if isinstance(self.values, RaggedTensor) else ()),
        )

    def get_shape(self):
        """The shape; None where sizes differ."""
        return self.shape

    def with_row_splits_dtype(self, dtype):
        """The same rows, whose splits are of another dtype: int32 or int64."""
        dtype = _core.as_dtype(dtype)
        if dtype not in (_core.int32, _core.int64):
            raise ValueError(f"[with_row_splits_dtype] dtype is {dtype.name}; it must be int32 or int64")
        values = self.values.with_row_splits_dtype(dtype) if isinstance(self.values, RaggedTensor) else self.values
        return RaggedTensor._of(values, _core.cast(self.row_splits, dtype), self._uniform, self._seen)

    def merge_dims(self, outer_axis, inner_axis):
        """The axes from one to another as one axis."""
        from brio._ragged_rows import merge_dims

        return merge_dims(self, outer_axis, inner_axis)

    def to_sparse(self, name=None):
        """A SparseTensor of the values, with their places."""
        from brio._ragged_rows import places_of
        from brio._sparse import SparseTensor

        places, values = places_of(self)
        return SparseTensor(places, values, self.bounding_shape(out_type="int64"))

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest tensor that has room for all rows; with an axis, its size along that."""
        sizes, x = [len(self)], self
        while isinstance(x, RaggedTensor):
            sizes.append(int(np.diff(x._at).max(initial=0)))
            x = x.values
        sizes = np.array([*sizes, *x.shape[1:]], np.int64)
        return _core.constant(sizes if axis is None else sizes[np.asarray(axis)], out_type or self.row_splits.dtype)

    def with_values(self, new_values):
        """The same rows with other values."""
        new = new_values if isinstance(new_values, RaggedTensor) else _core.convert_to_tensor(new_values)
        if not isinstance(new, RaggedTensor) and new.shape.rank == 0:
            raise ValueError("[with_values] new_values are a scalar; they need a row for each value")
        if _count(new) != _count(self.values):
            raise ValueError(f"[with_values] {_count(new)} new_values are given for rows of {_count(self.values)}")
        return RaggedTensor._of(new, self.row_splits, self._uniform, self._seen)

    def with_flat_values(self, new_values):
        """The same rows, at every level, with other values."""
        return self.with_values(
            self.values.with_flat_values(new_values) if isinstance(self.values, RaggedTensor) else new_values
        )

    def to_list(self):
        """Rows as Python lists."""
        values = self.values.to_list() if isinstance(self.values, RaggedTensor) else self.values.numpy().tolist()
        at = self._at.tolist()
        return [values[begin:end] for begin, end in zip(at, at[1:])]

    def numpy(self):
        """Rows as a NumPy array of arrays, or one array where all are as long."""
        values, at = self.values.numpy(), self._at
        lengths = np.diff(at)
        if (
            len(lengths)
            and (lengths == lengths[0]).all()
            and (self.ragged_rank == 1 or values.dtype != object or len(values) == 0 or values.ndim > 1)
        ):
            return values.reshape(len(lengths), int(lengths[0]), *values.shape[1:])
        array = np.empty(len(lengths), dtype=object)
        array[:] = np.split(values, at[1:-1]) if len(lengths) else []
        return array

    def to_tensor(self, default_value=None, name=None, shape=None):
        """One tensor with short rows filled up."""
        from brio._ragged_rows import to_tensor

        return to_tensor(self, default_value, shape)

    def consumers(self):
        """Nothing is kept of what was computed with it."""
        return []

    def __tf_tensor__(self, dtype=None, name=None):
        raise TypeError(
            "this function takes no ragged tensor; tf.ragged.map_flat_values(f, x) calls one with the values, and "
            "x.to_tensor() fills short rows up"
        )

    def __len__(self):
        return int(_count(self.row_splits) - 1)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key):
        from brio._ragged_index import picked

        return picked(self, key if isinstance(key, tuple) else (key,))

    def __repr__(self):
        if not _readable(self.row_splits):
            return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"
        with np.printoptions(formatter={"all": _text}):
            return f"<tf.RaggedTensor {_text(self.numpy())}>"

    __hash__ = None


def _readable(x):
    """May the values be looked at? Not while a function is traced, and not where what happens is written down."""
    return _core._is_known(x) and not _core._journalling()


def _integers(x):
    x = _core.convert_to_tensor(x) if hasattr(x, "dtype") else _core.convert_to_tensor(x, dtype_hint="int64")
    return x if x.dtype == _core.int32 else _core.cast(x, "int64")


def _count(values):
    """The number of rows."""
    if isinstance(values, RaggedTensor):
        return _count(values.row_splits) - 1
    values = _core.convert_to_tensor(values)
    count = values.shape[0]
    return (
        _core._sizes(values)[0] if count is None else count
    )  # one that follows the data, where a function is traced for any number


def _shown(array):
    text = ", ".join(map(str, array[:8].tolist()))
    return f"[{text}, ...]" if len(array) > 8 else f"[{text}]"


def _text(x):
    """NumPy's text of rows, or of one element."""
    if not isinstance(x, np.ndarray):
        return str(x)
    return np.array2string(x, separator=", ") if x.size else repr(x.tolist())


from brio import _ragged_calls  # noqa: E402  functions of tf take ragged tensors from now on

_ragged_calls.install()
