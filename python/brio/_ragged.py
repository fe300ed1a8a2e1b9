"""RaggedTensor: rows of different lengths, kept as one tensor of all values and where each row begins."""

import operator

from brio import _core
from brio._shape import TensorShape
from brio.errors import InvalidArgumentError


class RaggedTensor:
    """Row i is values[row_splits[i] : row_splits[i + 1]]; values may be ragged themselves.

    >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_list()
    [[1, 2], [], [3]]
    """

    def __init__(self, values, row_splits):
        self.values = values if isinstance(values, RaggedTensor) else _core.convert_to_tensor(values)
        splits = _core.convert_to_tensor(row_splits, dtype_hint="int64")
        self.row_splits = splits if splits.dtype == _core.int32 else _core.cast(splits, "int64")
        at = self.row_splits.numpy()
        rows = len(self.values) if isinstance(self.values, RaggedTensor) else self.values.shape[0]
        if at.ndim != 1 or len(at) == 0 or at[0] != 0 or at[-1] != rows or (at[1:] < at[:-1]).any():
            raise InvalidArgumentError(f"[RaggedTensor] row_splits {at.tolist()} must rise from 0 to the {rows} values")
        self._splits = at.tolist()

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Rows that begin where row_splits says."""
        return cls(values, row_splits)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Rows of these lengths."""
        splits = [0]
        for n in _numbers(row_lengths):
            splits.append(splits[-1] + n)
        return cls(values, splits)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Rows that begin at these values; the last one ends with them."""
        return cls(values, _numbers(row_starts) + [len(values)])

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Rows that end before these values."""
        return cls(values, [0] + _numbers(row_limits))

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Rows of the values that have their number."""
        ids = _numbers(value_rowids)
        n = (max(ids) + 1 if ids else 0) if nrows is None else int(nrows)
        import numpy as np

        counts = np.bincount(np.asarray(ids, np.int64), minlength=n) if ids else np.zeros(n, np.int64)
        return cls.from_row_lengths(values, counts[:n].tolist())

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, name=None, validate=True):
        """Rows of one length."""
        n = int(uniform_row_length)
        rows = len(values) // n if n else int(nrows or 0)
        return cls(values, [i * n for i in range(rows + 1)])

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
    def from_sparse(cls, st_input, name=None, row_splits_dtype="int64"):
        """The rows of a sparse matrix, whose values must stand at the beginnings of their rows."""
        rows = [[] for _ in range(int(st_input.shape[0]))]
        for (row, column), i in zip(st_input.indices.numpy().tolist(), range(st_input.values.shape[0])):
            rows[row].append((column, i))
        if any([column for column, _ in sorted(row)] != list(range(len(row))) for row in rows):
            raise InvalidArgumentError("[RaggedTensor.from_sparse] the values of a row must fill its first columns, without gaps")
        order = [i for row in rows for _, i in sorted(row)]
        return cls.from_row_lengths(_core.gather(st_input.values, _core.constant(order, "int64")), [len(row) for row in rows])

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype="int64"):
        """The rows of a tensor, without what lies behind their lengths, or without the padding at their ends."""
        tensor = _core.convert_to_tensor(tensor)
        rows = tensor.numpy().tolist() if tensor.shape.rank == 2 else list(tensor)
        if padding is not None:
            lengths = [max((i + 1 for i, v in enumerate(row) if v != padding), default=0) for row in rows]
        counts = [tensor.shape[1]] * tensor.shape[0] if lengths is None else _numbers(lengths)
        mask = _core.sequence_mask(counts, tensor.shape[1])
        return cls.from_row_lengths(_core.boolean_mask(tensor, mask), counts)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self):
        """The sizes; None where rows differ."""
        inner = self.values.shape[1:]
        return TensorShape((len(self), None) + tuple(inner))

    @property
    def ragged_rank(self):
        """How many axes have rows of different lengths."""
        return 1 + (self.values.ragged_rank if isinstance(self.values, RaggedTensor) else 0)

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
        return _core.constant(len(self), out_type or "int64")

    def row_lengths(self, axis=1, name=None):
        """How long each row is."""
        return self.row_splits[1:] - self.row_splits[:-1]

    def row_starts(self, name=None):
        """Where each row begins among the values."""
        return self.row_splits[:-1]

    def row_limits(self, name=None):
        """Where each row ends among the values."""
        return self.row_splits[1:]

    def value_rowids(self, name=None):
        """The row that each value is in."""
        return _core.repeat(_core.range(len(self), dtype="int64"), self.row_lengths())

    def nested_row_lengths(self, name=None):
        """The lengths of rows, from the outermost axis in."""
        return (self.row_lengths(), *(self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()))

    def nested_value_rowids(self, name=None):
        """The row that each value is in, from the outermost axis in."""
        return (self.value_rowids(), *(self.values.nested_value_rowids() if isinstance(self.values, RaggedTensor) else ()))

    def get_shape(self):
        """The shape; None where sizes differ."""
        return self.shape

    def merge_dims(self, outer_axis, inner_axis):
        """The axes from one to another as one axis."""
        rank = self.shape.rank
        outer, inner = (a + rank if a < 0 else a for a in (outer_axis, inner_axis))
        if not 0 <= outer < inner < rank:
            raise ValueError(f"[merge_dims] outer_axis ({outer_axis}) must be before inner_axis ({inner_axis}), both in [0, {rank})")
        if outer > 1:
            return self.with_values(_merged(self.values, outer - 1, inner - 1))
        merged = _merged(self.values, 0, inner - 1) if inner > 1 else self.values
        if outer == 0:
            return merged
        inside, splits = self.values, self.row_splits
        for _ in range(inner - outer):  # where rows of rows begin and end among what is inside them
            if isinstance(inside, RaggedTensor):
                splits, inside = _core.gather(inside.row_splits, splits), inside.values
            else:
                splits, inside = splits * int(inside.shape[1]), _core.reshape(inside, [-1, *inside.shape[2:]])
        return RaggedTensor(inside, splits)

    def to_sparse(self, name=None):
        """A SparseTensor of the values, with their places."""
        from brio._sparse import SparseTensor

        places, values = _places(self)
        return SparseTensor(places, values, self.bounding_shape())

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest tensor that has room for all rows."""
        lengths = _numbers(self.row_lengths())
        inner = list(self.values.bounding_shape().numpy())[1:] if isinstance(self.values, RaggedTensor) else self.values.shape[1:]
        return _core.constant([len(self), max(lengths, default=0), *inner], out_type or "int64")

    def with_values(self, new_values):
        """The same rows with other values."""
        return RaggedTensor(new_values, self.row_splits)

    def with_flat_values(self, new_values):
        """The same rows, at every level, with other values."""
        inner = self.values.with_flat_values(new_values) if isinstance(self.values, RaggedTensor) else new_values
        return RaggedTensor(inner, self.row_splits)

    def to_list(self):
        """Rows as Python lists."""
        values = self.values.to_list() if isinstance(self.values, RaggedTensor) else self.values.numpy().tolist()
        return [values[begin:end] for begin, end in zip(self._splits, self._splits[1:])]

    def numpy(self):
        """Rows as a NumPy array of arrays, or one array where all are as long."""
        import numpy as np

        rows = [row.numpy() for row in self]
        array = np.empty(len(rows), dtype=object)
        array[:] = rows
        return array

    def to_tensor(self, default_value=None, name=None, shape=None):
        """One tensor with short rows filled up."""
        values, rank = self.values, self.shape.rank
        sizes = [None] * rank if shape is None else TensorShape(shape).as_list()
        if len(sizes) != rank:
            raise InvalidArgumentError(f"[RaggedTensor.to_tensor] shape {sizes} has {len(sizes)} sizes, but the tensor has {rank} axes; None for a size lets it fit")
        if isinstance(values, RaggedTensor):
            values = values.to_tensor(default_value, shape=[None, *sizes[2:]])
        longest = max(_numbers(self.row_lengths()), default=0)
        width = longest if sizes[1] is None else sizes[1]
        if default_value is None:
            default_value = "" if values.dtype == _core.string else 0
        filler = _core.cast(default_value, values.dtype) if values.dtype != _core.string else _core.constant(default_value)
        filler = _core.broadcast_to(filler, [1, *values.shape[1:]])
        lengths, starts = _core.cast(self.row_lengths(), "int64"), _core.cast(self.row_splits, "int64")[:-1]
        rows = len(self) if sizes[0] is None else sizes[0]
        behind = _core.broadcast_to(_core.constant(values.shape[0], "int64"), [rows, width])  # refuses what no tensor holds
        if rows > len(self):
            more = _core.zeros([rows - len(self)], "int64")
            lengths, starts = _core.concat([lengths, more], axis=0), _core.concat([starts, more], axis=0)
        # The filler lies behind the values; each place of the result says which of them it is.
        column = _core.range(width, dtype="int64")
        places = _core.where(column < lengths[:rows, None], starts[:rows, None] + column, behind)
        return _core.gather(_core.concat([values, filler], axis=0), places)

    def __tf_tensor__(self, dtype=None, name=None):
        raise TypeError("this function takes no ragged tensor; tf.ragged.map_flat_values(f, x) calls one with the values, and x.to_tensor() fills short rows up")

    def __len__(self):
        return self.row_splits.shape[0] - 1

    def _beside(self, other):
        """The flat values of the other operand of an operator."""
        if isinstance(other, RaggedTensor):
            same = len(self.nested_row_splits) == len(other.nested_row_splits)
            if not (same and all(_numbers(a) == _numbers(b) for a, b in zip(self.nested_row_splits, other.nested_row_splits))):
                raise InvalidArgumentError(f"[RaggedTensor] operands have rows of different lengths: {_numbers(self.row_lengths())} and {_numbers(other.row_lengths())}")
            return other.flat_values
        other = _core.convert_to_tensor(other, dtype_hint=self.dtype)
        if other.shape.num_elements() == 1:
            return _core.reshape(other, [])
        if other.shape.rank == 2 and tuple(other.shape) == (len(self), 1) and self.ragged_rank == 1:  # a number for each row
            return _core.gather(other[:, 0], self.value_rowids())
        if other.shape.rank != 0:
            raise InvalidArgumentError(f"[RaggedTensor] {tuple(other.shape)} does not go with rows of {_numbers(self.row_lengths())} elements")
        return other

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key):
        if isinstance(key, tuple):
            first, *rest = key
            row = self[first]
            if not rest:
                return row
            if isinstance(row, RaggedTensor) and isinstance(first, slice):
                return _stack([r[tuple(rest)] for r in row])
            return row[tuple(rest)]
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            if step == 1:
                at = self._splits[begin : max(begin, end) + 1]
                return RaggedTensor(self.values[at[0] : at[-1]], [n - at[0] for n in at])
            return _stack([self[i] for i in range(begin, end, step)], like=self)
        i = int(key)
        if not -len(self) <= i < len(self):
            raise IndexError(f"[RaggedTensor] row {i} is out of range: there are {len(self)}")
        i %= len(self)
        return self.values[self._splits[i] : self._splits[i + 1]]

    def __repr__(self):
        return f"<tf.RaggedTensor {self.to_list()}>"


def _numbers(of):
    """Row splits or lengths; what no memory holds is refused where it becomes a tensor."""
    return [int(n) for n in (of if isinstance(of, list) else _core.convert_to_tensor(of).numpy().tolist())]


def _stack(rows, like=None):
    """Rows of any lengths as one."""
    if not rows:
        return like.with_values(like.values[:0]) if like is not None and len(like) == 0 else RaggedTensor(like.values[:0], [0])
    if isinstance(rows[0], RaggedTensor):
        parts = _stack([part for row in rows for part in row])
        return RaggedTensor.from_row_lengths(parts, [len(row) for row in rows])
    rows = [_core.convert_to_tensor(row) for row in rows]
    if rows[0].shape.rank == 0:
        return _core.stack(rows)
    return RaggedTensor.from_row_lengths(_core.concat(rows, axis=0), [row.shape[0] for row in rows])


def _operator(f, swapped=False):
    def call(self, other):
        values, other = self.flat_values, self._beside(other)
        return self.with_flat_values(f(other, values) if swapped else f(values, other))

    return call


for _name in "add sub mul truediv floordiv mod pow and or xor".split():
    _f = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
    setattr(RaggedTensor, f"__{_name}__", _operator(_f))
    setattr(RaggedTensor, f"__r{_name}__", _operator(_f, swapped=True))
for _name in "eq ne lt le gt ge".split():
    setattr(RaggedTensor, f"__{_name}__", _operator(getattr(operator, _name)))
for _name in "neg abs invert".split():
    setattr(RaggedTensor, f"__{_name}__", lambda self, f=getattr(operator, _name): self.with_flat_values(f(self.flat_values)))
RaggedTensor.__hash__ = None

from brio import _ragged_calls  # noqa: E402: functions of tf take ragged tensors from now on

_ragged_calls.install()


def _merged(x, outer, inner):
    """merge_dims() of a ragged tensor or of a plain one."""
    if isinstance(x, RaggedTensor):
        return x.merge_dims(outer, inner) if inner > outer else x
    return _core.reshape(x, [*x.shape[:outer], -1, *x.shape[inner + 1 :]]) if inner > outer else x


def _places(x):
    """(indices, values) of all numbers, in their order."""
    if not isinstance(x, RaggedTensor):
        from brio._more_arrays import unravel_index as _unravel

        shape = _core.shape(x, out_type="int64")
        count = _core.reduce_prod(shape)
        return _core.transpose(_unravel(_core.range(count), shape)) if x.shape.rank else _core.zeros([1, 0], "int64"), _core.reshape(x, [-1])
    inside, values = _places(x.values)
    rows = _core.gather(x.value_rowids(), inside[:, 0])
    first = inside[:, 0] - _core.gather(_core.cast(x.row_starts(), "int64"), rows)
    return _core.concat([_core.stack([rows, first], 1), inside[:, 1:]], 1), values
