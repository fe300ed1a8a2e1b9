"""tf.TensorArray: a list of tensors that is written and read by number."""

from brio import _core
from brio.errors import _UnknownValueError


class TensorArray:
    """Tensors by number. write() changes this array, and returns it.

    In a loop over tensors numbers are not known: there it is one tensor of all elements (_buffer), and write() returns
    another array. Its size must be known then.
    """

    _buffer = None
    _written = None  # while the body of a loop is tried: the first value that was written at a number that is not known

    def __init__(
        self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
        flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None,
    ):  # fmt: skip
        self.dtype = _core.as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.element_shape = element_shape
        self._tensors = [None] * int(0 if size is None else size)
        self._grows = self.dynamic_size and not self._tensors  # its program says nothing of its size

    def _with(self, buffer):
        made = TensorArray(self.dtype, 0, self.dynamic_size, element_shape=self.element_shape)
        made._buffer = buffer
        return made

    def _probe(self):
        """An array for a trial of a loop's body: it finds out what is written."""
        probe = self._with(None)
        probe._written = []
        return probe

    def _as_buffer(self, written=()):
        """The same as one tensor; None where neither what it holds nor what a trial wrote tells the shape of an
        element."""
        if self._buffer is not None:
            return self
        if self._grows:
            raise _UnknownValueError(
                "[TensorArray] it grows in a loop over tensors; with TensorArray(dtype, size=n) the loop is traced"
            )
        try:
            like = _core.zeros(written[0].shape, self.dtype) if written else self._zero()
        except ValueError:
            return None
        if not self._tensors:
            raise ValueError("[TensorArray] in a loop over tensors its size must be known: TensorArray(dtype, size=n)")
        return self._with(_core.stack([like if t is None else t for t in self._tensors]))

    def _at(self, index, grow=False):
        if not _core._is_known(index):
            raise ValueError(
                "[TensorArray] the number of an element must be known here; in a loop over tensors, assign what "
                "write() returns: a = a.write(i, x)"
            )
        i = int(index)
        if i < 0 or (i >= len(self._tensors) and not (grow and self.dynamic_size)):
            from brio.errors import OutOfRangeError

            raise OutOfRangeError(f"[TensorArray] tried to use element {i} of an array of {len(self._tensors)}")
        if i >= len(self._tensors):
            self._tensors += [None] * (i + 1 - len(self._tensors))
        return i

    def write(self, index, value, name=None):
        """Puts a tensor at a number."""
        value = _core.convert_to_tensor(value, dtype_hint=self.dtype)
        if value.dtype != self.dtype:
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(f"[TensorArray] is of {self.dtype.name}, but the value is of {value.dtype.name}")
        if self._written is not None:
            self._written.append(value)
            return self
        if self._buffer is not None:
            at = _core.reshape(_core.cast(index, "int32"), [1, 1])
            return self._with(_core.tensor_scatter_nd_update(self._buffer, at, _core.expand_dims(value, 0)))
        self._tensors[self._at(index, grow=True)] = value
        return self

    def read(self, index, name=None):
        """The tensor at a number."""
        if self._buffer is not None:
            return _core.gather(self._buffer, index)
        if self._written:
            return self._written[0]
        tensor = self._tensors[self._at(index)]
        return self._zero() if tensor is None else tensor

    def _zero(self):
        for tensor in self._tensors:
            if tensor is not None:
                return _core.zeros_like(tensor)
        if self.element_shape is not None and None not in list(self.element_shape):
            return _core.zeros(self.element_shape, self.dtype)
        raise ValueError("[TensorArray] nothing was written, so that the shape of an element is not known")

    def stack(self, name=None):
        """All of them along a new first axis; those that were not written are 0."""
        if self._buffer is not None:
            return self._buffer
        if not self._tensors:
            return _core.zeros([0, *(self.element_shape or [])], self.dtype)
        return _core.stack([self._zero() if t is None else t for t in self._tensors])

    def concat(self, name=None):
        """All of them, one after the other."""
        self._listed()
        return _core.concat([self._zero() if t is None else t for t in self._tensors], axis=0)

    def gather(self, indices, name=None):
        """Those at some numbers along a new first axis."""
        if self._buffer is not None:
            return _core.gather(self._buffer, indices)
        return _core.stack([self.read(i) for i in _core.convert_to_tensor(indices)])

    def unstack(self, value, name=None):
        """Puts the rows of a tensor at 0, 1, ..."""
        self._tensors, self._buffer = _core.unstack(_core.convert_to_tensor(value, dtype_hint=self.dtype)), None
        return self

    def scatter(self, indices, value, name=None):
        """Puts the rows of a tensor at some numbers."""
        self._listed()
        for i, row in zip(_core.convert_to_tensor(indices), _core.unstack(_core.convert_to_tensor(value))):
            self.write(i, row)
        return self

    def split(self, value, lengths, name=None):
        """Puts pieces of a tensor, of these lengths, at 0, 1, ..."""
        self._tensors, self._buffer = _core.split(value, lengths), None
        return self

    def size(self, name=None):
        """How many there are."""
        return _core.constant(len(self))

    def identity(self):
        """The array itself."""
        return self

    def close(self, name=None):
        """Nothing needs to be closed."""
        self._tensors = []

    def __len__(self):
        return len(self._tensors) if self._buffer is None else self._buffer.shape[0]

    def _listed(self):
        if self._buffer is not None:
            self._tensors, self._buffer = _core.unstack(self._buffer), None
